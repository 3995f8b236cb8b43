"""Campaign values and forwarded parameters in the URL of a target. Pure.

Only the query changes: scheme, host, port, path and fragment stay as the link has them.
"""

from collections.abc import Iterable
from typing import Final, Literal
from urllib.parse import parse_qsl, quote_plus, unquote_plus

Forwarding = Literal["none", "keep", "override"]

LONGEST: Final = 4_096  # characters of a whole address; what would make it longer is not forwarded
_MOST: Final = 100  # parameters that are looked at


def with_parameters(url: str, parameters: Iterable[tuple[str, str]]) -> str:
    """The URL with these parameters, which replace those of the same name."""
    given = tuple(parameters)
    return _with_parameters(url, given, {name for name, _ in given}) if given else url


def forward_query(url: str, query: str, how: Forwarding) -> str:
    """The URL with the parameters that the short URL was requested with.

    `keep` leaves what the target has of the same name, `override` replaces it.
    """
    if how == "none" or not query:
        return url
    try:
        given = parse_qsl(query, keep_blank_values=True, max_num_fields=_MOST)
    except ValueError:
        return url
    if how == "keep":
        own = names_of(url)
        added = tuple((name, value) for name, value in given if name not in own)
        longer = _with_parameters(url, added, set()) if added else url
    else:
        longer = with_parameters(url, given)
    return longer if len(longer) <= LONGEST else url


def names_of(url: str) -> set[str]:
    """The names of the parameters that an address has."""
    query = url.partition("#")[0].partition("?")[2]
    return {unquote_plus(part.partition("=")[0]) for part in query.split("&") if part}


def _with_parameters(url: str, added: tuple[tuple[str, str], ...], without: set[str]) -> str:
    """The address without its parameters of these names, and with the added ones at the end of its query."""
    address, sharp, fragment = url.partition("#")
    path, _, query = address.partition("?")
    parts = [part for part in query.split("&") if part and unquote_plus(part.partition("=")[0]) not in without]
    parts += [f"{quote_plus(name)}={quote_plus(value)}" for name, value in added]
    return f"{path}{'?' if parts else ''}{'&'.join(parts)}{sharp}{fragment}"
