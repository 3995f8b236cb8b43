"""Monitors of Gatus, from the YAML of its configuration. Pure."""

import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from analytics_box.base.errors import BadRequest
from analytics_box.base.translation import _
from analytics_box.products.monitors.monitor import LONGEST_GROUP, Kind
from analytics_box.products.monitors.moving.conditions import Assertion, assertion, seconds_of
from analytics_box.products.monitors.moving.kuma import without_user
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

_VARIABLE = re.compile(r"\$\{?[A-Za-z_]")
_KINDS: Final[dict[str, Kind]] = {
    "http": "http",
    "https": "http",
    "tcp": "tcp",
    "tls": "tls",
    "icmp": "ping",
}
# Settings of the program, which are not about monitors.
_OF_THE_PROGRAM: Final = frozenset(
    (
        *("web", "storage", "metrics", "security", "debug", "ui", "skip-invalid-config-update", "concurrency"),
        *("disable-monitoring-lock", "connectivity", "default-endpoint"),
    )
)
_OF_ITS_PAGE: Final = frozenset(("conditions", "ui", "extra-labels"))
_CHANNELS: Final = {"googlechat": "google_chat", "custom": "webhook", "teams-workflows": "teams"}
_DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_ANY_STATUS: Final = {"subject": "status", "comparison": "in", "value": "100-599"}
_EVERY = 60.0  # seconds, where nothing else is said
_TRIES: Final = 3, 2  # failures and successes of an alert where nothing else is said


def read_gatus(given: Mapping[str, Any]) -> MonitorImportFile:
    """The monitors of a Gatus configuration. Raises BadRequest for any other file."""
    source = Taking(given)
    listed = [*_list(source, "endpoints"), *_list(source, "services")]
    outside = _list(source, "external-endpoints")
    if len(listed) + len(outside) > MOST:
        raise BadRequest(_("A file can have up to {most} monitors; split it").format(most=f"{MOST:,}"))
    windows: list[WindowImportItem] = []
    notes = MonitorImportNotes()
    maintenance = source.take("maintenance")
    if isinstance(maintenance, dict):
        _window("maintenance", maintenance, {"all": True}, windows, notes)
    providers = source.take("alerting")
    defaults = {
        str(name): one["default-alert"] if isinstance(one.get("default-alert"), dict) else {}
        for name, one in (providers.items() if isinstance(providers, dict) else ())
        if isinstance(one, dict)
    }
    monitors = [_endpoint_item(number, one, windows, defaults) for number, one in enumerate(listed, 1)]
    monitors += [_push_item(number, one, defaults) for number, one in enumerate(outside, len(listed) + 1)]
    used = {ref: None for one in monitors for ref in one.notifications}
    for lost in source.rest(_OF_THE_PROGRAM):
        notes.lost(lost)
    return MonitorImportFile(
        monitors=tuple(monitors),
        notifications=tuple(ImportNotification(name, name, _CHANNELS.get(name, name)) for name in used),
        windows=tuple(windows),
        notes=tuple(notes.said),
    )


def _list(source: Taking, name: str) -> list[dict[str, Any]]:
    found = source.take(name) or []
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise BadRequest(_("{name} must be a list of objects").format(name=name))
    return found


def _endpoint_item(
    number: int, given: dict[str, Any], windows: list[WindowImportItem], defaults: Mapping[str, Mapping[str, Any]]
) -> MonitorImportItem:
    source, notes = Taking(given), MonitorImportNotes()
    name, group, ref = source.text("name")[:255], source.text("group")[:LONGEST_GROUP], str(number)
    plain: dict[str, Any] = {"number": number, "name": name, "ref": ref}
    url = source.text("url")
    dns = source.take("dns")
    scheme = url.partition("://")[0].lower() if "://" in url else ""
    kind: Kind | None = "dns" if isinstance(dns, dict) else _KINDS.get(scheme)
    if kind is None or source.take("grpc"):
        return MonitorImportItem(**plain, error=f"{scheme or 'These'} checks are not supported")
    alerts = _alerts(source, defaults)
    plain["notifications"] = tuple(alerts)
    fields = _common(source, notes, name, group, alerts) | _client(source, notes, kind)
    options: dict[str, Any] = fields.setdefault("options", {})
    options["assertions"] = _assertions(kind, source, notes)
    if kind == "dns" and isinstance(dns, dict):
        fields["url"] = f"dns://{str(dns.get('query-name', '')).rstrip('.')}"
        options |= {"record": str(dns.get("query-type", "A")).upper(), "server": url.partition("://")[2] or url}
    elif kind == "http":
        fields |= _http(url, source, notes, options)
    else:
        fields["url"] = f"ping://{url.partition('://')[2]}" if kind == "ping" else url
    for one in source.listed("maintenance-windows"):
        if isinstance(one, dict):
            _window(f"maintenance of {name}", one, {"monitorIds": [ref]}, windows, notes)
    return _build_item(plain, fields, source, notes)


def _push_item(number: int, given: dict[str, Any], defaults: Mapping[str, Mapping[str, Any]]) -> MonitorImportItem:
    """An external endpoint, which is told to Gatus."""
    source, notes = Taking(given), MonitorImportNotes()
    name = source.text("name")[:255]
    heartbeat = source.take("heartbeat")
    source.take("token")
    alerts = _alerts(source, defaults)
    fields = _common(source, notes, name, source.text("group")[:LONGEST_GROUP], alerts) | {"kind": "push"}
    seconds = seconds_of(heartbeat.get("interval")) if isinstance(heartbeat, dict) else None
    if seconds is None:
        notes.say(_("It has no heartbeat: here a push is expected once a day"), decides=True)
    fields["granularity"] = granularity(seconds or 86_400, notes)
    plain = {"number": number, "name": name, "ref": str(number), "notifications": tuple(alerts)}
    return _build_item(plain, fields, source, notes)


def _build_item(
    plain: dict[str, Any], fields: dict[str, Any], source: Taking, notes: MonitorImportNotes
) -> MonitorImportItem:
    for lost in source.rest(_OF_ITS_PAGE):
        notes.lost(lost, decides=lost in {"ssh", "grpc"})
    texts = [fields.get("url", ""), *fields.get("headers", {}).values(), fields.get("body", "")]
    if any(_VARIABLE.search(text) for text in texts):
        notes.say(_("It contains an environment variable. Replace it with its value"), decides=True)
    made, field, error = new_monitor(fields)
    return MonitorImportItem(
        **plain,
        given=made,
        taken=tuple(source.taken),
        notes=tuple(notes.said),
        decides=notes.decides,
        error=error,
        field=field,
    )


def _alerts(source: Taking, defaults: Mapping[str, Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """The alerts of an endpoint that are on, by their types. What one does not say the type's default says."""
    found: dict[str, Mapping[str, Any]] = {}
    for one in source.listed("alerts"):
        if isinstance(one, dict):
            kind = str(one.get("type", ""))
            alert = {**defaults.get(kind, {}), **{name: value for name, value in one.items() if value is not None}}
            if alert.get("enabled") is not False:
                found[kind] = alert
    return found


def _common(
    source: Taking, notes: MonitorImportNotes, name: str, group: str, alerts: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """Fields of endpoints of any kind."""
    interval = source.take("interval")
    fields: dict[str, Any] = {"name": name or None, "group": group}
    fields["granularity"] = granularity(seconds_of(interval) or _EVERY if interval is not None else _EVERY, notes)
    fields["isPaused"] = source.take("enabled") is False
    if alerts:
        failures, successes = _TRIES
        fields["failuresToDown"] = times(_least(alerts, "failure-threshold", failures), notes, "failure-threshold")
        fields["successesToUp"] = times(_least(alerts, "success-threshold", successes), notes, "success-threshold")
    return fields


def _least(alerts: Mapping[str, Mapping[str, Any]], name: str, default: int) -> float:
    """The least threshold of alerts; those that do not say one have the default."""
    given = [one.get(name) for one in alerts.values()]
    found = [one if isinstance(one, int) and one > 0 else default for one in given]
    return float(min(found, default=default))


def _client(source: Taking, notes: MonitorImportNotes, kind: Kind) -> dict[str, Any]:
    given = source.take("client")
    if not isinstance(given, dict):
        return {}
    client = Taking(given)
    fields: dict[str, Any] = {"options": {}}
    seconds = seconds_of(client.take("timeout") or "")
    if seconds is not None:
        fields["timeout"] = timeout(seconds)
    if client.is_on("insecure"):
        fields["options"]["verify"] = False
    if client.is_on("ignore-redirect") and kind == "http":
        fields["options"]["redirects"] = 0
    for lost in client.rest(frozenset()):
        notes.lost(f"client.{lost}", decides=True)
    return fields


def _http(url: str, source: Taking, notes: MonitorImportNotes, options: dict[str, Any]) -> dict[str, Any]:
    url, user, password = without_user(url)
    body, headers = source.text("body"), source.take("headers")
    found: dict[str, Any] = {"url": url}
    options["method"] = (source.text("method") or "GET").upper()
    named = {str(name): str(value) for name, value in headers.items()} if isinstance(headers, dict) else {}
    if source.is_on("graphql"):
        options["method"] = "POST"
        body = msgspec.json.encode({"query": body}).decode()
        named.setdefault("Content-Type", "application/json")
    if body and options["method"] in {"GET", "HEAD"}:
        notes.say(_("The body of a {options} is left out").format(options=options["method"]), decides=True)
    elif body:
        found["body"] = body
    if any(name.lower() == "host" for name in named):
        named = {name: value for name, value in named.items() if name.lower() != "host"}
        notes.lost("The header Host", decides=True)
    if named:
        found["headers"] = named
    if user:
        found["basicAuth"] = {"user": user, "password": password}
    return found


def _assertions(kind: Kind, source: Taking, notes: MonitorImportNotes) -> list[Assertion]:
    conditions = source.take("conditions")
    listed = conditions if isinstance(conditions, list) else []
    found = [made for one in listed if (made := assertion(kind, str(one), notes)) is not None]
    if kind == "http" and not any(one["subject"] == "status" for one in found):
        found.append(dict(_ANY_STATUS))  # Gatus asks for a status only where a condition does
    return found


def _window(
    name: str, given: dict[str, Any], covers: dict[str, Any], windows: list[WindowImportItem], notes: MonitorImportNotes
) -> None:
    source = Taking(given)
    if source.take("enabled") is False:
        return
    seconds = seconds_of(source.take("duration") or "")
    every = source.listed("every")
    days = [_DAYS.index(str(day).lower()) + 1 for day in every if str(day).lower() in _DAYS]
    repeat = {
        "every": "week" if days and len(days) < len(_DAYS) else "day",
        "time": source.text("start"),
        "minutes": round((seconds or 0) / 60),
        "zone": source.text("timezone") or "UTC",
        "weekdays": days if len(days) < len(_DAYS) else [],
    }
    try:
        made = msgspec.convert({"name": name[:255], "covers": covers, "repeat": repeat}, CreateMaintenanceWindow)
    except msgspec.ValidationError:
        notes.lost(name, decides=True)
        return
    if len(windows) == MOST_WINDOWS:
        raise BadRequest(
            _("A file can have up to {most_windows} maintenance windows; split it").format(
                most_windows=f"{MOST_WINDOWS:,}"
            )
        )
    windows.append(WindowImportItem(ref=name, given=made))
