"""Incidents that are not among the latest, which a page has in memory: read from box.db, seen like all others."""

from collections.abc import Sequence

from msgspec.structs import replace

from analytics_box.products.status_pages import incident_rows
from analytics_box.products.status_pages.incident import Incident
from analytics_box.products.status_pages.page import Whole
from analytics_box.products.status_pages.seen import IncidentSeen
from analytics_box.products.status_pages.view import sources
from analytics_box.products.status_pages.view.sources import Sources


class Earlier:
    """Reads what began before."""

    def __init__(self, given: Sources) -> None:
        self._sources = given

    async def between(self, whole: Whole, start: int, end: int, skipped: int, most: int) -> Sequence[IncidentSeen]:
        """The incidents that began between two instants (UTC ms), each with its latest updates. The newest `skipped`
        are left
        out, and `most` is the limit. Raises Unavailable.
        """
        page_id = whole.page.id
        found = await self._sources.box_db.read(
            lambda db: incident_rows.incidents_between(db, page_id, start, end, skipped=skipped, most=most)
        )
        return self._seen(whole, found)

    async def find(self, whole: Whole, incident_id: str) -> IncidentSeen | None:
        """An incident of this page that is no draft. Raises Unavailable."""
        found = await self._sources.box_db.read(lambda db: incident_rows.find(db, incident_id))
        if found is None or found.page_id != whole.page.id:
            return None
        return next(iter(self._seen(whole, (found,))), None)

    def _seen(self, whole: Whole, found: tuple[Incident, ...]) -> Sequence[IncidentSeen]:
        """The one check of what may be seen, of a page that has these incidents instead of its latest."""
        now = self._sources.clock.now()
        page, past = replace(whole, incidents=found), sources.unknown_past(whole, now)
        seen = sources.assemble_page(self._sources, page, sources.members(self._sources, whole), past, now)
        return (*seen.incidents, *seen.maintenances)
