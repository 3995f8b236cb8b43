"""Automatic incidents: transitions of monitors open, extend and resolve incidents, each transition once on each page.

A transition is reported again after a crash, so a page notes it in the transaction of its effect. A new incident starts
as a draft; it is published in the same transaction if it is due, so that simultaneous outages are one update.
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
from analytics_box.products.status_pages.access import touch_page
from analytics_box.products.status_pages.automatic import rules
from analytics_box.products.status_pages.directory import StatusPages
from analytics_box.products.status_pages.incident import LONGEST_TITLE, AffectedComponent, Incident
from analytics_box.products.status_pages.incidents import saying, ticking
from analytics_box.products.status_pages.incidents.change import MOST_UPDATES
from analytics_box.products.status_pages.page import StatusPage, Whole
from analytics_box.products.status_pages.seen import public_name


def note(db: Connection, page_id: str, topic: str, at: int) -> bool:
    """Note that a page processes a transition. Return False if it has already."""
    db.execute(
        """
        -- automatic.note
        insert into incident_transitions (page_id, topic, at) values (?, ?, ?) on conflict do nothing
        """,
        (page_id, topic, at),
    )
    return db.changes() > 0


def set_incident(db: Connection, page_id: str, topic: str, incident_id: str) -> None:
    """The incident that a transition opened or joined."""
    db.execute(
        "-- automatic.set_incident\nupdate incident_transitions set incident_id = ? where page_id = ? and topic = ?",
        (incident_id, page_id, topic),
    )


def firsts(db: Connection, page_id: str) -> dict[str, int]:
    """The time when the first monitor of each automatic open incident of a page went down (UTC ms), by the incident's
    id.
    """
    found = db.execute(
        """
        -- automatic.firsts
        select incident_id, min(at) from incident_transitions
        where incident_id in (select id from incidents where page_id = ? and resolved_at is null)
        group by incident_id
        """,
        (page_id,),
    ).fetchall()
    return {str(incident_id): int(str(at)) for incident_id, at in found}


def forget(db: Connection, before: int) -> None:
    """Forget transitions before this instant (UTC ms) without an open incident; they are not reported again."""
    db.execute(
        """
        -- automatic.forget
        delete from incident_transitions
        where at < ? and (incident_id is null
          or incident_id in (select id from incidents where resolved_at is not null))
        """,
        (before,),
    )


def forget_drafts(db: Connection, before: int) -> None:
    """Delete automatic drafts that ended before this instant (UTC ms) and were not published."""
    db.execute(
        """
        -- automatic.forget_drafts
        delete from incidents where origin = 'monitor' and is_draft = 1 and resolved_at < ?
        """,
        (before,),
    )


# Characters of a name in a title, and the number of names in a message.
_LONGEST_NAME: Final = 80
_NAMED: Final = 10


def title(affected: Sequence[AffectedComponent]) -> str:
    """The title of an incident, after the components that are down."""
    names = [one.name[:_LONGEST_NAME] for one in affected]
    said = names[0]
    if len(names) == 2:
        said = _("{first} and {last}").format(first=names[0], last=names[1])
    elif len(names) > 2:
        said = _("{first} and {count} more").format(first=names[0], count=len(names) - 1)
    pattern = _("{names} unavailable") if any(one.impact == "down" for one in affected) else _("{names} degraded")
    return pattern.format(names=said)[:LONGEST_TITLE]


def opening_message(affected: Sequence[AffectedComponent]) -> str:
    """The first update."""
    return (
        _("We cannot reach {names} and are investigating.")
        if any(one.impact == "down" for one in affected)
        else _("We are seeing errors from {names} and are investigating.")
    ).format(names=_names(affected))


def _names(affected: Sequence[AffectedComponent]) -> str:
    names = [one.name for one in affected]
    if len(names) > _NAMED:
        return _("{first} and {count} more").format(first=", ".join(names[:_NAMED]), count=len(names) - _NAMED)
    if len(names) == 1:
        return names[0]
    return _("{first} and {last}").format(first=", ".join(names[:-1]), last=names[-1])


# Ended drafts and processed transitions are kept that long (ms).
KEPT: Final = 30 * DAY
# Transitions of one transaction, so that others can write in between.
_BATCH: Final = 100


class AutomaticIncidents:
    """Opens and resolves incidents of the pages that show a monitor. `soon` runs after each commit."""

    def __init__(self, db: Db, pages: StatusPages, clock: Clock, soon: Callable[[], None]) -> None:
        self._db = db
        self._pages = pages
        self._clock = clock
        self._soon = soon

    async def tell(self, told: Iterable[Told]) -> None:
        """Process transitions on all pages, in their order. Raises Unavailable."""
        found = [
            (monitor, transition)
            for monitor, transition in told
            if rules.meaning(transition.what, transition.detail) and self._pages.with_monitor(monitor.id)
        ]
        for start in range(0, len(found), _BATCH):
            now, some = self._clock.now(), found[start : start + _BATCH]
            for whole in await self._db.write(partial(deal, told=some, now=now)):
                self._pages.remember(whole)
            self._soon()

    async def sweep(self) -> None:
        """Forget old transitions, and old drafts that ended without being published. Raises Unavailable."""
        before = self._clock.now() - KEPT

        def sweep(db: Connection) -> None:
            forget(db, before)
            forget_drafts(db, before)

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
    """Process transitions on all pages in the caller's transaction.

    Return the changed pages, to remember after the commit.
    """
    changed: dict[str, StatusPage] = {}
    for one in told:
        work = _open if rules.meaning(one[1].what, one[1].detail) == "opens" else _recover
        for happened in _on_pages(db, one, now):
            page = happened.page
            is_news = note(db, page.id, happened.topic, happened.at)
            is_wanted = work is _recover or page.automatic != "off"
            if is_news and is_wanted and work(db, happened):
                changed[page.id] = page
    for page in changed.values():
        ticking.publish_due(db, page, now)
    return [touch_page(db, page_id, now) for page_id in changed]


def _on_pages(db: Connection, told: Told, now: int) -> list[ComponentTransition]:
    """A transition for each page of the monitor's organization that shows it."""
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
    """Open or extend an incident for a component that is down. Return whether anything changed."""
    page, component = happened.page, happened.component
    incidents = incident_rows.incidents_of(db, page.id, 0)
    component_id = component.component_id or ""
    if rules.explaining_incident(incidents, component_id) is not None:
        return False
    before = rules.to_join(incidents, firsts(db, page.id), component_id, happened.at)
    incident = _new_incident(db, happened) if before is None else _join_incident(db, happened, before)
    set_incident(db, page.id, happened.topic, incident.id)
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
    """Add another component that is down to an incident."""
    affected = rules.with_one(before.affected, happened.component)
    before = replace(before, started_at=min(before.started_at, happened.since))
    if rules.is_unseen(before):
        return _rewritten(db, before, affected, happened.now)
    if rules.is_untouched(before):
        wrong = rules.wrong_in(affected)
        before = replace(before, title=title(wrong), severity=rules.severity_of(wrong))
    return _add_update(
        db, happened, before, affected, _("This also affects {names}.").format(names=_names((happened.component,)))
    )


def _recover(db: Connection, happened: ComponentTransition) -> bool:
    """Update the incidents of a component that has recovered. Return whether anything changed."""
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
    """Add an update, and resolve the incident if nothing is wrong in it. An unpublished draft is deleted."""
    well = replace(happened.component, impact="operational")
    affected = rules.with_one(before.affected, well)
    wrong = rules.wrong_in(affected)
    if wrong and rules.is_unseen(before):
        _rewritten(db, before, wrong, happened.now)
    elif wrong:
        _add_update(db, happened, before, affected, _("{names} back online.").format(names=_names((well,))))
    elif before.publish_at is not None and rules.is_unseen(before):
        incident_rows.INCIDENTS.delete(db, before.id)
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
    """Rewrite an unseen draft as if it had affected these components from the beginning."""
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
    """Add an update with the same status; an incident with too many updates only changes."""
    if len(before.updates) >= MOST_UPDATES:
        after = replace(before, affected=tuple(affected), updated_at=happened.now)
        incident_rows.update(db, after)
        return after
    return saying.say(db, happened.page, before, before.status, message, now=happened.now, affected=affected)
