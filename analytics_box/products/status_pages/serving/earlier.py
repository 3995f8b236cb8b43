"""Incidents that are not among the latest, which a page has in memory: read from box.db, seen like all others."""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from analytics_box.products.monitors.window import spans
from analytics_box.products.status_pages import incident_rows
from analytics_box.products.status_pages.incident import Incident
from analytics_box.products.status_pages.page import Whole
from analytics_box.products.status_pages.seen import IncidentSeen
from analytics_box.products.status_pages.serving.history import newest_first
from analytics_box.products.status_pages.view import showing, sources
from analytics_box.products.status_pages.view.sources import Sources

_LONGEST_INSTANT: Final = 16  # digits of UTC ms


class Earlier:
    """Reads earlier incidents, and earlier occurrences of maintenance windows that the page announces."""

    def __init__(self, given: Sources) -> None:
        self._sources = given

    async def between(self, whole: Whole, start: int, end: int, skipped: int, most: int) -> Sequence[IncidentSeen]:
        """The incidents that began between two instants (UTC ms), newest first, each with its latest updates. The
        newest `skipped` are left out, and `most` is the limit. Raises Unavailable.
        """
        page_id, windows = whole.page.id, self._occurrences(whole, start, end)
        # Windows are in memory only, so where there are some, parts are cut after both are merged.
        first, count = (0, skipped + most) if windows else (skipped, most)
        found = await self._sources.box_db.read(
            lambda db: incident_rows.incidents_between(db, page_id, start, end, skipped=first, most=count)
        )
        merged = newest_first((*self._seen(whole, found), *windows))
        return merged[skipped - first : skipped - first + most]

    async def find(self, whole: Whole, incident_id: str) -> IncidentSeen | None:
        """A published incident of this page, or an occurrence of a window. Raises Unavailable."""
        _window, _sign, start = incident_id.partition("-")
        if start.isascii() and start.isdecimal() and len(start) < _LONGEST_INSTANT:
            at = int(start)
            return next((one for one in self._occurrences(whole, at, at + 1) if one.id == incident_id), None)
        found = await self._sources.box_db.read(lambda db: incident_rows.find(db, incident_id))
        if found is None or found.page_id != whole.page.id:
            return None
        return next(iter(self._seen(whole, (found,))), None)

    def _occurrences(self, whole: Whole, start: int, end: int) -> list[IncidentSeen]:
        """The occurrences of announced windows that began between two instants, until now."""
        now, members = self._sources.clock.now(), sources.members(self._sources, whole)
        return [
            one
            for window in sources.announced_windows(self._sources, whole, members)
            for one in showing.window_occurrences(
                window,
                [span for span in spans(window, start, end) if start <= span.start <= now],
                members,
                now,
            )
        ]

    def _seen(self, whole: Whole, found: tuple[Incident, ...]) -> Sequence[IncidentSeen]:
        """Incidents as visitors can see them, by the one check for all pages."""
        now, page = self._sources.clock.now(), replace(whole, incidents=found)
        organization = self._sources.organizations.find(whole.page.organization_id)
        members, past = sources.members(self._sources, whole), sources.unknown_past(whole, now)
        seen = showing.visible_page(page, members, past, organization, self._sources.url_of(whole.page), now)
        return (*seen.incidents, *seen.maintenances)
