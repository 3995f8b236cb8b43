"""Saved questions in the palette: each leads to its answer in the API explorer."""

from collections.abc import Sequence

from analytics_box.figures.explorer import view
from analytics_box.figures.explorer.question import QUESTIONS, Question
from analytics_box.tenants.saved.verbs import saved_hits
from analytics_box.web.call import Call
from analytics_box.web.palette.hit import PaletteHit, PaletteSearch


async def questions(call: Call, asked: PaletteSearch) -> Sequence[PaletteHit]:
    """Saved questions by name."""
    return await saved_hits(call, asked, QUESTIONS, "table", _address)


def _address(one: Question) -> str:
    return view.address(view.read_query(view.path_of(one.website_id), one.content))
