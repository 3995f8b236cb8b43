"""Cookies that a browser sends. Those of this box have values without quotes, so nothing is unquoted here."""

_MOST = 500  # cookies of a request that are looked at; browsers keep fewer for a site


def cookie(header: str, name: str) -> str:
    """The value of one cookie, of several with this name the first; empty where it is not sent."""
    for pair in header.split(";", _MOST)[:_MOST]:
        found, _, value = pair.partition("=")
        if found.strip() == name:
            return value.strip()
    return ""
