"""Databases of Shlink, YOURLS and Kutt, SQLite files or dumps, in the words of their exports and with their visits.

Visits keep their times. Of a visitor's address only a number remains, which the import hashes again.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from hashlib import blake2b
from itertools import chain, repeat
from pathlib import Path
from typing import Any, Final

import msgspec

from analytics_box.base.clock import DAY
from analytics_box.base.errors import BadRequest
from analytics_box.base.facts.event import BOT, CLICK, PREVIEW
from analytics_box.base.store.foreign import Row, Wanted, read_tables
from analytics_box.base.translation import _
from analytics_box.products.links.bulk.cells import MOST_ROWS
from analytics_box.products.links.bulk.services import is_true
from analytics_box.products.links.redirects.observer import makes_previews
from analytics_box.web.recognition import agent
from analytics_box.web.recognition.countries import name_of

Origin = tuple[int, str, str, str, str, str, str, str, str]  # The fields of click_history.ClickOrigin.

_SMALL: Final[Wanted] = {
    "short_urls": (
        *("id", "original_url", "short_code", "domain_id", "title", "valid_since", "valid_until", "max_visits"),
        "forward_query",
    ),
    "tags": ("id", "name"),
    "short_urls_in_tags": ("short_url_id", "tag_id"),
    "device_long_urls": ("device_type", "long_url", "short_url_id"),
    "short_url_redirect_rules": ("short_url_id",),
    "yourls_url": ("keyword", "url", "title"),
    "links": ("id", "address", "description", "banned", "domain_id", "password", "expire_in", "target"),
    "domains": ("id", "authority", "address"),
}
_PLACES: Final[Wanted] = {"visit_locations": ("id", "country_code", "region_name", "city_name")}
_BROWSERS: Final = {
    **{"br_chrome": "Chrome", "br_edge": "Edge", "br_firefox": "Firefox", "br_ie": "IE", "br_opera": "Opera"},
    **{"br_safari": "Safari", "br_other": ""},
}
_SYSTEMS: Final = {
    **{"os_android": "Android", "os_ios": "iOS", "os_linux": "Linux", "os_macos": "macOS", "os_windows": "Windows"},
    "os_other": "",
}
_VISITS: Final[Wanted] = {
    "visits": (
        *("short_url_id", "date", "referer", "remote_addr", "user_agent", "visit_location_id", "potential_bot"),
        *("link_id", "created_at", "total", "countries", "referrers", *_BROWSERS, *_SYSTEMS),
    ),
    "yourls_log": ("click_time", "shorturl", "referrer", "user_agent", "ip_address", "country_code"),
}
_MOST_OF_OTHERS: Final = 200_000  # Rows of all tables without visits and their locations.
_MOST_VISITS: Final = 1_000_000
_IN_A_ROW: Final = 400_000  # Characters of visits in a row; more follow in further rows of the same link.
_OF_A_VISIT: Final = 40  # Characters of its numbers.
_LONGEST: Final = 100  # Characters of a text of a visit.
_LONGEST_REFERRER: Final = 500


def read_links_database(path: Path, keep_going: Callable[[], object] = bool) -> list[dict[str, Any]]:
    """The links of a database with their visits, as a JSON export of its service. Raises BadRequest."""
    tables: dict[str, list[Row]] = defaultdict(list)
    for count, (table, row) in enumerate(read_tables(path, _SMALL, keep_going)):
        if count >= _MOST_OF_OTHERS:
            raise BadRequest(_("The table {table} has too many rows").format(table=table))
        tables[table].append(row)
    yourls = ((f"yourls {_text(row.get('keyword'))}", {**row, "clicks": None}) for row in tables["yourls_url"])
    links = dict(chain(_shlink(tables), yourls, _kutt(tables)))
    if not links:
        raise BadRequest(_("This database contains no links of Shlink, YOURLS or Kutt"))
    if len(links) > MOST_ROWS:
        raise BadRequest(_("A file can have up to {most:,} links. Split it").format(most=MOST_ROWS))
    visits = LinkVisits(links)
    places: dict[str, tuple[str, str, str]] = {}
    for _table, row in read_tables(path, _PLACES, keep_going):
        country = name_of(_text(row.get("country_code")))
        places[_text(row.get("id"))] = (country, _text(row.get("region_name")), _text(row.get("city_name")))
    for table, row in read_tables(path, _VISITS, keep_going):
        if table == "yourls_log":
            visits.add_yourls(row)
        elif "short_url_id" in row:
            visits.add_shlink(row, places)
        else:
            visits.add_kutt(row)
    return [row for key, link in links.items() for row in _rows(link, visits.of(key), visits.counts[key])]


def _rows(link: dict[str, Any], clicks: list[tuple[int, int, Origin]], visits: int) -> Iterator[dict[str, Any]]:
    """A link with its visits, in several rows if there are many."""
    histories: list[tuple[dict[Origin, int], list[tuple[int, int, int]]]] = [({}, [])]
    size = 0
    for at, visitor, origin in clicks:
        if size > _IN_A_ROW:
            histories.append(({}, []))
            size = 0
        numbers, listed = histories[-1]
        if origin not in numbers:
            size += sum(len(str(one)) + 3 for one in origin)
            numbers[origin] = len(numbers)
        size += _OF_A_VISIT
        listed.append((at, numbers[origin], visitor))
    if "maxVisits" in link and visits >= _number(link["maxVisits"]):  # Else the visits, which are clicks here, count.
        link = {**link, "visitsCount": visits}
    for numbers, listed in histories:
        yield {**link, "clickHistory": {"origins": list(numbers), "clicks": listed}} if listed else link


def _shlink(tables: Mapping[str, list[Row]]) -> Iterator[tuple[str, dict[str, Any]]]:
    domains = {_text(row.get("id")): row.get("authority") for row in tables["domains"]}
    names = {_text(row.get("id")): row.get("name") for row in tables["tags"]}
    tags, devices = defaultdict[str, list[Any]](list), defaultdict[str, dict[str, Any]](dict)
    for row in tables["short_urls_in_tags"]:
        tags[_text(row.get("short_url_id"))].append(names.get(_text(row.get("tag_id"))))
    for row in tables["device_long_urls"]:
        devices[_text(row.get("short_url_id"))][_text(row.get("device_type"))] = row.get("long_url")
    rules = {_text(row.get("short_url_id")) for row in tables["short_url_redirect_rules"]}
    for row in tables["short_urls"]:
        key = _text(row.get("id"))
        limits = {"maxVisits": row["max_visits"]} if row.get("max_visits") not in (None, "", 0) else {}
        yield (
            f"shlink {key}",
            {
                "shortCode": row.get("short_code"),
                "longUrl": row.get("original_url"),
                "domain": domains.get(_text(row.get("domain_id"))),
                "title": row.get("title"),
                "tags": tags[key],
                "deviceLongUrls": devices[key],
                "validUntil": _iso(row.get("valid_until")),
                "validSince": row.get("valid_since"),
                "forwardQuery": is_true(row.get("forward_query")),
                "hasRedirectRules": key in rules,
                **limits,
            },
        )


def _kutt(tables: Mapping[str, list[Row]]) -> Iterator[tuple[str, dict[str, Any]]]:
    domains = {_text(row.get("id")): row.get("address") for row in tables["domains"]}
    for row in tables["links"]:
        if "address" in row and "target" in row:
            yield (
                f"kutt {_text(row.get('id'))}",
                {
                    "address": row["address"],
                    "target": row["target"],
                    "domain": domains.get(_text(row.get("domain_id"))),
                    "description": row.get("description"),
                    "banned": is_true(row.get("banned")),
                    "password": bool(row.get("password")),
                    "expireIn": _iso(row.get("expire_in")),
                },
            )


class LinkVisits:
    """The visits of the links of a database. Their times get different milliseconds, by which a second import knows
    them."""

    def __init__(self, links: Mapping[str, object]) -> None:
        self._of: dict[str, list[tuple[int, int, Origin]]] = {key: [] for key in links}
        self._origins: dict[Origin, Origin] = {}
        self._count = 0
        self.counts = dict.fromkeys(links, 0)

    def of(self, key: str) -> list[tuple[int, int, Origin]]:
        """The visits of a link, oldest first: time, visitor and origin."""
        found, last = [], 0
        for at, visitor, origin in sorted(self._of[key], key=lambda one: one[0]):
            last = max(at, last + 1)
            found.append((last, visitor, origin))
        return found

    def add_shlink(self, row: Row, places: Mapping[str, tuple[str, str, str]]) -> None:
        """Add a row of `visits` of Shlink; visits of unknown links are left out."""
        place = places.get(_text(row.get("visit_location_id")), ("", "", ""))
        by_bot = is_true(row.get("potential_bot"))
        self._add(
            f"shlink {_text(row.get('short_url_id'))}",
            row.get("date"),
            _origin(row.get("user_agent"), row.get("referer"), place, by_bot=by_bot),
            row.get("remote_addr"),
            row.get("user_agent"),
        )

    def add_yourls(self, row: Row) -> None:
        """Add a row of the log of YOURLS."""
        place = (name_of(_text(row.get("country_code"))), "", "")
        self._add(
            f"yourls {_text(row.get('shorturl'))}",
            row.get("click_time"),
            _origin(row.get("user_agent"), row.get("referrer"), place),
            row.get("ip_address"),
            row.get("user_agent"),
        )

    def add_kutt(self, row: Row) -> None:
        """Add the visits of an hour, of which Kutt only counts browsers, systems, countries and referrers."""
        counted: tuple[dict[str, int], ...] = (
            {name: _number(row.get(column)) for column, name in _BROWSERS.items()},
            {name: _number(row.get(column)) for column, name in _SYSTEMS.items()},
            {name_of(code): count for code, count in _counts(row.get("countries"))},
            {
                "" if host == "direct" else f"https://{host.replace('[dot]', '.')}/"[:_LONGEST_REFERRER]: count
                for host, count in _counts(row.get("referrers"))
            },
        )
        # Each text as often as it was counted, then empty ones.
        texts = [chain(*map(repeat, counts, counts.values()), repeat("")) for counts in counted]
        for _visit in range(_number(row.get("total"))):
            browser, system, country, referrer = map(next, texts)
            origin = (CLICK, referrer, country, "", "", browser, system, "", "")
            self._add(f"kutt {_text(row.get('link_id'))}", row.get("created_at"), origin, None, None)

    def _add(self, key: str, when: object, origin: Origin, address: object, user_agent: object) -> None:
        found, at = self._of.get(key), _instant(when)
        if found is None or at is None:
            return
        self._count += 1
        if self._count > _MOST_VISITS:
            raise BadRequest(
                _("A database can have up to {most} visits. Delete old ones first").format(most=f"{_MOST_VISITS:,}")
            )
        self.counts[key] += 1
        # Without an address, visitors cannot be recognized: each visit is one.
        who = f"{at // DAY}\0{address}\0{user_agent}" if address else f"{at}\0{self._count}"
        visitor = int.from_bytes(blake2b(who.encode(errors="replace"), digest_size=6).digest())
        found.append((at, visitor, self._origins.setdefault(origin, origin)))


def _origin(user_agent: object, referrer: object, place: tuple[str, str, str], *, by_bot: bool = False) -> Origin:
    text = _text(user_agent)[:1_024]
    known = agent.parse(text)
    kind = PREVIEW if makes_previews(text) else BOT if known.bot or by_bot else CLICK
    name = "" if kind == CLICK else known.bot_name or text.partition("/")[0]
    country, region, city = (one[:_LONGEST] for one in place)
    came_from = _text(referrer)[:_LONGEST_REFERRER]
    browser, system = known.browser[:_LONGEST], known.system[:_LONGEST]
    return (
        *(kind, "" if came_from == "direct" else came_from, country, region, city, browser, system),
        *(known.device, name[:_LONGEST]),
    )


def _counts(given: object) -> list[tuple[str, int]]:
    try:
        found = msgspec.json.decode(given) if isinstance(given, str | bytes) else given
    except (msgspec.MsgspecError, RecursionError):
        return []
    return [(str(name), _number(count)) for name, count in found.items()] if isinstance(found, dict) else []


def _number(value: object) -> int:
    text = _text(value)
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0


def _text(value: object) -> str:
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    return "" if value is None else str(value).strip()


def _instant(value: object) -> int | None:
    """The time (UTC ms) in a column: text without a zone is UTC, a number is ms or seconds."""
    if isinstance(value, int | float):
        at = int(value) if abs(value) > 1e11 else int(value * 1_000) if abs(value) < 1e11 else 0
        return at if 0 < at < 1 << 42 else None
    try:
        found = datetime.fromisoformat(_text(value))
    except ValueError:
        return None
    at = int((found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp() * 1_000)
    return at if at > 0 else None


def _iso(value: object) -> str | None:
    at = _instant(value)
    return None if at is None else datetime.fromtimestamp(at // 1_000, UTC).isoformat()
