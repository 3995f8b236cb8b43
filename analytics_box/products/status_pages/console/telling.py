"""The number of subscribers that a form would notify."""

from collections.abc import Mapping

from analytics_box.base import figures
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _, ngettext
from analytics_box.products.status_pages.console.frame import ConsolePage
from analytics_box.products.status_pages.console.incident_fields import impacts_in
from analytics_box.products.status_pages.incident import (
    AffectedComponent,
    Impact,
    Incident,
    IncidentUpdate,
    Kind,
    Status,
)
from analytics_box.products.status_pages.subscribers import outbox


async def notified_text(
    page: ConsolePage, fields: Mapping[str, str], incident: Incident | None = None, *, kind: Kind = "incident"
) -> str:
    """The number of subscribers that a form's update notifies, in words."""
    if not fields.get("notify"):
        return _("No subscribers are notified.")
    affected = _affected_components(page, impacts_in(fields))
    return notified_words(await count_notified(page, affected, incident, kind=kind))


async def count_notified(
    page: ConsolePage,
    affected: tuple[AffectedComponent, ...],
    incident: Incident | None = None,
    *,
    kind: Kind = "incident",
) -> int:
    """The number of subscribers that an update about these components notifies."""
    status: Status = "investigating" if kind == "incident" else "scheduled"
    whole = page.whole.page
    about = incident or Incident(id="", page_id=whole.id, kind=kind, title="", status=status)
    update = IncidentUpdate(
        id="",
        incident_id=about.id,
        status=about.status,
        message="",
        at=0,
        created_at=0,
        updated_at=0,
        affected=affected,
    )

    def count(db: Connection) -> int:
        return outbox.preview(db, whole, about, update)

    return await page.visit.call.read(count)


def notified_words(count: int) -> str:
    """The number of notified subscribers, in words."""
    if not count:
        return _("No subscribers are notified, because none follow these components.")
    return ngettext("1 subscriber is notified.", "{count} subscribers are notified.", count).format(
        count=figures.count(count)
    )


def _affected_components(page: ConsolePage, impacts: Mapping[str, Impact]) -> tuple[AffectedComponent, ...]:
    return tuple(
        AffectedComponent(component_id=one.id, name=one.name, impact=impacts[one.id])
        for one in page.seen.components
        if one.id in impacts
    )
