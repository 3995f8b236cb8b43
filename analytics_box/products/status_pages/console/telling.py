"""Who would be told of what a form says."""

from collections.abc import Mapping

from analytics_box.base.store.db import Connection
from analytics_box.base.texts import IncidentConsole, figures
from analytics_box.products.status_pages.console.frame import Opened
from analytics_box.products.status_pages.console.incident_fields import impacts_in
from analytics_box.products.status_pages.incident import Affected, Impact, Incident, Kind, Status, Update
from analytics_box.products.status_pages.subscribers import outbox


async def told_text(
    page: Opened, fields: Mapping[str, str], incident: Incident | None = None, *, kind: Kind = "incident"
) -> str:
    """How many subscribers are told of an update with the components of a form, in words."""
    if not fields.get("notify"):
        return IncidentConsole.not_told_now
    affected = _affected(page, impacts_in(fields))
    return told_words(await told(page, affected, incident, kind=kind))


async def told(
    page: Opened, affected: tuple[Affected, ...], incident: Incident | None = None, *, kind: Kind = "incident"
) -> int:
    """How many subscribers an update about these components tells."""
    status: Status = "investigating" if kind == "incident" else "scheduled"
    whole = page.whole.page
    about = incident or Incident(id="", page_id=whole.id, kind=kind, title="", status=status)
    update = Update(
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


def told_words(count: int) -> str:
    """How many are told, in words."""
    words = IncidentConsole
    return words.told[count == 1].format(count=figures.count(count)) if count else words.nobody_told


def _affected(page: Opened, impacts: Mapping[str, Impact]) -> tuple[Affected, ...]:
    return tuple(
        Affected(component_id=one.id, name=one.name, impact=impacts[one.id])
        for one in page.seen.components
        if one.id in impacts
    )
