"""Every field that a type shows can be sorted by, both ways and page by page, unless the type does not list it."""

from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from msgspec.structs import replace as replaced

from analytics_box.base.store.db import Connection
from analytics_box.base.store.strings import Strings
from analytics_box.products.links.clicks import rows as click_rows
from analytics_box.query.catalog import registry
from tests.cases import each
from tests.examples import is_thorough, some
from tests.query import calendars
from tests.query.brute.facts import Filter, Question, Row
from tests.query.brute.order import in_order
from tests.query.checks_of_all_kinds import store_a_monitor
from tests.query.clicks_of_all_kinds import click, clicks_of_all_kinds
from tests.query.facts_of_all_kinds import visit
from tests.query.questions import Asked, ask
from tests.query.stories import Story, tell
from tests.query.world import World

SEED = 4
# JSON, values from a second look at the found rows, values that repeat or follow from another field, such as an agent's
# operator, and the kind of a source, which follows from its host by rules that no engine knows.
REFUSED: dict[str, set[str]] = {
    "ai_agent_pages": {"format", "pageviews", "visitors"},
    "ai_crawlers": {"about", "name", "operator", "verified"},
    "interesting_sessions": {"errors"},
    "profile_list": {"user_agent", "country", "region", "device_type", "browser_name", "os_name", "referrer"},
    "profile_sessions": {"duration_formatted"},
    "revenue_by_ai_product": {"name"},
    "revenue_by_device": {"name"},
    "revenue_attribution_overview": {"name"},
    "link_top_referrers": {"referrer_type"},
    "top_referrers": {"referrer_type"},
    "traffic_sources": {"referrer_type"},
}
NEEDED: dict[str, Filter] = {
    "session_id": ("session_id", "eq", ["s1"]),
    "anonymous_id": ("anonymous_id", "eq", ["ann"]),
    "message": ("path", "eq", ["/a"]),
    "flag": ("flag", "eq", ["new"]),
    "funnel": ("funnel", "eq", ["f"]),
    "activation_event": ("activation_event", "eq", ["a"]),
    "return_event": ("return_event", "eq", ["a"]),
    "horizon_days": ("horizon_days", "eq", ["7"]),
    "observation_end": ("observation_end", "eq", ["2026-06-30"]),
}
SOURCES = ("YouTube", "ChatGPT", "Gmail", "news.example", "newsletter", "b c.d", 'a"b', "Unknown", "youtube.com")


@pytest.fixture(scope="module")
def story(world: World) -> Story:
    """A story that goes on until now, with clicks on a short link, whose number is that of the first website,
    and with a monitor of the same number."""
    told = tell(world, SEED)
    world.store_facts(visit(min(told.websites), now(told)))
    world.db.write_now(lambda db: _click(db, told))
    store_a_monitor(world.db, min(told.websites), now(told))
    return told


def now(story: Story) -> int:
    return story.around + 60 * calendars.MINUTE


def _click(db: Connection, story: Story) -> None:
    link, at = min(story.websites), story.around
    clicks = clicks_of_all_kinds(link, at, landing=link, visitor=link * 16 + 1)
    clicks += [click(link, at + turn, source=source, visitor=turn % 4) for turn, source in enumerate(SOURCES)]
    clicks += [click(link, at, country="", region="", city="Atlantis", device="", browser="")]
    click_rows.append(db, strings=Strings(), clicks=clicks, orphans={})


def about(story: Story, name: str) -> Asked:
    """A question about both websites and all days of a story."""
    known = registry.TYPES[name]
    tz = ZoneInfo(story.zone)
    day = calendars.shown(story.around, tz).date()
    filters = tuple(NEEDED[item] for item in known.full_needs)
    question = Question(day - timedelta(days=1), day + timedelta(days=2), tz, filters, now=now(story))
    scope = replaced(story.scope(2, owner=True), subject=known.subject)
    return Asked(name, question, scope)


def rows(story: Story, name: str, *, both: bool | None = None, **more: Any) -> list[Row]:
    asked = about(story, name)
    return ask(story, Asked(asked.type, asked.question, asked.scope, **more), both=both).data


def fields(name: str) -> list[str]:
    return [output.name for output in registry.TYPES[name].outputs if output.type != "json"]


@each("name", sorted(registry.TYPES))
def test_a_type_sorts_by_all_that_it_shows_but_what_it_does_not_list(name: str) -> None:
    assert set(registry.TYPES[name].sortable) == set(fields(name)) - REFUSED.get(name, set())


@pytest.mark.parametrize("name", sorted(registry.TYPES))
def test_rows_are_in_the_order_of_what_they_show_and_so_are_pages(story: Story, name: str) -> None:
    """Both engines are asked one way of each field, in an ordinary run SQLite alone of most, and of some fields; SQLite
    the other way, too, in a thorough run."""
    whole = rows(story, name, both=True)
    for turn, field in enumerate(some(registry.TYPES[name].sortable, 3)):
        usual = turn % 2 == 0
        for descending in (usual, not usual) if is_thorough() else (usual,):
            both = None if descending == usual else False
            found = rows(story, name, both=both, sort_by=field, descending=descending)
            wanted = in_order(whole, field, descending=descending)
            assert [row[field] for row in found] == [row[field] for row in wanted], (field, descending)
            if any(isinstance(row[field], float) for row in whole):  # what is equal once rounded may not have been
                assert sorted(map(repr, found)) == sorted(map(repr, whole)), (field, descending)
            else:
                assert found == wanted, (field, descending)
            if descending == usual and turn % 3 == 0:  # pages of some: they are made the same way of all
                both = None if turn == 0 else False
                pages = paged(story, name, len(found), both=both, sort_by=field, descending=descending)
                assert pages == found, field
    after = len(whole) + 1
    assert rows(story, name, limit=1, page=after) == []


def paged(story: Story, name: str, how_many: int, **way: Any) -> list[Row]:
    """The rows of two pages, or of the one that there is."""
    limit = max(1, -(-how_many // 2))
    pages = [rows(story, name, limit=limit, page=page + 1, **way) for page in range(-(-how_many // limit))]
    return [row for page in pages for row in page]
