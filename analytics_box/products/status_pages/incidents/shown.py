"""Incidents and maintenances as procedures answer with them."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from analytics_box.products.status_pages.incident import AffectedComponent, Incident, IncidentUpdate
from analytics_box.products.status_pages.incident_rows import EarlierText
from analytics_box.products.status_pages.incidents import rules
from analytics_box.products.status_pages.incidents.messages import (
    AffectedComponentAnswer,
    EarlierTextAnswer,
    IncidentAnswer,
    IncidentUpdateAnswer,
)
from analytics_box.tenants.tenancy.messages import date

Earlier = Mapping[str, Sequence[EarlierText]]


def incident_answer(incident: Incident, now: int, earlier: Earlier | None = None) -> IncidentAnswer:
    """An incident as its organization sees it; `earlier` is what its updates said before, by their ids."""
    return IncidentAnswer(
        id=incident.id,
        status_page_id=incident.page_id,
        kind=incident.kind,
        title=incident.title,
        status=incident.status,
        severity=incident.severity,
        origin=incident.origin,
        is_draft=incident.is_draft,
        publish_at=_date(incident.publish_at),
        scheduled_for=_date(incident.scheduled_for),
        scheduled_until=_date(incident.scheduled_until),
        started_at=date(incident.started_at),
        monitoring_at=_date(incident.monitoring_at),
        resolved_at=_date(incident.resolved_at),
        created_at=date(incident.created_at),
        updated_at=date(incident.updated_at),
        updates=tuple(_update(each, (earlier or {}).get(each.id, ())) for each in incident.updates),
        affected_monitors=_affected_answers(incident.affected),
        next=rules.moves(incident, now),
    )


def _update(update: IncidentUpdate, earlier: Sequence[EarlierText]) -> IncidentUpdateAnswer:
    return IncidentUpdateAnswer(
        id=update.id,
        status=update.status,
        message=update.message,
        at=date(update.at),
        created_at=date(update.created_at),
        updated_at=date(update.updated_at),
        notified=update.notified,
        author=update.author,
        affected_monitors=_affected_answers(update.affected),
        earlier=tuple(EarlierTextAnswer(each.message, date(each.replaced_at), each.author) for each in earlier),
    )


def _affected_answers(affected: Sequence[AffectedComponent]) -> tuple[AffectedComponentAnswer, ...]:
    return tuple(AffectedComponentAnswer(each.component_id, each.name, each.impact) for each in affected)


def _date(instant: int | None) -> datetime | None:
    return None if instant is None else date(instant)
