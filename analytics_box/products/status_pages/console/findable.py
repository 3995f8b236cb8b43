"""Status pages in the palette."""

from collections.abc import Sequence

from analytics_box.products.status_pages.directory import StatusPages
from analytics_box.web.call import Call
from analytics_box.web.palette.hit import PaletteHit, PaletteSearch


async def status_pages(call: Call, asked: PaletteSearch) -> Sequence[PaletteHit]:
    """Status pages by name, slug and domain, the oldest first."""
    person = call.identity.person
    if person is None or not asked.words:
        return ()
    return [
        PaletteHit(
            "status", whole.page.name, f"/status-pages/{whole.page.id}", "status", whole.page.domain or whole.page.slug
        )
        for whole in call.parts[StatusPages].of(person.organization_id)
        if asked.fits(whole.page.name, whole.page.slug, whole.page.domain or "")
    ]
