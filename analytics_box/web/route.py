"""Lines of the two tables: a route, and a procedure, with who may call them."""

from collections.abc import Callable
from importlib import import_module
from operator import attrgetter
from typing import Any, Final, Literal, NamedTuple

from analytics_box.base import errors
from analytics_box.base.identity import Identity, Role, Scope, require
from analytics_box.base.translation import _

PUBLIC: Final = "public"  # nobody is asked who they are
SIGNED_IN: Final = "signed in"  # a person, by session cookie

Access = Scope | Literal["public", "signed in"]
# What a request is about. People with access to selected resources reach those that it `named`; those among them that
# its handler has `selected` by reach; their `own` account; and nothing that is about the whole `organization`.
Subject = Literal["named", "selected", "own", "organization"]
OF_ORGANIZATION: Final[frozenset[Scope]] = frozenset(  # never about a single website
    ("manage:config", "read:links", "write:links", "read:status_pages", "write:status_pages")
)


def allow(
    identity: Identity, access: Access, *, role: Role = "viewer", anonymous: bool = False, also: Scope | None = None
) -> None:
    """Raises AuthRequired or Forbidden for callers who may not pass.

    A key needs the scope, or the one in `also`; a person needs at least the role in the session's organization. With
    `anonymous` a caller without a credential passes, and the handler decides.
    """
    if access == PUBLIC:
        return
    if identity.anonymous:
        if anonymous:
            return
        raise errors.AuthRequired(_("Authentication required"))
    if identity.person is not None:
        require(identity.person.role, role)
        return
    if access == SIGNED_IN:
        raise errors.Forbidden(_("Sign in to do this. API keys are not accepted"))
    if not identity.has(access) and not (also is not None and identity.has(also)):
        raise errors.Forbidden(_("This API key lacks the scope {access}").format(access=access))
    if access in OF_ORGANIZATION and not identity.may_act_for_organization(access):
        raise errors.Forbidden(_("This requires an API key with global access"))


class NamedHandler(NamedTuple):
    """A function of a module, or of a value in it."""

    module: str
    name: str

    def load(self) -> Callable[..., Any]:
        """The function."""
        found: Callable[..., Any] = attrgetter(self.name)(import_module(self.module))
        return found


class Handlers:
    """A module of handlers, or a value in it that has them: its attributes are their names."""

    def __init__(self, module: str, value: str = "") -> None:
        self._module = module
        self._prefix = f"{value}." if value else ""

    def __getattr__(self, name: str) -> NamedHandler:
        return NamedHandler(self._module, f"{self._prefix}{name}")

    def within(self, name: str) -> "Handlers":
        """The handlers of one of its attributes."""
        return Handlers(self._module, f"{self._prefix}{name}")


RESOURCE: Final = "/.well-known/oauth-protected-resource"  # the address that refusals of callers without a key name


class Route(NamedTuple):
    """A line of the table. `access` is PUBLIC, SIGNED_IN or the scope that an API key needs.

    With `anonymous` callers without a credential get through to the handler, which decides by what they ask for.
    With `also` a key passes that holds this other scope instead; the handler then holds it to what either reaches.
    With `by_key` a PUBLIC line has a handler that takes nothing but API keys of this scope, or of any, and refuses
    others in its words.
    The form of a line with `kept` is shown again with what was typed when it came after the session had ended: its
    handler changes nothing but inside visit.submit, or after visit.saves (http/page/kept_forms.py).
    A `plain` one is answered without the caller and the web framework (http/plain.py).
    A `page` answers people: refusals are shown as a page, and anonymous callers are sent to sign in.
    """

    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    path: str
    named: NamedHandler
    access: Access
    role: Role = "viewer"
    anonymous: bool = False
    page: bool = False
    plain: bool = False
    kept: bool = False
    procedure: bool = False
    also: Scope | None = None
    by_key: Scope | Literal["any"] | None = None
    about: Subject = "named"

    @property
    def handler(self) -> Callable[..., Any]:
        """The handler; its module is imported now unless it already was."""
        return self.named.load()


def page_route(path: str, named: NamedHandler, role: Role = "viewer", about: Subject = "named") -> Route:
    """A page that signed-in people see."""
    return Route("GET", path, named, SIGNED_IN, role, page=True, about=about)


def form_route(
    path: str, named: NamedHandler, role: Role = "viewer", *, kept: bool = False, about: Subject = "named"
) -> Route:
    """A form that signed-in people send."""
    return Route("POST", path, named, SIGNED_IN, role, page=True, kept=kept, about=about)


def edited_routes(
    path: str, parameter: str, pages: Handlers, role: Role, *, edit: str = "", about: Subject = "named"
) -> tuple[Route, ...]:
    """The addresses of a resource's form: a new one, the row that `parameter` names, at `edit` behind it, and its
    deletion."""
    row = f"{path}/{{{parameter}:str}}"
    return (
        *form_routes(f"{path}/new", pages, role, about),
        *form_routes(f"{row}{edit}", pages, role, about),
        *deleted_routes(f"{row}/delete", pages.within("deletion"), role, about),
    )


def form_routes(path: str, pages: Handlers, role: Role, about: Subject = "named") -> tuple[Route, ...]:
    """The address of a page with a form, which is sent to the same address."""
    return (
        page_route(path, pages.show_form, role, about),
        form_route(path, pages.submit_form, role, kept=True, about=about),
    )


def deleted_routes(path: str, pages: Handlers, role: Role, about: Subject = "named") -> tuple[Route, ...]:
    """The addresses of the question before something is deleted, and of its answer."""
    return (
        page_route(path, pages.show_question, role, about),
        form_route(path, pages.submit_deletion, role, about=about),
    )


class Procedure(NamedTuple):
    """A line of the table of procedures. A key needs the scope in `access`, a person at least the role.

    With `anonymous` callers without a credential get through to the procedure, which decides by what they ask for.
    With `most_bytes` its body may be larger than a query's, with `limit` it may be called this often in a minute
    instead of the usual number.
    """

    name: str
    named: NamedHandler
    access: Access
    role: Role = "viewer"
    anonymous: bool = False
    most_bytes: int | None = None
    limit: int | None = None
    about: Subject = "named"

    @property
    def handler(self) -> Callable[..., Any]:
        """The handler; its module is imported now unless it already was."""
        return self.named.load()

    @property
    def paths(self) -> tuple[str, str]:
        """Its addresses: in the form of oRPC, and the plain mirror."""
        path = "/" + self.name.replace(".", "/")
        return f"/rpc{path}", path
