"""Matomo's exports as JSON: the visits of Live.getLastVisitsDetails, and reports with a total of each day.

Reports are asked for with period=day, a range of dates and flat=1, and saved under the name of their method.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

import msgspec

from analytics_box.products.imports.files import ImportFiles
from analytics_box.products.imports.readers.plausible import Values, source_values, totals_of
from analytics_box.products.imports.records import (
    ExportReader,
    HistoryEvent,
    ImportRecord,
    Locate,
    RowRefusal,
    identity,
    instant,
    json_entries,
    key_of,
)
from analytics_box.web.recognition import agent, countries

_Given = dict[str, Any]
_METHOD: Final = re.compile(r"(?:.*[^A-Za-z])?([A-Z][A-Za-z]+\.get[A-Za-z]*)[^A-Za-z.]?.*\.json")
_PROPERTIES: Final = (
    *("eventCategory", "eventAction", "eventName", "eventValue", "siteSearchKeyword", "goalName", "revenue", "orderId"),
)
_SYSTEMS: Final = {"GNU/Linux": "Linux", "Mac": "macOS", "Chrome OS": "ChromeOS"}
_BROWSERS: Final = {
    "Microsoft Edge": "Edge",
    "Samsung Browser": "Samsung Internet",
    "Internet Explorer": "IE",
    "DuckDuckGo Privacy Browser": "DuckDuckGo",
}
_DIRECT, _CAMPAIGN = "direct", "campaign"
_NO_VALUES: Final = frozenset((None, "", False, "-"))


def _text(given: _Given, *names: str) -> str:
    """The first of these values that says something. Matomo writes unknown ones as a dash, false or xx."""
    for name in names:
        value = given.get(name)
        if isinstance(value, str | int | float) and value not in _NO_VALUES:
            return str(value)
    return ""


def _recognize_visits(files: ImportFiles) -> str:
    for name in files.names:
        head = files.head(name)
        if '"idVisit"' in head and '"actionDetails"' in head:
            return "4" if '"fingerprint"' in head else "3"
    return ""


def _read_visits(files: ImportFiles, _version: str, _locate: Locate) -> Iterator[ImportRecord]:
    for name in files.names:
        if '"idVisit"' not in files.head(name):
            yield RowRefusal("dimension", name)
            continue
        for _key, visit in json_entries(files.pieces(name)):
            if isinstance(visit, dict) and isinstance(visit.get("actionDetails"), list):
                yield from _events_of(visit)
            else:
                yield RowRefusal("row", str(visit)[:200])


def _events_of(visit: _Given) -> Iterator[ImportRecord]:
    started = _time(visit, "firstActionTimestamp", "serverTimestamp")
    referrer, utm = _arrival(visit)
    person = _text(visit, "visitorId") or _text(visit, "fingerprint", "idVisit")
    shared = HistoryEvent(
        time=0,
        visitor=identity("matomo", person, lasting=bool(_text(visit, "visitorId"))),
        visit=key_of(_text(visit, "idSite"), _text(visit, "idVisit") or person),
        url="",
        browser=_named(_text(visit, "browserName"), _BROWSERS),
        browser_version=_text(visit, "browserVersion"),
        system=_named(_text(visit, "operatingSystemName"), _SYSTEMS),
        system_version=_text(visit, "operatingSystemVersion"),
        device=_text(visit, "deviceType").lower() or "desktop",
        country=_text(visit, "countryCode").replace("xx", ""),
        region=_text(visit, "region"),
        city=_text(visit, "city"),
        language=_text(visit, "languageCode"),
        screen=_text(visit, "resolution"),
    )
    for number, action in enumerate(visit["actionDetails"]):
        if not isinstance(action, dict):
            yield RowRefusal("row", str(action)[:200])
            continue
        time = _time(action, "timestamp") or started
        if time is None:
            yield RowRefusal("time", _text(action, "url"))
            continue
        name = _event_name(action)
        if name is None:
            yield RowRefusal("dimension", f"{_text(action, 'type')} {_text(action, 'url')}")
            continue
        page = _text(action, "url")
        found = msgspec.structs.replace(
            shared,
            time=time,
            url=page or "/",
            name=name,
            title=_text(action, "pageTitle", "title") if not name else "",
            properties=_properties(action) if name else "",
        )
        # The first action has brought the visitor here; later ones come from the website itself.
        yield msgspec.structs.replace(found, referrer=referrer, utm=utm) if number == 0 else found


def _event_name(action: _Given) -> str | None:
    """The name of a custom event, empty for a page view. None for what has no counterpart."""
    kind = _text(action, "type")
    if kind == "action":
        return ""
    if kind == "event":
        return _text(action, "eventAction", "eventName", "eventCategory")[:256] or None
    return {
        "outlink": "outgoing_link",
        "download": "download",
        "search": "search",
        "goal": "goal",
        "ecommerceOrder": "order",
    }.get(kind)


def _properties(action: _Given) -> str:
    found = {name: action[name] for name in _PROPERTIES if _text(action, name)}
    if _text(action, "type") in {"outlink", "download"}:
        found["href"] = _text(action, "url")
    for number in range(1, 21):
        if value := _text(action, f"dimension{number}"):
            found[f"dimension{number}"] = value
    return msgspec.json.encode(found).decode() if found else ""


def _arrival(visit: _Given) -> tuple[str, tuple[str, ...]]:
    """The referrer of a visit and its campaign."""
    kind, name = _text(visit, "referrerType"), _text(visit, "referrerName")
    campaign = (
        _text(visit, "campaignSource"),
        _text(visit, "campaignMedium"),
        _text(visit, "campaignName") or (name if kind == _CAMPAIGN else ""),
        _text(visit, "campaignKeyword") or (_text(visit, "referrerKeyword") if kind == _CAMPAIGN else ""),
        _text(visit, "campaignContent"),
    )
    address = _text(visit, "referrerUrl")
    if not address and kind not in {_DIRECT, _CAMPAIGN} and "." in name:
        address = f"https://{name}"
    return address, campaign if any(campaign) else ()


def _time(given: _Given, *names: str) -> int | None:
    for name in names:
        value = given.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1e11:
            return int(value * 1000)
        if isinstance(value, str) and value:
            return int(value) * 1000 if value.isdecimal() and len(value) < 12 else instant(value)
    return None


def _named(name: str, names: dict[str, str]) -> str:
    return names.get(name, name)


def _label(row: _Given) -> str:
    return _text(row, "label")


def _total(_row: _Given) -> Values:
    yield "total", "", ""


def _page(row: _Given) -> Values:
    yield "path", _path(row), ""


def _entry(row: _Given) -> Values:
    yield "entries", _path(row), ""


def _exit(row: _Given) -> Values:
    yield "exits", _path(row), ""


def _path(row: _Given) -> str:
    # Matomo calls the page of a folder index.
    path = re.sub(r"/index\Z", "/", "/" + _label(row).lstrip("/"))
    return path[:1024]


def _source(row: _Given) -> Values:
    kind, label = _text(row, "referer_type", "referrer_type"), _label(row)
    if kind == "1":
        return source_values({})
    if kind == "6":
        return source_values({"utm_campaign": label})
    return source_values({"source": label.split("://")[-1].split("/")[0]})


def _country(row: _Given) -> Values:
    yield "country", countries.name_of(_text(row, "code")) or countries.proper_name(_label(row)), ""


def _device(row: _Given) -> Values:
    kind = _label(row).lower()
    yield "device", "tablet" if kind == "tablet" else "mobile" if kind in _PHONES else "desktop", ""


def _browser(row: _Given) -> Values:
    name = _named(_label(row), _BROWSERS)
    yield "browser", agent.BROWSERS.get(name, name), ""


def _system(row: _Given) -> Values:
    yield "system", _named(_label(row), _SYSTEMS), ""


def _screen(row: _Given) -> Values:
    yield "screen", _label(row), ""


_PHONES: Final = frozenset(("smartphone", "feature phone", "phablet", "mobile"))
# The values of each report, and what the names of its counts begin with.
_REPORTS: Final[dict[str, tuple[Callable[[_Given], Values], str]]] = {
    "API.get": (_total, ""),
    "VisitsSummary.get": (_total, ""),
    "Actions.getPageUrls": (_page, ""),
    "Actions.getEntryPageUrls": (_entry, "entry_"),
    "Actions.getExitPageUrls": (_exit, "exit_"),
    "Referrers.getAll": (_source, ""),
    "UserCountry.getCountry": (_country, ""),
    "DevicesDetection.getType": (_device, ""),
    "DevicesDetection.getBrowsers": (_browser, ""),
    "DevicesDetection.getOsFamilies": (_system, ""),
    "Resolution.getResolution": (_screen, ""),
}


def _report(name: str) -> str:
    match = _METHOD.fullmatch(name)
    return match[1] if match and match[1] in _REPORTS else ""


def _recognize_reports(files: ImportFiles) -> str:
    found = [name for name in files.names if _report(name)]
    if not found:
        return ""
    return "4" if any("nb_uniq_visitors" in files.head(name) for name in found) else "3"


def _read_reports(files: ImportFiles, _version: str, _locate: Locate) -> Iterator[ImportRecord]:
    taken = {_report(name) for name in files.names}
    for name in files.names:
        report = _report(name)
        # API.get has all that VisitsSummary.get has, and page views.
        if not report or (report == "VisitsSummary.get" and "API.get" in taken):
            yield RowRefusal("dimension", name)
            continue
        values, start = _REPORTS[report]
        for day, rows in json_entries(files.pieces(name)):
            for row in rows if isinstance(rows, list) else [rows]:
                if isinstance(row, dict):
                    found = list(values(row))
                    yield from totals_of(_counts(row, day, start), lambda _row, found=found: iter(found))  # type: ignore[misc]
                else:
                    yield RowRefusal("row", f"{name} {day}")


def _counts(row: _Given, day: str, start: str) -> dict[str, str]:
    """The counts of a row under the names of other reports."""
    visits = _text(row, f"{start}nb_visits") or "0"
    return {
        "date": day,
        "visitors": _text(row, f"{start}nb_uniq_visitors", f"sum_daily_{start}nb_uniq_visitors") or visits,
        "visits": visits,
        "pageviews": "0" if start else _text(row, "nb_pageviews", "nb_hits", "nb_actions") or "0",
        "bounces": _text(row, f"{start}bounce_count") or "0",
        "visit_duration": _text(row, f"{start}sum_visit_length") or "0",
    }


VISITS: Final = ExportReader(
    "matomo",
    "Matomo: visits",
    "events",
    "JSON of the visits log, or of Live.getLastVisitsDetails",
    _recognize_visits,
    _read_visits,
)
REPORTS: Final = ExportReader(
    "matomo-reports",
    "Matomo: reports",
    "totals",
    "JSON of reports by day under their methods' names, such as VisitsSummary.get.json, in a ZIP archive",
    _recognize_reports,
    _read_reports,
)
