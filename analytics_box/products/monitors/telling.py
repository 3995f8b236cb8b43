"""The connection to alert rules: monitors for them to watch, and state transitions as occurrences, each once, even
after a crash.
"""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Final, Literal

from analytics_box.base import figures
from analytics_box.base.clock import SECOND, Clock
from analytics_box.base.store.db import Db
from analytics_box.base.translation import _
from analytics_box.products.alerts import telling
from analytics_box.products.alerts.alert_rule import MonitorName, MonitorsOfOrganization, Occurrence, monitor_subject
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.engine import State
from analytics_box.products.monitors.monitor import HOME, Monitor
from analytics_box.products.monitors.running.rows import Transition

_TITLES = {
    "down": _("Health check failed: {name}"),
    "recovered": _("Health check passed: {name}"),
    "degraded": _("Degraded: {name}"),
    "flapping": _("Flapping: {name}"),
    "stable": _("Stable again: {name}"),
    "certificate": _("Certificate expires in {days} days: {name}"),
}
_TEXTS = {
    "down": _("{name} is down. {error}"),
    "recovered": _("{name} is up again."),
    "degraded": _("{name} is degraded. {error}"),
    "flapping": _("{name} keeps going up and down. The next alert follows when it has been stable for 12 checks."),
    "stable": _("{name} has been stable for 12 checks."),
    "certificate": _("Renew the certificate of {name} before it expires."),
}


_LONGEST: Final = 500  # characters of an error
_AT_ONCE: Final = 100  # in one transaction, so that others may write in between


Told = tuple[Monitor, Transition]
Also = Callable[[Sequence[Told]], Awaitable[None]]


class Teller:
    """Gives transitions to the alert rules of their organizations, and after them to what `also` is to know of them.

    `soon` runs after the commit. Both can get a transition again, and identify it by its id.
    """

    def __init__(self, box_db: Db, monitors: Monitors, clock: Clock, public_url: str, soon: Callable[[], None]) -> None:
        self._box_db = box_db
        self._monitors = monitors
        self._clock = clock
        self._public_url = public_url
        self._soon = soon
        self.also: Also | None = None

    async def tell(self, transitions: Sequence[Transition]) -> None:
        """Tell them. What is muted, and what is about monitors that are gone, is not told. Raises Unavailable."""
        known = [
            (monitor, one)
            for one in transitions
            if not one.detail.muted and (monitor := self._monitors.numbered(one.number)) is not None
        ]
        if not known:
            return
        found = [occurrence(monitor, one, self._public_url) for monitor, one in known]
        now = self._clock.now()
        for start in range(0, len(found), _AT_ONCE):
            some = found[start : start + _AT_ONCE]
            if await self._box_db.write(partial(telling.tell_all, occurrences=some, now=now)):
                self._soon()
        if self.also is not None:
            await self.also(known)


def occurrence(monitor: Monitor, transition: Transition, public_url: str) -> Occurrence:
    """The occurrence of a transition, with its texts."""
    detail, name = transition.detail, monitor.called
    said = {"name": name, "days": str(detail.days), "error": detail.error[:_LONGEST] or _("The last check failed.")}
    lasted = figures.duration(max(transition.at - detail.since, 0) // SECOND)
    fields = [(_("Target"), monitor.masked.url)] if monitor.kind != "push" else []
    if detail.http_code:
        fields.append((_("Answer"), str(detail.http_code)))
    if transition.what in {"down", "degraded"} and lasted:
        fields.append((_("Since"), _("{duration} before this message").format(duration=lasted)))
    still: Literal["down", "degraded"] | None = None
    if transition.what == "stable" and detail.state in ("down", "degraded"):
        still = detail.state
    return Occurrence(
        topic=f"monitor:{monitor.id}:{transition.id}",
        subject=monitor_subject(monitor.id),
        what=transition.what,
        organization_id=monitor.organization_id,
        at=transition.at,
        title=(
            _("Certificate expires in 1 day: {name}")
            if transition.what == "certificate" and detail.days == 1
            else _TITLES[still or transition.what]
        ).format(**said),
        text=_TEXTS[still or transition.what].format(**said),
        fields=tuple(fields),
        url=f"{public_url}{HOME}/{monitor.id}",
        still=still,
        website_id=monitor.website_id,
        monitor_id=monitor.id,
        group=monitor.group,
        tags=monitor.tags,
    )


def monitors_for_alerts(monitors: Monitors) -> MonitorsOfOrganization:
    """Lookups in the directory of monitors that alert rules need."""

    def of(organization_id: str) -> list[MonitorName]:
        return [MonitorName(one.id, one.called, one.group, one.tags) for one in monitors.of(organization_id)]

    def is_down(website_id: str) -> bool:
        return _state(monitors, monitors.of_website(website_id)) in {"down", "maintenance"}

    def rests(monitor_id: str) -> bool:
        found = monitors.find(monitor_id)
        if found is None or _state(monitors, found) in {"up", "unknown", "maintenance", "paused"}:
            return True
        above = monitors.find(found.parent_id) if found.parent_id is not None else None
        return _state(monitors, above) in {"verifying", "down"}

    return MonitorsOfOrganization(of, is_down, rests)


def _state(monitors: Monitors, found: Monitor | None) -> State | None:
    live = monitors.state_of(found) if found is not None else None
    return live.state if live is not None else None
