"""The export pages of an organization and of a website, and the files of a website: one for each part, so that a broken
download is repeated alone.
"""

from itertools import groupby
from typing import Any, Final, get_args

from litestar import Request
from litestar.di import NamedDependency
from litestar.params import FromPath
from litestar.response import Stream
from msgspec import Struct

from analytics_box.base.errors import NotFound
from analytics_box.base.translation import _
from analytics_box.products.exports import parts
from analytics_box.products.exports.calls import readable
from analytics_box.products.exports.parts import ExportPart
from analytics_box.query.exported import Format
from analytics_box.query.run import QueryRunner
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.settings_area import settings_page
from analytics_box.web.call import Call
from analytics_box.web.page.visit import Page, Visitor

_TYPES: Final[dict[Format, str]] = {"ndjson": "application/x-ndjson", "csv": "text/csv; charset=utf-8"}
_LABELS: Final = {
    "events": _("Events"),
    "vitals": _("Web vitals"),
    "errors": _("Errors"),
    "outgoing_links": _("Outbound links"),
    "engagement": _("Engagement"),
    "flag_exposures": _("Flag exposures"),
    "mcp_calls": _("MCP tool calls"),
    "transactions": _("Transactions"),
    "ai_requests": _("Requests of AI agents"),
}
# The files of other resources, by the address of each format.
_FILES: Final = (
    (_("Short links"), "/links/export/", ("csv", "json")),
    (_("Monitors"), "/monitors/export/", ("yaml", "json")),
)


class ExportedWebsite(Struct, frozen=True):
    """A website. Its files are on another page."""

    name: str
    domain: str
    href: str


class ExportTable(Struct, frozen=True):
    """A table of an export with its months, latest first."""

    name: str
    label: str
    months: tuple[str, ...]


async def export_page(visit: Visitor, website_id: FromPath[str]) -> Page:
    """GET /sites/{id}/settings/export. Raises NotFound."""
    website = readable(visit.call, website_id)
    found = await parts.parts_of(visit.parts[QueryRunner].engines, website)
    tables = [
        ExportTable(table, _LABELS[table], tuple(sorted((part.month for part in own), reverse=True)))
        for table, own in groupby(found, lambda part: part.table)
    ]
    return settings_page(visit, "site_export.html", "export", website, tables=tables)


async def organization_export(visit: Visitor) -> Page:
    """GET /settings/export: where each file of the organization is."""
    own = visit.parts[Directory].of(visit.person.organization_id)
    websites = [ExportedWebsite(one.name, one.domain, f"/sites/{one.id}/settings/export") for one in own]
    return visit.settings_page("export.html", "export", websites=websites, files=_FILES)


async def download(
    request: Request[Any, Any, Any],
    website_id: FromPath[str],
    table: FromPath[str],
    month: FromPath[str],
    form: FromPath[str],
    call: NamedDependency[Call],
) -> Stream:
    """GET /sites/{id}/export/{table}/{month}/{ndjson or csv}; `?people=1` includes profile IDs. Raises NotFound."""
    kind = next((one for one in get_args(Format) if one == form and one in _TYPES), None)
    if kind is None:
        raise NotFound(_("Export as ndjson or csv"))
    people = request.query_params.get("people") == "1"
    website, part = readable(call, website_id, people=people), ExportPart(table, month)
    call.parts.limits.take("export", call.identity.limit_name, call.parts.settings.limit_rpc)
    export = parts.fact_export(website, part, kind, people=people)
    engines = call.parts[QueryRunner].engines
    await engines.beyond.require(website.site, export.start)
    name = f"analytics-box-export-{website.domain}-{part.table}-{part.month}.{kind}".replace(":", "-")
    return Stream(
        parts.stream(engines, part, export, seconds=call.parts.settings.query_seconds),
        media_type=_TYPES[kind],
        headers={"cache-control": "no-store", "content-disposition": f'attachment; filename="{name}"'},
    )
