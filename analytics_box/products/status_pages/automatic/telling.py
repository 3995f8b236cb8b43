"""From transitions of monitors to incidents of status pages: each transition once on each page, whatever breaks.

The box tells a transition again after a crash, so a page notes in one transaction that it has dealt with it and what
it did. All that opens begins as a draft nobody has seen; it is published in the same transaction where its time has
come already, so what goes down together is one update.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import ids
from analytics_box.base.clock import DAY, MINUTE, Clock
from analytics_box.base.store.db import Connection, Db
from analytics_box.base.translation import _
from analytics_box.products.monitors.telling import Told
from analytics_box.products.status_pages import incident_rows
from analytics_box.products.status_pages import rows as page_rows
from analytics_box.products.status_pages.automatic import rows, rules
from analytics_box.products.status_pages.directory import StatusPages
from analytics_box.products.status_pages.incident import LONGEST_TITLE, AffectedComponent, Incident
from analytics_box.products.status_pages.incidents import saying, ticking
from analytics_box.products.status_pages.incidents.change import MOST_UPDATES
from analytics_box.products.status_pages.page import StatusPage, Whole
from analytics_box.products.status_pages.saving import touch_page
from analytics_box.products.status_pages.visibility import public_name

_LONGEST_NAME: Final = 80  # characters of a title
_NAMED: Final = 10  # in a message


def title(affected: Sequence[AffectedComponent]) -> str:
    """The title of an incident, after the components that are down."""
    names = [one.name[:_LONGEST_NAME] for one in affected]
    said = names[0]
    if len(names) == 2:
        said = _("{first} and {last}").format(first=names[0], last=names[1])
    elif len(names) > 2:
        said = _("{first} and {count} more").format(first=names[0], count=len(names) - 1)
    pattern = _("{names} unavailable") if _is_down(affected) else _("{names} degraded")
    return pattern.format(names=said)[:LONGEST_TITLE]


def opening_message(affected: Sequence[AffectedComponent]) -> str:
    """The first update."""
    return (
        _("We cannot reach {names} and are investigating.")
        if _is_down(affected)
        else _("We are seeing errors from {names} and are investigating.")
    ).format(names=_names(affected))


def joining_message(affected: Sequence[AffectedComponent]) -> str:
    """The text of an update: further components are down."""
    return _("This also affects {names}.").format(names=_names(affected))


def partial_recovery_message(affected: Sequence[AffectedComponent]) -> str:
    """The text of an update: these components have recovered, others have not."""
    return _("{names} back online.").format(names=_names(affected))


def _is_down(affected: Sequence[AffectedComponent]) -> bool:
    return any(one.impact == "down" for one in affected)


def _names(affected: Sequence[AffectedComponent]) -> str:
    names = [one.name for one in affected]
    if len(names) > _NAMED:
        return _("{first} and {count} more").format(first=", ".join(names[:_NAMED]), count=len(names) - _NAMED)
    if len(names) == 1:
        return names[0]
    return _("{first} and {last}").format(first=", ".join(names[:-1]), last=names[-1])


KEPT: Final = 30 * DAY  # ms for which drafts that have ended, and what was told, are kept
_AT_ONCE: Final = 100  # in one transaction, so that others may write in between


class AutomaticIncidents:
    """Opens and resolves incidents of the pages that show a monitor. `soon` is called after a commit."""

    def __init__(self, db: Db, pages: StatusPages, clock: Clock, soon: Callable[[], None]) -> None:
        self._db = db
        self._pages = pages
        self._clock = clock
        self._soon = soon

    async def tell(self, told: Iterable[Told]) -> None:
        """Let the pages deal with what happened, in its order. Raises Unavailable."""
        found = [
            (monitor, transition)
            for monitor, transition in told
            if rules.meaning(transition.what, transition.detail) and self._pages.with_monitor(monitor.id)
        ]
        for start in range(0, len(found), _AT_ONCE):
            now, some = self._clock.now(), found[start : start + _AT_ONCE]
            for whole in await self._db.write(partial(deal, told=some, now=now)):
                self._pages.remember(whole)
            self._soon()

    async def sweep(self) -> None:
        """Forget what was told long ago, and drafts that ended long ago without being published. Raises Unavailable."""
        before = self._clock.now() - KEPT

        def sweep(db: Connection) -> None:
            rows.forget(db, before)
            rows.forget_drafts(db, before)

        await self._db.write(sweep)


class ComponentTransition(Struct, frozen=True):
    """A transition that affects a component of a page; times are UTC ms."""

    page: StatusPage
    component: AffectedComponent
    topic: str
    at: int
    since: int
    now: int


def deal(db: Connection, told: Sequence[Told], now: int) -> list[Whole]:
    """Do on all pages what follows of transitions that mean something, in the caller's transaction; what has changed.

    Remember them after the commit.
    """
    changed: dict[str, StatusPage] = {}
    for one in told:
        work = _open if rules.meaning(one[1].what, one[1].detail) == "opens" else _recover
        for happened in _on_pages(db, one, now):
            page = happened.page
            is_news = rows.note(db, page.id, happened.topic, happened.at)
            is_wanted = work is _recover or page.automatic != "off"
            if is_news and is_wanted and work(db, happened):
                changed[page.id] = page
    for page in changed.values():
        ticking.publish_due(db, page, now)
    return [touch_page(db, page_id, now) for page_id in changed]


def _on_pages(db: Connection, told: Told, now: int) -> list[ComponentTransition]:
    """A transition as the pages of the monitor's own organization see it."""
    monitor, transition = told
    since, found = transition.detail.since, []
    at = min(transition.at, now)
    for component in page_rows.COMPONENTS.all(db, "monitor_id = ?", monitor.id):
        page = page_rows.PAGES.find(db, component.page_id)
        if page is not None and page.organization_id == monitor.organization_id:
            name = public_name(component, monitor)
            affected = AffectedComponent(component_id=component.id, name=name, impact="down")
            topic = f"monitor:{monitor.id}:{transition.id}"
            found.append(ComponentTransition(page, affected, topic, at, min(since or at, at), now))
    return found


def _open(db: Connection, happened: ComponentTransition) -> bool:
    """A component is down: whether that changed an incident, or made one."""
    page, component = happened.page, happened.component
    incidents = incident_rows.incidents_of(db, page.id, 0)
    component_id = component.component_id or ""
    if rules.explaining_incident(incidents, component_id) is not None:
        return False
    before = rules.to_join(incidents, rows.firsts(db, page.id), component_id, happened.at)
    incident = _new_incident(db, happened) if before is None else _join_incident(db, happened, before)
    rows.set_incident(db, page.id, happened.topic, incident.id)
    return True


def _new_incident(db: Connection, happened: ComponentTransition) -> Incident:
    page, now = happened.page, happened.now
    affected = (happened.component,)
    made = Incident(
        id=ids.new_id(),
        page_id=page.id,
        kind="incident",
        title=title(affected),
        status="investigating",
        severity=rules.severity_of(affected),
        origin="monitor",
        is_draft=True,
        publish_at=happened.at + page.publish_after * MINUTE if page.automatic == "publish" else None,
        started_at=happened.since,
        created_at=now,
        updated_at=now,
        affected=affected,
    )
    return saying.begin(db, page, made, opening_message(affected), now=now)


def _join_incident(db: Connection, happened: ComponentTransition, before: Incident) -> Incident:
    """Another component is down that belongs to an incident."""
    affected = rules.with_one(before.affected, happened.component)
    before = replace(before, started_at=min(before.started_at, happened.since))
    if rules.is_unseen(before):
        return _rewritten(db, before, affected, happened.now)
    if rules.is_untouched(before):
        wrong = rules.wrong_in(affected)
        before = replace(before, title=title(wrong), severity=rules.severity_of(wrong))
    return _add_update(db, happened, before, affected, joining_message((happened.component,)))


def _recover(db: Connection, happened: ComponentTransition) -> bool:
    """A component is back: whether that changed an incident."""
    component_id = happened.component.component_id or ""
    own = [
        incident
        for incident in incident_rows.incidents_of(db, happened.page.id, 0)
        if incident.origin == "monitor" and rules.impact_in(incident, component_id) not in {None, "operational"}
    ]
    for incident in own:
        _recover_in(db, happened, incident)
    return bool(own)


def _recover_in(db: Connection, happened: ComponentTransition, before: Incident) -> None:
    """Say so, and end an incident in which nothing is wrong any more. What nobody was to see yet is gone."""
    well = replace(happened.component, impact="operational")
    affected = rules.with_one(before.affected, well)
    wrong = rules.wrong_in(affected)
    if wrong and rules.is_unseen(before):
        _rewritten(db, before, wrong, happened.now)
    elif wrong:
        _add_update(db, happened, before, affected, partial_recovery_message((well,)))
    elif before.publish_at is not None and rules.is_unseen(before):
        incident_rows.delete(db, before.id)
    else:
        saying.say(
            db,
            happened.page,
            before,
            "resolved",
            _("All affected services are back online."),
            now=happened.now,
        )


def _rewritten(db: Connection, before: Incident, affected: Sequence[AffectedComponent], now: int) -> Incident:
    """A draft that nobody has seen, as if it had been about these components from the beginning."""
    update = replace(before.updates[0], message=opening_message(affected), affected=tuple(affected), updated_at=now)
    after = replace(
        before,
        title=title(affected),
        severity=rules.severity_of(affected),
        updated_at=now,
        updates=(update,),
        affected=tuple(affected),
    )
    incident_rows.rewrite_update(db, update)
    incident_rows.update(db, after)
    return after


def _add_update(
    db: Connection, happened: ComponentTransition, before: Incident, affected: Sequence[AffectedComponent], message: str
) -> Incident:
    """Another update in the state that it has; one with too many of them only changes."""
    if len(before.updates) >= MOST_UPDATES:
        after = replace(before, affected=tuple(affected), updated_at=happened.now)
        incident_rows.update(db, after)
        return after
    return saying.say(db, happened.page, before, before.status, message, now=happened.now, affected=affected)
