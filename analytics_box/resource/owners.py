"""The organization that owns a resource, by the ids that a request names."""

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from analytics_box.base.identity import Identity
from analytics_box.base.store.db import Connection, Db

ORGANIZATION: Final = "organization_id"

# The name of an id → its table, and the columns of which one names the owner: an organization, or an id of this table.
# A request can name several ids: the first of them in this order that exists decides.
OWNERS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "link_id": ("links", (ORGANIZATION,)),
    "link_folder_id": ("link_folders", (ORGANIZATION,)),
    "monitor_id": ("monitors", (ORGANIZATION,)),
    "maintenance_id": ("maintenance_windows", (ORGANIZATION,)),
    "alarm_id": ("alarms", (ORGANIZATION,)),
    "key_id": ("api_keys", (ORGANIZATION,)),
    "channel_id": ("channels", (ORGANIZATION,)),
    "delivery_id": ("deliveries", ("channel_id",)),
    "domain_id": ("domains", (ORGANIZATION,)),
    "invitation_id": ("invitations", (ORGANIZATION,)),
    "flag_schedule_id": ("flag_schedules", ("flag_id",)),
    "flag_id": ("flags", (ORGANIZATION, "website_id")),
    "target_group_id": ("target_groups", (ORGANIZATION, "website_id")),
    "update_id": ("incident_updates", ("incident_id",)),
    "incident_id": ("incidents", ("page_id",)),
    "template_id": ("incident_templates", ("page_id",)),
    "component_id": ("status_page_components", ("page_id",)),
    "page_id": ("status_pages", (ORGANIZATION,)),
    "component_group_id": ("status_page_groups", ("page_id",)),
    "goal_id": ("goals", ("website_id",)),
    "funnel_id": ("funnels", ("website_id",)),
    "share_id": ("shares", ("website_id",)),
    "note_id": ("annotations", ("website_id",)),
    "segment_id": ("segments", ("website_id",)),
    "question_id": ("saved_questions", ("website_id",)),
    "website_id": ("websites", (ORGANIZATION,)),
}
_NAMES: Final = (*OWNERS, ORGANIZATION)

# The names that procedures and addresses give to ids where they differ: behind a name of the area, or everywhere.
_ALIASES: Final[Mapping[str, str]] = {
    "schedule_id": "monitor_id",
    "schedule_ids": "monitor_id",
    "status_page_id": "page_id",
    "statusPage.monitor_id": "component_id",
    "statusPage.maintenance_id": "incident_id",
    "statusPage.group_id": "component_group_id",
    "flags.group_id": "target_group_id",
    "flags.id": "flag_id",
    "flagSchedules.id": "flag_schedule_id",
    "targetGroups.id": "target_group_id",
    "links.id": "link_id",
    "linkFolders.id": "link_folder_id",
    "apikeys.id": "key_id",
    "goals.id": "goal_id",
    "funnels.id": "funnel_id",
    "shares.id": "share_id",
    "annotations.id": "note_id",
    "segments.id": "segment_id",
    "questions.id": "question_id",
    "websites.id": "website_id",
    "organizations.id": ORGANIZATION,
}


def id_named(area: str, name: str) -> str | None:
    """The name in `OWNERS` of an id that a procedure or an address of this area calls `name`; None for other fields."""
    name = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
    known = _ALIASES.get(f"{area}.{name}") or _ALIASES.get(name, name)
    return known if known in _NAMES else None


class Owners(Struct, frozen=True):
    """Finds the organization that a request is about, and the caller's role in it. `box_db` is box.db."""

    box_db: Db

    async def acting(self, identity: Identity, area: str, given: Mapping[str, Any]) -> Identity:
        """The caller in the organization that owns what a request names.

        A person who belongs to it acts there with their role in it, whichever organization their session is on. API
        keys, and people who do not belong to it, stay as they are: nothing there is theirs.
        """
        person = identity.person
        if person is None or len(person.memberships) < 2:
            return identity
        ids = _ids(area, given)
        if not ids:
            return identity
        found = await self.box_db.read(lambda db: owner(db, ids))
        return identity if found is None else identity.acting_in(found)


def owner(db: Connection, ids: Mapping[str, str]) -> str | None:
    """The organization that owns the first of these resources that exists; None if none does."""
    found = (_owner(db, name, ids[name]) for name in _NAMES if name in ids)
    return next((organization_id for organization_id in found if organization_id is not None), None)


def _owner(db: Connection, name: str, value: str) -> str | None:
    while name != ORGANIZATION:
        table, columns = OWNERS[name]
        row = db.execute(f"-- owners\nselect {', '.join(columns)} from {table} where id = ?", (value,)).fetchone()
        parents = [(column, str(parent)) for column, parent in zip(columns, row or (), strict=False) if parent]
        if not parents:
            return None
        ((name, value), *_) = parents
    return value


def _ids(area: str, given: Mapping[str, Any]) -> dict[str, str]:
    """The ids among what a request names; of a list of ids the first."""
    ids: dict[str, str] = {}
    for field, value in given.items():
        known = id_named(area, field)
        first = value[0] if isinstance(value, list | tuple) and value else value
        if known is not None and isinstance(first, str):
            ids.setdefault(known, first)
    return ids
