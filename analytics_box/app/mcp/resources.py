"""Resources: definitions, the schema of queries, the list of query types, and a summary of each website."""

from typing import Any, Final

import msgspec

from analytics_box.app.docs.manual import ManualPages
from analytics_box.app.mcp.bounds import fit
from analytics_box.app.mcp.caller import Caller, RangeInput
from analytics_box.app.mcp.schemas import schema_of
from analytics_box.base.errors import BoxError
from analytics_box.base.translation import _
from analytics_box.query.catalog.registry import TYPES
from analytics_box.query.request import GivenQuery

_SCHEME: Final = "analytics-box://"
_SUMMARY: Final = f"{_SCHEME}websites/"
_MARKDOWN, _JSON = "text/markdown", "application/json"
_RESOURCES: Final = {
    f"{_SCHEME}definitions": (_("Definitions"), _("How each figure is counted"), _MARKDOWN),
    f"{_SCHEME}query-schema": (_("Query schema"), _("The JSON Schema of a query"), _JSON),
    f"{_SCHEME}query-types": (_("Query types"), _("All query types with title and description"), _JSON),
}
TEMPLATES: Final[list[dict[str, Any]]] = [
    {
        "uriTemplate": f"{_SUMMARY}{{websiteId}}/summary",
        "name": "website-summary",
        "title": _("Website summary"),
        "description": _("Totals, days, pages, sources and countries of a website in the last 7 days"),
        "mimeType": _JSON,
    }
]
_SUMMARIZED: Final = ("summary_totals", "summary_metrics", "top_pages", "top_referrers", "country")


class UnknownResource(Exception):
    """Raised for a URI that names no resource."""


def list_resources(caller: Caller) -> list[dict[str, Any]]:
    """The resources that this key can read."""
    if caller.refusal("websites.list", "uptime.listSchedules") is not None:
        return []
    return [
        {"uri": uri, "name": uri.removeprefix(_SCHEME), "title": title, "description": text, "mimeType": kind}
        for uri, (title, text, kind) in _RESOURCES.items()
    ]


async def read(caller: Caller, uri: str) -> dict[str, Any]:
    """The contents of a resource. Raises UnknownResource or BoxError."""
    if uri in _RESOURCES:
        return {"uri": uri, "mimeType": _RESOURCES[uri][2], "text": _text(caller, uri.removeprefix(_SCHEME))}
    name, _slash, last = uri.removeprefix(_SUMMARY).partition("/")
    if not uri.startswith(_SUMMARY) or not name or last != "summary":
        raise UnknownResource(_("This resource does not exist: {uri}").format(uri=uri[:200]))
    week = RangeInput(preset="last_7d")
    try:
        rows = await caller.rows(week.query(*_SUMMARIZED, limit=10), {"website_id": name})
    except BoxError as refused:
        raise UnknownResource(refused.message) from refused
    about = {"websiteId": name, "range": week.days(caller.now), **dict(zip(_SUMMARIZED, rows, strict=True))}
    content = fit(msgspec.to_builtins(about))
    return {"uri": uri, "mimeType": _JSON, "text": msgspec.json.encode(content).decode()}


def _text(caller: Caller, name: str) -> str:
    if name == "definitions":
        return caller.parts[ManualPages].markdown("definitions")
    if name == "query-schema":
        return msgspec.json.encode(schema_of(GivenQuery)).decode()
    types = [{"name": one.name, "title": one.title, "description": one.description} for one in TYPES.values()]
    return msgspec.json.encode(types).decode()
