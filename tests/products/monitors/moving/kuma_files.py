"""Databases of Uptime Kuma, made with its tables of version 1.23 (SQLite) and 2.0 (SQLite, and a dump of MariaDB)."""

import sqlite3
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

DAYS_BEFORE = 40  # days from the first heartbeat to the last
LAST = datetime(2026, 2, 28, 12, 0, tzinfo=UTC)
OUTAGE = LAST - timedelta(days=10)  # half an hour

_TABLES = """
create table setting (id integer primary key, key text, value text, type text);
create table monitor (
  id integer primary key, name text, active boolean default 1, user_id integer, interval integer default 20, url text,
  type text, weight integer default 2000, hostname text, port integer, created_date datetime, keyword text,
  maxretries integer default 0, ignore_tls boolean default 0, upside_down boolean default 0,
  maxredirects integer default 10, accepted_statuscodes_json text default '["200-299"]', dns_resolve_type text,
  dns_resolve_server text, retry_interval integer default 0, push_token text, method text default 'GET', body text,
  headers text, basic_auth_user text, basic_auth_pass text, docker_host integer, docker_container text,
  proxy_id integer, expiry_notification boolean default 1, mqtt_topic text, grpc_enable_tls boolean default 0,
  resend_interval integer default 0, packet_size integer default 56, http_body_encoding text, description text,
  kafka_producer_sasl_options text, parent integer, invert_keyword boolean default 0, json_path text,
  expected_value text, timeout double default 0, gamedig_given_port_only boolean default 1{monitor});
create table heartbeat (
  id integer primary key, important boolean default 0, monitor_id integer, status smallint, msg text, time datetime,
  ping integer, duration integer default 0, down_count integer default 0{heartbeat});
create table tag (id integer primary key, name text, color text, created_date datetime);
create table monitor_tag (id integer primary key, monitor_id integer, tag_id integer, value text);
create table notification (id integer primary key, name text, active boolean, user_id integer, is_default boolean,
  config text);
create table monitor_notification (id integer primary key, monitor_id integer, notification_id integer);
create table maintenance (id integer primary key, title text, description text, user_id integer, active boolean,
  strategy text, start_date datetime, end_date datetime, start_time time, end_time time, weekdays text,
  days_of_month text, interval_day integer, cron text, timezone text, duration integer);
create table monitor_maintenance (id integer primary key, monitor_id integer, maintenance_id integer);
create table status_page (id integer primary key, slug text, title text, description text, icon text, theme text,
  published boolean default 1, search_engine_index boolean default 1, show_tags boolean default 0, password text,
  footer_text text, custom_css text{page});
create table status_page_cname (id integer primary key, status_page_id integer, domain text);
create table "group" (id integer primary key, name text, created_date datetime, public boolean, active boolean,
  weight integer, status_page_id integer);
create table monitor_group (id integer primary key, monitor_id integer, group_id integer, weight integer,
  send_url boolean default 0{member});
create table incident (id integer primary key, title text, content text, style text, created_date datetime,
  last_updated_date datetime, pin boolean, active boolean, status_page_id integer);
"""
_OF_2 = """
create table stat_daily (id integer primary key, monitor_id integer, timestamp integer, ping float, up smallint,
  down smallint, ping_min float, ping_max float, extras text);
create table stat_hourly (id integer primary key, monitor_id integer, timestamp integer, ping float, up smallint,
  down smallint);
"""
_COLUMNS_OF_2 = {
    "monitor": ", cache_bust boolean default 0, conditions text default '[]', json_path_operator text, "
    "snmp_version text default '2c', remote_browser integer, rabbitmq_nodes text, ping_count integer default 1, "
    "ip_family text, domain_expiry_notification boolean default 1",
    "heartbeat": ", retries integer default 0, end_time datetime",
    "page": ", analytics_id text, auto_refresh_interval integer default 300",
    "member": ", custom_url text",
}

MONITORS: tuple[dict[str, Any], ...] = (
    {"id": 1, "name": "Web", "type": "group", "interval": 60},
    {
        "id": 2, "name": "Shop", "type": "http", "url": "https://shop.example.org/health", "interval": 300,
        "parent": 1, "maxretries": 1, "timeout": 48, "kafka_producer_sasl_options": '{"mechanism":"None"}',
        "accepted_statuscodes_json": '["200-299","304"]', "http_body_encoding": "json",
    },
    {"id": 3, "name": "Backup", "type": "push", "interval": 3_600, "push_token": "Yx8aKq2p0ZYx8aKq2p0ZYx8aKq2p0ZYx"},
    {"id": 4, "name": "Database", "type": "port", "hostname": "db.example.org", "port": 5432, "interval": 300},
    {"id": 5, "name": "Queue", "type": "mqtt", "hostname": "mq.example.org", "interval": 60, "mqtt_topic": "alive"},
)  # fmt: skip
_OTHERS: dict[str, tuple[dict[str, Any], ...]] = {
    "setting": ({"id": 1, "key": "serverTimezone", "value": '"Europe/Berlin"'},),
    "tag": ({"id": 1, "name": "region", "color": "#059669"},),
    "monitor_tag": ({"id": 1, "monitor_id": 2, "tag_id": 1, "value": "eu"},),
    "notification": (
        {"id": 1, "name": "On call", "active": 1, "is_default": 1, "config": '{"type":"telegram","chat":"4"}'},
    ),
    "monitor_notification": ({"id": 1, "monitor_id": 2, "notification_id": 1},),
    "maintenance": (
        {
            "id": 1, "title": "Weekly updates", "description": "", "active": 1, "strategy": "recurring-weekday",
            "start_time": "02:00:00", "end_time": "04:00:00", "weekdays": "[0,3]", "days_of_month": "[]",
            "cron": "0 2 * * 0,3", "timezone": None, "duration": 7_200,
        },
        {
            "id": 2, "title": "Month end", "description": "", "active": 1, "strategy": "recurring-day-of-month",
            "start_time": "23:00", "end_time": "01:00", "weekdays": "[]", "days_of_month": '["lastDay1",1]',
            "timezone": "UTC",
        },
        {
            "id": 3, "title": "By hand", "description": "", "active": 1, "strategy": "manual", "weekdays": "[]",
            "days_of_month": "[]",
        },
    ),
    "monitor_maintenance": (
        {"id": 1, "monitor_id": 2, "maintenance_id": 1},
        {"id": 2, "monitor_id": 4, "maintenance_id": 2},
        {"id": 3, "monitor_id": 4, "maintenance_id": 3},
    ),
    "status_page": (
        {
            "id": 1, "slug": "acme", "title": "Acme status", "description": "How we are doing", "icon": "/icon.svg",
            "theme": "dark", "published": 1, "search_engine_index": 0,
        },
    ),
    "status_page_cname": ({"id": 1, "status_page_id": 1, "domain": "status.acme.example"},),
    "group": (
        {"id": 1, "name": "Storage", "public": 1, "active": 1, "weight": 2, "status_page_id": 1},
        {"id": 2, "name": "Services", "public": 1, "active": 1, "weight": 1, "status_page_id": 1},
    ),
    "monitor_group": (
        {"id": 1, "monitor_id": 4, "group_id": 1, "weight": 1, "send_url": 0},
        {"id": 2, "monitor_id": 2, "group_id": 2, "weight": 2, "send_url": 1},
        {"id": 3, "monitor_id": 5, "group_id": 2, "weight": 1, "send_url": 0},
    ),
    "incident": (
        {
            "id": 1, "title": "Slow checkout", "content": "We look into it.", "style": "warning",
            "created_date": "2026-02-18 12:05:00", "last_updated_date": "2026-02-18 13:00:00", "pin": 0, "active": 1,
            "status_page_id": 1,
        },
    ),
}  # fmt: skip


def beats() -> Iterable[dict[str, Any]]:
    """Heartbeats of the shop every 5 minutes: one outage of half an hour, whose first failure is pending, two hours
    without any, and a blip."""
    at, number = LAST - timedelta(days=DAYS_BEFORE), 0
    off = LAST - timedelta(days=5)
    while at <= LAST:
        number += 1
        if not off < at < off + timedelta(hours=2):
            status = 0 if OUTAGE < at <= OUTAGE + timedelta(minutes=25) else 1
            if at == OUTAGE or at == LAST - timedelta(days=2):
                status = 2
            yield {
                "monitor_id": 2, "status": status, "time": at.strftime("%Y-%m-%d %H:%M:%S.000"),
                "ping": 100 + number % 50 if status == 1 else None, "important": int(at == OUTAGE), "msg": "it's; ok",
                "duration": 300,
            }  # fmt: skip
        at += timedelta(minutes=5)


def daily() -> Iterable[dict[str, Any]]:
    """Figures of days of the database monitor: 100 days, of which the 50th had failures."""
    for number in range(100):
        at = LAST.replace(hour=0) - timedelta(days=99 - number)
        yield {
            "monitor_id": 4, "timestamp": int(at.timestamp()), "ping": 12.5, "up": 280 if number == 50 else 288,
            "down": 8 if number == 50 else 0, "ping_min": 9.0, "ping_max": 30.0,
        }  # fmt: skip


def rows(version: int) -> dict[str, Iterable[dict[str, Any]]]:
    """The rows of a database by table."""
    return {**_OTHERS, "monitor": MONITORS, "heartbeat": beats(), **({"stat_daily": daily()} if version == 2 else {})}


def sqlite_file(path: Path, version: int) -> Path:
    """Write a kuma.db of this version."""
    made = sqlite3.connect(path)
    columns = _COLUMNS_OF_2 if version == 2 else dict.fromkeys(_COLUMNS_OF_2, "")
    made.executescript(_TABLES.format(**columns) + (_OF_2 if version == 2 else ""))
    for table, listed in rows(version).items():
        for row in listed:
            names = ", ".join(f'"{name}"' for name in row)
            made.execute(f'insert into "{table}" ({names}) values ({", ".join("?" * len(row))})', tuple(row.values()))
    made.commit()
    made.close()
    return path


def mariadb_dump(path: Path) -> Path:
    """Write what mariadb-dump makes of a database of version 2."""
    source = sqlite_file(path.with_suffix(".db"), 2)
    read = sqlite3.connect(source)
    with path.open("w") as out:
        out.write("/*M!999999\\- enable the sandbox mode */\n-- MariaDB dump 10.19  Distrib 10.11.6-MariaDB\n--\n")
        for (table,) in read.execute("select name from sqlite_master where type = 'table' order by name").fetchall():
            columns = [row[1] for row in read.execute(f'pragma table_info("{table}")')]
            out.write(f"DROP TABLE IF EXISTS `{table}`;\n/*!40101 SET character_set_client = utf8 */;\n")
            listed = ",\n".join(f"  `{name}` text DEFAULT NULL" for name in columns)
            out.write(f"CREATE TABLE `{table}` (\n{listed},\n  PRIMARY KEY (`id`)\n) ENGINE=InnoDB;\n")
            found = read.execute(f'select * from "{table}"').fetchall()
            if found:
                values = ",\n".join(f"({','.join(map(_literal, row))})" for row in found)
                out.write(f"LOCK TABLES `{table}` WRITE;\nINSERT INTO `{table}` VALUES\n{values};\nUNLOCK TABLES;\n")
    read.close()
    source.unlink()
    return path


def _literal(value: object) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, int | float):
        return str(value)
    return "'" + str(value).replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace('"', '\\"') + "'"
