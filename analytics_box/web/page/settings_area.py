"""The settings area: which pages stand in its navigation. An entry is shown once its page is in the route table."""

from collections.abc import Collection
from typing import Final, Literal, NamedTuple

from analytics_box.base.translation import _

Tab = Literal[
    "profile",
    "security",
    "organization",
    "members",
    "alarms",
    "integrations",
    "domains",
    "defaults",
    "keys",
    "audit",
    "box",
]


class SettingsEntry(NamedTuple):
    """A page of the settings area."""

    tab: Tab
    label: str
    href: str


ENTRIES: Final = (
    SettingsEntry("profile", _("Profile"), "/settings/profile"),
    SettingsEntry("security", _("Security"), "/settings/security"),
    SettingsEntry("organization", _("Organization"), "/settings/organization"),
    SettingsEntry("members", _("Members"), "/settings/members"),
    SettingsEntry("alarms", _("Alarms"), "/alarms"),
    SettingsEntry("integrations", _("Integrations"), "/settings/integrations"),
    SettingsEntry("domains", _("Domains"), "/settings/domains"),
    SettingsEntry("defaults", _("Defaults"), "/settings/defaults"),
    SettingsEntry("keys", _("API keys"), "/settings/keys"),
    SettingsEntry("audit", _("Audit log"), "/settings/audit"),
    SettingsEntry("box", _("This box"), "/settings/box"),
)


def available_entries(paths: Collection[str]) -> tuple[SettingsEntry, ...]:
    """The entries whose page exists among these paths."""
    return tuple(entry for entry in ENTRIES if entry.href in paths)
