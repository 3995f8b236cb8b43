"""The settings area: which pages stand in its navigation. An entry is shown once its page is in the route table."""

from collections.abc import Collection
from typing import Final, Literal, NamedTuple

from analytics_box.base.texts import SettingsArea

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
    SettingsEntry("profile", SettingsArea.profile, "/settings/profile"),
    SettingsEntry("security", SettingsArea.security, "/settings/security"),
    SettingsEntry("organization", SettingsArea.organization, "/settings/organization"),
    SettingsEntry("members", SettingsArea.members, "/settings/members"),
    SettingsEntry("alarms", SettingsArea.alarms, "/alarms"),
    SettingsEntry("integrations", SettingsArea.integrations, "/settings/integrations"),
    SettingsEntry("domains", SettingsArea.domains, "/settings/domains"),
    SettingsEntry("defaults", SettingsArea.defaults, "/settings/defaults"),
    SettingsEntry("keys", SettingsArea.keys, "/settings/keys"),
    SettingsEntry("audit", SettingsArea.audit, "/settings/audit"),
    SettingsEntry("box", SettingsArea.box, "/settings/box"),
)


def available_entries(paths: Collection[str]) -> tuple[SettingsEntry, ...]:
    """The entries whose page exists among these paths."""
    return tuple(entry for entry in ENTRIES if entry.href in paths)
