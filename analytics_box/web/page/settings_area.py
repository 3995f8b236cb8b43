"""The settings area: its pages, in groups, and the roles that may open them."""

from collections.abc import Collection, Sequence
from typing import Final, Literal, NamedTuple

from analytics_box.base.identity import Role, at_least
from analytics_box.base.translation import _

Tab = Literal[
    "profile",
    "security",
    "organization",
    "members",
    "alerts",
    "integrations",
    "domains",
    "currencies",
    "defaults",
    "keys",
    "export",
    "audit",
    "box",
    "box-email",
    "box-backups",
    "box-network",
]


class SettingsEntry(NamedTuple):
    """A page of the settings area, and who can see it: a role, or administrators of the box."""

    tab: Tab
    label: str
    href: str
    least: Role = "viewer"
    administrators: bool = False


class SettingsGroup(NamedTuple):
    """Pages of the settings area under one heading. The palette shows `place` with each entry. Those `of_organization`
    are for members with access to all of it.
    """

    label: str
    place: str
    entries: tuple[SettingsEntry, ...]
    of_organization: bool = False


GROUPS: Final = (
    SettingsGroup(
        _("You"),
        _("Your settings"),
        (
            SettingsEntry("profile", _("Profile"), "/settings/profile"),
            SettingsEntry("security", _("Security"), "/settings/security"),
        ),
    ),
    SettingsGroup(
        _("Organization"),
        _("Organization settings"),
        (
            SettingsEntry("organization", _("General"), "/settings/organization"),
            SettingsEntry("members", _("Members"), "/settings/members"),
            SettingsEntry("alerts", _("Alert rules"), "/alerts"),
            SettingsEntry("integrations", _("Integrations"), "/settings/integrations"),
            SettingsEntry("domains", _("Domains"), "/settings/domains"),
            SettingsEntry("currencies", _("Currencies"), "/settings/currencies", least="admin"),
            SettingsEntry("defaults", _("Defaults"), "/settings/defaults"),
            SettingsEntry("keys", _("API keys"), "/settings/keys"),
            SettingsEntry("export", _("Export"), "/settings/export", least="member"),
            SettingsEntry("audit", _("Audit log"), "/settings/audit", least="admin"),
        ),
        of_organization=True,
    ),
    SettingsGroup(
        _("Server"),
        _("Server settings"),
        (
            SettingsEntry("box", _("Status"), "/settings/box", administrators=True),
            SettingsEntry("box-email", _("Email"), "/settings/box/email", administrators=True),
            SettingsEntry("box-backups", _("Backups"), "/settings/box/backups", administrators=True),
            SettingsEntry("box-network", _("Network"), "/settings/box/network", administrators=True),
        ),
    ),
)


def visible_groups(
    role: Role, administrator: bool, groups: Sequence[SettingsGroup] = GROUPS, *, restricted: bool = False
) -> tuple[SettingsGroup, ...]:
    """Return the groups with the entries that this user can open, without empty ones. Users with access to selected
    resources see nothing of the organization."""
    seen = (
        group._replace(
            entries=tuple(
                entry
                for entry in group.entries
                if at_least(role, entry.least) and (administrator or not entry.administrators)
            )
        )
        for group in groups
        if not (restricted and group.of_organization)
    )
    return tuple(group for group in seen if group.entries)


def served_groups(paths: Collection[str]) -> tuple[SettingsGroup, ...]:
    """Return the groups with the entries whose page is among these paths."""
    return tuple(
        group._replace(entries=tuple(entry for entry in group.entries if entry.href in paths)) for group in GROUPS
    )
