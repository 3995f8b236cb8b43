"""The seeded data set of the benchmarks: page views of one site over a year, Zipf-distributed, at any size.

Rows go straight into the table, because ten million events through the ledger would take minutes. What they look
like is what the ledger would have written.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import accumulate, count
from pathlib import Path
from random import Random

import apsw

from analytics_box.base.clock import DAY, MINUTE, utc_day
from analytics_box.base.facts.event import LASTS, PAGE_VIEW, VISITOR_BITS
from analytics_box.base.facts.layout import INSERT, STORED_ATTRIBUTES, STORED_COLUMNS, stored_attributes
from analytics_box.base.facts.tables import ATTRIBUTES
from analytics_box.base.store import schema
from analytics_box.base.store.db import Db
from analytics_box.base.store.strings import Strings

DAYS = 365
VIEWS_PER_SESSION = 2.86
SESSIONS_PER_VISITOR = 1.84  # and day
PROFILES = 20_000  # distinct sets of session attributes

PATHS = tuple(f"/section-{number % 40}/page-{number}" for number in range(2_000))
REFERRERS = tuple(f"https://site-{number}.example/" for number in range(400))
BROWSERS = (
    *("Chrome", "Safari", "Firefox", "Edge", "Samsung Internet", "Opera"),
    *("DuckDuckGo", "Brave", "Vivaldi", "Yandex Browser", "UC Browser", "Whale"),
)
SYSTEMS = ("Windows", "Android", "iOS", "macOS", "Linux", "ChromeOS", "FreeBSD", "HarmonyOS")
CAMPAIGNS = ("", *(f"campaign-{number}" for number in range(30)))

COUNTRIES = (
    "US",
    "DE",
    "FR",
    "GB",
    "ES",
    "BR",
    "JP",
    *(f"{one}{two}" for one in "ACKMSTVZ" for two in "ABCDEFGHIJKLMN"),
)

# What session attributes are drawn from, the commonest value first; attributes that are not named are empty.
VALUES: dict[str, Sequence[str]] = {
    "entry": PATHS,
    "referrer": ("", *REFERRERS),
    "source": ("Direct", *(f"site-{number}.example" for number in range(400))),
    "utm_source": ("", *(f"source-{number}" for number in range(30))),
    "utm_medium": ("", "email", "cpc", "social"),
    "utm_campaign": CAMPAIGNS,
    "country": COUNTRIES,
    "browser": BROWSERS,
    "browser_version": ("142.0", "141.0", "18.6", "145.0", "29.0"),
    "system": SYSTEMS,
    "system_version": ("10", "15", "18.6", "10.15", ""),
    "device": ("desktop", "mobile", "tablet"),
    "language": ("en-US", "de-DE", "fr-FR", "en-GB", "es-ES", "pt-BR", "ja-JP"),
    "time_zone": ("America/New_York", "Europe/Berlin", "Europe/Paris", "Europe/London", "Asia/Tokyo"),
    "viewport": ("1905x945", "393x659", "412x785", "1512x860"),
    "screen": ("1920x1080", "393x852", "412x915", "1512x982"),
}
TOGETHER = {"source": "referrer"}  # these are drawn by the same rank

Row = tuple[int | None, ...]


class Zipf:
    """Ranks 0 … size-1, of which rank r comes up with a weight of 1/(r+1)."""

    def __init__(self, size: int) -> None:
        weights = [1 / rank for rank in range(1, size + 1)]
        total = sum(weights)
        self._edges = [edge / total for edge in accumulate(weights)]
        self._edges[-1] = 1.0

    def rank(self, chance: float) -> int:
        """The rank that a number in [0, 1) falls on."""
        return bisect_left(self._edges, chance)


def fill(directory: Path, site: int, events: int, *, end: int, seed: int = 1, days: int = DAYS) -> int:
    """Write about that many page views of a site into a migrated events.db nobody has open; how many it became.

    They are in the `days` UTC days before that of `end` (UTC ms), evenly spread over the days, oldest first; that day
    has its share of more events up to `end`.
    """
    db = Db(directory / schema.EVENTS_FILE, readers=1)
    random = Random(seed)
    try:
        strings = Strings(100_000)
        numbers = db.write_now(lambda connection: _intern(connection, strings))
        profiles = db.write_now(lambda connection: [_profile(random, connection, strings) for _ in range(PROFILES)])
        sessions = count(1)
        first = utc_day(end) - days
        written = 0
        for day in range(first, first + days):
            wanted = events * (day - first + 1) // days - written
            rows = list(_of_day(random, day, DAY, site, wanted, numbers, profiles, sessions))
            rows.sort(key=_time)
            db.write_now(partial(_insert, rows))
            written += len(rows)
        today = utc_day(end)
        part = end - today * DAY
        if wanted := events * part // DAY // days:
            rows = list(_of_day(random, today, part, site, wanted, numbers, profiles, sessions))
            rows = sorted((row for row in rows if _time(row) < end), key=_time)
            db.write_now(partial(_insert, rows))
            written += len(rows)
        db.write_now(lambda connection: _number_next_session(connection, next(sessions)))
        db.write_now(lambda connection: connection.pragma("optimize", 0x10002))
        return written
    finally:
        db.close()


def _number_next_session(db: apsw.Connection, number: int) -> None:
    db.execute("update session_numbers set next = ?", (number,))


def _intern(db: apsw.Connection, strings: Strings) -> dict[str, int]:
    texts = {"screen_view", *PATHS, *(text for values in VALUES.values() for text in values)}
    return {text: strings.number(db, text) for text in sorted(texts)}


_CHOICES = {size: Zipf(size) for size in {1, len(PATHS), *(len(values) for values in VALUES.values())}}
_PATHS = _CHOICES[len(PATHS)]


def _profile(random: Random, db: apsw.Connection, strings: Strings) -> tuple[int, ...]:
    """A set of session attributes as it is stored."""
    ranks: dict[str, int] = {}
    texts = []
    for name in ATTRIBUTES:
        values = VALUES.get(name, ("",))
        ranks[name] = ranks[TOGETHER[name]] if name in TOGETHER else _CHOICES[len(values)].rank(random.random())
        texts.append(values[ranks[name]])
    return stored_attributes(db, strings, tuple(texts))


_COLUMNS = STORED_COLUMNS["events"]
_OWN = _COLUMNS[: _COLUMNS.index(STORED_ATTRIBUTES[0])]
_TIME = _COLUMNS.index("time")


def _insert(rows: list[Row], db: apsw.Connection) -> None:
    db.executemany(INSERT["events"], rows)


def _time(row: Row) -> int:
    return row[_TIME] or 0


def _of_day(
    random: Random,
    day: int,
    until: int,
    site: int,
    wanted: int,
    numbers: dict[str, int],
    profiles: list[tuple[int, ...]],
    sessions: Iterator[int],
) -> Iterator[Row]:
    """The page views of a UTC day's sessions that begin up to `until` (ms after midnight), session by session."""
    view = numbers["screen_view"]
    paths = [numbers[path] for path in PATHS]
    crowd = max(1, int(wanted / VIEWS_PER_SESSION / SESSIONS_PER_VISITOR))
    visitors = [random.getrandbits(VISITOR_BITS) & ~LASTS or 2 for _ in range(crowd)]  # of this day only
    lengths = list(_lengths(random, wanted))
    starts = sorted(day * DAY + int(random.random() * max(until - 30 * MINUTE, 1)) for _ in lengths)
    for started, views, session in zip(starts, lengths, sessions, strict=False):
        visitor, profile = random.choice(visitors), random.choice(profiles)
        time, path = started, profile[0]
        for _ in range(views):
            own = {
                "site": site,
                "time": time,
                "kind": PAGE_VIEW,
                "name": view,
                "visitor": visitor,
                "session": session,
                "path": path,
                "since_start": time - started,
            }
            yield (*(own.get(column, 0) for column in _OWN), *profile, None)
            time += int(random.expovariate(1 / 45_000))
            path = paths[_PATHS.rank(random.random())]


def _lengths(random: Random, wanted: int) -> Iterator[int]:
    """How many page views each session has; so many together."""
    while wanted > 0:
        views = min(wanted, 1 + int(random.expovariate(1 / (VIEWS_PER_SESSION - 0.5))))
        yield views
        wanted -= views
