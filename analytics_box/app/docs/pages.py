"""GET /docs, /docs/search and /docs/{page}: the manual, and the way to the description of the API."""

from typing import Any

from litestar import Request, Response
from litestar.di import NamedDependency
from litestar.params import FromPath

from analytics_box.app.docs.documentation import Documentation
from analytics_box.app.docs.manual import MOVED, ManualPages
from analytics_box.app.docs.reference import Reference
from analytics_box.web.address import network_of
from analytics_box.web.call import Parts
from analytics_box.web.page.templates import Pages

_LONGEST = 100  # characters of a search
_SEARCHES = 120  # a minute, for each address


async def index(
    request: Request[Any, Any, Any], parts: NamedDependency[Parts], pages: NamedDependency[Pages]
) -> Response[bytes]:
    """GET /docs: all pages of the manual, and the way to the API."""

    def rendered() -> str:
        return pages.text("docs/index.html", manual=parts[ManualPages], here="", groups=(), api=parts[Reference].groups)

    return await parts[Documentation].pages.answer(request, "", rendered)


async def page(
    request: Request[Any, Any, Any],
    name: FromPath[str],
    parts: NamedDependency[Parts],
    pages: NamedDependency[Pages],
) -> Response[bytes]:
    """GET /docs/{name}: a page of the manual, or a redirect from its former name. Raises NotFound."""
    if name in MOVED:
        return Response(b"", status_code=301, headers={"location": f"/docs/{MOVED[name]}"})
    manual = parts[ManualPages]

    def rendered() -> str:
        return pages.text("docs/manual.html", manual=manual, here=name, page=manual.page(name), groups=())

    return await parts[Documentation].pages.answer(request, name, rendered)


async def search_page(
    request: Request[Any, Any, Any], parts: NamedDependency[Parts], pages: NamedDependency[Pages]
) -> Response[bytes]:
    """GET /docs/search?q=: the headings, operations and query types that hold these words, the best first."""
    documentation = parts[Documentation]
    parts.limits.take("docs search", network_of(request.scope["address"]), _SEARCHES)  # type: ignore[typeddict-item]
    asked = " ".join(request.query_params.get("q", "")[:_LONGEST].split())

    def rendered() -> str:
        hits = documentation.index.search(asked)
        return pages.text(
            "docs/search.html", manual=parts[ManualPages], here="search", asked=asked, hits=hits, groups=()
        )

    return await documentation.searches.answer(request, asked, rendered)
