"""Checks, spans, states and transitions in events.db. Writing runs in the writer thread, inside one transaction."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct

from analytics_box.base.facts.layout import INSERT, insert
from analytics_box.base.facts.uptime import MAINTENANCE, PAUSED, UNKNOWN, UptimeSpan, bin_of
from analytics_box.base.outgoing.masking import mask_query
from analytics_box.base.store import records
from analytics_box.base.store.db import Connection
from analytics_box.base.store.strings import Strings
from analytics_box.products.monitors.monitor import Kind, Monitor
from analytics_box.products.monitors.result import CheckResult, Outcome, Reason
from analytics_box.products.monitors.running.notices import MonitorNotice, NoticeDetail, What
from analytics_box.products.monitors.running.states import FAILED, PENDING, MonitorStanding, Stroke, paint_spans

KINDS: Final[Mapping[Kind, int]] = {"http": 1, "tcp": 2, "dns": 3, "tls": 4, "ping": 5, "push": 6}
REGION: Final = "default"  # where checks come from: this box
_LONGEST: Final = 500  # characters of an error


class CheckRow(NamedTuple):
    """A check that has ended, of a monitor as it was then."""

    monitor: Monitor
    result: CheckResult
    status: int
    attempt: int
    streak: int


class Transition(Struct, frozen=True):
    """Something that happened to a monitor, to be told. `number` is the monitor's, `at` is UTC ms; ids never repeat."""

    id: int
    number: int
    at: int
    what: What
    detail: NoticeDetail


class StoredStates(NamedTuple):
    """The contents of events.db on monitors: their states, their open spans, and when the box last watched and a canary
    last answered (UTC ms; 0 for never).
    """

    standings: dict[int, MonitorStanding]
    open_spans: dict[int, UptimeSpan]
    alive_at: int | None
    canaries_at: int


_STANDING = msgspec.json.Decoder(MonitorStanding)
_DETAIL = msgspec.json.Decoder(NoticeDetail)


def append(db: Connection, strings: Strings, checks: Iterable[CheckRow]) -> None:
    """Write checks."""
    insert(db, "checks", [row(db, strings, check) for check in checks])


def row(db: Connection, strings: Strings, check: CheckRow) -> tuple[object, ...]:
    """A check as a row of the table `checks`."""
    monitor, result, phases = check.monitor, check.result, check.result.phases
    number, total, ttfb = strings.number, result.total, result.ttfb
    url = mask_query(monitor.url)  # This file keeps no secrets.
    return (
        *(monitor.number, result.at, check.status, KINDS[monitor.kind], result.http_code, 1),
        *(total, total, total, ttfb),
        *(None if duration is None else bin_of(duration) for duration in (total, ttfb)),
        *(phases.dns, phases.connect, phases.tls, phases.first_byte, phases.transfer),
        *(result.bytes, result.redirects, check.attempt, check.streak),
        *(result.certificate_ends, None if result.certificate_valid is None else int(result.certificate_valid)),
        *(number(db, text) for text in (result.error[:_LONGEST], result.reason, REGION, result.address, url)),
        result.data,
    )


def confirm(db: Connection, number: int, since: int) -> None:
    """Pending checks of this monitor from then on have failed, as it is down; but for those that count nowhere."""
    db.execute(
        """
        -- monitors.running.confirm
        update checks set status = ? where monitor = ? and time >= ? and status = ? and not exists (
          select 1 from monitor_spans as span where span.monitor = checks.monitor and state in (?, ?)
          and start <= time and (until = 0 or until > time))
        """,
        (FAILED, number, since, PENDING, UNKNOWN, MAINTENANCE),
    )


def paint(db: Connection, strokes: Iterable[Stroke]) -> None:
    """Change the timelines of monitors, one stroke after the other."""
    for stroke in strokes:
        found = db.execute(
            """
            -- monitors.running.paint
            select id, state, start, until from monitor_spans
            where monitor = ? and start >= coalesce(
              (select max(start) from monitor_spans where monitor = ? and start <= ?), 0)
            order by start, id
            """,
            (stroke.monitor, stroke.monitor, stroke.at),
        ).fetchall()
        spans = [UptimeSpan(*(int(str(number)) for number in row[1:])) for row in found]
        _replace(db, stroke.monitor, [int(str(row[0])) for row in found], spans, paint_spans(spans, stroke))


def _replace(db: Connection, number: int, ids: list[int], old: list[UptimeSpan], new: list[UptimeSpan]) -> None:
    for extra in ids[len(new) :]:
        db.execute("-- monitors.running.paint\ndelete from monitor_spans where id = ?", (extra,))
    for id_, before, span in zip(ids, old, new, strict=False):
        if before != span:
            db.execute(
                "-- monitors.running.paint\nupdate monitor_spans set state = ?, start = ?, until = ? where id = ?",
                (*span, id_),
            )
    db.executemany(INSERT["monitor_spans"], [(number, *span) for span in new[len(ids) :]])


def save(db: Connection, standings: Mapping[int, MonitorStanding]) -> None:
    """Write what goes on from check to check."""
    db.executemany(
        """
        -- monitors.running.save
        insert into monitor_states (monitor, state) values (?, ?)
        on conflict (monitor) do update set state = excluded.state
        """,
        [(number, msgspec.json.encode(standing).decode()) for number, standing in standings.items()],
    )


def note(db: Connection, notices: Iterable[tuple[int, MonitorNotice]]) -> list[Transition]:
    """Write what happened to monitors; returns what is to be told of it."""
    made = []
    for number, notice in notices:
        told = int(notice.detail.muted != "")
        detail = msgspec.json.encode(notice.detail).decode()
        db.execute(
            """
            -- monitors.running.note
            insert into transitions (monitor, time, what, detail, told) values (?, ?, ?, ?, ?)
            """,
            (number, notice.at, notice.what, detail, told),
        )
        if not told:
            made.append(Transition(db.last_insert_rowid(), number, notice.at, notice.what, notice.detail))
    return made


def untold(db: Connection) -> list[Transition]:
    """Transitions that have not been passed on yet, the oldest first."""
    found = db.execute(
        "-- monitors.running.untold\nselect id, monitor, time, what, detail from transitions where told = 0 order by id"
    ).fetchall()
    return [
        Transition(
            int(str(id_)), int(str(number)), int(str(at)), msgspec.convert(what, What), _DETAIL.decode(str(detail))
        )
        for id_, number, at, what, detail in found
    ]


def mark_told(db: Connection, ids: Sequence[int]) -> None:
    """Mark transitions as passed on."""
    db.execute(
        "-- monitors.running.told\nupdate transitions set told = 1 where id in (select value from json_each(?))",
        (json.dumps(list(ids)),),
    )


def alive(db: Connection, now: int, canaries_at: int = 0) -> None:
    """The box watches now; a canary last answered then, or 0 for what is known already."""
    db.execute(
        """
        -- monitors.running.alive
        insert into monitor_engine (one, alive_at, canaries_at) values (1, ?, ?) on conflict (one)
        do update set alive_at = excluded.alive_at, canaries_at = max(canaries_at, excluded.canaries_at)
        """,
        (now, canaries_at),
    )


def load_states(db: Connection) -> StoredStates:
    """The stored state of all monitors."""
    states = db.execute("-- monitors.running.stored\nselect monitor, state from monitor_states").fetchall()
    spans = db.execute(
        "-- monitors.running.stored\nselect monitor, state, start from monitor_spans where until = 0"
    ).fetchall()
    seen = db.execute("-- monitors.running.stored\nselect alive_at, canaries_at from monitor_engine").fetchall()
    return StoredStates(
        {int(str(number)): _STANDING.decode(str(state)) for number, state in states},
        {int(str(number)): UptimeSpan(int(str(state)), int(str(start))) for number, state, start in spans},
        int(str(seen[0][0])) if seen else None,
        int(str(seen[0][1])) if seen else 0,
    )


def gap(db: Connection, since: int) -> None:
    """Nothing is known of any monitor since then, but of those that are paused."""
    overlaid = (UNKNOWN, PAUSED)
    db.execute(
        "-- monitors.running.gap\nupdate monitor_spans set state = ? where until = 0 and state <> ? and start >= ?",
        (UNKNOWN, PAUSED, since),
    )
    found = db.execute(
        "-- monitors.running.gap\nselect monitor from monitor_spans where until = 0 and state not in (?, ?)", overlaid
    ).fetchall()
    db.execute(
        "-- monitors.running.gap\nupdate monitor_spans set until = ? where until = 0 and state not in (?, ?)",
        (since, *overlaid),
    )
    db.executemany(INSERT["monitor_spans"], [(number, UNKNOWN, since, 0) for (number,) in found])


class _Last(Struct, frozen=True):
    time: int
    status: int
    streak: int
    total: int | None
    ttfb: int | None
    http_code: int
    error: str
    reason: str
    address: str
    certificate_ends: int | None


def last_results(db: Connection, numbers: Iterable[int]) -> dict[int, CheckResult]:
    """The last check of each of these monitors, as far as it is still stored by itself."""
    made = {}
    for number in numbers:
        found = records.all_of(
            db,
            _Last,
            """
            -- monitors.running.last_results
            select time, status, streak, total, ttfb, http_code, said.value, why.value, place.value, certificate_ends
            from checks
            join strings as said on said.id = error
            join strings as why on why.id = reason
            join strings as place on place.id = address
            where monitor = ? and count = 1 order by time desc limit 1
            """,
            (number,),
        )
        for last in found:
            made[number] = CheckResult(
                at=last.time,
                outcome=_outcome(last),
                total=last.total,
                ttfb=last.ttfb,
                http_code=last.http_code,
                error=last.error,
                reason=msgspec.convert(last.reason, Reason),
                address=last.address,
                certificate_ends=last.certificate_ends,
            )
    return made


def _outcome(last: _Last) -> Outcome:
    """The outcome of a check: a pending one failed, or was inside a maintenance."""
    is_failed = last.streak > 0 or last.reason not in ("", "assertion")  # which may be a warning
    return "fail" if last.status == FAILED or (last.status == PENDING and is_failed) else "pass"
