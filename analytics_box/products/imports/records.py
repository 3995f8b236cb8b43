"""The records that readers of other products' exports yield: events, totals of days, and rows that are left out."""

import csv
import hashlib
import re
import secrets
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import msgspec
from msgspec import Struct

from analytics_box.base.clock import DAY
from analytics_box.base.errors import BadRequest
from analytics_box.base.facts.event import LASTS, VISITOR_BITS
from analytics_box.base.translation import _

if TYPE_CHECKING:
    from analytics_box.products.imports.files import ImportFiles

Kind = Literal["events", "totals"]
FIRST_DAY: Final = date(2000, 1, 1).toordinal() - date(1970, 1, 1).toordinal()
_EPOCH: Final = date(1970, 1, 1).toordinal()
_MASK: Final = (1 << VISITOR_BITS) - 1

# Reasons for which rows are left out, as pages and answers show them.
REASONS: Final = {
    "bot": _("Bots and crawlers"),
    "time": _("No valid time, or a time outside 2000 until now"),
    "page": _("No page address"),
    "asset": _("Requests that are not page views, such as images, redirects and errors"),
    "row": _("Rows that do not have the expected columns or values"),
    "property": _("Values of custom properties, which the export does not connect with days and pages"),
    "ignored": _("Paths, sources and addresses that the website's settings exclude"),
    "website": _("Rows of another website"),
    "dimension": _("Reports that have no counterpart here"),
    "person": _("Requests of people, because only those of AI agents are wanted"),
    "reported": _("Requests of AI agents that the website's server has reported"),
    "retention": _("Days that are older than the website's data retention"),
    "own": _("Days that already have visits measured by this server"),
    "taken": _("Days that already have data of another import"),
}


class HistoryEvent(Struct, array_like=True, gc=False):
    """A page view, or a custom event if it has a `name`. `time` is UTC ms. `visitor` and `visit` are numbers of
    `identity` and `key_of`; visit 0 is found by 30 minutes without an event. `url` is a path or an address. A
    `user_agent` is recognized; a source that has ready names gives these instead. `country` is an ISO code,
    `properties` JSON, `utm` source, medium, campaign, term and content. A request of an AI agent has the agent's id and
    the `status` of the answer instead of a visitor."""

    time: int
    visitor: int
    visit: int
    url: str
    name: str = ""
    title: str = ""
    referrer: str = ""
    user_agent: str = ""
    browser: str = ""
    browser_version: str = ""
    system: str = ""
    system_version: str = ""
    device: str = ""
    country: str = ""
    region: str = ""
    city: str = ""
    language: str = ""
    screen: str = ""
    utm: tuple[str, ...] = ()
    properties: str = ""
    ai_agent: str = ""
    status: int = 0


class DayTotal(Struct, array_like=True, gc=False):
    """The total of a value on a day (days since 1970-01-01). `roll` is the name of a roll-up of days: `total` for the
    website, else a dimension such as `path` or `browser_browser_version`, with its `value` and that of a second part.
    None is what the source does not measure."""

    day: int
    roll: str
    value: str = ""
    second: str = ""
    visitors: int = 0
    visits: int = 0
    pageviews: int = 0
    bounces: int = 0
    seconds: int = 0
    events: int = 0


class RowRefusal(NamedTuple):
    """A row that is not imported: a key of REASONS, and the row as an example."""

    reason: str
    example: str = ""


ImportRecord = HistoryEvent | DayTotal | RowRefusal


# The country (ISO code), region and city of an IP address.
Locate = Callable[[str], tuple[str, str, str]]
# Addresses are only hashed with this key, which is lost when the server stops.
_ADDRESS_KEY: Final = secrets.token_hex(16)


class ExportReader(NamedTuple):
    """A reader of a product's export. `recognize` returns the version of the format, empty for other files.

    `kind` is what its rows become. `read` yields records in the order of the files.
    """

    name: str
    title: str
    kind: Kind
    formats: str
    recognize: "Callable[[ImportFiles], str]"
    read: "Callable[[ImportFiles, str, Locate], Iterable[ImportRecord]]"


def key_of(*parts: str) -> int:
    """A number other than 0 for a source's id."""
    digest = hashlib.blake2b("\0".join(parts).encode(errors="surrogatepass"), digest_size=8).digest()
    return (int.from_bytes(digest, "big") >> 2) + 1


@lru_cache(maxsize=20_000)
def identity(*parts: str, lasting: bool) -> int:
    """The number of a visitor. One that is not `lasting` has the day among its parts: it is another one each day."""
    number = key_of(*parts) & _MASK & ~LASTS
    return (number | LASTS if lasting else number) or 2


def address_identity(address: str, user_agent: str, time: int) -> int:
    """The number of a visitor of a UTC day of a source that has only an IP address and a User-Agent."""
    return identity(_ADDRESS_KEY, str(time // DAY), address, user_agent, lasting=False)


def instant(text: str) -> int | None:
    """An ISO 8601 time, which is UTC unless it says otherwise, as UTC ms. None for anything else."""
    try:
        moment = datetime.fromisoformat(text.strip().replace(" UTC", "+00:00"))
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    try:
        return int(moment.timestamp() * 1000)
    except (OverflowError, ValueError):
        return None


@lru_cache(maxsize=20_000)
def day_of(text: str) -> int | None:
    """A day such as 2025-03-31 or 20250331, as days since 1970-01-01. None for anything else."""
    try:
        return date.fromisoformat(text.strip()).toordinal() - _EPOCH
    except ValueError:
        return None


def date_of(day: int) -> str:
    """A day as ISO 8601."""
    return date.fromordinal(day + _EPOCH).isoformat()


def utc_day_key(time: int) -> str:
    """The UTC day of an instant, as a part of the identity of visitors that do not last."""
    return str(time // DAY)


def whole(text: str) -> int:
    """A number of an export, at least 0. Raises ValueError."""
    if text.isdecimal() and text.isascii() and len(text) < 16:
        return int(text)
    number = float(text.replace(",", "") or 0)
    if not 0 <= number < 1e15:
        raise ValueError(text)
    return round(number)


def rows_of(lines: Iterable[str]) -> Iterator[dict[str, str] | RowRefusal]:
    """The rows of a CSV file by the names of its header, in lower case. Raises BadRequest for a file without one."""
    reader = csv.reader(lines, strict=False)
    try:
        header = [name.strip().strip("\ufeff").lower() for name in next(reader, [])]
        if len(header) > _MOST_COLUMNS:
            raise BadRequest(_("A file has more than {most} columns").format(most=_MOST_COLUMNS))
        width = len(header)
        for row in reader:
            if len(row) == width:
                yield dict(zip(header, row, strict=True))
            elif row:
                yield RowRefusal("row", ",".join(row[:20]))
    except csv.Error as broken:
        raise BadRequest(_("The file is not valid CSV: {reason}").format(reason=str(broken))) from broken


_MOST_COLUMNS: Final = 500
_JSON_TOKEN: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]"]', re.DOTALL)
_LONGEST_ENTRY: Final = 4_000_000
_DEEPEST: Final = 50


def json_entries(pieces: Iterable[str]) -> Iterator[tuple[str, Any]]:
    """The entries of a JSON array or object that are arrays or objects themselves, read one after the other; those of
    an object with their keys. Raises BadRequest for anything else."""
    text, at, start, depth, key = "", 0, -1, 0, ""
    for piece in pieces:
        keep = start if start >= 0 else at
        text, at, start = text[keep:] + piece, at - keep, 0 if start >= 0 else -1
        if len(text) - len(piece) > _LONGEST_ENTRY:
            raise BadRequest(_("An entry of the file is larger than 4 MB"))
        while (found := _JSON_TOKEN.search(text, at)) is not None and found[0] != '"':
            mark, at = found[0], found.end()
            if mark in "{[":
                depth += 1
                start = found.start() if depth == 2 else start
            elif mark in "}]":
                depth -= 1
                if depth == 1:
                    yield key, _json_value(text[start:at])
                    start = -1
            elif depth == 1:
                key = mark[1:-1]
            if not 0 <= depth <= _DEEPEST:
                raise BadRequest(_("The file is not valid JSON"))
        # The rest holds no whole token.
        at = found.start() if found is not None else len(text)
    if depth or text[at:].strip():
        raise BadRequest(_("The file is incomplete: its JSON has no end"))


def json_lines(lines: Iterable[str]) -> Iterator[dict[str, Any] | RowRefusal]:
    """The objects of JSON lines."""
    for line in lines:
        text = line.strip()
        try:
            if text:
                yield msgspec.json.decode(text, type=dict[str, Any])
        except (msgspec.DecodeError, RecursionError):
            yield RowRefusal("row", text)


def _json_value(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as broken:
        raise BadRequest(_("The file is not valid JSON")) from broken
