"""The settings of one website: the pages, and the roles that see them. Routes refuse users who
can see none. Pure but for the list of websites next to it."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from msgspec import Struct

from analytics_box.base.clock import DAY
from analytics_box.base.errors import BadRequest, ErrorDetail
from analytics_box.base.identity import Role, SignedInPerson
from analytics_box.base.translation import _
from analytics_box.tenants.tenancy.messages import message_of
from analytics_box.tenants.websites.rules import MANAGER, Website
from analytics_box.tenants.websites.shell import site_shell
from analytics_box.tenants.websites.tracking import LONGEST_RETENTION, MOST_MEGABYTES, MOST_TEXTS, GivenTracking
from analytics_box.web.page import dates
from analytics_box.web.page.visit import Again, Page, PageRequest

Tab = Literal["general", "tracking", "dropped", "bots", "revenue", "sharing", "import", "export", "danger"]


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
    SettingsTab("revenue", _("Revenue"), "/settings/revenue", MANAGER),
    SettingsTab("sharing", _("Sharing"), "/settings/sharing", MANAGER),
    SettingsTab("import", _("Import"), "/settings/import", MANAGER),
    SettingsTab("export", _("Export"), "/settings/export", "member"),
    SettingsTab("danger", _("Danger"), "/settings/danger", MANAGER),
)


def settings_page(
    visit: PageRequest, template: str, tab: Tab, website: Website, *, again: Again | None = None, **context: Any
) -> Page:
    """A page of a website's settings under their tabs; `errors` and `general` are those of a form that came back."""
    again = again or Again()
    return visit.show(
        template,
        site_shell(visit, "site-settings", website),
        again,
        site=website,
        home=f"/sites/{website.id}",
        tabs=[one for one in TABS if visit.person.may(one.least)],
        tab=tab,
        **context,
    )


_NUMBER_WRONG = {
    "dataRetentionDays": _("Enter a number of days from 1 to {most}, or leave it blank."),
    "hourlyTexts": _("Enter a number from 1 to {most}, or leave it blank."),
    "hourlyMegabytes": _("Enter a number of megabytes from 1 to {most}, or leave it blank."),
}


LISTS = ("allowedOrigins", "allowedIps", "ignoredIps", "ignoredPaths", "ignoredTrackingOrigins", "aliases")

NUMBERS = {  # and the most that each may be; an empty one is None
    "dataRetentionDays": LONGEST_RETENTION,
    "hourlyTexts": MOST_TEXTS,
    "hourlyMegabytes": MOST_MEGABYTES,
}


class OldId(Struct, frozen=True):
    """A client id of before: until when it is accepted and when it was last used, in words."""

    id: str
    until: str
    seen: str


class DeletedWebsiteItem(Struct, frozen=True):
    """A deleted website that can still be restored."""

    name: str
    domain: str
    until: str
    restore: str


def values_of(website: Website) -> dict[str, str]:
    """The field values of all forms: lists with one entry per line."""
    tracking = website.tracking
    return {
        "name": website.name,
        "domain": website.domain,
        "isPublic": "on" if website.is_public else "",
        "publicValues": "on" if website.public_values else "",
        **{name: "\n".join(getattr(tracking, name)) for name in LISTS},
        "visitorIdMode": tracking.visitorIdMode,
        **{name: str(getattr(tracking, name) or "") for name in NUMBERS},
    }


def tracking_of(form: Mapping[str, str]) -> GivenTracking:
    """The tracking settings that a form asks for. Raises BadRequest, which names every field that is no number."""
    lists = {name: [line for line in form.get(name, "").split("\n") if line.strip()] for name in LISTS}
    numbers = {name: form.get(name, "").strip() for name in NUMBERS}
    wrong = [
        ErrorDetail(name, _NUMBER_WRONG[name].format(most=f"{NUMBERS[name]:,}"))
        for name, text in numbers.items()
        if text and not _is_number(text, NUMBERS[name])
    ]
    if wrong:
        raise BadRequest(wrong[0].message, details=tuple(wrong))
    given = {
        **lists,
        "visitorIdMode": "cookieless" if form.get("visitorIdMode") == "cookieless" else "auto",
        **{name: int(text) if text else None for name, text in numbers.items()},
    }
    return message_of(given, GivenTracking)


def _is_number(text: str, most: int) -> bool:
    return text.isdecimal() and text.isascii() and len(text) <= len(str(most)) and 1 <= int(text) <= most


def old_ids(website: Website, now: int, person: SignedInPerson) -> list[OldId]:
    """The client ids of before that matter still."""
    return [
        OldId(
            id=each.id,
            until=(_("accepted until {day}") if each.accepted(now) else _("not accepted since {day}")).format(
                day=dates.day(each.ends_at, person)
            ),
            seen=_("last used {time}").format(time=dates.moment(each.seen_at, person))
            if each.seen_at
            else _("not used since the rotation"),
        )
        for each in website.old_client_ids(now)
        if each.ends_at is not None
    ]


def restorable(deleted: Sequence[Website], grace_days: int, person: SignedInPerson) -> list[DeletedWebsiteItem]:
    """The deleted websites that can still be restored."""
    return [
        DeletedWebsiteItem(
            each.name,
            each.domain,
            dates.moment((each.deleted_at or 0) + grace_days * DAY, person),
            f"/sites/{each.id}/restore",
        )
        for each in deleted
    ]
