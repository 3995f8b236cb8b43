"""What several questions read at once is copied once (engines/shared.py): their answers stay what they were."""

import asyncio
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from unittest.mock import Mock, patch
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from msgspec.structs import replace

from analytics_box.base.clock import DAY, MINUTE
from analytics_box.base.store.db import Connection
from analytics_box.ingest.visitors import by_client_id
from analytics_box.query.catalog import registry
from analytics_box.query.engines import shared
from analytics_box.query.engines.counting import no_limit
from analytics_box.query.engines.sql import SqlStatement
from analytics_box.query.plan import QueryPlan
from analytics_box.query.request import MAX_PARAMETERS
from analytics_box.query.run import ParameterAnswer
from tests.examples import examples
from tests.query import calendars, questions
from tests.query.facts_of_all_kinds import page_view, visit
from tests.query.stories import Story, tell
from tests.query.test_brute import OF_LINKS, OF_MONITORS
from tests.query.test_combinations import forget
from tests.query.world import World

NAMES = sorted(registry.TYPES.keys() - OF_LINKS - OF_MONITORS)
WITH_NONE = sorted(name for name in NAMES if not registry.TYPES[name].needs)


@pytest.fixture(scope="module")
def stories(world: World) -> tuple[Story, ...]:
    return tuple(tell(world, seed) for seed in range(40, 46))


@pytest.fixture
def copies() -> Iterator[list[int]]:
    """How many plans have read each copy; 0 for one that was too large."""
    read: list[int] = []
    copied = shared._copy_events

    def noted(db: Connection, plans: Sequence[QueryPlan], statements: Sequence[SqlStatement]) -> bool:
        fits = copied(db, plans, statements)
        read.append(len(plans) if fits else 0)
        return fits

    with patch.object(shared, "_copy_events", noted):
        yield read


def ask(
    story: Story, body: dict[str, object], *, together: bool, days: tuple[int, int] = (-1, 1), broken: bool = False
) -> list[ParameterAnswer]:
    """About a story, from so many days after it to so many."""
    forget(story.world)
    around = calendars.shown(story.around, ZoneInfo(story.zone)).date()
    first, last = (around + timedelta(days=after) for after in days)
    body = {"startDate": first.isoformat(), "endDate": last.isoformat(), "timeZone": story.zone, **body}
    with patch.object(shared, "FEWEST", 1 if together else 10_000):
        found = story.world.entries(body, story.scope(2, owner=True), now=story.around + 3_600_000, both=False)
    assert broken or all(entry.success for entry in found), [entry.error for entry in found]
    return sorted(found, key=lambda entry: entry.parameter)


@examples(60, unchecked=HealthCheck)
@given(data=st.data())
def test_answers_are_the_same_from_a_copy(stories: tuple[Story, ...], copies: list[int], data: st.DataObject) -> None:
    story = data.draw(st.sampled_from(stories))
    asked = data.draw(st.lists(questions.filters(story, "top_pages"), min_size=1, max_size=2))
    body: dict[str, object] = {
        "parameters": data.draw(st.lists(st.sampled_from(WITH_NONE), min_size=8, max_size=MAX_PARAMETERS, unique=True)),
        "filters": [questions.given(item) for item in asked],
    }
    days = data.draw(st.sampled_from(((-1, 1), (0, 0), (1, 1), (-1, 0))))
    assert ask(story, body, together=True, days=days) == ask(story, body, together=False, days=days)


BODY: dict[str, object] = {
    "parameters": ["summary_metrics", "top_pages", "country", "errors_by_page", "custom_events"],
    "filters": [{"field": "country", "op": "ne", "value": "Nowhere"}],
}


def test_single_copy_serves_all_queries_of_events(stories: tuple[Story, ...], copies: list[int]) -> None:
    """And another one what is asked of the visitors of other facts, of whose events few are wanted."""
    ask(stories[0], BODY, together=True)
    of_events, of_errors = copies
    assert of_events >= 4
    assert of_errors == 1


def test_ranges_apart_have_a_copy_each(stories: tuple[Story, ...], copies: list[int]) -> None:
    story = stories[0]
    day = calendars.shown(story.around, ZoneInfo(story.zone)).date()
    earlier = {"start_date": f"{day - timedelta(days=9)}", "end_date": f"{day - timedelta(days=4)}"}
    names = ["summary_metrics", "top_pages", "country"]
    body = BODY | {"parameters": [*names, *({"name": name, "id": f"earlier {name}", **earlier} for name in names)]}
    together = ask(story, body, together=True)
    assert len(copies) == 2
    assert together == ask(story, body, together=False)
    assert any(entry.data for entry in together if not entry.parameter.startswith("earlier"))


def test_sessions_that_several_ask_about_are_put_together_once(stories: tuple[Story, ...]) -> None:
    story, names = stories[0], ("summary_metrics", "session_metrics")
    day = calendars.shown(story.around, ZoneInfo(story.zone)).date()
    today = {"start_date": f"{day}", "end_date": f"{day}"}
    body = BODY | {"parameters": [*names, *({"name": name, "id": f"{name} today", **today} for name in names)]}
    tables: list[list[str]] = []
    by_sessions = shared._by_sessions

    def noted(db: Connection, table: str, plans: Sequence[QueryPlan]) -> dict[QueryPlan, SqlStatement]:
        made = by_sessions(db, table, plans)
        tables.append([str(row[0]) for row in db.execute(f"select session from temp.{table}").fetchall()])
        return made

    with patch.object(shared, "_by_sessions", noted):
        together = ask(story, body, together=True)
    assert together == ask(story, body, together=False)
    first, second = sorted(tables, key=len)
    assert 0 < len(first) < len(second)


def test_plans_are_gathered_as_long_as_others_come() -> None:
    """Those of a page are made one after the other, which takes longer than one of them waits."""
    began: list[int] = []

    async def ask(plans: int) -> None:
        gathering = shared.SharedScans(Mock())
        loop = asyncio.get_running_loop()
        tasks = []
        with patch.object(gathering, "_begin", lambda sites: began.append(len(gathering._gathering.pop(sites)))):
            for nth in range(plans):
                plan = QueryPlan(source="events", sites=(1,), start=0, end=nth)
                tasks.append(loop.create_task(gathering.rows(plan, 1.0, no_limit)))
                await asyncio.sleep(0)
            for _ in range(plans):
                await asyncio.sleep(0)
        for task in tasks:
            task.cancel()

    with patch.object(shared, "GATHERED_SECONDS", 0), patch.object(shared, "MOST_GATHERED_SECONDS", 60):
        asyncio.run(ask(plans=7))
    with patch.object(shared, "GATHERED_SECONDS", 0), patch.object(shared, "MOST_GATHERED_SECONDS", 0):
        asyncio.run(ask(plans=7))
    assert began[0] == 7
    assert len(began) > 2, "but no longer than they may be"


def test_rows_beyond_the_limit_are_not_copied_and_queries_are_still_answered(
    stories: tuple[Story, ...], copies: list[int]
) -> None:
    with patch.object(shared, "MOST_ROWS", 3):
        found = ask(stories[0], BODY, together=True)
    assert copies == [0, 0]
    assert found == ask(stories[0], BODY, together=False)


def test_nothing_is_left_of_a_copy(stories: tuple[Story, ...], copies: list[int]) -> None:
    """The next question on the same connection sees all events."""
    story = stories[0]
    plain = BODY | {"filters": []}
    before = ask(story, plain, together=False)
    with patch.object(shared, "_rows_or_refusal", side_effect=RuntimeError("broken")):  # a statement fails
        assert not all(entry.success for entry in ask(story, BODY, together=True, broken=True))
    ask(story, BODY, together=True)
    assert copies
    assert ask(story, plain, together=False) == before


def test_rows_beyond_the_range_are_copied_if_needed(world: World) -> None:
    """A session that goes on after midnight, an error whose session began before it, and somebody who comes back."""
    (site,) = world.new_sites(1)
    midnight = world.clock.now() // DAY * DAY
    ana, back = 5, by_client_id(b"", site, "back")
    error = next(fact for fact in visit(site, midnight + 3 * MINUTE) if getattr(fact, "table", "") == "errors")
    seen = [
        page_view(site, midnight - 5 * MINUTE, "/a", ana),
        page_view(site, midnight + MINUTE, "/b", ana),
        replace(error, time=midnight + 2 * MINUTE),
        page_view(site, midnight - 3 * DAY, "/", back),
        page_view(site, midnight + MINUTE, "/", back),
    ]
    world.store_facts(seen)
    names = ["summary_metrics", "session_metrics", "error_types", "errors_by_page", "new_vs_returning", "exit_pages"]
    for days_ago in (1, 0):
        day = datetime.fromtimestamp(midnight / 1000, UTC).date() - timedelta(days=days_ago)
        body: dict[str, object] = {
            "parameters": names,
            "startDate": day.isoformat(),
            "endDate": day.isoformat(),
            "filters": [{"field": "country", "op": "eq", "value": "Germany"}],
        }
        found = []
        for fewest in (1, 10_000):
            with patch.object(shared, "FEWEST", fewest):
                found.append(
                    {one.parameter: one for one in world.entries(body, (site,), now=midnight + DAY, both=False)}
                )
            forget(world)
        assert all(entry.success for entry in found[0].values())
        assert found[0] == found[1]
        assert found[0]["summary_metrics"].data[0]["bounce_rate"] == 0 or days_ago == 0
