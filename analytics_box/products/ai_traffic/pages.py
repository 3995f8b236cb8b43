"""The AI traffic page of a website: requests of AI agents, and parts of the page as fragments."""

from typing import Final

from litestar.params import FromPath

from analytics_box.base.translation import _
from analytics_box.figures import export, page, suggesting, tables
from analytics_box.figures.asking import PageQuery, SubjectFacts, UnansweredQuery
from analytics_box.figures.view import View, read_view
from analytics_box.ingest.intake import Intake
from analytics_box.products.ai_traffic.board import AI, PANELS
from analytics_box.products.notes.on_charts import on_charts
from analytics_box.products.overview.live import PREFIX, Watching, online_text
from analytics_box.query.presence import Presence
from analytics_box.tenants.websites.reach import own
from analytics_box.tenants.websites.rules import Website
from analytics_box.tenants.websites.shell import site_shell
from analytics_box.web.page.visit import Answer, Next, Page, PageRequest, Visitor

_EXPRESS: Final = """\
const AGENTS =
  /bot|agent|spider|crawl|user\\b|gpt|claude|fetch|index|download|dataset|google|gemini|amazon|nova|grok|ai-|-ai|autorag|cotoyogi|webzio|omgili|laion/i;

app.use((request, response, next) => {
  response.on("finish", () => {
    const userAgent = request.get("user-agent") ?? "";
    if (!AGENTS.test(userAgent) && !request.get("signature-agent")) return;
    fetch("%s/ai-traffic", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({
        websiteId: "%s",
        host: request.hostname,
        path: request.originalUrl,
        userAgent,
        accept: request.get("accept"),
        signatureAgent: request.get("signature-agent"),
        status: response.statusCode,
        ip: request.ip,
      }),
    }).catch(() => {});
  });
  next();
});"""
_CHECK: Final = 'curl -A "GPTBot/1.2" "https://%s/?check=%s"'


async def show(visit: Visitor, website_id: FromPath[str]) -> Answer:
    """GET /sites/{id}/ai-traffic: requests of AI agents in a range. Raises NotFound."""
    website, view, told = _place(visit, website_id)
    number = website.site
    settled = await suggesting.redirect_with_values(visit, number, view)
    if settled is not None:
        return settled
    # A check that is recorded while the page is built is heard of again.
    heard = visit.parts[Watching].heard(number)
    asking, board = await page.empty(visit, number, view, told)
    fresh = not await _has_requests(asking)
    if not fresh:
        board = await page.whole(visit, number, view, ("figures", *PANELS), told)
    url, parts = visit.parts.settings.tracker_url, visit.parts
    online = (await parts[Presence].online((number,), visit.call.now))[number] if fresh else 0
    check = parts[Intake].ai.own_check(website.id) if fresh else None
    return visit.pages.show(
        "ai_traffic.html",
        shell=site_shell(visit, "ai-traffic", website),
        site=website,
        board=board,
        fresh=fresh,
        stream=f"{PREFIX}{website.id}",
        heard=heard,
        online=online_text(online),
        quiet=not online,
        snippet=_EXPRESS % (url, website.id),
        check=check,
        check_command=_CHECK % (website.domain, check.nonce) if check else "",
    )


async def show_part(visit: Visitor, website_id: FromPath[str], name: FromPath[str]) -> Page:
    """GET /sites/{id}/ai-traffic/parts/{name}: parts of the page that were not ready in time. Raises NotFound."""
    website, view, told = _place(visit, website_id)
    board = await page.parts(visit, website.site, view, name, told)
    return visit.pages.show("part.html", board=board)


async def show_values(visit: Visitor, website_id: FromPath[str]) -> Page:
    """GET /sites/{id}/ai-traffic/values: values of a field that a filter can take. Raises NotFound."""
    website, view, _told = _place(visit, website_id)
    return await suggesting.suggested_values(visit, website.site, view)


async def show_details(visit: Visitor, website_id: FromPath[str], name: FromPath[str]) -> Answer:
    """GET /sites/{id}/ai-traffic/details/{list}: all rows of a list. Raises NotFound."""
    website, view, told = _place(visit, website_id, f"/details/{name}")
    return await tables.show(
        visit,
        website.site,
        view,
        name,
        home=f"/sites/{website.id}/ai-traffic",
        shell=site_shell(visit, "ai-traffic", website),
        subject=_("AI traffic"),
        told=told,
    )


async def details_file(visit: Visitor, website_id: FromPath[str], name: FromPath[str], form: FromPath[str]) -> Next:
    """GET /sites/{id}/ai-traffic/details/{list}/{form}: the same rows as csv or json. Raises NotFound."""
    website, view, told = _place(visit, website_id, f"/details/{name}")
    return await tables.file(visit, website.site, view, name, form, told)


async def export_file(visit: Visitor, website_id: FromPath[str], form: FromPath[str]) -> Next:
    """GET /sites/{id}/ai-traffic/export/{form}: the range as csv or json. Raises NotFound, or RateLimited."""
    website, view, told = _place(visit, website_id)
    return await export.file(visit, website.site, view, tuple(PANELS), form, told=told)


def _place(visit: PageRequest, website_id: str, rest: str = "") -> tuple[Website, View, SubjectFacts]:
    """The website, the view of the address, and notes. Raises NotFound."""
    website = own(visit.call, website_id)
    view = read_view(f"/sites/{website.id}/ai-traffic{rest}", visit.request.query_params, AI)
    # Servers can report requests before the website has its first page view.
    return website, view, SubjectFacts(begun=website.created_at, notes=on_charts(visit, website))


async def _has_requests(asking: PageQuery) -> bool:
    """Return whether there has ever been a request. A page that cannot be loaded has requests."""
    try:
        ((summary,),) = await asking.everything.rows(("ai_summary",))
    except UnansweredQuery:
        return True
    return bool(summary["requests"] or summary["visitors"])
