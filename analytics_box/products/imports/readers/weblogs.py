"""Access logs of web servers: the combined format of Apache and nginx, and JSON lines of nginx, Caddy and Traefik."""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final, NamedTuple

import msgspec

from analytics_box.ingest.ai_requests import format_of
from analytics_box.products.imports.files import ImportFiles
from analytics_box.products.imports.records import (
    ExportReader,
    HistoryEvent,
    ImportRecord,
    Locate,
    RowRefusal,
    address_identity,
    instant,
)
from analytics_box.web.recognition import agent
from analytics_box.web.recognition.ai_agents import AiAgent, find_agent

_COMBINED: Final = re.compile(
    r"(?:\S+:\d+ )?(?P<address>\S+) \S+ (?P<user>.{0,256}?) \[(?P<time>[^\]]{20,40})\] "
    r'"(?P<method>[A-Z]+) (?P<url>\S{1,8192})(?: [^"]*)?" (?P<status>\d{3}) \S+'
    r'(?: "(?P<referrer>(?:[^"\\]|\\.)*)" "(?P<agent>(?:[^"\\]|\\.)*)")?.*'
)
_SERVED: Final = frozenset((200, 203, 206, 304))
_ERRORS, _AFTER_ERRORS = 400, 600
# Files that a page loads, by the ends of their names.
_ASSET: Final = re.compile(
    r"\.(?:css|js|mjs|map|json|xml|txt|ico|png|jpe?g|gif|svg|webp|avif|bmp|woff2?|ttf|otf|eot|mp[34]|webm|ogg|wav|"
    r"zip|gz|tgz|pdf|wasm|webmanifest|rss|atom)$",
    re.IGNORECASE,
)
_LOOKED_AT: Final = 5


class LoggedRequest(msgspec.Struct, frozen=True):
    """A request in a log. `time` is UTC ms."""

    address: str
    time: int | None
    method: str
    url: str
    status: int
    referrer: str
    user_agent: str


class LoggedPage(NamedTuple):
    """A request for a page. `time` is UTC ms. Only that of an AI agent, which `agent` is, may be for a page that was
    not `served` or for the text of one."""

    address: str
    time: int
    url: str
    referrer: str
    user_agent: str
    status: int
    served: bool
    agent: AiAgent | None


def _recognize(files: ImportFiles) -> str:
    for name in files.names:
        lines = [line for line in files.head(name).splitlines()[:_LOOKED_AT] if line.strip()]
        if lines and lines[0].startswith("{") and parse_json(lines[0]) is not None:
            return "json"
        if any(_COMBINED.fullmatch(line) for line in lines):
            return "combined"
    return ""


def _read(files: ImportFiles, _version: str, locate: Locate) -> Iterator[ImportRecord]:
    for name in files.names:
        for line in files.lines(name):
            text = line.strip()
            if text:
                yield record_of(text, locate)


def record_of(text: str, locate: Locate) -> ImportRecord:
    """The page view, or the request of an AI agent, of a line of a log."""
    line = page_request(text)
    if isinstance(line, RowRefusal):
        return line
    if line.agent is not None:
        return HistoryEvent(
            *(line.time, 0, 0, line.url),
            referrer=line.referrer,
            user_agent=line.user_agent,
            ai_agent=line.agent.id,
            status=line.status,
        )
    if agent.parse(line.user_agent).bot:
        return RowRefusal("bot", line.user_agent)
    country, region, city = locate(line.address)
    return HistoryEvent(
        time=line.time,
        visitor=address_identity(line.address, line.user_agent, line.time),
        visit=0,
        url=line.url,
        referrer=line.referrer,
        user_agent=line.user_agent,
        country=country,
        region=region,
        city=city,
    )


def page_request(text: str) -> LoggedPage | RowRefusal:
    """The request for a page in a line of a log, of a person, a bot or an AI agent."""
    line = parse_json(text) if text.startswith("{") else parse_combined(text)
    if line is None:
        return RowRefusal("row", text)
    if line.time is None:
        return RowRefusal("time", text)
    path = line.url.partition("?")[0]
    served = line.status in _SERVED and not _ASSET.search(path)
    reader = find_agent(line.user_agent)
    if line.method != "GET" or not (served or (reader is not None and _is_read(path, line.status))):
        return RowRefusal("asset", f"{line.method} {path} {line.status}")
    referrer = "" if line.referrer == "-" else line.referrer
    return LoggedPage(line.address, line.time, line.url, referrer, line.user_agent, line.status, served, reader)


def _is_read(path: str, status: int) -> bool:
    """Whether an agent asked for a page or for text such as llms.txt, and got it or an error."""
    is_text = not _ASSET.search(path) or format_of(None, path, None) != "other"
    return is_text and (status in _SERVED or _ERRORS <= status < _AFTER_ERRORS)


def parse_combined(text: str) -> LoggedRequest | None:
    """A line of the combined format; None for anything else."""
    match = _COMBINED.fullmatch(text)
    if match is None:
        return None
    return LoggedRequest(
        match["address"],
        _moment(match["time"]),
        match["method"],
        match["url"],
        int(match["status"]),
        match["referrer"] or "",
        match["agent"] or "",
    )


_MONTHS: Final = {"Jan": 1, "Feb": 2, "Mar": 3, "Apr": 4, "May": 5, "Jun": 6} | {
    "Jul": 7,
    "Aug": 8,
    "Sep": 9,
    "Oct": 10,
    "Nov": 11,
    "Dec": 12,
}


def _moment(text: str) -> int | None:
    """A time such as 10/Jan/2025:10:00:00 +0100, as UTC ms."""
    try:
        iso = f"{text[7:11]}-{_MONTHS[text[3:6]]:02}-{text[:2]}T{text[12:20]}{text[21:24]}:{text[24:26]}"
        return int(datetime.fromisoformat(iso).timestamp() * 1000)
    except (KeyError, ValueError, OverflowError):
        return None


def parse_json(text: str) -> LoggedRequest | None:
    """A line of JSON as Caddy, Traefik or nginx write it; None for anything else."""
    try:
        found = msgspec.json.decode(text, type=dict[str, Any])
        request = found.get("request")
        if isinstance(request, dict):
            return _of_caddy(found, request)
        return _of_traefik(found) if "RequestPath" in found else _of_nginx(found)
    except (msgspec.DecodeError, RecursionError, TypeError, ValueError, KeyError, AttributeError):
        return None


def _of_caddy(found: dict[str, Any], request: dict[str, Any]) -> LoggedRequest:
    headers = request.get("headers") or {}
    stamp = found["ts"]
    return LoggedRequest(
        str(request.get("client_ip") or request["remote_ip"]),
        int(stamp * 1000) if isinstance(stamp, int | float) else instant(str(stamp)),
        str(request["method"]),
        str(request["uri"]),
        int(found["status"]),
        str((headers.get("Referer") or [""])[0]),
        str((headers.get("User-Agent") or [""])[0]),
    )


def _of_traefik(found: dict[str, Any]) -> LoggedRequest:
    return LoggedRequest(
        str(found["ClientHost"]),
        instant(str(found.get("StartUTC") or found["time"])),
        str(found["RequestMethod"]),
        str(found["RequestPath"]),
        int(found["DownstreamStatus"]),
        str(found.get("request_Referer", "")),
        str(found.get("request_User-Agent", "")),
    )


def _of_nginx(found: dict[str, Any]) -> LoggedRequest:
    """A custom format: the names of its variables are the names of its fields."""
    method, url, *_rest = (
        str(found["request"]).split(" ") if "request" in found else (found["request_method"], found["request_uri"])
    )
    time = instant(str(found.get("time_iso8601", "")))
    if time is None and "msec" in found:
        time = int(float(found["msec"]) * 1000)
    if time is None:
        time = _moment(str(found.get("time_local", "")))
    return LoggedRequest(
        str(found["remote_addr"]),
        time,
        str(method),
        str(url),
        int(found["status"]),
        str(found.get("http_referer", "")),
        str(found.get("http_user_agent", "")),
    )


READER: Final = ExportReader(
    "weblogs", "Web server logs", "events", "Access log, as text or JSON lines, also as .gz", _recognize, _read
)
