"""Pages of the manual in the palette."""

from collections.abc import Sequence

from analytics_box.app.docs.manual import Manual
from analytics_box.web.call import Call
from analytics_box.web.palette.hit import Hit, Wanted


async def manual(call: Call, asked: Wanted) -> Sequence[Hit]:
    """Pages of the manual by title and first sentence."""
    if not asked.words:
        return ()
    return [
        Hit("manual", cover.title, f"/docs/{cover.name}", "help")
        for cover in call.parts[Manual].covers
        if asked.fits(cover.title, cover.lead)
    ]
