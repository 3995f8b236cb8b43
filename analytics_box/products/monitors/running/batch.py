"""Conversion of happenings to one batch of rows. Only the batch's drafts change."""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from analytics_box.base.facts.uptime import MAINTENANCE, PAUSED, UNKNOWN
from analytics_box.base.store.db import Connection
from analytics_box.base.store.strings import Strings
from analytics_box.products.monitors.result import CheckResult
from analytics_box.products.monitors.running import rows
from analytics_box.products.monitors.running.notices import MonitorNotice, Muted, expiring, notices_after
from analytics_box.products.monitors.running.rows import CheckRow, Transition
from analytics_box.products.monitors.running.states import (
    BASES,
    NEW,
    PENDING,
    SPANS,
    Base,
    MonitorStanding,
    Stroke,
    after,
    thresholds,
    waiting_longer,
    without_row,
)
from analytics_box.products.monitors.running.watched import WatchedDraft, WatchedMonitor, without_data


class FinishedCheck(NamedTuple):
    """A check has ended, at `ended` (UTC ms). One that says nothing, because the box is cut off, is not conclusive."""

    number: int
    result: CheckResult
    ended: int
    is_conclusive: bool = True


class OverlayChange(NamedTuple):
    """The overlay of a monitor changed at `at` (UTC ms): a maintenance window began or ended, or it was paused or
    resumed.
    """

    number: int
    at: int
    is_paused: bool


class WatchGap(NamedTuple):
    """A monitor was not watched from `at` until `until` (UTC ms): the box stood still, or the disk refused too many
    checks.
    """

    number: int
    at: int
    until: int


class TargetChange(NamedTuple):
    """Something else is checked from now on: a row of failing checks restarts."""

    number: int


Happening = FinishedCheck | OverlayChange | WatchGap | TargetChange


class HappeningBatch:
    """The rows of one transaction, and the state of the monitors once it is committed."""

    def __init__(
        self, monitors: Mapping[int, WatchedMonitor], parent_of: Callable[[WatchedMonitor], int | None], now: int
    ) -> None:
        self.drafts: dict[int, WatchedDraft] = {}
        self._before: dict[int, MonitorStanding] = {}
        self._monitors, self._parent_of, self._now = monitors, parent_of, now
        self._checks: list[CheckRow] = []
        self._strokes: list[Stroke] = []
        self._confirmed: list[tuple[int, int]] = []
        self._notices: list[tuple[int, MonitorNotice]] = []

    def add(self, happenings: Iterable[Happening]) -> None:
        """Take these in, in their order; those of monitors that are gone are left out."""
        for happening in happenings:
            watched = self._monitors.get(happening.number)
            if watched is None:
                continue
            draft = self._draft(watched)
            match happening:
                case FinishedCheck(_, result, _, is_conclusive):
                    if draft.is_paused:
                        continue
                    (self._finished if is_conclusive else self._unknown)(watched, draft, result)
                case OverlayChange(_, at, is_paused):
                    self._overlaid(watched, draft, at, is_paused=is_paused)
                case WatchGap(_, at, until):
                    draft.standing = waiting_longer(watched.monitor, draft.standing, at, until)
                    self._lose(watched, draft, max(at, draft.seen))
                case TargetChange():
                    draft.standing = without_row(draft.standing)

    @property
    def relieved(self) -> list[int]:
        """Monitors that were in trouble and are no more."""
        return [
            number
            for number, draft in self.drafts.items()
            if self._before[number].is_in_trouble and not draft.standing.is_in_trouble
        ]

    def write(self, db: Connection, strings: Strings) -> list[Transition]:
        """Write all of it; returns what is to be told."""
        rows.append(db, strings, self._checks)
        rows.paint(db, self._strokes)
        for number, since in self._confirmed:
            rows.confirm(db, number, since)
        rows.save(
            db,
            {
                number: draft.standing
                for number, draft in self.drafts.items()
                if draft.standing is not self._before[number]
            },
        )
        transitions = rows.note(db, self._notices)
        rows.alive(db, self._now)
        return transitions

    def _draft(self, watched: WatchedMonitor) -> WatchedDraft:
        number = watched.monitor.number
        if number not in self.drafts:
            self.drafts[number], self._before[number] = replace(watched.draft), watched.draft.standing
        return self.drafts[number]

    def _finished(self, watched: WatchedMonitor, draft: WatchedDraft, result: CheckResult) -> None:
        monitor, before, at = watched.monitor, draft.standing, max(result.at, draft.seen)
        step = after(before, at, result.outcome, thresholds(monitor))
        standing, muted = step.standing, self._muted(watched, draft, at)
        if monitor.kind == "push" and result.reason != "late":
            standing = replace(standing, heard=at, extra=0)
        standing, notices = notices_after(before.base, standing, result, at, muted)
        standing, more = expiring(standing, result.certificate_ends, at, muted)
        draft.standing, draft.seen, draft.last = standing, at, without_data(result)
        attempt = standing.fails if before.is_verifying and result.outcome == "fail" else 1
        status = PENDING if muted == "maintenance" else step.status  # what happens inside one is in no ratio
        self._checks.append(CheckRow(monitor, result, status, attempt, standing.fails))
        self._notices += [(monitor.number, notice) for notice in (*notices, *more)]
        self._show_checked(watched, draft, before.base, at, step.since)
        if step.since is not None and standing.base == "down":
            self._confirmed.append((monitor.number, step.since))

    def _show_checked(
        self, watched: WatchedMonitor, draft: WatchedDraft, before: Base, at: int, since: int | None
    ) -> None:
        """Let the timeline show what a check made of a monitor; nothing while it is not known what that is."""
        base = draft.standing.base
        if base == "new":
            return
        was_unknown, draft.is_unknown = draft.is_unknown, False
        if not draft.shown or (was_unknown and before != "new"):
            self._show(watched, draft, at if since is None else since)
        elif since is not None:
            instead_of = NEW if before == "new" else BASES
            self._strokes.append(Stroke(watched.monitor.number, since, SPANS[base], instead_of))
            if draft.shown in instead_of:
                draft.shown, draft.shown_since = SPANS[base], max(since, draft.shown_since)
            if was_unknown:
                self._show(watched, draft, at)  # a window may have begun in the meantime

    def _unknown(self, watched: WatchedMonitor, draft: WatchedDraft, result: CheckResult) -> None:
        at = max(result.at, draft.seen)
        self._checks.append(CheckRow(watched.monitor, result, PENDING, 1, draft.standing.fails))
        draft.seen, draft.last = at, without_data(result)
        self._lose(watched, draft, at)

    def _lose(self, watched: WatchedMonitor, draft: WatchedDraft, at: int) -> None:
        draft.standing = without_row(draft.standing)
        if draft.shown and not draft.is_unknown and not draft.is_paused:
            draft.is_unknown = True
            self._show(watched, draft, at)

    def _overlaid(self, watched: WatchedMonitor, draft: WatchedDraft, at: int, *, is_paused: bool) -> None:
        if is_paused and not draft.is_paused:
            draft.standing = without_row(draft.standing)
        draft.is_paused = is_paused
        if draft.shown or is_paused or watched.overlay.in_maintenance(at):
            self._show(watched, draft, at)

    def _show(self, watched: WatchedMonitor, draft: WatchedDraft, at: int) -> None:
        """From then on the timeline shows what it is, with the windows that have begun or ended since."""
        change: int | None = at
        while change is not None and change <= max(at, self._now):
            state = _effective(watched, draft, change)
            if state != draft.shown:
                self._strokes.append(Stroke(watched.monitor.number, change, state))
                draft.shown, draft.shown_since = state, max(change, draft.shown_since)
            change = watched.overlay.next_change(change)

    def _muted(self, watched: WatchedMonitor, draft: WatchedDraft, at: int) -> Muted:
        if watched.overlay.in_maintenance(at):
            return "maintenance"
        parent = self._parent_of(watched)
        if parent is None or parent not in self._monitors:
            return ""
        above = self.drafts.get(parent) or self._monitors[parent].draft
        return "parent" if above.standing.is_in_trouble and not above.is_paused else ""


def _effective(watched: WatchedMonitor, draft: WatchedDraft, at: int) -> int:
    """The state in the timeline at this time: paused, unknown, maintenance or the result of checks, in this order."""
    if draft.is_paused:
        return PAUSED
    if draft.is_unknown:
        return UNKNOWN
    return MAINTENANCE if watched.overlay.in_maintenance(at) else SPANS[draft.standing.base]
