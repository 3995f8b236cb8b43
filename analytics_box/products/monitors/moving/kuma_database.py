"""The database of Uptime Kuma 1 and 2, `kuma.db` or a dump of its MariaDB, in the form of its backup.

Besides monitors and notifications it has maintenance, status pages with incidents, and heartbeats, of which it keeps
the history of each monitor.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import msgspec

from analytics_box.base.clock import DAY
from analytics_box.base.errors import BadRequest
from analytics_box.base.facts.uptime import DOWN, MAINTENANCE, UP
from analytics_box.base.store.foreign import Row, Wanted, read_tables
from analytics_box.base.translation import _
from analytics_box.products.monitors.moving.history import HistoryReader, history_readers, instant
from analytics_box.products.monitors.moving.wanted import MOST

_SMALL: Final[Wanted] = {
    "setting": ("key", "value"),
    "monitor": (),
    "tag": ("id", "name"),
    "monitor_tag": ("monitor_id", "tag_id", "value"),
    "notification": ("id", "name", "config", "active", "is_default"),
    "monitor_notification": ("monitor_id", "notification_id"),
    "proxy": ("id",),
    "maintenance": (),
    "monitor_maintenance": ("monitor_id", "maintenance_id"),
    "status_page": (),
    "status_page_cname": ("status_page_id", "domain"),
    "group": ("id", "name", "weight", "status_page_id"),
    "monitor_group": ("monitor_id", "group_id", "weight", "send_url"),
    "incident": (),
    "stat_daily": ("monitor_id", "timestamp", "ping", "up", "down", "ping_min", "ping_max"),
}
_BEATS: Final[Wanted] = {"heartbeat": ("monitor_id", "status", "time", "ping")}
_MOST_ROWS: Final = 2_000_000  # Rows of all tables without heartbeats.
_MOST_OF_OTHERS: Final = 100_000  # Rows of each table without daily figures.
# Names that the backup spells as the database does.
_SAME_NAME: Final = re.compile(r"dns_|basic_auth_|oauth_|docker_|user_id\Z|ping_")
_NAMES: Final = {"accepted_statuscodes_json": "accepted_statuscodes", "proxy_id": "proxyId"}
_JSON: Final = frozenset(("accepted_statuscodes_json", "conditions", "kafka_producer_brokers", "rabbitmq_nodes"))
_STATES: Final[dict[object, int | None]] = {0: DOWN, 1: UP, 2: None, 3: MAINTENANCE}


def read_kuma_database(path: Path, keep_going: Callable[[], object] = bool) -> dict[str, Any]:
    """The contents of the database in the form of a backup. Raises BadRequest for any other database."""
    tables: dict[str, list[Row]] = defaultdict(list)
    daily: list[Row] = []
    for count, (table, row) in enumerate(read_tables(path, _SMALL, keep_going)):
        kept = daily if table == "stat_daily" else tables[table]
        if count > _MOST_ROWS or len(tables[table]) > _MOST_OF_OTHERS:
            raise BadRequest(_("The table {table} has too many rows").format(table=table))
        kept.append(row)
    monitors = tables["monitor"]
    if not monitors and "setting" not in tables:
        raise BadRequest(_("This database is not from Uptime Kuma"))
    if len(monitors) > MOST:
        raise BadRequest(_("A file can have up to {most} monitors; split it").format(most=f"{MOST:,}"))
    intervals = {
        str(one.get("id")): min(max(int(_number(one.get("interval")) or 60), 1), 86_400)
        for one in monitors
        if one.get("type") != "group"
    }
    readers = history_readers(intervals)
    _read_history(path, readers, daily, keep_going)
    settings = {str(one.get("key")): _decode(one.get("value")) for one in tables["setting"]}
    return {
        "monitorList": [_monitor(one, tables, readers) for one in monitors],
        "notificationList": [
            {name: one.get(name) for name in ("id", "name", "config")} for one in tables["notification"]
        ],
        "proxyList": [{"id": one.get("id")} for one in tables["proxy"]],
        "maintenanceList": [
            _maintenance(one, tables, str(settings.get("serverTimezone") or "UTC")) for one in tables["maintenance"]
        ],
        "statusPageList": [_status_page(one, tables) for one in tables["status_page"]],
    }


def _read_history(
    path: Path, readers: Mapping[str, HistoryReader], daily: list[Row], keep_going: Callable[[], object]
) -> None:
    for row in daily:
        reader = readers.get(str(row.get("monitor_id")))
        seconds = _number(row.get("timestamp"))
        if reader is not None and 0 < seconds < 1 << 33:
            fastest, slowest = _number(row.get("ping_min")), _number(row.get("ping_max"))
            up, down = int(_number(row.get("up"))), int(_number(row.get("down")))
            day = int(seconds) * 1000 // DAY
            reader.ready(day, min(up, 86_400), min(down, 86_400), _number(row.get("ping")), fastest, slowest)
    for _table, row in read_tables(path, _BEATS, keep_going):
        reader = readers.get(str(row.get("monitor_id")))
        at, status = instant(row.get("time")), row.get("status")
        if reader is not None and at is not None and status in _STATES:
            ping = row.get("ping")
            reader.beat(at, _STATES[status], float(ping) if isinstance(ping, int | float) and ping >= 0 else None)


def _monitor(row: Row, tables: Mapping[str, list[Row]], readers: Mapping[str, HistoryReader]) -> dict[str, Any]:
    monitor_id = row.get("id")
    names = {one.get("id"): one.get("name") for one in tables["tag"]}
    made = {_name(name): _decode(value) if name in _JSON else value for name, value in row.items()}
    made["tags"] = [
        {"name": names.get(one.get("tag_id")), "value": one.get("value")}
        for one in tables["monitor_tag"]
        if one.get("monitor_id") == monitor_id
    ]
    made["notificationIDList"] = {
        str(one.get("notification_id")): True
        for one in tables["monitor_notification"]
        if one.get("monitor_id") == monitor_id
    }
    if (reader := readers.get(str(monitor_id))) is not None:
        made["history"] = msgspec.to_builtins(reader.finish())
    for name in ("createdDate", "restartUrl"):
        made.pop(name, None)
    return made


def _name(column: str) -> str:
    if column in _NAMES or _SAME_NAME.match(column):
        return _NAMES.get(column, column)
    first, *rest = column.split("_")
    return first + "".join(part.capitalize() for part in rest)


def _maintenance(row: Row, tables: Mapping[str, list[Row]], server_zone: str) -> dict[str, Any]:
    zone = str(row.get("timezone") or "")
    return {
        "id": row.get("id"),
        "title": row.get("title"),
        "active": bool(row.get("active")),
        "strategy": row.get("strategy"),
        "dateRange": [_text(row.get("start_date")), _text(row.get("end_date"))],
        "timeRange": [_text(row.get("start_time")), _text(row.get("end_time"))],
        "weekdays": _json_list(row.get("weekdays")),
        "daysOfMonth": _json_list(row.get("days_of_month")),
        "intervalDay": row.get("interval_day"),
        "cron": row.get("cron"),
        "duration": row.get("duration"),
        "timezone": server_zone if zone in {"", "SAME_AS_SERVER"} else zone,
        "monitors": [
            one.get("monitor_id") for one in tables["monitor_maintenance"] if one.get("maintenance_id") == row.get("id")
        ],
    }


def _status_page(row: Row, tables: Mapping[str, list[Row]]) -> dict[str, Any]:
    page_id = row.get("id")
    groups = sorted(
        (one for one in tables["group"] if one.get("status_page_id") == page_id), key=lambda one: _number(one["weight"])
    )
    return {
        "slug": row.get("slug"),
        "title": row.get("title"),
        "description": row.get("description"),
        "theme": row.get("theme"),
        "published": bool(row.get("published")),
        "isIndexed": bool(row.get("search_engine_index", True)),
        "hasPassword": bool(row.get("password")),
        "domains": [one.get("domain") for one in tables["status_page_cname"] if one.get("status_page_id") == page_id],
        "groups": [
            {
                "name": group.get("name"),
                "monitors": [
                    {"id": one.get("monitor_id"), "showsUrl": bool(one.get("send_url"))}
                    for one in sorted(tables["monitor_group"], key=lambda one: _number(one.get("weight")))
                    if one.get("group_id") == group.get("id")
                ],
            }
            for group in groups
        ],
        "incidents": [
            {
                "id": one.get("id"),
                "title": one.get("title"),
                "content": one.get("content"),
                "style": one.get("style"),
                "createdAt": instant(one.get("created_date")),
                "updatedAt": instant(one.get("last_updated_date")),
                "isOpen": bool(one.get("active", True)) and bool(one.get("pin")),
            }
            for one in tables["incident"]
            if one.get("status_page_id") == page_id
        ],
    }


def _number(value: object) -> float:
    try:
        found = float(value) if isinstance(value, int | float | str) else 0.0
    except (ValueError, OverflowError):
        return 0.0
    return found if abs(found) < 1e12 else 0.0


def _text(value: object) -> str:
    """A date or a time as text; SQLite has some dates as numbers of ms."""
    if isinstance(value, int) and (at := instant(value)) is not None:
        return datetime.fromtimestamp(at / 1000, UTC).replace(tzinfo=None).isoformat(" ", "minutes")
    return str(value) if isinstance(value, str) else ""


def _decode(value: object) -> Any:
    """The JSON of a text, or the text if it is none."""
    if not isinstance(value, str):
        return value
    try:
        return msgspec.json.decode(value)
    except msgspec.MsgspecError:
        return value


def _json_list(value: object) -> list[Any]:
    found = _decode(value)
    return found if isinstance(found, list) else []
