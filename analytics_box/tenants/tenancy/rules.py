"""Organizations, their members, and what each role allows (wire 10.4). Pure."""

from collections.abc import Collection
from typing import Final, Literal

import msgspec
from msgspec import Struct

from analytics_box.base import errors, names
from analytics_box.base.errors import BadRequest
from analytics_box.base.identity import Role, at_least, require
from analytics_box.base.translation import _

Action = Literal[
    "read",
    "update",
    "see members",
    "invite",
    "change roles",
    "remove members",
    "transfer",
    "delete",
]
InvitedRole = Literal["admin", "member", "viewer"]  # an owner is made by another owner, never by a link
INVITED: Final[tuple[InvitedRole, ...]] = ("admin", "member", "viewer")

# The least role that may.
ALLOWED: Final[dict[Action, Role]] = {
    "read": "viewer",
    "see members": "viewer",
    "update": "admin",
    "invite": "admin",
    "change roles": "admin",
    "remove members": "admin",
    "transfer": "owner",
    "delete": "owner",
}

SLUG_TAKEN: Final = "This slug is already taken"


class Organization(Struct, frozen=True):
    """The owner of websites, keys and members. `site` numbers its events that belong to no website."""

    id: str
    name: str
    slug: str
    plan: str
    site: int
    created_at: int


class StoredOrganization(Struct, frozen=True):
    """An organization with all that its settings show. Times are UTC ms.

    `time_zone` is empty if new members start in UTC, `logo` where there is none, else it is the image's digest.
    `metadata` is a JSON object that programs keep there.
    """

    id: str
    name: str
    slug: str
    plan: str
    site: int
    time_zone: str
    logo: str
    metadata: str
    created_at: int
    deleted_at: int | None


class OrganizationMember(Struct, frozen=True):
    """A person in an organization. `name` can be empty. Times are UTC ms.

    If `confirmed` is false, nothing proves that the address is the member's. `resources` are the ids of the websites,
    links, monitors, status pages and flags that they can access; None for all.
    """

    user_id: str
    email: str
    role: Role
    created_at: int
    name: str = ""
    confirmed: bool = True
    resources: frozenset[str] | None = None


def clean_organization(name: str) -> str:
    """A name of 1 to 100 characters. Raises BadRequest."""
    name = names.one_line(name)
    if not names.is_name(name):
        raise BadRequest.about("organization", _("Enter a name of up to 100 characters"))
    return name


def invitation_role(name: str) -> InvitedRole | None:
    """The role with this name, unless an invitation cannot give it."""
    return next((role for role in INVITED if role == name), None)


def may(role: Role, action: Action) -> bool:
    """Whether this role allows the action."""
    return at_least(role, ALLOWED[action])


def check(role: Role, action: Action) -> None:
    """Raises Forbidden where the role does not allow the action."""
    require(role, ALLOWED[action])


def check_role_change(by: Role, before: Role, after: Role | None) -> None:
    """Whether a user with the role `by` can change a member's role, or remove the member (`after` is None).

    Only owners make owners and touch owners. Raises Forbidden.
    """
    check(by, "remove members" if after is None else "change roles")
    if by != "owner" and "owner" in {before, after}:
        raise errors.Forbidden(_("Only an owner can change an owner"))


# The roles that can be restricted to selected resources, and to how many at most.
RESTRICTED: Final[frozenset[Role]] = frozenset(("viewer", "member"))
MOST_RESOURCES: Final = 1_000


def check_resources(role: Role, resources: Collection[str] | None) -> None:
    """Raises BadRequest unless members with this role can be restricted to these resources."""
    if resources is None:
        return
    if role not in RESTRICTED:
        raise BadRequest.about("resources", _("Owners and admins can access everything"))
    if not resources:
        raise BadRequest.about("resources", _("Select at least one website, link, monitor, status page or flag"))
    if len(resources) > MOST_RESOURCES:
        raise BadRequest.about("resources", _("Select up to {count} resources").format(count=f"{MOST_RESOURCES:,}"))


def read_resources(stored: str | None) -> frozenset[str] | None:
    """The resources of a member as they are stored."""
    return None if stored is None else frozenset(msgspec.json.decode(stored, type=list[str]))


def stored_resources(resources: Collection[str] | None) -> str | None:
    """The resources of a member, to be stored."""
    return None if resources is None else msgspec.json.encode(sorted(resources)).decode()


def check_an_owner_stays(owners: int, before: Role, after: Role | None) -> None:
    """An organization always has an owner. Raises Conflict; `owners` counts those before the change."""
    if before == "owner" and after != "owner" and owners <= 1:
        raise errors.Conflict(_("This is the last owner. Appoint another owner first"))
