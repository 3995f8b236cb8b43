"""Databases of Shlink 3 and 5, YOURLS 1.7 and 1.10, and Kutt 2 and 3, with links and visits of our own."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from tests.products.links.world import ANDROID, DOMAIN, GOOGLEBOT, IPHONE

Rows = Sequence[tuple[object, ...]]
Tables = Mapping[str, tuple[str, Rows]]

_SHORT_URLS = (
    "id original_url short_code date_created valid_since valid_until max_visits domain_id title crawlable forward_query"
)
_VISITS = "id referer date remote_addr user_agent short_url_id visit_location_id visited_url type potential_bot"
_SHLINK: Tables = {
    "domains": ("id authority base_url_redirect", [(1, DOMAIN, None)]),
    "tags": ("id name", [(1, "office"), (2, "print")]),
    "short_urls": (
        _SHORT_URLS,
        [
            (7, "https://example.com/map", "map", "2026-01-02 03:04:05", None, None, 5, 1, "Way to us", 0, 1),
            (
                8,
                "https://example.com/faq",
                "faq",
                "2026-01-02 03:04:05",
                None,
                "2027-01-31 10:00:00",
                None,
                1,
                None,
                0,
                0,
            ),
        ],
    ),
    "short_urls_in_tags": ("short_url_id tag_id", [(7, 1), (7, 2)]),
    "visit_locations": (
        "id country_code country_name region_name city_name timezone lat lon is_empty",
        [(3, "NL", "Netherlands", "North Holland", "Amsterdam", "Europe/Amsterdam", 52.4, 4.9, 0)],
    ),
    "visits": (
        _VISITS,
        [
            (
                1,
                "https://news.example/today?page=2",
                "2026-05-01 10:00:00",
                "192.0.2.0",
                IPHONE,
                7,
                3,
                "",
                "valid_short_url",
                0,
            ),
            (2, "", "2026-05-01 10:00:00", "192.0.2.0", IPHONE, 7, 3, "", "valid_short_url", 0),
            (3, None, "2026-05-02 11:00:00", "198.51.100.0", GOOGLEBOT, 7, None, "", "valid_short_url", 1),
            (4, None, "2026-05-03 12:00:00", None, ANDROID, 8, None, "", "imported", 0),
            (5, None, "2026-05-03 12:00:00", None, ANDROID, None, None, "", "invalid_short_url", 0),
        ],
    ),
}
_OF_SHLINK_3: Tables = {
    "device_long_urls": ("id device_type long_url short_url_id", [(1, "ios", "https://example.com/ios", 8)]),
}
_OF_SHLINK_5: Tables = {
    "short_url_redirect_rules": ("id priority long_url short_url_id", [(1, 1, "https://example.com/nl", 8)]),
}
_LOG = "click_id click_time shorturl referrer user_agent ip_address country_code"
_YOURLS: Tables = {
    "yourls_options": ("option_id option_name option_value", [(1, "version", "1.10.1")]),
    "yourls_url": (
        "keyword url title timestamp ip clicks",
        [("wiki", "https://example.com/wiki", "It's our \\ wiki; all of it", "2026-02-01 00:00:00", "192.0.2.9", 2)],
    ),
    "yourls_log": (
        _LOG,
        [
            (1, "2026-05-01 10:00:00", "wiki", "direct", ANDROID, "192.0.2.9", "DE"),
            (2, "2026-05-01 10:00:07", "wiki", "https://news.example/", GOOGLEBOT, "192.0.2.7", ""),
            (3, "2026-05-01 10:00:09", "gone", "direct", ANDROID, "192.0.2.9", "DE"),
        ],
    ),
}
_HOURS = (
    "id countries created_at link_id referrers total br_chrome br_edge br_firefox br_ie br_opera br_other br_safari"
    " os_android os_ios os_linux os_macos os_other os_windows"
)
_HOUR = (
    *(1, '{"de": 2, "unknown": null}', "2026-05-01 10:00:00", 4, '{"direct": 1, "news[dot]example": 2}', 3),
    *(2, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 2),
)


def _kutt(yes: object, no: object) -> Tables:
    expires, hour = "2027-01-31 00:00:00+00", "2026-05-01 10:00:00"
    return {
        "domains": ("id address banned", [(2, DOMAIN, no)]),
        "links": (
            "id address description banned domain_id password expire_in target user_id visit_count uuid created_at",
            [
                (4, "tea", "Tea of the month", no, 2, None, expires, "https://example.com/tea", 1, 3, "a-1", hour),
                (5, "inner", None, no, 2, "$2a$12$abcdefgh", None, "https://example.com/inner", 1, 0, "a-2", hour),
                (6, "spam", None, yes, 2, None, None, "https://example.com/spam", 1, 0, "a-3", hour),
            ],
        ),
        "visits": (_HOURS, [_HOUR]),
    }


def write(name: str, folder: Path) -> Path:
    """Write one of the databases by its name."""
    path = folder / name
    if name == "shlink3.sqlite":
        _sqlite(path, {**_SHLINK, **_OF_SHLINK_3})
    elif name == "shlink5.pgsql":
        _postgres(path, {**_SHLINK, **_OF_SHLINK_5})
    elif name == "yourls17.mysql":
        _mysql(path, {**_YOURLS, "yourls_log": (_LOG, _YOURLS["yourls_log"][1])})
    elif name == "yourls110.sqlite":
        _sqlite(path, _YOURLS)
    elif name == "kutt2.pgsql":
        _postgres(path, _kutt("t", "f"))
    else:
        _sqlite(path, _kutt(1, 0))
    return path


NAMES = ("shlink3.sqlite", "shlink5.pgsql", "yourls17.mysql", "yourls110.sqlite", "kutt2.pgsql", "kutt3.sqlite")


def _sqlite(path: Path, tables: Tables) -> None:
    made = sqlite3.connect(path)
    for table, (columns, rows) in tables.items():
        names = columns.split()
        made.execute(f'create table "{table}" ({", ".join(names)})')
        made.executemany(f'insert into "{table}" values ({", ".join("?" * len(names))})', rows)
    made.commit()
    made.close()


def _mysql(path: Path, tables: Tables) -> None:
    lines = ["-- MySQL dump 10.13  Distrib 8.0.36\n"]
    for table, (columns, rows) in tables.items():
        listed = ",\n".join(f"  `{name}` text" for name in columns.split())
        values = ",".join(f"({','.join(map(_literal, row))})" for row in rows)
        lines.append(f"CREATE TABLE `{table}` (\n{listed}\n) ENGINE=InnoDB;\nINSERT INTO `{table}` VALUES {values};\n")
    path.write_text("".join(lines))


def _literal(value: object) -> str:
    if isinstance(value, str):
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return "NULL" if value is None else str(value)


def _postgres(path: Path, tables: Tables) -> None:
    lines = ["--\n-- PostgreSQL database dump\n--\n\n"]
    for table, (columns, rows) in tables.items():
        lines.append(f"COPY public.{table} ({columns.replace(' ', ', ')}) FROM stdin;\n")
        lines += ["\t".join(_copied(row)) + "\n" for row in rows]
        lines.append("\\.\n\n")
    path.write_text("".join(lines))


def _copied(row: Iterable[object]) -> Iterable[str]:
    return ("\\N" if value is None else str(value).replace("\\", "\\\\") for value in row)
