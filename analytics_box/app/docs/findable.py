"""Pages of the manual in the palette."""

from collections.abc import Sequence

from analytics_box.app.docs.manual import ManualPages
from analytics_box.web.call import Call
from analytics_box.web.palette.hit import PaletteHit, PaletteSearch


async def manual(call: Call, asked: PaletteSearch) -> Sequence[PaletteHit]:
    """Pages of the manual by title, first sentence and synonyms."""
    if not asked.words:
        return ()
    return [
        PaletteHit("manual", cover.title, f"/docs/{cover.name}", "help")
        for cover in call.parts[ManualPages].covers
        if asked.fits(cover.title, cover.lead, cover.terms)
    ]
