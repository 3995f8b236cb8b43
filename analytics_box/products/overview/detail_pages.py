"""The lists of a website's overview as tables and as files, and the whole overview as a file."""

from collections.abc import Mapping
from functools import partial
from typing import Final

from litestar.params import FromPath

from analytics_box.figures import export, tables
from analytics_box.figures.view import View, read_view
from analytics_box.products.goals.lookup import active_goals
from analytics_box.products.overview.board import TABLES_ALONE, WEBSITE
from analytics_box.products.overview.goal_rates import sheet
from analytics_box.products.overview.measured import parts_of
from analytics_box.query.presence import Presence
from analytics_box.tenants.websites.reach import own
from analytics_box.tenants.websites.shell import site_shell
from analytics_box.web.page.shell import Here
from analytics_box.web.page.visit import Answer, Next, PageRequest, Visitor

# The navigation entries of tables that no panel shows, by the first table of each group.
HERE: Final[Mapping[str, Here]] = {"errors": "errors", "performance": "performance", "attention": "engagement"}


async def site_details(visit: Visitor, website_id: FromPath[str], name: FromPath[str]) -> Answer:
    """GET /sites/{id}/details/{list}: all rows of a list. Raises NotFound."""
    website = own(visit.call, website_id)
    home = f"/sites/{website.id}"
    group = next((names[0] for names in TABLES_ALONE if name in names), "")
    return await tables.show(
        visit,
        website.site,
        _view(visit, home, name),
        name,
        home=home,
        shell=site_shell(visit, HERE.get(group, "overview"), website),
        subject=website.name,
    )


async def site_details_file(
    visit: Visitor, website_id: FromPath[str], name: FromPath[str], form: FromPath[str]
) -> Next:
    """GET /sites/{id}/details/{list}/{form}: the same rows as csv or json. Raises NotFound."""
    website = own(visit.call, website_id)
    return await tables.file(visit, website.site, _view(visit, f"/sites/{website.id}", name), name, form)


async def site_export(visit: Visitor, website_id: FromPath[str], form: FromPath[str]) -> Next:
    """GET /sites/{id}/export/{form}: the overview of a range as csv or json. Raises NotFound, or RateLimited."""
    website = own(visit.call, website_id)
    view = read_view(f"/sites/{website.id}", visit.request.query_params, WEBSITE)
    measured = await visit.parts[Presence].kinds(website.site)
    goals = await active_goals(visit.call, website.id)
    names = (*parts_of(view, measured), *(("goals",) if goals else ()))
    own_parts: export.Own = {"goals": partial(sheet, view=view, goals=goals)}
    return await export.file(visit, website.site, view, names, form, own=own_parts)


def _view(visit: PageRequest, home: str, name: str) -> View:
    return read_view(f"{home}/details/{name}", visit.request.query_params, WEBSITE)
