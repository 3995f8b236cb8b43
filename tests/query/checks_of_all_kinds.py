"""Checks of a monitor and how it was, as they are stored."""

from collections.abc import Iterable
from typing import Any

from analytics_box.base.facts.layout import INSERT
from analytics_box.base.facts.tables import CHECKS
from analytics_box.base.facts.uptime import DEGRADED, DOWN, MAINTENANCE, PAUSED, UNKNOWN, UP, UptimeSpan, bin_of
from analytics_box.base.store.db import Connection, Db
from analytics_box.base.store.strings import Strings

Check = dict[str, Any]  # by the columns of the facts, with texts in place of their numbers
DAY = 86_400_000


def check(monitor: int, time: int, total: int | None = 120_000, **more: Any) -> Check:
    """A check that passed, `total` microseconds long; `more` says what is different."""
    ttfb = None if total is None else total * 3 // 4
    plain: Check = {
        "monitor": monitor,
        "time": time,
        "status": 1,
        "kind": 1,
        "http_code": 200,
        "count": 1,
        "total": total,
        "fastest": total,
        "slowest": total,
        "ttfb": ttfb,
        "bin": None if total is None else bin_of(total),
        "ttfb_bin": None if ttfb is None else bin_of(ttfb),
        "dns": 4_000,
        "connect": 12_500,
        "tls": 25_000,
        "first_byte": 48_500,
        "transfer": 30_000,
        "bytes": 5_120,
        "redirects": 0,
        "attempt": 1,
        "streak": 0,
        "certificate_ends": time + 60 * DAY,
        "certificate_valid": 1,
        "error": "",
        "reason": "",
        "region": "",
        "address": "203.0.113.80",
        "url": "https://shop.example/",
        "data": None,
    }
    assert set(more) <= set(plain)
    return plain | more


def failed(monitor: int, time: int, **more: Any) -> Check:
    """A check that nobody answered; pending with `status` 2."""
    nothing = dict.fromkeys(("dns", "connect", "tls", "first_byte", "transfer", "bytes"))
    silent = {"certificate_ends": None, "certificate_valid": None, "status": 0, "http_code": 0, "streak": 1}
    told = {"reason": "timeout", "error": "No answer within 10 seconds"}
    return check(monitor, time, None, **(nothing | silent | told | more))


def checks_of_all_kinds(monitor: int, now: int) -> list[Check]:
    """One of each kind in the last minutes."""
    return [
        failed(monitor, now - 540_000, status=2),
        failed(monitor, now - 510_000, attempt=2, streak=2),
        failed(
            monitor,
            now - 450_000,
            reason="connect",
            error="Connection refused",
            certificate_ends=now - DAY,
            certificate_valid=0,
            attempt=3,
            streak=3,
        ),
        check(monitor, now - 390_000, 340_000, status=0, http_code=503, reason="assertion", error="The status is 503"),
        check(monitor, now - 330_000, 180_000),
        check(monitor, now - 270_000, 95_000, region="Falkenstein"),
        check(monitor, now - 210_000, 410_000, http_code=404),
    ]


def timeline(now: int) -> list[UptimeSpan]:
    """Every state in the last hours, ending with being up."""
    states = (PAUSED, UP, UNKNOWN, UP, MAINTENANCE, DEGRADED)
    spans = [
        UptimeSpan(state, now - (9 - at) * 1_200_000, now - (8 - at) * 1_200_000) for at, state in enumerate(states)
    ]
    spans.append(UptimeSpan(UP, spans[-1].until, now - 540_000))
    spans.append(UptimeSpan(DOWN, now - 540_000, now - 330_000))
    spans.append(UptimeSpan(UP, now - 330_000, 0))
    return spans


def store_checks(db: Db, checks: Iterable[Check]) -> None:
    db.write_now(lambda writer: _append(writer, checks))


def store_spans(db: Db, monitor: int, spans: Iterable[UptimeSpan]) -> None:
    rows = [(monitor, *span) for span in spans]
    db.write_now(lambda writer: writer.executemany(INSERT["monitor_spans"], rows))


def _append(db: Connection, checks: Iterable[Check]) -> None:
    strings = Strings()
    rows = []
    for one in checks:
        texts = {name: strings.number(db, one[name]) for name in CHECKS.strings}
        rows.append(tuple((one | texts)[name] for name in CHECKS.names))
    db.executemany(INSERT["checks"], rows)


def store_a_monitor(db: Db, monitor: int, now: int) -> None:
    """All of the above."""
    store_checks(db, checks_of_all_kinds(monitor, now))
    store_spans(db, monitor, timeline(now))
