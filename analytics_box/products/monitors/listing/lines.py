"""The rows of the monitor list. Pure but for the person's time zone."""

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.clock import DAY, HOUR, SECOND
from analytics_box.base.facts.uptime import UptimeSpan, WindowUptime, uptime, uptimes
from analytics_box.base.identity import SignedInPerson
from analytics_box.base.translation import _, ngettext
from analytics_box.products.alerts.alert_rule import AlertNotice
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.engine import MonitorStatus
from analytics_box.products.monitors.monitor import HOME, Monitor
from analytics_box.products.monitors.page_frame import STATE_LABELS, OutageReport, state_label, state_name
from analytics_box.web.call import Call
from analytics_box.web.page import dates
from analytics_box.web.palette.hit import PaletteHit, PaletteSearch

HOURS: Final = 24
DAYS: Final = 30
NOTHING: Final = "–"
MOST_DOWNTIMES: Final = 50  # monitors in the summary of downtime
# States that need attention, the worst first.
URGENT: Final = ("down", "verifying", "degraded")
# An hour is drawn as the worst state in it.
_WORST: Final = ("down", "degraded", "maintenance", "up")


class HourBar(Struct, frozen=True):
    """An hour as a bar; `said` is its uptime in words."""

    state: str
    said: str


class Trouble(Struct, frozen=True):
    """The cause of a monitor's trouble, its beginning, the notified channels, and the incident about it, if any."""

    cause: str
    since: str
    notified: str
    report: OutageReport | None


class MonitorLine(Struct, frozen=True):
    """A row of the monitor list. `trouble` is set for monitors that need attention."""

    id: str
    name: str
    href: str
    target: str
    state: str
    state_label: str
    since: str
    tags: tuple[str, ...]
    hours: tuple[HourBar, ...]
    hours_said: str
    uptime_day: str
    uptime_month: str
    response: str
    trouble: Trouble | None = None


class DowntimeLine(Struct, frozen=True):
    """A monitor that was down in a range: its total downtime and the number of its outages."""

    name: str
    href: str
    downtime: str
    outages: str


class DowntimeSummary(Struct, frozen=True):
    """The downtime of all listed monitors in a range. `lines` are the monitors that were down, the longest first."""

    downtime: str
    outages: str
    affected: str
    lines: tuple[DowntimeLine, ...]


def downtime_summary(monitors: Sequence[Monitor], downtimes: Mapping[int, tuple[int, int]]) -> DowntimeSummary:
    """The downtime of these monitors; `downtimes` are milliseconds and outages by the number of a monitor."""
    affected = sorted((one for one in monitors if one.number in downtimes), key=lambda one: -downtimes[one.number][0])
    return DowntimeSummary(
        downtime=duration_text(sum(lasted for lasted, _count in downtimes.values()) // SECOND),
        outages=_outages(sum(count for _lasted, count in downtimes.values())),
        affected=ngettext("{affected} of 1 monitor", "{affected} of {count} monitors", len(monitors)).format(
            affected=figures.count(len(affected)), count=figures.count(len(monitors))
        ),
        lines=tuple(
            DowntimeLine(
                figures.visible(one.called),
                f"{HOME}/{one.id}",
                duration_text(downtimes[one.number][0] // SECOND),
                _outages(downtimes[one.number][1]),
            )
            for one in affected[:MOST_DOWNTIMES]
        ),
    )


def _outages(count: int) -> str:
    return ngettext("1 outage", "{count} outages", count).format(count=figures.count(count))


def line(
    monitor: Monitor, live: MonitorStatus | None, spans: Sequence[UptimeSpan], response: float | None, now: int
) -> MonitorLine:
    """A monitor as the list shows it.

    `spans` are those of the last 30 days, `response` is the average of the last 24 hours in ms.
    """
    state = state_name(live)
    day = _uptime_text(uptime(spans, now - DAY, now, now))
    return MonitorLine(
        id=monitor.id,
        name=figures.visible(monitor.called),
        href=f"{HOME}/{monitor.id}",
        target=figures.visible(monitor.url) if monitor.kind != "push" else _("Heartbeat"),
        state=state,
        state_label=state_label(live),
        since=_since(live, now),
        tags=tuple(figures.visible(tag) for tag in monitor.tags),
        hours=hours(spans, now),
        hours_said=_("Last 24 hours: {uptime}").format(uptime=day),
        uptime_day=day,
        uptime_month=_uptime_text(uptime(spans, now - DAYS * DAY, now, now)),
        response=figures.milliseconds(response) if response is not None else NOTHING,
    )


def trouble(
    live: MonitorStatus, notice: AlertNotice | None, reports: Sequence[OutageReport], person: SignedInPerson, now: int
) -> Trouble:
    """The second line of a monitor that needs attention."""
    notified = ""
    if notice is not None:
        names = ", ".join(figures.visible(name) for name in notice.channels)
        notified = _("{channels} notified at {time}").format(channels=names, time=dates.brief(notice.at, now, person))
    return Trouble(
        cause=figures.visible(live.last.error) if live.last is not None else "",
        since=_("since {time}").format(time=dates.brief(live.since, now, person)) if live.since else "",
        notified=notified,
        report=next((one for one in reports if one.is_told), None),
    )


def _uptime_text(found: WindowUptime) -> str:
    return figures.uptime(found.percentage) if found.percentage is not None else NOTHING


def hours(spans: Sequence[UptimeSpan], now: int) -> tuple[HourBar, ...]:
    """The last 24 hours, each as the worst that happened in it."""
    edges = [now - (HOURS - number) * HOUR for number in range(HOURS + 1)]
    return tuple(_hour(found) for found in uptimes(spans, edges, now))


def _hour(found: WindowUptime) -> HourBar:
    state = next((name for name in _WORST if getattr(found, name)), "unknown")
    said = figures.uptime(found.percentage) if found.percentage is not None else STATE_LABELS[state]
    return HourBar(state, said)


def _since(live: MonitorStatus | None, now: int) -> str:
    if live is None or live.state in {"new", "paused"} or not live.since:
        return ""
    return _("for {duration}").format(duration=duration_text((now - live.since) // SECOND))


def duration_text(seconds: int) -> str:
    """A duration in its two largest units, days among them: 7 d, 23 d 22 h, 2 h 5 m."""
    days, rest = divmod(max(seconds, 0), 86_400)
    if not days:
        return figures.duration(rest)
    hours = rest // 3_600
    return f"{days}{figures.NBSP}d" + (f" {hours}{figures.NBSP}h" if hours else "")


async def monitor_hits(call: Call, asked: PaletteSearch) -> Sequence[PaletteHit]:
    """Monitors by name, URL and tags, the oldest first."""
    person = call.identity.person
    if person is None or not asked.words:
        return ()
    return [
        PaletteHit("monitor", monitor.called, f"{HOME}/{monitor.id}", "pulse", monitor.masked.url)
        for monitor in call.parts[Monitors].of(person.organization_id)
        if asked.fits(monitor.called, monitor.masked.url, *monitor.tags)
        and call.identity.reaches(monitor.id, monitor.website_id)
    ]
