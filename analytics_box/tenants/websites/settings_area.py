"""The settings of one website: the pages, and the roles that see them. Routes refuse users who
can see none. Pure but for the list of websites next to it."""

from typing import Any, Final, Literal, NamedTuple

from analytics_box.base.identity import Role
from analytics_box.base.translation import _
from analytics_box.tenants.websites.rules import MANAGER, Website
from analytics_box.tenants.websites.shell import site_shell
from analytics_box.web.page.visit import Again, Page, PageRequest

Tab = Literal["general", "tracking", "dropped", "bots", "sharing", "danger"]


class SettingsTab(NamedTuple):
    """A page of the settings: its address behind that of the website, and the least role that sees it."""

    tab: Tab
    label: str
    path: str
    least: Role


TABS: Final = (
    SettingsTab("general", _("General"), "/settings", "member"),
    SettingsTab("tracking", _("Tracking"), "/settings/tracking", "member"),
    SettingsTab("dropped", _("Dropped traffic"), "/not-counted", "viewer"),
    SettingsTab("bots", _("Bots"), "/bots", "viewer"),
    SettingsTab("sharing", _("Sharing"), "/settings/sharing", MANAGER),
    SettingsTab("danger", _("Danger"), "/settings/danger", MANAGER),
)


def settings_page(
    visit: PageRequest, template: str, tab: Tab, website: Website, *, again: Again | None = None, **context: Any
) -> Page:
    """A page of a website's settings under their tabs; `errors` and `general` are those of a form that came back."""
    again = again or Again()
    return visit.pages.show(
        template,
        code=again.code,
        shell=site_shell(visit, "site-settings", website),
        site=website,
        home=f"/sites/{website.id}",
        tabs=[one for one in TABS if visit.person.may(one.least)],
        tab=tab,
        errors=again.wrong,
        general=again.general,
        **context,
    )
