"""Saved questions in the palette: each leads to its answer in the API explorer."""

from collections.abc import Sequence

from analytics_box.http.call import Call
from analytics_box.palette.hit import Hit, Wanted
from analytics_box.query_pages import view
from analytics_box.query_pages.question import QUESTIONS, Question
from analytics_box.saved.findable import kept


async def questions(call: Call, asked: Wanted) -> Sequence[Hit]:
    """Saved questions by name."""
    return await kept(call, asked, QUESTIONS, "table", _address)


def _address(one: Question) -> str:
    return view.address(view.read(view.path_of(one.website_id), one.content))
