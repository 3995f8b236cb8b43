"""Identification of the caller, once per request, from the key headers or the session cookie (spec 5, wire 3.1)."""

from typing import TYPE_CHECKING, Any, cast

from msgspec import Struct

from analytics_box.base.identity import ApiKey, Identity
from analytics_box.base.limits import Allowance
from analytics_box.tenants.accounts.sign_in import SignIns
from analytics_box.tenants.keys.ring import Admission, KeyRing
from analytics_box.web.address import network_of
from analytics_box.web.asgi import Scope, cookie

if TYPE_CHECKING:
    from analytics_box.web.guard import Connection


class RequestCallers(Struct, frozen=True):
    """Knows keys and signed-in people, and counts the requests of keys."""

    keys: KeyRing
    admission: Admission
    sign_ins: SignIns

    async def identify(self, connection: "Connection") -> Identity:
        """The caller. Whoever sends a key, even an empty one, is not who the cookie says."""
        address = network_of(cast(Scope, connection.scope)["address"])  # set by the front
        secret = connection.headers.get("x-api-key")
        if secret is None:
            scheme, _, token = connection.headers.get("authorization", "").partition(" ")
            secret = token.strip() if scheme.lower() == "bearer" else None
        if secret is not None:
            return Identity(address=address, key=self.keys.find(secret.strip()))
        token = cookie(connection.headers.get("cookie", ""), self.sign_ins.cookie_name)
        if token:
            return Identity(address=address, person=await self.sign_ins.find(token))
        return Identity(address=address)

    def admit(self, scope: dict[str, Any], key: ApiKey) -> Allowance | None:
        """Let a request of this key in, and say what it has left. Raises RateLimited."""
        return self.admission.enter(scope, key, "api")
