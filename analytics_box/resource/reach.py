"""Access to resources: one decision for API keys, signed-in people of any organization, and the box itself.

People act by their role in the organization that owns a resource, whichever their session is on (owners.py). Keys act
as admins within their scopes. A restricted key reaches only what belongs to its websites, and people with access to
selected resources only these and what belongs to them.
"""

from collections.abc import Iterator, Mapping, Set
from typing import Any, Final, Protocol, TypeVar

from msgspec import Struct

from analytics_box.base import errors
from analytics_box.base.acting import By
from analytics_box.base.errors import ResourceType
from analytics_box.base.identity import Identity, Role, require
from analytics_box.base.store.db import Connection, Db
from analytics_box.base.translation import _
from analytics_box.web.call import Call
from analytics_box.web.route import Subject

NOT_YOURS = "Access denied to this organization"


class OwnedRow(Protocol):
    """A row that an organization owns; one with a `website_id` can belong to a website."""

    @property
    def organization_id(self) -> str:
        """The owner."""


class OrganizationActor(Protocol):
    """An actor in an organization."""

    @property
    def organization_id(self) -> str:
        """The organization."""

    @property
    def by(self) -> By:
        """The actor."""


T = TypeVar("T", bound=OwnedRow)


class Reach(Struct, frozen=True):
    """The resources that a caller can act on: those of an organization and, for a restricted caller, only the
    `resources` with these ids and what belongs to them.
    """

    organization_id: str
    by: By
    resources: Set[str] | None = None

    def covers(self, row: OwnedRow) -> bool:
        """Whether a resource is in reach."""
        known = (getattr(row, "id", None), getattr(row, "website_id", None))
        return row.organization_id == self.organization_id and self.reaches(*known)

    def reaches(self, *ids: str | None) -> bool:
        """Whether a resource is in reach, by its id or by that of its website."""
        return self.resources is None or any(one in self.resources for one in ids)


def reach(call: Call, organization_id: str | None = None, *, restricted: bool = False) -> Reach:
    """The resources that a caller can act on in the named organization, else in the caller's.

    Raises AuthRequired, Forbidden for another organization and, unless `restricted` keys can act, for such a key.
    """
    if not restricted:
        refuse_restricted(call)
    return Reach(call.organization(organization_id), call.by, call.identity.resources)


def acting(call: Call, organization_id: str | None) -> tuple[str, By]:
    """The organization of a call, and its actor. Raises what `reach` raises."""
    found = reach(call, organization_id)
    return found.organization_id, found.by


def refuse_restricted(call: Call) -> None:
    """Raises Forbidden for a key of single websites, which cannot act for its organization."""
    if call.identity.key is not None and call.identity.key.websites is not None:
        raise errors.Forbidden(_("This requires a key with global access"))


def find_in_reach(
    call: Call, row: T | None, noun: ResourceType, row_id: str, *, restricted: bool = False
) -> tuple[Reach, T]:
    """A resource in reach of a caller, in the organization that owns it. Raises NotFound, also for others' resources.

    Raises Forbidden for a restricted key unless `restricted` keys can act, or AuthRequired.
    """
    if not restricted:
        refuse_restricted(call)
    try:
        own = reach(call, None if row is None else row.organization_id, restricted=restricted)
    except errors.Forbidden as refused:
        raise errors.NotFound.of(noun, row_id) from refused
    return own, in_reach(own, row, noun, row_id)


def in_reach(own: Reach, row: T | None, noun: ResourceType, row_id: str) -> T:
    """The row, if it is in reach. Raises NotFound for an unknown resource and for one out of reach."""
    if row is None or not own.covers(row):
        raise errors.NotFound.of(noun, row_id)
    return row


def check(db: Connection, own: OrganizationActor, role: Role) -> None:
    """Raises Forbidden for people who do not belong to the organization, or not with this role."""
    require(role_of(db, own.organization_id, own.by), role)


def role_of(db: Connection, organization_id: str, by: By) -> Role:
    """The role in which a user acts now. Raises Forbidden for users who are not members."""
    if by.user_id is None:
        return "admin"
    role = role_in(db, organization_id, by.user_id)
    if role is None:
        raise errors.Forbidden(NOT_YOURS)
    return role


def role_in(db: Connection, organization_id: str, user_id: str) -> Role | None:
    """The role of a user in an organization; None for no member and for a deleted organization."""
    found = db.execute(
        """
        -- reach.role_in
        select members.role from members
        join organizations on organizations.id = members.organization_id and deleted_at is null
        where members.organization_id = ? and members.user_id = ?
        """,
        (organization_id, user_id),
    ).fetchone()
    role: Role | None = None if found is None else found[0]
    return role


ORGANIZATION: Final = "organization_id"

# The name of an id → its table, and the columns of which one names the owner: an organization, or an id of this table.
# A request can name several ids: the first of them in this order that exists decides.
OWNERS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "link_id": ("links", (ORGANIZATION,)),
    "link_folder_id": ("link_folders", (ORGANIZATION,)),
    "monitor_id": ("monitors", ("website_id", ORGANIZATION)),
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
    "report_id": ("reports", ("website_id",)),
    "source_map_id": ("source_maps", ("website_id",)),
    "import_id": ("history_imports", ("website_id",)),
    "note_id": ("annotations", ("website_id",)),
    "segment_id": ("segments", ("website_id",)),
    "question_id": ("saved_questions", ("website_id",)),
    "website_id": ("websites", (ORGANIZATION,)),
}
_NAMES: Final = (*OWNERS, ORGANIZATION)
# The kinds of resources that members can be restricted to.
GRANTED: Final = ("website_id", "link_id", "monitor_id", "page_id", "flag_id")

# The names that procedures and addresses give to ids where they differ: behind a name of the area, or everywhere.
_ALIASES: Final[Mapping[str, str]] = {
    "schedule_id": "monitor_id",
    "schedule_ids": "monitor_id",
    "uptime_schedule_id": "monitor_id",
    "status_page_monitor_id": "component_id",
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
    "reports.id": "report_id",
    "sourceMaps.id": "source_map_id",
    "imports.id": "import_id",
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

    async def acting(
        self, identity: Identity, area: str, given: Mapping[str, Any], about: Subject = "named"
    ) -> Identity:
        """The caller in the organization that owns what a request names.

        A person who belongs to it acts there with their role in it, whichever organization their session is on. API
        keys, and people who do not belong to it, stay as they are: nothing there is theirs.

        Raises Forbidden, or NotFound for a resource, if a person with access to selected resources asks for anything
        else.
        """
        person = identity.person
        if person is None:
            return identity
        ids = _ids(area, given)
        if ids and len(person.memberships) > 1:
            found = await self.box_db.read(lambda db: owner(db, ids))
            identity = identity if found is None else identity.acting_in(found)
        resources, organization_id = identity.resources, identity.organization_id
        if about == "own" or resources is None:
            return identity
        named = list(_every_id(area, given))
        if about == "organization" or (about == "named" and not named):
            raise errors.Forbidden(_("You have access to selected resources of this organization only"))

        def find(db: Connection) -> tuple[bool, bool]:
            within = [one for one in named if _within(db, resources, *one)]
            return bool(within), any(_owner(db, *one) == organization_id for one in named if one not in within)

        some, others = await self.box_db.read(find)
        if others or (about == "named" and not some):
            raise errors.NotFound(_("This was not found, or you do not have access to it"))
        return identity


def owner(db: Connection, ids: Mapping[str, str]) -> str | None:
    """The organization that owns the first of these resources that exists; None if none does."""
    found = (_owner(db, name, ids[name]) for name in _NAMES if name in ids)
    return next((organization_id for organization_id in found if organization_id is not None), None)


def _within(db: Connection, resources: Set[str], name: str, value: str) -> bool:
    """Whether a resource is one of these, or belongs to one."""
    if value in resources:
        return True
    table, columns = OWNERS[name]
    parents = tuple(column for column in columns if column != ORGANIZATION)
    if not parents:
        return False
    row = db.execute(f"-- owners\nselect {', '.join(parents)} from {table} where id = ?", (value,)).fetchone()
    found = zip(parents, row or (), strict=False)
    return any(parent and _within(db, resources, column, str(parent)) for column, parent in found)


def _owner(db: Connection, name: str, value: str) -> str | None:
    while name != ORGANIZATION:
        table, columns = OWNERS[name]
        row = db.execute(f"-- owners\nselect {', '.join(columns)} from {table} where id = ?", (value,)).fetchone()
        parents = [(column, str(parent)) for column, parent in zip(columns, row or (), strict=False) if parent]
        if not parents:
            return None
        ((name, value), *_) = parents
    return value


def _every_id(area: str, given: Any) -> Iterator[tuple[str, str]]:
    """The names and values of all ids of resources in what a request names, at any depth and in lists; not those of
    organizations.
    """
    if isinstance(given, Struct):
        given = {name: getattr(given, name) for name in given.__struct_fields__}
    if isinstance(given, list | tuple):
        for one in given:
            yield from _every_id(area, one)
    elif isinstance(given, Mapping):
        for field, value in given.items():
            known = id_named(area, field) or (id_named(area, field[:-1]) if field.endswith("s") else None)
            if known is None or known == ORGANIZATION:
                yield from _every_id(area, value)
            else:
                values = value if isinstance(value, list | tuple) else (value,)
                yield from ((known, one) for one in values if isinstance(one, str))


def _ids(area: str, given: Mapping[str, Any]) -> dict[str, str]:
    """The ids among what a request names; of a list of ids the first."""
    ids: dict[str, str] = {}
    for field, value in given.items():
        known = id_named(area, field)
        first = value[0] if isinstance(value, list | tuple) and value else value
        if known is not None and isinstance(first, str):
            ids.setdefault(known, first)
    return ids
