"""Cookies that a browser sends. Those of this box have values without quotes, so nothing is unquoted here."""

# Browsers keep fewer cookies for a site.
_MOST = 500


def cookie(header: str, name: str) -> str:
    """The value of one cookie, of several with this name the first; empty where it is not sent."""
    for pair in header.split(";", _MOST)[:_MOST]:
        found, _, value = pair.partition("=")
        if found.strip() == name:
            return value.strip()
    return ""
