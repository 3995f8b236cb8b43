"""GET /docs, /docs/search and /docs/{page}: the manual, and the way to the description of the API."""

import asyncio
from collections.abc import Iterator
from typing import Any

from litestar import Request, Response
from litestar.di import NamedDependency
from litestar.params import FromPath

from analytics_box.docs.manual import Manual
from analytics_box.docs.reference import Reference
from analytics_box.docs.search import Entry, search
from analytics_box.http.call import Parts
from analytics_box.http.page.templates import Pages
from analytics_box.query_pages.families import FAMILIES
from analytics_box.texts import Docs, QueryTypes


async def index(parts: NamedDependency[Parts], pages: NamedDependency[Pages]) -> Response[str]:
    """GET /docs: all pages of the manual, and the way to the API."""
    return pages.show("docs/index.html", manual=parts[Manual], here="", groups=(), api=parts[Reference].groups)


async def page(name: FromPath[str], parts: NamedDependency[Parts], pages: NamedDependency[Pages]) -> Response[str]:
    """GET /docs/{name}: a page of the manual. Raises NotFound."""
    manual = parts[Manual]
    return pages.show("docs/manual.html", manual=manual, here=name, page=manual.page(name), groups=())


async def found(
    request: Request[Any, Any, Any], parts: NamedDependency[Parts], pages: NamedDependency[Pages]
) -> Response[str]:
    """GET /docs/search?q=: the headings, operations and query types that hold these words, the best first."""
    manual, reference = parts[Manual], parts[Reference]
    asked = request.query_params.get("q", "")[:100].strip()
    hits = await asyncio.to_thread(lambda: search((*manual.entries, *_entries_of_api(reference)), asked))
    return pages.show("docs/search.html", manual=manual, here="search", asked=asked, hits=hits, groups=())


def _entries_of_api(reference: Reference) -> Iterator[Entry]:
    """Operations and query types."""
    for group in reference.groups:
        for one in group.operations:
            href = f"/docs/api/{group.slug}#{one.id}"
            yield Entry(href, f"{one.method} {one.path}", Docs.api, f"{one.summary}. {one.text}".replace("`", ""))
    for family in FAMILIES:
        for kind in family.types:
            href = f"/docs/query-types/{family.slug}#{kind.name}"
            yield Entry(href, kind.name, QueryTypes.title, f"{kind.title}. {kind.description}")
