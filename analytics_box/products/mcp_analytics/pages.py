"""The MCP page of a website: the calls of its MCP servers, and parts of the page as fragments."""

from typing import Final

from litestar.params import FromPath

from analytics_box.base.translation import _
from analytics_box.figures import export, page, suggesting, tables
from analytics_box.figures.asking import PageQuery, SubjectFacts, UnansweredQuery
from analytics_box.figures.view import View, read_view
from analytics_box.products.mcp_analytics.board import MCP, PANELS
from analytics_box.products.notes.on_charts import on_charts
from analytics_box.tenants.websites.reach import own
from analytics_box.tenants.websites.rules import Website
from analytics_box.tenants.websites.shell import site_shell
from analytics_box.web.page.visit import Answer, Next, Page, PageRequest, Visitor

_WRAPPER: Final = """\
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { trackMcp } from "@databuddy/sdk/mcp";

const server = trackMcp(new McpServer({ name: "orders", version: "1.4.0" }), {
  apiUrl: "%s",
  apiKey: process.env.ANALYTICS_BOX_KEY,
  websiteId: "%s",
});"""
_CURL: Final = """\
curl %s/mcp \\
  -H "Authorization: Bearer $ANALYTICS_BOX_KEY" \\
  -H "Content-Type: application/json" \\
  -d '[{"tool": "search_orders", "durationMs": 182, "clientName": "curl", "websiteId": "%s"}]'"""


async def show(visit: Visitor, website_id: FromPath[str]) -> Answer:
    """GET /sites/{id}/mcp: the calls of a range. Raises NotFound."""
    website, view, told = _place(visit, website_id)
    number = website.site
    settled = await suggesting.redirect_with_values(visit, number, view)
    if settled is not None:
        return settled
    asking, board = await page.empty(visit, number, view, told)
    fresh = not await _has_calls(asking)
    if not fresh:
        board = await page.whole(visit, number, view, ("figures", *PANELS), told)
    url = visit.parts.settings.tracker_url
    return visit.pages.show(
        "mcp.html",
        shell=site_shell(visit, "mcp", website),
        site=website,
        board=board,
        fresh=fresh,
        snippets=(
            (_("TypeScript"), _WRAPPER % (url, website.id)),
            (_("Any other language"), _CURL % (url, website.id)),
        ),
        may_manage=visit.person.may("admin"),
    )


async def show_part(visit: Visitor, website_id: FromPath[str], name: FromPath[str]) -> Page:
    """GET /sites/{id}/mcp/parts/{name}: parts of the page that were not ready in time. Raises NotFound."""
    website, view, told = _place(visit, website_id)
    board = await page.parts(visit, website.site, view, name, told)
    return visit.pages.show("part.html", board=board)


async def show_values(visit: Visitor, website_id: FromPath[str]) -> Page:
    """GET /sites/{id}/mcp/values: values of a field that a filter can take. Raises NotFound."""
    website, view, _told = _place(visit, website_id)
    return await suggesting.suggested_values(visit, website.site, view)


async def show_details(visit: Visitor, website_id: FromPath[str], name: FromPath[str]) -> Answer:
    """GET /sites/{id}/mcp/details/{list}: all rows of a list. Raises NotFound."""
    website, view, told = _place(visit, website_id, f"/details/{name}")
    return await tables.show(
        visit,
        website.site,
        view,
        name,
        home=f"/sites/{website.id}/mcp",
        shell=site_shell(visit, "mcp", website),
        subject=_("MCP"),
        told=told,
    )


async def details_file(visit: Visitor, website_id: FromPath[str], name: FromPath[str], form: FromPath[str]) -> Next:
    """GET /sites/{id}/mcp/details/{list}/{form}: the same rows as csv or json. Raises NotFound."""
    website, view, told = _place(visit, website_id, f"/details/{name}")
    return await tables.file(visit, website.site, view, name, form, told)


async def export_file(visit: Visitor, website_id: FromPath[str], form: FromPath[str]) -> Next:
    """GET /sites/{id}/mcp/export/{form}: the figures of the range as csv or json. Raises NotFound, or RateLimited."""
    website, view, told = _place(visit, website_id)
    return await export.file(visit, website.site, view, tuple(PANELS), form, told=told)


def _place(visit: PageRequest, website_id: str, rest: str = "") -> tuple[Website, View, SubjectFacts]:
    """The website, the view of the address, and notes. Raises NotFound."""
    website = own(visit.call, website_id)
    view = read_view(f"/sites/{website.id}/mcp{rest}", visit.request.query_params, MCP)
    # Servers can report calls before the website has its first page view.
    return website, view, SubjectFacts(begun=website.created_at, notes=on_charts(visit, website))


async def _has_calls(asking: PageQuery) -> bool:
    """Return whether there has ever been a call. A page that cannot be loaded has calls."""
    try:
        ((summary,),) = await asking.everything.rows(("mcp_summary",))
    except UnansweredQuery:
        return True
    return bool(summary["tracked"])
