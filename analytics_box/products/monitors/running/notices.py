"""Notices for people on a monitor: changes of its state, unless they are muted, and certificate expiry. Pure.

A notice is sent if the state differs from the last announced one and nothing mutes it. So a change inside a
maintenance, or while a parent was down, is announced by the first check after that, if it still holds.
"""

from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base.clock import DAY
from analytics_box.products.monitors.result import CheckResult
from analytics_box.products.monitors.running.states import Base, MonitorStanding

What = Literal["down", "recovered", "degraded", "flapping", "stable", "certificate"]  # of alarms.occurrence
Muted = Literal["", "maintenance", "parent", "flapping"]

WINDOW: Final = 12  # checks
CHANGES: Final = 4  # of the state, within WINDOW checks: it is flapping
DAYS: Final = (30, 14, 7, 3, 1)  # before a certificate ends
_KNOWN: Final = 64  # certificates of one monitor: those of all servers behind one name
_OVER: Final = 30 * DAY  # ms after its end in which a certificate may still be seen


class NoticeDetail(Struct, frozen=True, omit_defaults=True):
    """Details of a notice. `state` is the monitor's, since `since` (UTC ms), `before` the last announced one.

    `muted` is the reason why it is not sent. `days` are whole days until the certificate expires, at `ends` (UTC ms).
    """

    state: Base
    since: int = 0
    before: Base = "up"
    error: str = ""
    reason: str = ""
    http_code: int = 0
    muted: Muted = ""
    days: int = 0
    ends: int = 0


class MonitorNotice(Struct, frozen=True):
    """Something that happened to a monitor at `at` (UTC ms): the time of the check that showed it."""

    at: int
    what: What
    detail: NoticeDetail


def notices_after(
    before: Base, standing: MonitorStanding, result: CheckResult, at: int, muted: Muted
) -> tuple[MonitorStanding, list[MonitorNotice]]:
    """The notices after a check that led from the state `before` to `standing`, and the standing with them noted."""
    changed = before not in ("new", standing.base)
    changes = (standing.changes << 1 | (changed and not muted)) & (1 << WINDOW) - 1
    standing = _set(standing, changes=changes)
    what: What | None = _change(standing)
    if standing.flapping and not changes and not muted:
        what, standing = "stable", replace(standing, flapping=False)
    elif standing.flapping:
        muted = muted or "flapping"
        what = what if changed else None
    elif muted:
        what = what if changed else None
    elif changes.bit_count() >= CHANGES:
        what, standing = "flapping", replace(standing, flapping=True)
    if what is None:
        return standing, []
    detail = NoticeDetail(
        state=standing.base,
        since=standing.since,
        before=standing.announced,
        error=result.error,
        reason=result.reason,
        http_code=result.http_code,
        muted=muted,
    )
    if not muted:
        standing = _set(standing, announced=standing.base)
    return standing, [MonitorNotice(at, what, detail)]


def expiring(
    standing: MonitorStanding, ends: int | None, at: int, muted: Muted
) -> tuple[MonitorStanding, list[MonitorNotice]]:
    """Whether the certificate that ends then is to be told of, once for each number of days."""
    if ends is None or muted:
        return standing, []
    left = max(ends - at, 0)
    due = min((days for days in DAYS if left <= days * DAY), default=None)
    told = dict(standing.certificates)
    if due is None or told.get(ends, DAYS[0] + 1) <= due:
        return standing, []
    others = [one for one in standing.certificates if one[0] != ends and one[0] > at - _OVER]
    standing = replace(standing, certificates=(*others, (ends, due))[-_KNOWN:])
    return standing, [MonitorNotice(at, "certificate", NoticeDetail(state=standing.base, days=left // DAY, ends=ends))]


def _change(standing: MonitorStanding) -> What | None:
    """The change of state that has not been announced yet."""
    if standing.base in ("new", standing.announced):
        return None
    if standing.base == "down":
        return "down"
    return "degraded" if standing.base == "degraded" and standing.announced == "up" else "recovered"


def _set(standing: MonitorStanding, *, changes: int | None = None, announced: Base | None = None) -> MonitorStanding:
    """The standing with this; the same object where nothing changes."""
    made = replace(
        standing,
        changes=standing.changes if changes is None else changes,
        announced=standing.announced if announced is None else announced,
    )
    return standing if made == standing else made
