"""Tracking settings of a website (wire 4.6 and 10.3, semantics 7), cleaned and checked. Pure."""

import re
from collections.abc import Callable, Sequence
from ipaddress import ip_network
from typing import Annotated, Literal

from msgspec import Meta, Struct

from analytics_box.base.errors import BadRequest, ErrorDetail
from analytics_box.base.money import CURRENCIES
from analytics_box.base.translation import _
from analytics_box.resource.fields import Field, input_of

MOST_ENTRIES = 100  # of one list
LONGEST_PATH = 300
MOST_STARS = 8  # of one path pattern
LONGEST_RETENTION = 3_650  # days
MOST_TEXTS, MOST_MEGABYTES = 100_000_000, 1_000_000  # per hour

_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_ORIGIN = re.compile(
    rf"(?:[a-z][a-z0-9+.-]*://)?(?:(?:\*\.)?{_LABEL}(?:\.{_LABEL})*|\[[0-9a-f:.]+\])(?::\d{{1,5}})?\Z", re.ASCII
)

_ALIAS = re.compile(r"[a-z0-9_][a-z0-9_./:-]{0,254}")

VisitorIds = Literal["auto", "cookieless"]


def clean_origin(text: str) -> str:
    """An origin pattern in lower case: `https://app.example.com`, `example.com:8080`, `*.example.com` or `*`.

    Raises ValueError.
    """
    origin = text.lower().rstrip("/")
    if origin == "*":
        return origin
    scheme, separator, rest = origin.partition("://")
    if not separator:
        scheme, rest = "", origin
    try:
        rest = rest if rest.isascii() else rest.encode("idna").decode("ascii")
    except UnicodeError:
        rest = ""
    origin = f"{scheme}{separator}{rest}"
    if len(origin) > 300 or not _ORIGIN.match(origin):
        raise ValueError(f"“{text[:80]}” is not an origin. Enter one such as https://app.example.com or *.example.com")
    return origin


def clean_network(text: str) -> str:
    """An address, or a range in CIDR form, in its one spelling. Raises ValueError."""
    try:
        network = ip_network(text, strict=False)
    except ValueError:
        raise ValueError(
            f"“{text[:80]}” is not an IP address. Enter one such as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/32"
        ) from None
    if network.prefixlen < network.max_prefixlen:
        return str(network)
    return str(getattr(network.network_address, "ipv4_mapped", None) or network.network_address)


def clean_path(text: str) -> str:
    """A path in which `*` matches any text. Raises ValueError."""
    if not text.startswith(("/", "*")) or len(text) > LONGEST_PATH or not text.isprintable():
        raise ValueError(f"“{text[:80]}” is not a path. Enter one such as /admin or /admin/*")
    path = re.sub(r"\*+", "*", text)
    if path.count("*") > MOST_STARS:
        raise ValueError(f"“{text[:80]}” has more than {MOST_STARS} stars")
    return path


def clean_alias(text: str) -> str:
    """A name under which the script of another product sends events, in lower case without www.

    Raises ValueError.
    """
    alias = text.strip().lower().removeprefix("www.")
    if not _ALIAS.fullmatch(alias):
        raise ValueError(f"“{text[:80]}” is not a domain or website ID. Enter one such as example.com")
    return alias


def clean_currency(text: str) -> str:
    """A currency of ISO 4217. Raises BadRequest."""
    currency = text.strip().upper()
    if currency not in CURRENCIES:
        raise BadRequest(_("Enter a currency code, such as EUR"))
    return currency


def _each(clean: Callable[[str], str]) -> Callable[[Sequence[str]], tuple[str, ...]]:
    """Return a function that cleans the entries of a list and raises BadRequest with all that are wrong."""

    def clean_all(given: Sequence[str]) -> tuple[str, ...]:
        wrong: list[ErrorDetail] = []
        cleaned: dict[str, None] = {}
        for entry in given:
            try:
                cleaned[clean(entry.strip())] = None
            except ValueError as broken:
                wrong.append(ErrorDetail("", str(broken)))
        if wrong:
            raise BadRequest(wrong[0].message, details=tuple(wrong))
        return tuple(cleaned)

    return clean_all


Entry = Annotated[str, Meta(max_length=500)]
Entries = Annotated[tuple[Entry, ...], Meta(max_length=MOST_ENTRIES)]
Origins = Annotated[Entries, Field(clean=_each(clean_origin))]
Networks = Annotated[Entries, Field(clean=_each(clean_network))]
Paths = Annotated[Entries, Field(clean=_each(clean_path))]
Aliases = Annotated[Entries, Field(clean=_each(clean_alias))]
Days = Annotated[int, Meta(ge=1, le=LONGEST_RETENTION), Field()]
Texts = Annotated[int, Meta(ge=1, le=MOST_TEXTS), Field()]
Megabytes = Annotated[int, Meta(ge=1, le=MOST_MEGABYTES), Field()]


class Tracking(Struct, frozen=True):
    """The tracking settings of a website, under their names on the wire.

    Retention is in days; None keeps events forever. `hourlyTexts` and `hourlyMegabytes` limit the new texts, and the
    size of texts and properties, that are accepted per hour without a key; None is the default of the box. `aliases`
    are the domains or IDs that scripts of Plausible or Umami name instead of the client id. `defaultCurrency` is that
    of events whose revenue has none; `browserRevenue` counts revenue that browsers report, which anyone can invent.
    """

    allowedOrigins: Origins = ()
    allowedIps: Networks = ()
    ignoredIps: Networks = ()
    ignoredPaths: Paths = ()
    ignoredTrackingOrigins: Origins = ()
    visitorIdMode: Annotated[VisitorIds, Field()] = "auto"
    dataRetentionDays: Days | None = None
    hourlyTexts: Texts | None = None
    hourlyMegabytes: Megabytes | None = None
    aliases: Aliases = ()
    defaultCurrency: Annotated[str, Meta(max_length=3), Field(clean=clean_currency)] | None = None
    browserRevenue: Annotated[bool, Field()] = True


@input_of(Tracking)
class GivenTracking(Struct, frozen=True, forbid_unknown_fields=True):
    """Changed tracking settings: omitted ones keep their values."""
