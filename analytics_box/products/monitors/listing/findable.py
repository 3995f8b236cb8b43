"""Monitors in the palette."""

from collections.abc import Sequence

from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.monitor import HOME
from analytics_box.web.call import Call
from analytics_box.web.palette.hit import PaletteHit, PaletteSearch


async def monitors(call: Call, asked: PaletteSearch) -> Sequence[PaletteHit]:
    """Monitors by name, URL and tags, the oldest first."""
    person = call.identity.person
    if person is None or not asked.words:
        return ()
    return [
        PaletteHit("monitor", monitor.called, f"{HOME}/{monitor.id}", "pulse", monitor.masked.url)
        for monitor in call.parts[Monitors].of(person.organization_id)
        if asked.fits(monitor.called, monitor.masked.url, *monitor.tags)
    ]
