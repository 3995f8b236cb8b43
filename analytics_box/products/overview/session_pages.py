"""A website's sessions one by one: a list, newest or most eventful first, and one session from its first signal to its
last.

Viewers see sessions as they see figures; whose they are, and what else the same visitor did, is for members.
"""

import asyncio
import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final
from urllib.parse import urlencode

from litestar.params import FromPath
from msgspec.structs import replace

from analytics_box.base import errors, figures
from analytics_box.base.facts.event import PAGE_VIEW
from analytics_box.base.translation import _, ngettext
from analytics_box.figures import page, suggesting
from analytics_box.figures.asking import PageQuery, UnansweredQuery
from analytics_box.figures.detail_view import TableState
from analytics_box.figures.related import FollowedLinks
from analytics_box.figures.view import View, read_view
from analytics_box.products.goals.lookup import active_goals
from analytics_box.products.overview.board import WEBSITE
from analytics_box.products.overview.session_stories import (
    LISTED,
    MATCHED,
    NEIGHBOURS,
    OF_SESSIONS,
    STORY,
    WORTH_A_LOOK,
    SessionLine,
    session_line,
    session_view,
)
from analytics_box.products.source_maps.stacks import original_stacks
from analytics_box.query.catalog.types import QueryType, Record
from analytics_box.query.named import GOAL
from analytics_box.query.request import QueryFilterInput
from analytics_box.tenants.websites.reach import own
from analytics_box.tenants.websites.rules import Website
from analytics_box.tenants.websites.shell import site_shell
from analytics_box.web.page.visit import Answer, Page, PageRequest, Visitor

PER_PAGE: Final = 50
# Any answer has 10,000 rows at most.
MOST_PAGES: Final = 200
# The event routes cut longer ids (ingest/payload.py).
LONGEST_ID: Final = 256
MOST_NEIGHBOURS: Final = 20
MOST_GOALS: Final = 20
SORTS: Final = {"": _("Newest first"), "interesting": _("Most eventful first")}
# The fields that a search looks at. Each is a pattern, and a query can have 20 of them.
SEARCHED: Final = (
    *("referrer", "country", "region", "city", "browser_name", "os_name", "utm_campaign"),
    *("viewed_page", "event", "error"),
)


async def session_list(visit: Visitor, website_id: FromPath[str]) -> Answer:
    """GET /sites/{id}/sessions, narrowed and sorted by its address. Raises NotFound."""
    website = own(visit.call, website_id)
    home = f"/sites/{website.id}/sessions"
    view = read_view(home, visit.request.query_params, WEBSITE)
    settled = await suggesting.redirect_with_values(visit, website.site, view)
    if settled is not None:
        return settled
    asking, board = await page.empty(visit, website.site, view)
    view = board.view
    detail = replace(view.detail, ascending=False, page=min(view.detail.page, MOST_PAGES))
    if detail.search:
        asking = replace(asking, of=OF_SESSIONS, filters=(*asking.filters, search_for(detail.search)))
    sort = detail.sort if detail.sort in SORTS else ""
    query_type = WORTH_A_LOOK if sort else LISTED
    content: dict[str, Any] = {"failed": "", "lines": (), "counted": "", "earlier": "", "later": ""}
    try:
        (count,), found = await asyncio.gather(
            asking.rows(("session_metrics",)), asking.rows((), derived=(query_type,), limit=PER_PAGE, page=detail.page)
        )
    except UnansweredQuery as failed:
        content["failed"] = _("These sessions could not be loaded: {why}").format(why=failed)
    else:
        number = int(count[0]["total_sessions"]) if count else 0
        content |= {
            "lines": _lines(found[0], asking, website, view),
            "counted": ngettext("{count} session", "{count} sessions", number).format(count=figures.count(number)),
            "earlier": view.link(detail=replace(detail, page=detail.page - 1)) if detail.page > 1 else "",
            "later": view.link(detail=replace(detail, page=detail.page + 1))
            if detail.page * PER_PAGE < number and detail.page < MOST_PAGES
            else "",
        }
    return visit.pages.show(
        "sessions.html",
        shell=site_shell(visit, "sessions", website),
        site=website,
        board=board,
        sorts=[
            (label, view.link(detail=TableState(search=detail.search, sort=name)), name == sort)
            for name, label in SORTS.items()
        ],
        fields=replace(view, detail=replace(detail, search="", page=1)).all_fields,
        search=detail.search,
        everything=view.link(detail=replace(detail, search="", page=1)),
        **content,
    )


def search_for(text: str) -> QueryFilterInput:
    """The filter that selects the session with this id, and those with the text in what is listed of them, in any
    case."""
    pattern = f"(?i){re.escape(text)}"
    fields = [QueryFilterInput(field=name, op="regex", value=pattern) for name in SEARCHED]
    return QueryFilterInput(any=[QueryFilterInput(field="session_id", op="eq", value=text), *fields])


def _lines(rows: Sequence[Record], asking: PageQuery, website: Website, view: View) -> tuple[SessionLine, ...]:
    home = f"/sites/{website.id}/session"
    return tuple(
        session_line(
            row, asking.zone, asking.formats, asking.wall, _link(view, home, row["session_id"], row["first_visit"])
        )
        for row in rows
    )


def _link(view: View, home: str, session_id: str, first_visit: str) -> str:
    """The address of a session; its range is the day on which it began, in UTC, and the days around it."""
    day = date.fromisoformat(first_visit[:10])
    of_day = replace(View(home, view.of, view.of.default, zone=view.zone), range="custom", first=day, last=day)
    return f"{of_day.link()}&{urlencode({'id': session_id})}"


async def session(visit: Visitor, website_id: FromPath[str]) -> Page:
    """GET /sites/{id}/session?id=…&from=…&to=…: all that happened in a session. Raises NotFound, and Unavailable where
    it cannot be read now."""
    website = own(visit.call, website_id)
    session_id = visit.asked("id")
    if not session_id or len(session_id) > LONGEST_ID:
        raise errors.NotFound(_("There is nothing at this address"))
    view = read_view(f"/sites/{website.id}/session", visit.request.query_params, WEBSITE)
    asking, _board = await page.empty(visit, website.site, _with_days_around(view))
    rows = await _find_sessions(asking, STORY, QueryFilterInput(field="session_id", op="eq", value=session_id))
    if not rows:
        raise errors.NotFound(_("This session does not exist or was deleted"))
    days = [datetime.fromtimestamp(one["first"] / 1000, UTC).date() for one in rows]
    row = rows[days.index(view.first)] if view.first in days else rows[0]
    others: Sequence[Record] = ()
    if visit.person.may("member") and row["visitor_id"]:
        whose = QueryFilterInput(field="anonymous_id", op="eq", value=row["visitor_id"])
        others = await _find_sessions(asking, NEIGHBOURS, whose, limit=MOST_NEIGHBOURS)
    stacks = await original_stacks(visit.call, website.id, row["parts"]["errors"])
    views = sorted(one["time"] for one in row["parts"]["events"] if one["kind"] == PAGE_VIEW)
    goals, link = await asyncio.gather(
        _reached_goals(visit, website, asking, session_id),
        visit.parts[FollowedLinks].find(visit.call, website, row["person"], views),
    )
    lines = _lines([one for one in others if one["session_id"] != row["session_id"]], asking, website, view)
    return visit.pages.show(
        "session.html",
        shell=site_shell(visit, "sessions", website),
        site=website,
        home=f"/sites/{website.id}/sessions",
        session=session_view(row, stacks, goals, asking.zone, asking.formats, asking.wall),
        link=link,
        others=lines,
        zone=asking.zone.key,
    )


async def _reached_goals(visit: PageRequest, website: Website, asking: PageQuery, session_id: str) -> list[str]:
    """The names of the goals that a session reached, of the oldest goals of its website. Raises Unavailable."""
    goals = (await active_goals(visit.parts.box_db, website.id))[:MOST_GOALS]
    own = QueryFilterInput(field="session_id", op="eq", value=session_id)
    found = await asyncio.gather(
        *(_find_sessions(asking, MATCHED, own, QueryFilterInput(field=GOAL, op="eq", value=one.id)) for one in goals)
    )
    return [one.name for one, rows in zip(goals, found, strict=True) if rows]


def _with_days_around(view: View) -> View:
    """The view with a day before and after a custom range: its zone may be another than UTC."""
    if view.first is None or view.last is None:
        return view
    return replace(view, first=view.first - timedelta(days=1), last=view.last + timedelta(days=1))


async def _find_sessions(
    asking: PageQuery, query_type: QueryType, *narrowed: QueryFilterInput, limit: int = 2
) -> Sequence[Record]:
    """The rows of a type for one session or visitor. Raises Unavailable."""
    try:
        alone = replace(asking, of=OF_SESSIONS, filters=narrowed, plain={})
        (found,) = await alone.rows((), derived=(query_type,), limit=limit)
    except UnansweredQuery as failed:
        raise errors.Unavailable(str(failed)) from failed
    return found
