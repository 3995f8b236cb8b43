"""Who calls: decided once per request, from the key headers or the session cookie (spec 5, wire 3.1)."""

from http.cookies import CookieError, SimpleCookie
from typing import Any

from litestar.connection import ASGIConnection

from analytics_box.accounts.sign_in import SignIns
from analytics_box.http.address import network_of
from analytics_box.identity import Identity
from analytics_box.keys.ring import KeyRing

Connection = ASGIConnection[Any, Any, Any, Any]


async def identify(connection: Connection, keys: KeyRing, sign_ins: SignIns) -> Identity:
    """The caller. Whoever sends a key, even an empty one, is not who the cookie says."""
    address = network_of(str(connection.scope["address"]))  # type: ignore[typeddict-item]  # set by the front
    secret = connection.headers.get("x-api-key")
    if secret is None:
        scheme, _, token = connection.headers.get("authorization", "").partition(" ")
        secret = token.strip() if scheme.lower() == "bearer" else None
    if secret is not None:
        return Identity(address=address, key=keys.find(secret.strip()))
    token = cookie(connection.headers.get("cookie", ""), sign_ins.cookie_name)
    if token:
        return Identity(address=address, person=await sign_ins.find(token))
    return Identity(address=address)


def cookie(header: str, name: str) -> str:
    """The value of one cookie; empty where it is not sent."""
    try:
        morsel = SimpleCookie(header).get(name)
    except CookieError:
        return ""
    return morsel.value if morsel is not None else ""
