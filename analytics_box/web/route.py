"""Lines of the two tables: a route, and a procedure, with who may call them."""

from collections.abc import Callable
from typing import Any, Final, Literal, NamedTuple

from analytics_box.base.identity import Role, Scope
from analytics_box.web.handlers import NamedHandler
from analytics_box.web.permission import SIGNED_IN, Access

RESOURCE: Final = "/.well-known/oauth-protected-resource"  # the address that refusals of callers without a key name


class Route(NamedTuple):
    """A line of the table. `access` is PUBLIC, SIGNED_IN or the scope that an API key needs.

    With `anonymous` callers without a credential get through to the handler, which decides by what they ask for.
    With `also` a key passes that holds this other scope instead; the handler then holds it to what either reaches.
    With `by_key` a PUBLIC line has a handler that takes nothing but API keys of this scope, and refuses others in its
    words.
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
    by_key: Scope | None = None

    @property
    def handler(self) -> Callable[..., Any]:
        """The handler; its module is imported now unless it already was."""
        return self.named.load()


def page_route(path: str, named: NamedHandler, role: Role = "viewer") -> Route:
    """A page that signed-in people see."""
    return Route("GET", path, named, SIGNED_IN, role, page=True)


def form_route(path: str, named: NamedHandler, role: Role = "viewer", *, kept: bool = False) -> Route:
    """A form that signed-in people send."""
    return Route("POST", path, named, SIGNED_IN, role, page=True, kept=kept)


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

    @property
    def handler(self) -> Callable[..., Any]:
        """The handler; its module is imported now unless it already was."""
        return self.named.load()

    @property
    def paths(self) -> tuple[str, str]:
        """Its addresses: in the form of oRPC, and the plain mirror."""
        path = "/" + self.name.replace(".", "/")
        return f"/rpc{path}", path
