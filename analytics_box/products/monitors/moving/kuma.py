"""Monitors of Uptime Kuma, from the JSON of its backup, or from its database in the same form. Pure."""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final
from urllib.parse import unquote
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from analytics_box.base.errors import BadRequest
from analytics_box.base.translation import _, ngettext
from analytics_box.base.urls import url_parts
from analytics_box.products.monitors.monitor import LONGEST_GROUP, LONGEST_TAG, MOST_TAGS
from analytics_box.products.monitors.moving.history import MonitorHistory
from analytics_box.products.monitors.moving.taking import Taking
from analytics_box.products.monitors.moving.wanted import (
    MOST,
    MOST_WINDOWS,
    ImportNotification,
    MonitorImportFile,
    MonitorImportItem,
    MonitorImportNotes,
    WindowImportItem,
    granularity,
    new_monitor,
    timeout,
    times,
)
from analytics_box.products.monitors.windows.messages import CreateMaintenanceWindow

# Fields of types of monitors that are not supported: they say nothing about others.
_OF_OTHERS: Final = re.compile(
    r"(?:kafka|grpc|mqtt|radius|docker|game|snmp|rabbitmq|database|smtp|ws[A-Z]|remote_?[bB]rowser|systemService|"
    r"localService|globalping|subtype|location|protocol|manual|oauth|tls[A-Z]|auth(?:Domain|Workstation)\Z|ssh|restart|"
    r"slowResponse|response|save[A-Z]|show[A-Z]|ping|domainExpiry|custom|invertKeyword\Z)"
)
_PASSED: Final = frozenset(  # says nothing, or what is so here anyway
    (
        *("id", "weight", "dns_last_result", "pathName", "path", "childrenIDs", "maintenance", "forceInactive"),
        *("screenshot", "includeSensitiveData", "expiryNotification", "packetSize", "retryInterval", "active"),
        *("user_id", "pushToken", "authMethod", "httpBodyEncoding", "gamedigGivenPortOnly", "ping_count"),
        *("ping_numeric", "jsonPath", "responseMaxLength", "ping_per_request_timeout", "domainExpiryNotification"),
        *("jsonPathOperator", "expectedValue", "remote_browser", "grpcEnableTls", "mqttCheckType"),
        *("dns_resolve_type", "dns_resolve_server", "method", "maxredirects", "accepted_statuscodes", "hostname"),
        *("port", "url", "keyword", "retryOnlyOnStatusCodeFailure", "history", "userId"),
    )
)
# The types of channels whose names differ.
_BLANK: Final = ("[]", "{}", "null")
_CLOCK: Final = re.compile(r"[0-2]\d:[0-5]\d")
_LONGEST_NAME: Final = 230
_CHANNELS: Final = {"smtp": "email"}
_HTTP: Final = ("http", "keyword", "json-query")
_PATH = re.compile(r"\$?\.?[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*|\[\d+\])*\Z", re.ASCII)
_STEP = re.compile(r"[A-Za-z_][\w-]*|\d+(?=\])", re.ASCII)
_OPERATORS: Final = {
    "==": "equals",
    "!=": "not_equals",
    "<": "less_than",
    ">": "greater_than",
    "contains": "contains",
}
_TYPES: Final = {
    "json": "application/json",
    "xml": "text/xml; charset=utf-8",
    "form": "application/x-www-form-urlencoded",
}


def read_kuma(given: Mapping[str, Any]) -> MonitorImportFile:
    """The monitors of an Uptime Kuma backup. Raises BadRequest for any other file."""
    listed = given.get("monitorList")
    monitors = list(listed.values()) if isinstance(listed, dict) else listed
    if not isinstance(monitors, list) or not all(isinstance(one, dict) for one in monitors):
        raise BadRequest(_("The backup has no monitorList"))
    if len(monitors) > MOST:
        raise BadRequest(_("A file can have up to {most} monitors; split it").format(most=f"{MOST:,}"))
    groups = _Groups({str(one.get("id")): one for one in monitors if one.get("type") == "group"})
    notes = [_("Proxies are not supported.")] if given.get("proxyList") else []
    if pages := given.get("statusPageList"):
        notes.append(
            ngettext(
                "The file also has 1 status page. Import the monitors first, then the file on the page Status pages.",
                "The file also has {count} status pages. Import the monitors first, then the file on the page Status "
                "pages.",
                len(pages) if isinstance(pages, list) else 1,
            ).format(count=len(pages))
        )
    windows: list[WindowImportItem] = []
    for one in given.get("maintenanceList") or ():
        if isinstance(one, dict) and len(windows) < MOST_WINDOWS:
            windows += _windows(one, notes)
    return MonitorImportFile(
        monitors=tuple(
            _import_item(number, one, groups) for number, one in enumerate(monitors, 1) if one.get("type") != "group"
        ),
        notifications=tuple(_notifications(given.get("notificationList"))),
        windows=tuple(windows),
        notes=tuple(notes),
    )


def _windows(given: Mapping[str, Any], notes: list[str]) -> Iterator[WindowImportItem]:
    """The windows of a maintenance: one for each of its days of the month, otherwise one."""
    name = str(given.get("title") or "")[:_LONGEST_NAME]
    monitors = [str(one) for one in _items(given, "monitors")]
    plain = {"name": name, "covers": {"monitorIds": monitors}}
    try:
        if not given.get("active"):
            raise BadRequest(_("it is inactive"))
        if not monitors:
            raise BadRequest(_("it has no monitors"))
        for number, fields in enumerate(_times(given, name)):
            made = msgspec.convert(plain | fields, CreateMaintenanceWindow)
            yield WindowImportItem(ref=f"maintenance {given.get('id')} {number}", given=made)
    except (BadRequest, msgspec.ValidationError) as wrong:
        notes.append(_("Maintenance {name} is not imported: {reason}.").format(name=name, reason=wrong))


def _times(given: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """The times of each window of a maintenance. Raises BadRequest for a strategy that is not supported."""
    strategy, repeat = str(given.get("strategy") or ""), _repeat(given)
    if strategy == "single":
        return [dict(zip(("startsAt", "endsAt"), _dates(given), strict=True))]
    if strategy == "recurring-weekday":
        days = sorted({int(day) or 7 for day in _items(given, "weekdays") if day in range(7)})
        return [{"repeat": repeat | {"every": "week", "weekdays": days}}]
    if strategy == "recurring-interval" and given.get("intervalDay") == 1:
        return [{"repeat": repeat | {"every": "day"}}]
    if strategy == "recurring-day-of-month":
        numbers = [-1 if day == "lastDay1" else day for day in _items(given, "daysOfMonth")]
        labels = [_("last day") if day == -1 else _("day {number}").format(number=day) for day in numbers]
        return [
            {"name": f"{name} ({label})", "repeat": repeat | {"every": "month", "day": day}}
            for day, label in zip(numbers, labels, strict=True)
        ]
    if strategy == "recurring-interval":
        raise BadRequest(_("an interval of several days is not supported"))
    raise BadRequest(_("the strategy {strategy} is not supported").format(strategy=strategy[:40]))


def _repeat(given: Mapping[str, Any]) -> dict[str, Any]:
    """The time and duration of a maintenance that repeats. Its `duration` is in seconds."""
    start, end = (str(one)[:5] for one in [*_items(given, "timeRange"), "", ""][:2])
    minutes = round(given["duration"] / 60) if isinstance(given.get("duration"), int | float) else 0
    if not minutes and _CLOCK.match(start) and _CLOCK.match(end):
        began, ended = (int(one[:2]) * 60 + int(one[3:5]) for one in (start, end))
        minutes = (ended - began) % 1_440
    _start, until = _dates(given)
    return {"time": start, "minutes": minutes, "zone": str(given.get("timezone") or "UTC"), "until": until}


def _dates(given: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """The first and last instant of a maintenance; its times are local ones."""
    found: list[str | None] = []
    for one in [*_items(given, "dateRange"), "", ""][:2]:
        try:
            zone = ZoneInfo(str(given.get("timezone") or "UTC"))
            found.append(datetime.fromisoformat(str(one)).replace(tzinfo=zone).isoformat() if one else None)
        except (ValueError, OSError, ZoneInfoNotFoundError):
            found.append(None)
    return found[0], found[1]


def _items(given: Mapping[str, Any], name: str) -> list[Any]:
    found = given.get(name)
    return found[:1_000] if isinstance(found, list) else []


def _notifications(given: Any) -> Iterator[ImportNotification]:
    """The notifications of a backup. Their settings are JSON in a text; only the type is read."""
    for one in given if isinstance(given, list) else ():
        if not isinstance(one, dict):
            continue
        try:
            config = msgspec.json.decode(str(one.get("config") or "{}"))
        except msgspec.MsgspecError:
            config = {}
        kind = str(config.get("type") or "").lower() if isinstance(config, dict) else ""
        yield ImportNotification(str(one.get("id", "")), str(one.get("name") or kind)[:100], _CHANNELS.get(kind, kind))


def _import_item(number: int, given: dict[str, Any], groups: "_Groups") -> MonitorImportItem:
    source, notes = Taking(given), MonitorImportNotes()
    kind, name = source.text("type"), source.text("name")[:255]
    plain: dict[str, Any] = {"number": number, "name": name, "ref": str(given.get("id", ""))}
    if source.is_on("upsideDown"):
        return MonitorImportItem(**plain, error="Upside-down mode is not supported")
    fields: dict[str, Any] = {
        "name": name or None,
        "granularity": granularity(source.number("interval") or 60, notes),
        "isPaused": "active" in given and not source.is_on("active"),
        "tags": _tags(source.take("tags")),
        "group": groups.path(source.text("parent")),
        "failuresToDown": times((source.number("maxretries") or 0) + 1, notes, "maxretries + 1"),
    }
    if (seconds := source.number("timeout")) is not None and kind != "push" and seconds > 0:
        fields["timeout"] = timeout(seconds)
    try:
        fields |= _of_kind(kind, source, notes)
    except BadRequest as refused:
        return MonitorImportItem(**plain, error=refused.message)
    chosen = source.take("notificationIDList")
    told = tuple(str(ref) for ref, is_on in chosen.items() if is_on) if isinstance(chosen, dict) else ()
    for lost in source.rest(_PASSED):
        if _OF_OTHERS.match(lost) or given[lost] in _BLANK:
            continue
        notes.lost(lost, decides=lost in {"proxyId", "conditions"})
    made, field, error = new_monitor(fields)
    return MonitorImportItem(
        **plain,
        given=made,
        notifications=told,
        history=msgspec.convert(given["history"], MonitorHistory) if given.get("history") else None,
        taken=tuple(source.taken),
        notes=tuple(notes.said),
        decides=notes.decides,
        error=error,
        field=field,
    )


def _of_kind(kind: str, source: Taking, notes: MonitorImportNotes) -> dict[str, Any]:
    """Fields of monitors of this type only. Raises BadRequest for an unsupported type."""
    host = source.text("hostname")
    place = f"[{host}]" if host.count(":") > 1 else host
    if kind in _HTTP:
        return _http(kind, source, notes)
    if kind == "port":
        return {"url": f"tcp://{place}:{source.text('port')}"}
    if kind == "ping":
        return {"url": f"ping://{place}"}
    if kind == "dns":
        server, port = source.text("dns_resolve_server"), source.text("port")
        options = {"record": source.text("dns_resolve_type") or "A"}
        if server:
            first = server.partition(",")[0].strip()
            options["server"] = first if port in {"", "0", "53"} else f"{first}:{port}"
        return {"url": f"dns://{host}", "options": options}
    if kind == "push":
        return {"kind": "push"}
    raise BadRequest(_("{kind} monitors are not supported").format(kind=kind.capitalize() or _("Untyped")))


def _http(kind: str, source: Taking, notes: MonitorImportNotes) -> dict[str, Any]:
    url, user, password = without_user(source.text("url"))
    headers = _headers(source.take("headers"), notes)
    assertions = _assertions(kind, source, notes)
    options: dict[str, Any] = {
        "method": (source.text("method") or "GET").upper(),
        "verify": not source.is_on("ignoreTls"),
        "assertions": assertions,
    }
    if (redirects := source.number("maxredirects")) is not None:
        options["redirects"] = min(round(max(redirects, 0)), 10)
    found: dict[str, Any] = {"url": url, "options": options, "cacheBust": source.is_on("cacheBust")}
    body = source.text("body")
    if body and options["method"] not in {"GET", "HEAD"}:
        found["body"] = body
        if not any(name.lower() == "content-type" for name in headers):
            headers["Content-Type"] = _TYPES.get(source.text("httpBodyEncoding"), _TYPES["json"])
    elif body:
        notes.say(_("The body of a {options} is left out").format(options=options["method"]))
    method = source.text("authMethod")
    if method in {"", "basic"}:
        user, password = source.text("basic_auth_user") or user, source.text("basic_auth_pass") or password
    else:
        notes.lost(f"authMethod {method}", decides=True)
        source.take("basic_auth_user")
        source.take("basic_auth_pass")
    if user:
        found["basicAuth"] = {"user": user, "password": password}
    return found | ({"headers": headers} if headers else {})


def _assertions(kind: str, source: Taking, notes: MonitorImportNotes) -> list[dict[str, str]]:
    statuses = source.take("accepted_statuscodes")
    listed = ",".join(str(one) for one in statuses) if isinstance(statuses, list) and statuses else "200-299"
    found = [{"subject": "status", "comparison": "in", "value": listed}]
    if kind == "keyword":
        wanted = "not_contains" if source.is_on("invertKeyword") else "contains"
        found.append({"subject": "body", "comparison": wanted, "value": source.text("keyword")})
    if kind == "json-query":
        path, operator = source.text("jsonPath"), source.text("jsonPathOperator") or "=="
        pointer = pointer_of(path)
        if pointer is None or operator not in _OPERATORS:
            notes.lost(f"jsonPath {path} {operator}", decides=True)
        else:
            value = source.text("expectedValue")
            comparison = _OPERATORS[operator]
            found.append({"subject": "json", "comparison": comparison, "property": pointer, "value": value})
    return found


def pointer_of(path: str) -> str | None:
    """A plain path such as $.checks[0].state as a JSON pointer; None for more than a path."""
    if path in {"", "$"}:
        return ""
    if not _PATH.match(path):
        return None
    return "".join(f"/{step}" for step in _STEP.findall(path.removeprefix("$")))


def without_user(url: str) -> tuple[str, str, str]:
    """A URL without user and password, and these."""
    parts = url_parts(url)
    if "@" not in parts.netloc:
        return url, "", ""
    place = parts.netloc.rpartition("@")[2]
    return parts._replace(netloc=place).geturl(), unquote(parts.username or ""), unquote(parts.password or "")


def _headers(given: Any, notes: MonitorImportNotes) -> dict[str, str]:
    """Headers as Kuma has them: JSON text of an object."""
    if isinstance(given, str) and given.strip():
        try:
            given = msgspec.json.decode(given)
        except msgspec.MsgspecError:
            notes.lost("headers, which are no JSON,", decides=True)
            return {}
    if not isinstance(given, dict):
        return {}
    return {str(name): str(value) for name, value in given.items()}


def _tags(given: Any) -> list[str]:
    found: dict[str, None] = {}
    for one in given if isinstance(given, list) else ():
        if isinstance(one, dict) and one.get("name"):
            value = one.get("value")
            found[f"{one['name']}:{value}"[:LONGEST_TAG] if value else str(one["name"])[:LONGEST_TAG]] = None
    return list(found)[:MOST_TAGS]


class _Groups:
    """The groups of a backup by their ids. Each has the names of those above it in its path."""

    def __init__(self, given: Mapping[str, Mapping[str, Any]]) -> None:
        self._given = given
        self._paths: dict[str, str] = {}

    def path(self, group_id: str) -> str:
        """The names of a group and those above it, the outermost first, as far as a group here has room for them."""
        way: dict[str, None] = {}
        while group_id in self._given and group_id not in self._paths and group_id not in way:
            way[group_id] = None
            group_id = str(self._given[group_id].get("parent") or "")
        path = self._paths.get(group_id, "")
        for one in reversed(way):
            name = str(self._given[one].get("name") or "")
            path = " / ".join(part for part in (path, name) if part)[:LONGEST_GROUP]
            self._paths[one] = path
        return path
