"""Tool calls of MCP servers (wire 1.15)."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from tests.query.brute.facts import Answer, Facts, Question, Row, Rows
from tests.query.brute.filters import passes
from tests.query.brute.measures import first, last, mean, rank, rounded, share
from tests.query.brute.series import by_slot
from tests.query.brute.tables import Table, answers, count


def _calls_of(facts: Facts, asked: Question) -> list[Row]:
    return [row for row in facts["mcp_calls"] if asked.has(row["time"]) and passes(row, asked.filters)]


def _commonest(rows: Rows, name: str, most: int) -> list[Any]:
    counts = Counter(row[name] for row in rows if row[name])
    return sorted(counts, key=lambda value: (-counts[value], value))[:most]


def _distinct(rows: Rows, name: str) -> int:
    return len({row[name] for row in rows} - {""})


def _failures(rows: Rows) -> int:
    return sum(row["error"] != "" for row in rows)


def _rate(rows: Rows) -> float:
    return share(_failures(rows), len(rows))


def _known(rows: Rows, name: str) -> list[int]:
    return [row[name] for row in rows if row[name] is not None]


def _speed(rows: Rows, percent: int) -> float | None:
    return rounded(rank(_known(rows, "duration"), percent))


def _newest(rows: Iterable[Row]) -> Row:
    return max(rows, key=lambda row: (row["time"], row["id"]))


def _summary(facts: Facts, asked: Question) -> list[Row]:
    rows = _calls_of(facts, asked)
    by_site = Counter(row["site"] for row in rows)
    named = {row["site"]: row["website"] for row in rows}
    sites = sorted(by_site, key=lambda site: (-by_site[site], site))
    return [
        {
            "calls": len(rows),
            "errors": _failures(rows),
            "error_rate": _rate(rows),
            "p50_ms": _speed(rows, 50),
            "p95_ms": _speed(rows, 95),
            "tools": _distinct(rows, "tool"),
            "clients": _distinct(rows, "client_name"),
            "sessions": _distinct(rows, "client_session"),
            "servers": _commonest(rows, "server_name", 20),
            "environments": _commonest(rows, "environment", 10),
            "websites": [named[site] for site in sites if named[site]],
            "last_call": last(rows) if rows else None,
            "tracked": int(any(row["time"] < asked.end for row in facts["mcp_calls"])),
        }
    ]


def _series(facts: Facts, asked: Question) -> list[Row]:
    return by_slot(
        _calls_of(facts, asked),
        asked,
        lambda rows: {
            "calls": len(rows),
            "errors": _failures(rows),
            "error_rate": _rate(rows),
            "p50_ms": _speed(rows, 50),
            "p95_ms": _speed(rows, 95),
            "sessions": _distinct(rows, "client_session"),
        },
    )


def _tool(key: tuple[Any, ...], rows: Rows, _whole: float) -> Row:
    return {
        "tool": key[0],
        "calls": len(rows),
        "errors": _failures(rows),
        "error_rate": _rate(rows),
        "p50_ms": _speed(rows, 50),
        "p95_ms": _speed(rows, 95),
        "avg_output_chars": rounded(mean(_known(rows, "output_chars"))),
        "sessions": _distinct(rows, "client_session"),
        "clients": _commonest(rows, "client_name", 3),
        "last_called": last(rows),
    }


def _client(key: tuple[Any, ...], rows: Rows, _whole: float) -> Row:
    return {
        "client": key[0],
        "calls": len(rows),
        "error_rate": _rate(rows),
        "p95_ms": _speed(rows, 95),
        "tools": _distinct(rows, "tool"),
        "sessions": _distinct(rows, "client_session"),
        "versions": _commonest(rows, "client_version", 3),
        "user_agent": _newest(rows)["user_agent"],
        "last_seen": last(rows),
    }


def _by(*names: str) -> Callable[[tuple[Any, ...], Rows, float], Row]:
    return lambda key, rows, _whole: {
        **dict(zip(names, key, strict=True)),
        "calls": len(rows),
        "errors": _failures(rows),
        "error_rate": _rate(rows),
        "p95_ms": _speed(rows, 95),
        "sessions": _distinct(rows, "client_session"),
        "first_seen": first(rows),
        "last_seen": last(rows),
    }


def _errors(facts: Facts, asked: Question) -> list[Row]:
    """One is new that did not happen in the 30 days before, if anything did."""
    since = [row for row in facts["mcp_calls"] if asked.start - 30 * 86_400_000 <= row["time"] < asked.start]
    known = {row["error_group"] for row in since}
    groups: dict[str, list[Row]] = {}
    for row in _calls_of(facts, asked):
        if row["error_group"]:
            groups.setdefault(row["error_group"], []).append(row)
    return [
        {
            "tool": _newest(rows)["tool"],
            "error": _newest(rows)["error"],
            "occurrences": len(rows),
            "sessions": _distinct(rows, "client_session"),
            "clients": _commonest(rows, "client_name", 3),
            "last_seen": last(rows),
            "first_seen": first(rows),
            "is_new": bool(since) and group not in known,
        }
        for group, rows in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    ]


_OTHERS: dict[str, Answer] = {"mcp_summary": _summary, "mcp_calls_series": _series, "mcp_errors": _errors}
ANSWERS = _OTHERS | answers(
    {
        "mcp_tools": Table("mcp_calls", ("tool",), _tool, order=count),
        "mcp_clients": Table("mcp_calls", ("client_name",), _client, order=count),
        "mcp_client_versions": Table(
            "mcp_calls", ("client_name", "client_version"), _by("client", "version"), order=count
        ),
        "mcp_server_versions": Table(
            "mcp_calls", ("server_name", "server_version"), _by("server", "version"), order=count
        ),
        "mcp_environments": Table("mcp_calls", ("environment",), _by("environment"), order=count),
    }
)
