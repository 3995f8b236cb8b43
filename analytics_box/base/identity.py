"""The identity behind a request: an API key, a signed-in person, or an anonymous caller. Decided once per request."""

from collections.abc import Mapping, Set
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base.errors import Forbidden
from analytics_box.base.translation import _

Scope = Literal[
    "read:data",
    "track:events",
    "read:links",
    "write:links",
    "read:monitors",
    "write:monitors",
    "read:status_pages",
    "write:status_pages",
    "manage:websites",
    "manage:flags",
    "manage:config",
]
Role = Literal["viewer", "member", "admin", "owner"]
SCOPES: tuple[Scope, ...] = Scope.__args__  # type: ignore[attr-defined]  # the arguments of a Literal
ROLES: Final[tuple[Role, ...]] = ("viewer", "member", "admin", "owner")  # each may do all that those before it may


def at_least(role: Role, least: Role) -> bool:
    """Whether a role may do all that another one may."""
    return ROLES.index(role) >= ROLES.index(least)


def require(role: Role, least: Role) -> None:
    """Raises Forbidden for a role that may do less than another one."""
    if not at_least(role, least):
        raise Forbidden(
            _("Your role in this organization is {role}. This requires the role {least}").format(role=role, least=least)
        )


def logo_path(organization_id: str, digest: str) -> str:
    """The path of a logo; empty if there is none. Another picture has another path."""
    return f"/logos/{organization_id}/{digest}" if digest else ""


class KeyRate(Struct, frozen=True):
    """A key's own limit: at most `max` requests per `window` seconds."""

    max: int
    window: int


class ApiKey(Struct, frozen=True):
    """A usable view of an API key. Times are UTC ms.

    `websites` is None for a global key (spec 2.1). It holds `scopes` wherever it reaches, and those in `own` on the
    website that they are listed under (wire 10.2).
    """

    id: str
    organization_id: str
    name: str
    start: str
    scopes: frozenset[str]
    websites: frozenset[str] | None = None
    enabled: bool = True
    expires_at: int | None = None
    revoked_at: int | None = None
    own: Mapping[str, frozenset[str]] = {}
    rate: KeyRate | None = None

    def usable(self, now: int) -> bool:
        """Whether the key works at this instant; revoked, disabled and expired keys are as if absent."""
        expired = self.expires_at is not None and self.expires_at <= now
        return self.enabled and self.revoked_at is None and not expired

    def reaches(self, website_id: str) -> bool:
        """Whether its resource access covers this website, given that the organization is the same."""
        return self.websites is None or website_id in self.websites

    def has(self, scope: str) -> bool:
        """Whether it holds this scope anywhere."""
        return scope in self.scopes or any(scope in held for held in self.own.values())

    def may(self, scope: str, website_id: str) -> bool:
        """Whether it holds this scope on this website, given that the organization is the same."""
        return self.reaches(website_id) and (scope in self.scopes or scope in self.own.get(website_id, ()))

    def within(self, scope: str) -> "ApiKey":
        """This key, reaching only where it holds this scope; a scope of single websites makes it restricted."""
        if scope in self.scopes or not self.own:
            return self
        return replace(self, websites=frozenset(website for website in self.own if self.may(scope, website)))


Theme = Literal["system", "light", "dark"]
DateFormat = Literal["D MMM YYYY", "MMM D, YYYY", "DD.MM.YYYY", "DD/MM/YYYY", "MM/DD/YYYY", "YYYY-MM-DD"]
TimeFormat = Literal["HH:mm", "h:mm a"]
WeekStart = Literal["sunday", "monday"]
# Of reports.
Language = Literal["en", "de", "es", "fr", "it", "nl", "pt"]


class Membership(Struct, frozen=True):
    """An organization that a person belongs to. `logo` is the digest of its picture, or empty.

    `resources` are the ids of the websites, links, monitors, status pages and flags that they can access; None for all.
    """

    organization_id: str
    name: str
    role: Role
    logo: str = ""
    resources: frozenset[str] | None = None


class SignedInPerson(Struct, frozen=True):
    """A signed-in user with the organization that the session is on, and how they want pages to look.

    `memberships` are all their organizations, in the order in which they joined. `session` is the digest under which
    the session is stored. `is_administrator` is of the box. While they act on a resource of another organization,
    `organization_id` and `role` are those of its owner, and `session_organization_id` is the one of the session.
    """

    user_id: str
    organization_id: str
    role: Role
    email: str
    time_zone: str
    theme: Theme = "system"
    date_format: DateFormat = "D MMM YYYY"
    time_format: TimeFormat = "HH:mm"
    week_start: WeekStart = "sunday"
    memberships: tuple[Membership, ...] = ()
    session: bytes = b""
    is_administrator: bool = False
    session_organization_id: str = ""

    def may(self, least: Role) -> bool:
        """Whether the person has at least this role in the organization in which they act."""
        return at_least(self.role, least)

    @property
    def may_create(self) -> bool:
        """Whether the person can create resources of the organization, which needs access to all of it."""
        return self.may("member") and self.resources is None

    def role_in(self, organization_id: str) -> Role | None:
        """The person's role in any organization; None if they do not belong."""
        return next((one.role for one in self.memberships if one.organization_id == organization_id), None)

    @property
    def resources(self) -> frozenset[str] | None:
        """The ids of what they can access in the organization in which they act; None for all of it."""
        return next((one.resources for one in self.memberships if one.organization_id == self.organization_id), None)


class Operator(Struct, frozen=True):
    """The administrator of the box, on its command line, in one organization. No request becomes one."""

    organization_id: str


class Identity(Struct, frozen=True):
    """The caller of one request. `address` is the client's, for limits only; it is never stored."""

    address: str
    key: ApiKey | None = None
    person: SignedInPerson | None = None
    operator: Operator | None = None

    @property
    def anonymous(self) -> bool:
        return self.key is None and self.person is None and self.operator is None

    @property
    def organization_id(self) -> str | None:
        """The organization that the caller acts in; None for nobody and for a key of single websites."""
        if self.operator is not None:
            return self.operator.organization_id
        if self.person is not None:
            return self.person.organization_id
        if self.key is not None and self.key.websites is None:
            return self.key.organization_id
        return None

    @property
    def limit_name(self) -> str:
        """The identity under which requests are counted (wire 11.3)."""
        if self.key is not None:
            return f"apikey:{self.key.id}"
        if self.person is not None:
            return f"user:{self.person.user_id}"
        return f"anon:{self.address}"

    @property
    def holder(self) -> str:
        """The name under which the bytes of bodies are counted, the same for all keys; empty without a caller."""
        if self.person is not None:
            return f"user:{self.person.user_id}"
        return "" if self.key is None else f"organization:{self.key.organization_id}"

    def has(self, scope: Scope) -> bool:
        """Whether a key holds this scope. People are not bound by scopes but by their role."""
        return self.person is not None or (self.key is not None and self.key.has(scope))

    @property
    def resources(self) -> Set[str] | None:
        """The ids of the resources that the caller is restricted to: the websites of a key, or what a person can
        access. None for callers who are not restricted."""
        if self.key is not None:
            return self.key.websites
        return None if self.person is None else self.person.resources

    def reaches(self, *ids: str | None) -> bool:
        """Whether a resource is one of those that the caller is restricted to, by its id or that of its website; True
        for all callers who are not restricted."""
        resources = self.resources
        return resources is None or any(one in resources for one in ids)

    def may_act_for_organization(self, scope: str) -> bool:
        """Whether a key holds this scope on the whole organization, not just on single websites."""
        return self.key is None or (self.key.websites is None and scope in self.key.scopes)

    def acting_in(self, organization_id: str) -> "Identity":
        """This caller in another organization, if it is a person who belongs to it."""
        role = self.person.role_in(organization_id) if self.person is not None else None
        if self.person is None or role is None or organization_id == self.person.organization_id:
            return self
        session = self.person.session_organization_id or self.person.organization_id
        acting = replace(self.person, organization_id=organization_id, role=role, session_organization_id=session)
        return replace(self, person=acting)

    @property
    def at_best(self) -> "Identity":
        """This caller with the highest role that they have anywhere, for limits before it is known what is asked."""
        if self.person is None or not self.person.memberships:
            return self
        return self.acting_in(max(self.person.memberships, key=lambda one: ROLES.index(one.role)).organization_id)

    def within(self, scope: str) -> "Identity":
        """This caller for something that needs this scope: a key reaches only where it holds it."""
        if self.key is None:
            return self
        key = self.key.within(scope)
        return self if key is self.key else replace(self, key=key)
