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


class Entry(NamedTuple):
    """A page of the settings area."""

    tab: Tab
    label: str
    href: str


ENTRIES: Final = (
    Entry("profile", SettingsArea.profile, "/settings/profile"),
    Entry("security", SettingsArea.security, "/settings/security"),
    Entry("organization", SettingsArea.organization, "/settings/organization"),
    Entry("members", SettingsArea.members, "/settings/members"),
    Entry("alarms", SettingsArea.alarms, "/alarms"),
    Entry("integrations", SettingsArea.integrations, "/settings/integrations"),
    Entry("domains", SettingsArea.domains, "/settings/domains"),
    Entry("defaults", SettingsArea.defaults, "/settings/defaults"),
    Entry("keys", SettingsArea.keys, "/settings/keys"),
    Entry("audit", SettingsArea.audit, "/settings/audit"),
    Entry("box", SettingsArea.box, "/settings/box"),
)


def offered(paths: Collection[str]) -> tuple[Entry, ...]:
    """The entries whose page exists among these paths."""
    return tuple(entry for entry in ENTRIES if entry.href in paths)
