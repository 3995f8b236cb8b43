"""The sources of days: checks and spans in events.db; in box.db spans of components without a monitor, and stored
days. Reading takes a reader; storing runs in the writer thread, inside one transaction.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import msgspec

from analytics_box.base.store.db import Connection
from analytics_box.products.status_pages.days.figures import Checks, DayFigures

_FIGURES: Final = msgspec.json.Decoder(DayFigures)
_PASSED, _PENDING = 1, 2  # of checks


class StoredDay(NamedTuple):
    """A day of a component that is over."""

    component_id: str
    day: str
    figures: DayFigures


def stored_days(db: Connection, component_ids: Iterable[str], since: str) -> dict[str, dict[str, DayFigures]]:
    """The stored days of these components, from this day on (YYYY-MM-DD), by component and day."""
    found = db.execute(
        """
        -- status_pages.days.stored
        select component_id, day, figures from component_days
        where component_id in (select value from json_each(?)) and day >= ?
        """,
        (json.dumps(list(component_ids)), since),
    ).fetchall()
    by_component: dict[str, dict[str, DayFigures]] = defaultdict(dict)
    for component_id, day, figures in found:
        by_component[str(component_id)][str(day)] = _FIGURES.decode(str(figures))
    return by_component


def with_day(db: Connection, component_ids: Iterable[str], day: str) -> set[str]:
    """The components of these for which this day is stored."""
    found = db.execute(
        """
        -- status_pages.days.with_day
        select component_id from component_days where component_id in (select value from json_each(?)) and day = ?
        """,
        (json.dumps(list(component_ids)), day),
    ).fetchall()
    return {str(component_id) for (component_id,) in found}


def store(db: Connection, days: Iterable[StoredDay], zone: str) -> None:
    """Store days of components that are still there, on a page that still has this zone. What is stored already stays
    as it is."""
    db.executemany(
        """
        -- status_pages.days.store
        insert into component_days (component_id, day, figures)
        select c.id, ?, ? from status_page_components c join status_pages p on p.id = c.page_id
        where c.id = ? and p.zone = ?
        on conflict do nothing
        """,
        [(one.day, msgspec.json.encode(one.figures).decode(), one.component_id, zone) for one in days],
    )


def forget(db: Connection, page_id: str, days: Iterable[str]) -> None:
    """Forget these days of a page's components: they are found again, and stored when they are over."""
    db.execute(
        """
        -- status_pages.days.forget
        delete from component_days
        where component_id in (select id from status_page_components where page_id = ?)
          and day in (select value from json_each(?))
        """,
        (page_id, json.dumps(list(days))),
    )


def checks(db: Connection, numbers: Sequence[int], start: int, end: int) -> dict[int, Checks]:
    """The checks of these monitors in [start, end) (UTC ms), put together."""
    found = db.execute(
        """
        -- status_pages.days.checks
        select monitor, status, bin, sum(count), sum(total), min(fastest), max(slowest) from checks
        where monitor in (select value from json_each(:numbers)) and time >= :start and time < :end
        group by monitor, status, bin
        """,
        {"numbers": json.dumps(list(numbers)), "start": start, "end": end},
    ).fetchall()
    by_monitor: dict[int, list[_CheckGroup]] = defaultdict(list)
    for monitor, *rest in found:
        by_monitor[int(str(monitor))].append(_CheckGroup(*(None if one is None else int(str(one)) for one in rest)))
    return {monitor: _together(groups) for monitor, groups in by_monitor.items()}


class _CheckGroup(NamedTuple):
    """Checks of a monitor with one status and in one bin; None is what was not measured."""

    status: int | None
    bin: int | None
    checks: int | None
    total: int | None
    fastest: int | None
    slowest: int | None


def _together(groups: Sequence[_CheckGroup]) -> Checks:
    decided = passed = total = timed = 0
    bins: dict[int, int] = defaultdict(int)
    for one in groups:
        count = one.checks or 0
        decided += count if one.status != _PENDING else 0
        passed += count if one.status == _PASSED else 0
        if one.bin is not None:
            bins[one.bin] += count
            timed, total = timed + count, total + (one.total or 0)
    measured = [one for one in groups if one.fastest is not None]
    return Checks(
        decided,
        passed,
        total,
        timed,
        min((one.fastest for one in measured if one.fastest is not None), default=None),
        max((one.slowest for one in measured if one.slowest is not None), default=None),
        dict(bins),
    )
