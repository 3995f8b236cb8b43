"""Pages of all websites: adding one, and bringing a deleted one back."""

from litestar.params import FromPath

from analytics_box.tenants.websites import calls
from analytics_box.tenants.websites import calls as procedures
from analytics_box.tenants.websites.messages import CreateWebsite, WebsiteId
from analytics_box.tenants.websites.shell import shell
from analytics_box.web.page.templates import go
from analytics_box.web.page.visit import Again, Answer, Next, Page, PageRequest, Visitor


async def new_site_form(visit: Visitor) -> Page:
    """GET /sites/new."""
    return await _new_site_page(visit, Again())


async def add_site(visit: Visitor) -> Answer:
    """POST /sites/new: make the website and show its snippet."""
    form = await visit.form()

    async def save() -> str:
        wanted = CreateWebsite(form.get("name", ""), form.get("domain", ""))
        return f"/sites/{(await procedures.create(visit.call, wanted)).id}"

    return await visit.submit(save, _new_site_page, values=form)


async def _new_site_page(visit: PageRequest, again: Again) -> Page:
    return visit.pages.show(
        "site_new.html",
        code=again.code,
        shell=shell(visit.person, "add"),
        values=again.values,
        errors=again.wrong,
        general=again.general,
    )


async def restore(visit: Visitor, website_id: FromPath[str]) -> Next:
    """POST /sites/{id}/restore: bring a deleted website back. Raises NotFound or Conflict."""
    website = await calls.restore(visit.call, WebsiteId(website_id))
    return go(f"/sites/{website.id}")
