"""Cookies that a browser sends."""

from http.cookies import CookieError, SimpleCookie


def cookie(header: str, name: str) -> str:
    """The value of one cookie; empty where it is not sent."""
    try:
        morsel = SimpleCookie(header).get(name)
    except CookieError:
        return ""
    return morsel.value if morsel is not None else ""
