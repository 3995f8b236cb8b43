"""Monitors of UptimeRobot, Better Stack and Healthchecks, from the JSON of their APIs, and lists of URLs. Pure."""

import csv
import math
import re
from collections.abc import Mapping
from typing import Any, Final

from analytics_box.base.errors import BadRequest
from analytics_box.base.translation import _
from analytics_box.products.monitors.monitor import GRANULARITIES, LONGEST_GROUP, LONGEST_TAG, MOST_TAGS, SECONDS
from analytics_box.products.monitors.moving.kuma import without_user
from analytics_box.products.monitors.moving.taking import Taking
from analytics_box.products.monitors.moving.wanted import (
    MOST,
    MonitorImportFile,
    MonitorImportItem,
    MonitorImportNotes,
    granularity,
    new_monitor,
    timeout,
    times,
)

_MOST_GRACE: Final = 604_800  # Seconds of grace of a push monitor.
_DAY: Final = 86_400
_URL: Final = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*://\S+|[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:/\S*)?)\Z")
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_TOKEN: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")

# Types of UptimeRobot, by the numbers of version 2 and the names of version 3.
_ROBOT_TYPES: Final = {"1": "http", "2": "keyword", "3": "ping", "4": "port", "5": "heartbeat"}
_ROBOT_METHODS: Final = {"1": "HEAD", "2": "GET", "3": "POST", "4": "PUT", "5": "PATCH", "6": "DELETE", "7": "OPTIONS"}
_ROBOT_PORTS: Final = {"1": 80, "2": 443, "3": 21, "4": 25, "5": 110, "6": 143}
_ROBOT_PASSED: Final = frozenset(
    (
        *("id", "status", "create_datetime", "logs", "response_times", "alert_contacts", "is_group_main", "mwindows"),
        *("custom_uptime_ratio", "custom_uptime_ratios", "all_time_uptime_ratio", "average_response_time", "ssl"),
        *("all_time_uptime_durations", "custom_uptime_ranges", "custom_down_durations", "current_state_duration"),
        *("group_id", "region_data", "regional_data", "config", "last_incident", "last_incident_id", "keyword_type"),
        *("keyword_case_type", "auth_type", "http_auth_type", "sub_type", "port", "http_method", "http_method_type"),
        *("user_id", "follow_redirections", "check_sslerrors", "ssl_expiration_reminder", "domain_expiration_reminder"),
        *("assigned_alert_contacts", "maintenance_windows", "psps", "team_id", "organization_id", "updated_at"),
        *("created_at", "ssl_brand", "ssl_expiry_date_time", "domain_expire_date", "response_time_threshold"),
    )
)
_STACK_PASSED: Final = frozenset(
    (
        *(
            "id",
            "status",
            "last_checked_at",
            "created_at",
            "updated_at",
            "policy_id",
            "team_name",
            "team_wait",
            "email",
        ),
        *(
            "email",
            "sms",
            "call",
            "push",
            "critical_alert",
            "monitor_group_id",
            "heartbeat_group_id",
            "regions",
            "sort_index",
        ),
        *("domain_expiration", "recovery_period", "port", "remember_cookies", "ssl_expiration", "verify_ssl"),
        *("follow_redirects", "checks_version", "paused_at", "maintenance_days", "maintenance_timezone", "paused"),
        *("expected_status_codes", "required_keyword", "http_method", "url", "ip_version", "expiration_policy_id"),
    )
)
_CHECK_PASSED: Final = frozenset(
    (
        *("slug", "desc", "n_pings", "status", "started", "last_ping", "next_ping", "manual_resume", "methods"),
        *("ping_url", "update_url", "pause_url", "resume_url", "channels", "badge_url", "uuid", "unique_key", "tz"),
        *("last_duration", "subject", "subject_fail", "success_kw", "failure_kw", "start_kw", "filter_subject"),
        *("filter_body", "filter_http_body", "filter_default_fail"),
    )
)


def listed_entries(given: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """The entries under this name, of one answer or of a list of answers. Raises BadRequest for too many."""
    found: list[dict[str, Any]] = []
    for answer in given["list"] if isinstance(given.get("list"), list) else [given]:
        value = answer.get(name) if isinstance(answer, dict) else None
        found += [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
    if len(found) > MOST:
        raise BadRequest(_("A file can have up to {most} monitors; split it").format(most=f"{MOST:,}"))
    return found


def is_robot(given: Mapping[str, Any]) -> bool:
    """Whether this looks like an answer of UptimeRobot."""
    listed = listed_entries(given, "monitors") or listed_entries(given, "data")
    return bool(listed) and ("friendly_name" in listed[0] or "friendlyName" in listed[0])


def is_better_stack(given: Mapping[str, Any]) -> bool:
    """Whether this looks like an answer of Better Stack."""
    listed = listed_entries(given, "data")
    return bool(listed) and listed[0].get("type") in {"monitor", "heartbeat", "monitor_group", "heartbeat_group"}


def is_healthchecks(given: Mapping[str, Any]) -> bool:
    """Whether this looks like an answer of Healthchecks."""
    listed = listed_entries(given, "checks")
    return bool(listed) and "grace" in listed[0]


def read_robot(given: Mapping[str, Any]) -> MonitorImportFile:
    """The monitors of UptimeRobot: answers of `getMonitors` of version 2, or of `/monitors` of version 3."""
    listed = listed_entries(given, "monitors") or listed_entries(given, "data")
    return MonitorImportFile(monitors=tuple(_robot_item(number, one) for number, one in enumerate(listed, 1)))


def _robot_item(number: int, given: Mapping[str, Any]) -> MonitorImportItem:
    plain = {_CAMEL.sub("_", name).lower(): value for name, value in given.items()}
    source, notes = Taking(plain), MonitorImportNotes()
    kind = source.text("type").lower()
    kind = _ROBOT_TYPES.get(kind, kind)
    fields: dict[str, Any] = {
        "name": source.text("friendly_name") or None,
        "isPaused": plain.get("status") in {0, "0", "PAUSED", "paused"},
        "tags": _names(source.take("tags")),
    }
    if (seconds := source.number("timeout")) is not None and seconds > 0 and kind != "heartbeat":
        fields["timeout"] = timeout(seconds)
    url = source.text("url")
    if kind in {"http", "keyword"}:
        fields |= _robot_http(kind, url, source, notes)
    elif kind == "ping":
        fields["url"] = f"ping://{url.rpartition('://')[2]}"
    elif kind == "port":
        port = source.number("port") or _ROBOT_PORTS.get(source.text("sub_type"), 0)
        fields["url"] = f"tcp://{url.rpartition('://')[2]}:{port:.0f}"
    elif kind == "heartbeat":
        period, grace = source.number("interval") or _DAY, source.number("grace_period") or 0
        fields |= {"kind": "push"} | _deadline(period, grace, notes)
    else:
        return _build(number, fields, source, notes, _ROBOT_PASSED, kind)
    if kind != "heartbeat":
        fields["granularity"] = granularity(source.number("interval") or 300, notes)
    return _build(number, fields, source, notes, _ROBOT_PASSED)


def _robot_http(kind: str, url: str, source: Taking, notes: MonitorImportNotes) -> dict[str, Any]:
    url, user, password = without_user(url)
    assertions = [{"subject": "status", "comparison": "in", "value": _statuses(source, notes)}]
    word = source.text("keyword_value")
    if kind == "keyword":
        alerts_if_there = source.text("keyword_type") in {"1", "ALERT_EXISTS"}
        ignores_case = source.text("keyword_case_type") in {"1", "CaseInsensitive", ""}
        if not ignores_case:
            comparison = "not_contains" if alerts_if_there else "contains"
            assertions.append({"subject": "body", "comparison": comparison, "value": word})
        elif alerts_if_there:
            notes.lost("A keyword that must not occur, in any case,", decides=True)
        else:
            assertions.append({"subject": "body", "comparison": "matches", "value": f"(?i){re.escape(word)}"})
    else:
        source.take("keyword_value")
    method = source.text("http_method_type") or _ROBOT_METHODS.get(source.text("http_method"), "")
    found: dict[str, Any] = {
        "url": url,
        # A keyword is in the body, which HEAD does not get.
        "options": {"method": "GET" if kind == "keyword" else method.upper() or "HEAD", "assertions": assertions},
    }
    headers = source.take("custom_http_headers")
    if isinstance(headers, dict) and headers:
        found["headers"] = {str(name): str(value) for name, value in headers.items()}
    body = source.text("post_value_data") or source.text("post_value")
    if body and found["options"]["method"] not in {"GET", "HEAD"}:
        found["body"] = body
    user, password = source.text("http_username") or user, source.text("http_password") or password
    if user:
        found["basicAuth"] = {"user": user, "password": password}
        if not password:
            notes.say(_("The file does not contain its password. Enter it and resume it"), decides=True)
    return found


def _statuses(source: Taking, notes: MonitorImportNotes) -> str:
    """The statuses that pass: those of the file, or those that UptimeRobot accepts by default."""
    listed = source.take("success_http_response_codes")
    custom = source.text("custom_http_statuses")
    found = "200-399"
    if isinstance(listed, list) and listed:
        found = ",".join(f"{one[0]}00-{one[0]}99" if str(one)[1:] == "xx" else str(one) for one in map(str, listed))
    elif custom:
        pairs = [one.partition(":") for one in custom.split("_")]
        found = ",".join((found, *(status for status, _colon, passes in pairs if passes == "1")))
        if any(passes == "0" for _status, _colon, passes in pairs):
            notes.lost("custom_http_statuses that count as down", decides=True)
    return found


def read_better_stack(given: Mapping[str, Any]) -> MonitorImportFile:
    """The monitors and heartbeats of Better Stack; the file may also have their groups."""
    listed = listed_entries(given, "data")
    groups = {
        (str(one.get("type")), str(one.get("id"))): str(_attributes(one).get("name") or "")
        for one in listed
        if str(one.get("type")).endswith("_group")
    }
    entries = [one for one in listed if one.get("type") in {"monitor", "heartbeat"}]
    return MonitorImportFile(monitors=tuple(_stack_item(number, one, groups) for number, one in enumerate(entries, 1)))


def _attributes(given: Mapping[str, Any]) -> dict[str, Any]:
    found = given.get("attributes")
    return found if isinstance(found, dict) else {}


def _stack_item(number: int, given: Mapping[str, Any], groups: Mapping[tuple[str, str], str]) -> MonitorImportItem:
    plain = _attributes(given)
    source, notes = Taking(plain), MonitorImportNotes()
    group = f"{given.get('type')}_group", str(plain.get(f"{given.get('type')}_group_id"))
    fields: dict[str, Any] = {
        "name": source.text("pronounceable_name") or source.text("name") or None,
        "isPaused": plain.get("status") == "paused" or plain.get("paused") is True or bool(plain.get("paused_at")),
        "group": groups.get(group, "")[:LONGEST_GROUP],
    }
    unsupported = ""
    if given.get("type") == "heartbeat":
        fields |= {"kind": "push"} | _deadline(source.number("period") or _DAY, source.number("grace") or 0, notes)
    else:
        seconds = source.number("check_frequency") or 180
        fields["granularity"] = granularity(seconds, notes)
        confirmation = source.number("confirmation_period") or 0
        fields["failuresToDown"] = times(
            1 + math.ceil(confirmation / min(seconds / 2, 30)), notes, "confirmation_period"
        )
        unsupported = _stack_kind(source, fields, notes)
    if source.take("maintenance_from") or source.take("maintenance_to"):
        source.take("maintenance_to")
        notes.say(_("Its maintenance window is not imported. Create it here"))
    return _build(number, fields, source, notes, _STACK_PASSED, unsupported)


def _stack_kind(source: Taking, fields: dict[str, Any], notes: MonitorImportNotes) -> str:
    """Add what is of one type of monitors. Return the type if it is not supported."""
    kind, url = source.text("monitor_type"), source.text("url")
    host, wait = url.rpartition("://")[2].rstrip("/"), source.number("request_timeout") or 0
    if kind in {"ping", "tcp", "smtp", "pop", "imap"}:  # Their timeouts are in ms.
        port = source.number("port") or {"smtp": 25, "pop": 110, "imap": 143}.get(kind, 0)
        fields["url"] = f"ping://{host}" if kind == "ping" else f"tcp://{host.partition(':')[0]}:{port:.0f}"
        fields["timeout"] = timeout(wait / 1000) if wait else None
        return ""
    if kind not in {"status", "expected_status_code", "keyword", "keyword_absence"}:
        return kind
    codes = source.take("expected_status_codes")
    passing = ",".join(map(str, codes)) if kind == "expected_status_code" and isinstance(codes, list) else "200-299"
    assertions = [{"subject": "status", "comparison": "in", "value": passing}]
    word = source.text("required_keyword")
    if kind.startswith("keyword"):
        comparison = "contains" if kind == "keyword" else "not_contains"
        assertions.append({"subject": "body", "comparison": comparison, "value": word})
    fields["timeout"] = timeout(wait) if wait else None
    url, user, password = without_user(url)
    method = source.text("http_method").upper() or "GET"
    fields["url"] = url
    options: dict[str, Any] = {"method": method, "assertions": assertions}
    options["verify"] = source.take("verify_ssl") is not False
    if source.take("follow_redirects") is False:
        options["redirects"] = 0
    fields["options"] = options
    headers = source.listed("request_headers")
    named = {
        str(one["name"]): str(one.get("value", "")) for one in headers if isinstance(one, dict) and one.get("name")
    }
    if named:
        fields["headers"] = named
    if (body := source.text("request_body")) and method not in {"GET", "HEAD"}:
        fields["body"] = body
    user, password = source.text("auth_username") or user, source.text("auth_password") or password
    if user:
        fields["basicAuth"] = {"user": user, "password": password}
    return ""


def read_healthchecks(given: Mapping[str, Any]) -> MonitorImportFile:
    """The checks of Healthchecks, as push monitors."""
    listed = listed_entries(given, "checks")
    return MonitorImportFile(monitors=tuple(_check_item(number, one) for number, one in enumerate(listed, 1)))


def _check_item(number: int, given: Mapping[str, Any]) -> MonitorImportItem:
    source, notes = Taking(given), MonitorImportNotes()
    grace, schedule = source.number("grace") or 0, source.text("schedule")
    period = _longest_gap(schedule) if schedule else source.number("timeout") or _DAY
    source.take("timeout")
    fields: dict[str, Any] = {
        "kind": "push",
        "name": source.text("name") or str(given.get("slug") or "") or None,
        "isPaused": given.get("status") == "paused",
        "tags": [tag[:LONGEST_TAG] for tag in source.text("tags").split()][:MOST_TAGS],
        **_deadline(period, grace, notes),
    }
    if schedule:
        note = _("The schedule {schedule} becomes a heartbeat at least every {hours} hours")
        notes.say(note.format(schedule=schedule[:60], hours=f"{period / 3600:g}"))
    token = str(given.get("uuid") or given.get("ping_url") or "").rpartition("/")[2]
    return _build(number, fields, source, notes, _CHECK_PASSED, "", token if _TOKEN.match(token) else "")


def _longest_gap(schedule: str) -> float:
    """The longest time between two runs of a cron schedule, about, in seconds. Systemd calendars are as a day."""
    parts = schedule.split()
    if len(parts) != 5:
        return _DAY
    minute, hour, day, month, weekday = parts
    if day != "*" or month != "*":
        return 31.0 * _DAY
    if weekday not in {"*", "?"}:
        return 7.0 * _DAY
    if hour == "*":
        step = re.fullmatch(r"\*/(\d{1,2})", minute)
        return 60.0 if minute == "*" else 60.0 * max(int(step[1]), 1) if step else 3_600.0
    step = re.fullmatch(r"\*/(\d{1,2})", hour)
    return 3_600.0 * max(int(step[1]), 1) if step else float(_DAY)


def _deadline(period: float, grace: float, notes: MonitorImportNotes) -> dict[str, Any]:
    """The interval and grace of a push monitor that is late after `period` and `grace` seconds."""
    interval = max((one for one in SECONDS.values() if one <= period), default=60)
    wanted = round(period + grace - interval)
    if wanted > _MOST_GRACE:
        notes.say(
            _("It may be late by up to 7 days here, not by {days:g} days").format(days=wanted / _DAY), decides=True
        )
    return {"granularity": GRANULARITIES[interval], "options": {"grace": min(max(wanted, 0), _MOST_GRACE)}}


_COLUMNS: Final = {
    "url": "url", "url/ip": "url", "address": "url", "target": "url", "link": "url",
    "name": "name", "friendly name": "name", "title": "name",
    "interval": "interval", "group": "group", "tags": "tags", "type": "type", "port": "port",
    "keyword": "keyword", "keyword value": "keyword", "keyword type": "keyword type",
}  # fmt: skip


def read_list(text: str) -> dict[str, Any] | None:
    """The rows of a CSV file with a column of URLs, or of a list of URLs, one a line; None for another text."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if not lines or len(lines) > MOST + 1:
        return None
    if all(_URL.match(line) for line in lines):
        return {"urls": [{"url": line} for line in lines]}
    separator = max(",;\t", key=lines[0].count)
    try:
        rows = list(csv.reader(lines, delimiter=separator, strict=True))
    except csv.Error:
        return None
    heads = [_COLUMNS.get(cell.strip().lower(), "") for cell in rows[0]]
    if "url" not in heads:
        return None
    return {"urls": [{head: cell.strip() for head, cell in zip(heads, row, strict=False) if head} for row in rows[1:]]}


def read_urls(given: Mapping[str, Any]) -> MonitorImportFile:
    """The monitors of a list of URLs or of a CSV file."""
    listed = listed_entries(given, "urls")
    return MonitorImportFile(monitors=tuple(_url_item(number, one) for number, one in enumerate(listed, 1)))


def _url_item(number: int, given: Mapping[str, Any]) -> MonitorImportItem:
    source, notes = Taking(given), MonitorImportNotes()
    url, kind = source.text("url"), source.text("type").lower()
    word, port = source.text("keyword"), source.text("port")
    fields: dict[str, Any] = {
        "name": source.text("name") or None,
        "granularity": granularity(source.number("interval") or 300, notes),
        "group": source.text("group")[:LONGEST_GROUP],
        "tags": [tag.strip()[:LONGEST_TAG] for tag in source.text("tags").split(",") if tag.strip()][:MOST_TAGS],
    }
    url, user, password = without_user(url)
    fields["url"] = url
    if user:
        fields["basicAuth"] = {"user": user, "password": password}
    if kind == "ping" and "://" not in url:
        fields["url"] = f"ping://{url}"
    elif kind == "port" or (port and "://" not in url):
        fields["url"] = f"tcp://{url.rpartition('://')[2]}:{port}"
    elif word:
        must_not = source.text("keyword type").lower() in {"exists", "alert_exists", "not contains", "absent"}
        assertion = {"subject": "body", "comparison": "not_contains" if must_not else "contains", "value": word}
        fields["options"] = {"assertions": [assertion]}
    source.take("keyword type")
    return _build(number, fields, source, notes, frozenset())


def _names(given: Any) -> list[str]:
    listed = given if isinstance(given, list) else []
    found = [one.get("name") if isinstance(one, dict) else one for one in listed]
    return [str(one)[:LONGEST_TAG] for one in found if one][:MOST_TAGS]


def _build(
    number: int,
    fields: dict[str, Any],
    source: Taking,
    notes: MonitorImportNotes,
    passed: frozenset[str],
    unsupported: str = "",
    token: str = "",
) -> MonitorImportItem:
    name = str(fields.get("name") or fields.get("url") or "")[:255]
    if unsupported:
        return MonitorImportItem(
            number=number, name=name, error=_("{kind} monitors are not supported").format(kind=unsupported.capitalize())
        )
    for lost in source.rest(passed):
        notes.lost(lost)
    made, field, error = new_monitor(fields)
    return MonitorImportItem(
        number=number,
        name=name,
        given=made,
        token=token,
        taken=tuple(source.taken),
        notes=tuple(notes.said),
        decides=notes.decides,
        error=error,
        field=field,
    )
