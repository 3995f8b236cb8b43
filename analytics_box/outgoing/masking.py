"""Addresses as they may be shown to those who must not ask them: the values of a query are often secrets. Pure."""

import re
from typing import Final

HIDDEN: Final = "•••"
_PARAMETER = re.compile(r"[^&;#=]+(=[^&;#]*)?")


def masked(url: str) -> str:
    """The address with ••• for all values of its query: https://example.com/?token=•••. What has no name is a value."""
    place, sign, rest = url.partition("?")
    if not sign:
        return url
    query, sharp, _ = rest.partition("#")
    return f"{place}?{_PARAMETER.sub(_hidden, query)}{f'#{HIDDEN}' if sharp else ''}"


def _hidden(found: re.Match[str]) -> str:
    if found[1] is None:
        return HIDDEN
    return f"{found[0].removesuffix(found[1])}={HIDDEN}" if len(found[1]) > 1 else found[0]
