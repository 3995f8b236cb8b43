"""Saved questions in the palette: each leads to its answer in the API explorer."""

from collections.abc import Sequence

from analytics_box.figures.explorer import view
from analytics_box.figures.explorer.question import QUESTIONS, Question
from analytics_box.tenants.saved.findable import kept
from analytics_box.web.call import Call
from analytics_box.web.palette.hit import Hit, Wanted


async def questions(call: Call, asked: Wanted) -> Sequence[Hit]:
    """Saved questions by name."""
    return await kept(call, asked, QUESTIONS, "table", _address)


def _address(one: Question) -> str:
    return view.address(view.read(view.path_of(one.website_id), one.content))
