"""The demo's data directory: made once, brought up to now at each start, never a real box's."""

import json
import logging
import shutil
import stat
from pathlib import Path

import apsw
import pytest

from analytics_box.app.box import open_box
from analytics_box.app.demo import ai_requests, flags, mcp_calls
from analytics_box.app.demo import fill as demo
from analytics_box.app.demo.failures import NotADemo
from analytics_box.base.clock import DAY, HOUR, MINUTE, utc_day
from analytics_box.base.facts.event import PAGE_VIEW
from analytics_box.base.facts.tables import FACT_NAMES
from analytics_box.base.settings import Settings
from analytics_box.base.store import schema
from analytics_box.base.store.db import Db
from analytics_box.base.store.migrations import migrate
from analytics_box.ingest.enrich import EventTarget
from analytics_box.products.sample_data import history
from analytics_box.products.sample_data.arrivals import DAYS
from analytics_box.tenants.websites import rows as website_rows
from tests.app.demo.asking import ask, count
from tests.app.demo.conftest import LATER, NOW
from tests.inprocess import FixedClock

PURPOSE = "(select value from strings where id = purpose)"


def given(directory: Path, target: EventTarget) -> flags.DemoEvaluations:
    """What the flags gave between the two starts."""
    first_day = utc_day(NOW) - DAYS
    days = history.events(demo.SEED, target, first_day=first_day, start=utc_day(NOW) * DAY, end=LATER)
    box_db = Db(directory / schema.BOX_FILE, readers=1)
    try:
        made = box_db.write_now(lambda db: flags.make(db, website_rows.everything(db)[0], first_day, LATER))
    finally:
        box_db.close()
    return flags.evaluations_between(made, days, demo.SEED, start=NOW, end=LATER)


def test_a_second_start_adds_what_has_happened_since_and_keeps_the_rest(twice: tuple[Path, int]) -> None:
    directory, first = twice
    target = EventTarget(2, "inkwell.example")
    happened = history.events(demo.SEED, target, first_day=utc_day(NOW) - DAYS, start=NOW, end=LATER)
    just_now = history.just_now(demo.SEED, target, LATER)
    of_flags = given(directory, target).events
    rows = len(of_flags) + sum(event.exposure is not None for event in of_flags)
    assert rows > 50
    first_day, site = utc_day(NOW) - DAYS, target.site
    calls = [*mcp_calls.calls_between(site, demo.SEED, first_day=first_day, start=NOW, end=LATER)]
    agents = [*ai_requests.requests_between(site, demo.SEED, first_day=first_day, start=NOW, end=LATER)]
    assert count(directory) == first + len(happened) + len(just_now) + rows + len(calls) + len(agents)


def test_ai_agents_of_every_purpose_read_the_demo_each_day_in_each_format_and_meet_missing_pages(
    twice: tuple[Path, int],
) -> None:
    directory, _ = twice
    days = ask(directory, f"select {PURPOSE}, count(distinct time / 86400000) from ai_requests group by 1 order by 1")
    assert days == [(purpose, DAYS + 3) for purpose in ("on_demand", "search_index", "training")]
    formats = ask(
        directory, f"select {PURPOSE.replace('purpose', 'format')}, sum(status = 404) > 50 from ai_requests group by 1"
    )
    assert dict(formats) == {"html": 1, "markdown": 0, "llms": 0}


def test_mcp_server_of_the_demo_became_slower_with_its_second_version(twice: tuple[Path, int]) -> None:
    directory, _ = twice
    statement = (
        "select version.value, avg(duration) from mcp_calls join strings as version on version.id = server_version"
        " join strings as tool on tool.id = mcp_calls.tool where tool.value = 'search_docs' group by 1 order by 1"
    )
    (first, before), (second, after) = ask(directory, statement)
    assert (first, second) == ("1.4.0", "1.5.0")
    assert after > 1.5 * before


def test_a_box_that_opens_it_finds_nothing_amiss(
    twice: tuple[Path, int], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    directory = shutil.copytree(twice[0], tmp_path / "demo")
    open_box(Settings(data_dir=directory), FixedClock(LATER)).close()
    assert [record.message for record in caplog.records if record.levelno >= logging.WARNING] == []


def test_every_day_up_to_the_second_start_has_page_views(twice: tuple[Path, int]) -> None:
    directory, _ = twice
    days = ask(directory, "select distinct time / 86400000 from events where kind = ?", PAGE_VIEW)
    assert sorted(days) == [(day,) for day in range(utc_day(NOW) - DAYS, utc_day(LATER) + 1)]


def test_demo_starts_with_visitors_online(twice: tuple[Path, int]) -> None:
    directory, _ = twice
    statement = "select count(distinct visitor) from events where time between ? and ?"
    ((online,),) = ask(directory, statement, LATER - 5 * MINUTE, LATER)
    assert online > 3


def test_sessions_are_real_and_only_programs_have_none(twice: tuple[Path, int]) -> None:
    directory, _ = twice
    ((sessions, views, lonely),) = ask(
        directory, "select count(distinct session), sum(kind = 1), sum(session = 0) from events where bot = 0"
    )
    assert 1.5 < views / sessions < 3
    assert lonely == 0
    ((held, theirs),) = ask(directory, "select count(*), sum(session <> 0) from events where bot <> 0")
    assert (held > DAYS, theirs) == (True, 0)


# Calls of MCP tools and requests of AI agents have no visitor.
OF_VISITORS = [name for name in FACT_NAMES if name not in {"events", "mcp_calls", "ai_requests"}]


@pytest.mark.parametrize("table", OF_VISITORS)
def test_measurements_belong_to_sessions_and_places(twice: tuple[Path, int], table: str) -> None:
    """Refunds and cancellations come after the session."""
    directory, _ = twice
    during = "amount > 0" if table == "transactions" else "true"
    ((number, lonely, placed),) = ask(
        directory, f"select count(*), sum(session = 0), avg(country <> 0) from {table} where {during}"
    )
    assert number > 100
    assert lonely == 0
    assert placed > 0.9


@pytest.mark.thorough
def test_two_demos_have_the_same_numbers(twice: tuple[Path, int], another: Path) -> None:
    directory, first = twice
    assert count(another) == first
    statement = "select max(id), sum(visitor % 1000), sum(path), sum(engaged), sum(city) from events where time < ?"
    assert ask(another, statement, NOW) == ask(directory, statement, NOW)
    checks = (
        "select monitor, count(*), sum(count), sum(total), sum(time), sum(bin) from checks where time < ? group by 1"
    )
    assert ask(another, checks, NOW) == ask(directory, checks, NOW)
    spans = "select monitor, state, start from monitor_spans where start < ? order by 1, 3"
    assert ask(another, spans, NOW) == ask(directory, spans, NOW)


def test_a_start_right_after_another_adds_nothing_twice(once: Path, tmp_path: Path) -> None:
    directory = tmp_path / "again"
    shutil.copytree(once, directory)
    assert demo.fill(directory, NOW) == demo.fill(directory, NOW)
    assert count(directory) == count(once)
    counted = "select sum(count) from flag_counts"
    assert ask(directory, counted, file=schema.BOX_FILE) == ask(once, counted, file=schema.BOX_FILE)
    everything = "select count(*), sum(time) from checks union all select count(*), sum(start) from monitor_spans"
    assert ask(directory, everything) == ask(once, everything)


def test_password_is_random_stable_and_readable_by_its_owner_only(
    once: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = tmp_path / "again"
    shutil.copytree(once, directory)
    password = json.loads((directory / demo.FILE).read_bytes())["password"]
    assert demo.fill(directory, NOW + HOUR).password == password
    monkeypatch.setattr(history, "events", lambda *_given, **_of: [])
    (tmp_path / "other").mkdir()
    assert demo.fill(tmp_path / "other", NOW).password != password
    assert stat.S_IMODE((directory / demo.FILE).stat().st_mode) == 0o600


def test_a_real_box_is_left_alone(tmp_path: Path) -> None:
    migrate(tmp_path)
    before = sorted(path.name for path in tmp_path.iterdir())
    with pytest.raises(NotADemo, match="not from a demo"):
        demo.fill(tmp_path, NOW)
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    assert count(tmp_path) == 0


def test_links_are_followed_by_people_who_then_come_to_the_website(twice: tuple[Path, int]) -> None:
    directory, _ = twice
    kinds = dict(ask(directory, "select kind, count(*) from link_clicks group by kind"))
    assert set(kinds) == {1, 2, 3, 4, 5}
    assert dict(ask(directory, "select link, clicks from link_totals")) == dict(
        ask(directory, "select link, count(*) from link_clicks where kind = 1 group by link")
    )
    ((landed, all_of_them),) = ask(
        directory,
        "select count(case when exists (select 1 from events where site = landing and visitor = landing_visitor"
        " and events.time between click.time and click.time + 5000) then 1 end), count(*)"
        " from link_clicks as click where landing <> 0 and kind = 1",
    )
    assert landed == all_of_them > 500
    ((newest,),) = ask(directory, "select max(time) from link_clicks")
    assert newest > NOW


def test_the_links_are_made_once(twice: tuple[Path, int]) -> None:
    directory, _ = twice
    db = apsw.Connection(str(directory / schema.BOX_FILE))
    try:
        assert db.execute("select count(*), count(distinct slug) from links").fetchall() == [(6, 6)]
        assert db.execute("select count(*) from link_folders").fetchall() == [(1,)]
    finally:
        db.close()


def test_quarantined_events_are_dropped_traffic_of_their_day(twice: tuple[Path, int]) -> None:
    directory, _ = twice
    held = ask(
        directory,
        "select site, time / 86400000 as day, (select value from strings where id = bot), count(*) from events "
        "where bot <> 0 group by 1, 2, 3 order by 1, 2, 3",
    )
    assert len(held) > DAYS / 2
    assert ask(directory, "select site, day, reason, count from drops order by 1, 2, 3") == held


def test_nothing_happens_to_a_link_before_it_was_created(twice: tuple[Path, int]) -> None:
    directory, _ = twice
    created = dict(ask(directory, "select number, created_at from links", file=schema.BOX_FILE))
    clicked = ask(directory, "select link, min(time) from link_clicks group by link")
    assert clicked
    assert all(created[link] <= first for link, first in clicked)
    ((website,),) = ask(directory, "select created_at from websites", file=schema.BOX_FILE)
    ((oldest,),) = ask(directory, "select min(time) from events")
    assert website <= oldest
