"""Tracking settings of a website (wire 4.6 and 10.3, semantics 7), cleaned and checked. Pure."""

import re
from collections.abc import Callable, Sequence
from ipaddress import ip_network
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from analytics_box.base.errors import BadRequest, ErrorDetail

MOST_ENTRIES = 100  # of one list
LONGEST_PATH = 300
MOST_STARS = 8  # of one path pattern
LONGEST_RETENTION = 3_650  # days
MOST_TEXTS, MOST_MEGABYTES = 100_000_000, 1_000_000  # per hour

_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_ORIGIN = re.compile(
    rf"(?:[a-z][a-z0-9+.-]*://)?(?:(?:\*\.)?{_LABEL}(?:\.{_LABEL})*|\[[0-9a-f:.]+\])(?::\d{{1,5}})?\Z", re.ASCII
)

VisitorIds = Literal["auto", "cookieless"]
Entry = Annotated[str, Meta(max_length=500)]
Entries = Annotated[list[Entry], Meta(max_length=MOST_ENTRIES)]
Days = Annotated[int, Meta(ge=1, le=LONGEST_RETENTION)]
Texts = Annotated[int, Meta(ge=1, le=MOST_TEXTS)]
Megabytes = Annotated[int, Meta(ge=1, le=MOST_MEGABYTES)]


class Tracking(Struct, frozen=True):
    """The tracking settings of a website, under their names on the wire. Retention is in days; None keeps for ever.

    `hourlyTexts` and `hourlyMegabytes` are how many new texts, and how much of them and of properties, may come in an
    hour without a key; None is what the box has as its default.
    """

    allowedOrigins: tuple[str, ...] = ()
    allowedIps: tuple[str, ...] = ()
    ignoredIps: tuple[str, ...] = ()
    ignoredPaths: tuple[str, ...] = ()
    ignoredTrackingOrigins: tuple[str, ...] = ()
    visitorIdMode: VisitorIds = "auto"
    dataRetentionDays: int | None = None
    hourlyTexts: int | None = None
    hourlyMegabytes: int | None = None


class GivenTracking(Struct, frozen=True, forbid_unknown_fields=True):
    """Changed tracking settings; what is not given stays."""

    allowedOrigins: Entries | UnsetType = UNSET
    allowedIps: Entries | UnsetType = UNSET
    ignoredIps: Entries | UnsetType = UNSET
    ignoredPaths: Entries | UnsetType = UNSET
    ignoredTrackingOrigins: Entries | UnsetType = UNSET
    visitorIdMode: VisitorIds | UnsetType = UNSET
    dataRetentionDays: Days | UnsetType | None = UNSET
    hourlyTexts: Texts | UnsetType | None = UNSET
    hourlyMegabytes: Megabytes | UnsetType | None = UNSET


def update_tracking(before: Tracking, given: GivenTracking) -> Tracking:
    """The settings updated with the given values, cleaned. Raises BadRequest, which names every wrong field."""
    wrong: list[ErrorDetail] = []

    def entries(name: str, clean: Callable[[str], str]) -> tuple[str, ...]:
        lines: Sequence[str] | UnsetType = getattr(given, name)
        if isinstance(lines, UnsetType):
            kept: tuple[str, ...] = getattr(before, name)
            return kept
        if len(lines) > MOST_ENTRIES:
            wrong.append(ErrorDetail(name, f"There may be at most {MOST_ENTRIES} entries"))
        cleaned: dict[str, None] = {}
        for line in lines:
            try:
                cleaned[clean(line.strip())] = None
            except ValueError as broken:
                wrong.append(ErrorDetail(name, str(broken)))
        return tuple(cleaned)

    after = Tracking(
        allowedOrigins=entries("allowedOrigins", clean_origin),
        allowedIps=entries("allowedIps", clean_network),
        ignoredIps=entries("ignoredIps", clean_network),
        ignoredPaths=entries("ignoredPaths", clean_path),
        ignoredTrackingOrigins=entries("ignoredTrackingOrigins", clean_origin),
        visitorIdMode=before.visitorIdMode if isinstance(given.visitorIdMode, UnsetType) else given.visitorIdMode,
        dataRetentionDays=before.dataRetentionDays
        if isinstance(given.dataRetentionDays, UnsetType)
        else given.dataRetentionDays,
        hourlyTexts=before.hourlyTexts if isinstance(given.hourlyTexts, UnsetType) else given.hourlyTexts,
        hourlyMegabytes=before.hourlyMegabytes
        if isinstance(given.hourlyMegabytes, UnsetType)
        else given.hourlyMegabytes,
    )
    if wrong:
        raise BadRequest(wrong[0].message, details=tuple(wrong))
    return after


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
    """A path in which `*` stands for any text. Raises ValueError."""
    if not text.startswith(("/", "*")) or len(text) > LONGEST_PATH or not text.isprintable():
        raise ValueError(f"“{text[:80]}” is not a path. Enter one such as /admin or /admin/*")
    path = re.sub(r"\*+", "*", text)
    if path.count("*") > MOST_STARS:
        raise ValueError(f"“{text[:80]}” has more than {MOST_STARS} stars")
    return path
