"""GET /docs/query-types and its families: every query type from the catalogue, with an example of each."""

import json
from typing import Any

from litestar import Request, Response
from litestar.di import NamedDependency
from litestar.params import FromPath
from msgspec import Struct

from analytics_box.app.docs.documentation import Documentation
from analytics_box.app.docs.manual import ManualPages
from analytics_box.base import errors
from analytics_box.base.clock import MINUTE
from analytics_box.base.translation import _
from analytics_box.figures.explorer.families import FAMILIES, examples
from analytics_box.figures.explorer.samples import curl
from analytics_box.query.catalog.registry import TYPES, QueryType
from analytics_box.query.catalog.types import Output
from analytics_box.query.request import DEFAULT_LIMIT
from analytics_box.query.subjects import Subjects
from analytics_box.web.call import Parts
from analytics_box.web.page.templates import Pages

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
        raise errors.NotFound("This family of query types does not exist")

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
