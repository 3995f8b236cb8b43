"""GET /docs, /docs/search and /docs/{page}: the manual, and the way to the description of the API."""

import json
from typing import Any

from litestar import Request, Response
from litestar.di import NamedDependency
from litestar.params import FromPath
from msgspec import Struct

from analytics_box.app.docs.manual import MOVED, PAGES, Documentation, ManualPages
from analytics_box.app.docs.reference import Reference, slug_of
from analytics_box.base import errors
from analytics_box.base.clock import MINUTE
from analytics_box.base.translation import _
from analytics_box.figures.explorer.families import FAMILIES, examples
from analytics_box.figures.explorer.samples import curl
from analytics_box.query.catalog.registry import TYPES, QueryType
from analytics_box.query.catalog.types import Output
from analytics_box.query.request import DEFAULT_LIMIT
from analytics_box.query.subjects import Subjects
from analytics_box.web.address import network_of
from analytics_box.web.call import Parts
from analytics_box.web.compression import accepted_codings, compress_file
from analytics_box.web.page.templates import Pages

_LONGEST = 100  # characters of a search
_SEARCHES = 120  # a minute, for each address
_FOR_AN_HOUR = "public, max-age=3600, must-revalidate"


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
    """GET /docs/{name}: a page of the manual, also as Markdown (name.md), or a redirect from its former name.

    Raises NotFound.
    """
    if name.endswith(".md"):
        return _markdown(parts[ManualPages].markdown(name.removesuffix(".md")))
    if name in MOVED:
        return Response(b"", status_code=301, headers={"location": f"/docs/{MOVED[name]}"})
    manual = parts[ManualPages]

    def rendered() -> str:
        return pages.text("docs/manual.html", manual=manual, here=name, page=manual.page(name), groups=())

    return await parts[Documentation].pages.answer(request, name, rendered)


async def for_assistants(request: Request[Any, Any, Any], parts: NamedDependency[Parts]) -> Response[bytes]:
    """GET /llms.txt, /docs/llms.txt and /docs/llms-full.txt: the pages of the manual, or all of their text."""
    manual = parts[ManualPages]
    if request.url.path.endswith("-full.txt"):
        return _markdown("\n\n".join(manual.markdown(name) for name in PAGES if name != "changelog"))
    return _markdown(manual.contents)


def _markdown(text: str) -> Response[bytes]:
    return Response(text.encode(), media_type="text/markdown", headers={"cache-control": _FOR_AN_HOUR})


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


async def openapi(request: Request[Any, Any, Any], parts: NamedDependency[Parts]) -> Response[bytes]:
    """The OpenAPI document of this box; long, so it is compressed once and not for each who asks."""
    headers = {"cache-control": _FOR_AN_HOUR, "vary": "accept-encoding"}
    if "gzip" not in accepted_codings(request.headers.get("accept-encoding", "")):
        return Response(parts[Reference].encoded, media_type="application/json", headers=headers)
    content = compress_file(parts[Reference].encoded, "gzip")
    return Response(content, media_type="application/json", headers={**headers, "content-encoding": "gzip"})


async def api(
    request: Request[Any, Any, Any], parts: NamedDependency[Parts], pages: NamedDependency[Pages]
) -> Response[bytes]:
    """GET /docs/api: the API for people, from the same document."""
    reference = parts[Reference]

    def rendered() -> str:
        document = reference.document
        return pages.text(
            "docs/api.html",
            manual=parts[ManualPages],
            groups=reference.groups,
            here="api",
            server=document["servers"][0]["url"],
            version=document["info"]["version"],
            refusals=[
                (name.removeprefix("api-"), response["description"])
                for name, response in document["components"]["responses"].items()
                if name.startswith("api-")
            ],
        )

    return await parts[Documentation].pages.answer(request, "api", rendered)


# Former addresses of groups redirect.
MOVED_GROUPS = {"alarms": "alert-rules"}


async def group(
    request: Request[Any, Any, Any],
    name: FromPath[str],
    parts: NamedDependency[Parts],
    pages: NamedDependency[Pages],
) -> Response[bytes]:
    """GET /docs/api/{name}: the operations of one group, or a redirect from its former name. Raises NotFound."""
    if name in MOVED_GROUPS:
        return Response(b"", status_code=301, headers={"location": f"/docs/api/{MOVED_GROUPS[name]}"})
    groups = parts[Reference].groups
    match = next((one for one in groups if one.slug == slug_of(name)), None)
    if match is None:
        raise errors.NotFound(_("This part of the API does not exist"))
    here = f"api/{match.slug}"

    def rendered() -> str:
        return pages.text("docs/group.html", manual=parts[ManualPages], groups=groups, here=here, group=match)

    return await parts[Documentation].pages.answer(request, here, rendered)


_PUBLIC_TEXT = {
    "yes": _("Yes, for public websites"),
    "values": _("Only for public websites with public values"),
    "no": _("No: requires a key or a signed-in user"),
}
_ABOUT_TEXT = {
    "website": _("a website"),
    "organization": _("a website, or an organization"),
    "link": _("a short link, with link_id; a key needs global access"),
    "monitor": _("a monitor, with schedule_id; a key needs read:monitors or read:data"),
}
_YES_NO = {True: _("Yes"), False: _("No")}


HERE = "query-types"  # its entry in the navigation


class TypeShown(Struct, frozen=True):
    """A query type on its page: its fields, those to sort by, what else there is to know as term and text, and its
    example."""

    name: str
    title: str
    description: str
    fields: tuple[Output, ...]
    sortable: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]
    request: str
    answer: str


async def query_types(
    request: Request[Any, Any, Any], parts: NamedDependency[Parts], pages: NamedDependency[Pages]
) -> Response[bytes]:
    """GET /docs/query-types: all types by family."""

    def rendered() -> str:
        return pages.text(
            "docs/query_types.html",
            manual=parts[ManualPages],
            groups=(),
            here=HERE,
            families=FAMILIES,
            count=len(TYPES),
        )

    return await parts[Documentation].pages.answer(request, HERE, rendered)


async def query_family(
    request: Request[Any, Any, Any],
    family: FromPath[str],
    parts: NamedDependency[Parts],
    pages: NamedDependency[Pages],
) -> Response[bytes]:
    """GET /docs/query-types/{family}: the types of one family. Raises NotFound."""
    match = next((one for one in FAMILIES if one.slug == family), None)
    if match is None:
        raise errors.NotFound(_("This family of query types does not exist"))

    def rendered() -> str:
        return pages.text(
            "docs/query_family.html",
            manual=parts[ManualPages],
            groups=(),
            here=HERE,
            families=FAMILIES,
            family=match,
            types=tuple(_type_page(query_type, parts) for query_type in match.types),
        )

    return await parts[Documentation].pages.answer(request, f"{HERE}/{family}", rendered)


def _type_page(query_type: QueryType, parts: Parts) -> TypeShown:
    example, subject = examples().get(query_type.name), query_type.subject
    target = f"{parts[Subjects].parameter(subject)}=YOUR-{subject.upper()}-ID"
    return TypeShown(
        name=query_type.name,
        title=query_type.title,
        description=query_type.description,
        fields=query_type.outputs,
        sortable=query_type.sortable,
        facts=tuple(_facts(query_type).items()),
        request=curl(parts.settings.public_url, target, example.request) if example else "",
        answer=_pretty(example.answer) if example else "",
    )


def _facts(query_type: QueryType) -> dict[str, str]:
    """Term and text of what a type takes, in the order shown."""
    facts = {_("Range"): _range(query_type)}
    if query_type.needs:
        text = (
            _("Exactly one on {fields}, with eq and one value")
            if query_type.needs_one
            else _("{fields}, with eq or in")
        )
        facts[_("Needs a filter")] = text.format(fields=" or ".join(query_type.needs))
    facts[_("Filters")] = ", ".join(query_type.filters) or "–"
    if query_type.having:
        facts[_("Filters on counters")] = _("{fields}, with eq, ne, in and not_in").format(
            fields=", ".join(query_type.having)
        )
    limit = query_type.default_limit
    facts[_("Default limit")] = (
        str(limit)
        if limit == DEFAULT_LIMIT
        else _("{limit}. POST /v1/query returns {usual} rows if you leave it out.").format(
            limit=limit, usual=DEFAULT_LIMIT
        )
    )
    facts[_("Granularity")] = ", ".join(query_type.granularities) or _("None: rows are not grouped by day or hour")
    facts[_("Public")] = _PUBLIC_TEXT[_public(query_type)]
    facts[_("Queried for")] = _ABOUT_TEXT["organization" if query_type.organization else query_type.subject]
    facts[_("Customizable")] = _YES_NO[query_type.customizable]
    return facts


def _public(query_type: QueryType) -> str:
    if not query_type.public:
        return "no"
    return "values" if query_type.values else "yes"


def _range(query_type: QueryType) -> str:
    if query_type.today:
        return _("always today so far, never cached")
    if query_type.recent:
        return _("always the last {minutes} minutes, never cached").format(minutes=query_type.recent // MINUTE)
    return _("the request's")


def _pretty(answer: dict[str, Any]) -> str:
    """JSON with a line for each field of a row; what is inside a field stays on its line."""
    rows = [
        "    {\n" + ",\n".join(f"      {_json(name)}: {_json(value)}" for name, value in row.items()) + "\n    }"
        for row in answer["data"]
    ]
    head = ",\n".join(f"  {_json(name)}: {_json(value)}" for name, value in answer.items() if name != "data")
    return "{\n" + head + ',\n  "data": [\n' + ",\n".join(rows) + "\n  ]\n}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
