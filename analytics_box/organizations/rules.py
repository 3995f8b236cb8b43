"""Who may do what in an organization, and what one may be called (wire 10.4). Pure."""

import json
import re
from typing import Any, Final, Literal
from zoneinfo import ZoneInfo

from msgspec import Struct

from analytics_box import errors
from analytics_box.errors import BadRequest, Detail
from analytics_box.identity import Role

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
WebsiteAction = Literal[
    "create", "read", "update", "delete", "configure", "view_analytics", "manage_tracking", "transfer"
]
Plan = Literal["free", "hobby"]

ROLES: Final[tuple[Role, ...]] = ("owner", "admin", "member", "viewer")
INVITED: Final[tuple[Role, ...]] = ("admin", "member", "viewer")  # an owner is made by another owner, never by a link

_EVERYBODY: Final = frozenset(ROLES)
_ADMINS: Final = frozenset[Role](("owner", "admin"))
_OWNERS: Final = frozenset[Role](("owner",))

ALLOWED: Final[dict[Action, frozenset[Role]]] = {
    "read": _EVERYBODY,
    "see members": _EVERYBODY,
    "update": _ADMINS,
    "invite": _ADMINS,
    "change roles": _ADMINS,
    "remove members": _ADMINS,
    "transfer": _OWNERS,
    "delete": _OWNERS,
}

# What a role allows on the organization's websites (wire 10.4).
_VIEWERS: Final[tuple[WebsiteAction, ...]] = ("read", "view_analytics")
_MEMBERS: Final[tuple[WebsiteAction, ...]] = (*_VIEWERS, "configure", "manage_tracking")
_ALL: Final[tuple[WebsiteAction, ...]] = (*_MEMBERS, "create", "update", "delete", "transfer")
ON_WEBSITES: Final[dict[Role, tuple[WebsiteAction, ...]]] = {
    "owner": _ALL,
    "admin": _ALL,
    "member": _MEMBERS,
    "viewer": _VIEWERS,
}
MOST_METADATA: Final = 4_096  # bytes as JSON

_SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,48}[a-z0-9])?\Z")


class Stored(Struct, frozen=True):
    """An organization with all that its settings show. Times are UTC ms.

    `time_zone` is empty where new members start in UTC, `logo` where there is none, else it is the image's digest.
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


class Member(Struct, frozen=True):
    """A person in an organization. `name` can be empty. Times are UTC ms."""

    user_id: str
    email: str
    role: Role
    created_at: int
    name: str = ""


def may(role: Role, action: Action) -> bool:
    """Whether this role allows the action."""
    return role in ALLOWED[action]


def check(role: Role, action: Action) -> None:
    """Raises Forbidden where the role does not allow the action."""
    if not may(role, action):
        least = next(name for name in reversed(ROLES) if name in ALLOWED[action])
        raise errors.Forbidden(f"Your role in this organization is {role}; this needs {least}")


def check_role_change(by: Role, before: Role, after: Role | None) -> None:
    """Whether somebody with the role `by` may change a member's role, or remove the member (`after` is None).

    Only owners make owners and touch owners. Raises Forbidden.
    """
    check(by, "remove members" if after is None else "change roles")
    if by != "owner" and "owner" in {before, after}:
        raise errors.Forbidden("Only an owner can do this to an owner")


def check_an_owner_stays(owners: int, before: Role, after: Role | None) -> None:
    """An organization always has an owner. Raises Conflict; `owners` counts those before the change."""
    if before == "owner" and after != "owner" and owners <= 1:
        raise errors.Conflict("This is the last owner. Make somebody else an owner first")


def check_name_typed(typed: str, name: str) -> None:
    """Whether the name was typed, as the last question before what cannot be undone. Raises BadRequest."""
    if " ".join(typed.split()) != name:
        message = f"Type the name of the organization: {name}"
        raise BadRequest(message, details=(Detail("confirmation", message),))


def metadata_of(given: dict[str, Any]) -> str:
    """What programs keep beside an organization, as JSON text. Raises BadRequest for more than 4,096 bytes."""
    text = json.dumps(given, ensure_ascii=False, separators=(",", ":"))
    if len(text.encode(errors="surrogatepass")) > MOST_METADATA:
        message = f"Metadata may have {MOST_METADATA:,} bytes as JSON at most"
        raise BadRequest(message, details=(Detail("metadata", message),))
    return text


def clean_slug(slug: str) -> str:
    """1 to 50 of a–z, 0–9 and hyphens within. Raises BadRequest."""
    slug = slug.strip().lower()
    if not _SLUG.match(slug):
        message = "Use 1 to 50 letters a–z, digits and hyphens"
        raise BadRequest(message, details=(Detail("slug", message),))
    return slug


def known_zone(name: str) -> str:
    """A zone of the IANA database, or nothing where the organization names none. Raises BadRequest."""
    if not name:
        return ""
    try:
        return ZoneInfo(name).key
    except (ValueError, OSError, LookupError):
        message = "This is not a time zone; write it like Europe/Berlin"
        raise BadRequest(message, details=(Detail("timeZone", message),)) from None
