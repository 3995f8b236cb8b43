"""The history of a page goes back month by month, also while box.db is busy."""

import pytest
from markupsafe import Markup
from msgspec.structs import replace

from analytics_box.products.status_pages import markdown
from analytics_box.products.status_pages.serving.history import Month
from tests.cases import each
from tests.products.status_pages.serving.examples import DAY, ENDED, NOW, ONGOING, update
from tests.products.status_pages.serving.world import World

LAST_YEAR = replace(ENDED, id="incident-old", title="An old story", started_at=NOW - 365 * DAY)


def test_a_month_has_what_began_in_it_newest_first(world: World) -> None:
    shown = world.get("history/2026-11").body.decode()
    places = [shown.index(title) for title in ("New database servers", "Requests to the API fail", "Slow pages")]
    assert places == sorted(places)
    assert "No incidents in this month." in world.get("history/2026-09").body.decode()


def test_history_links_to_adjacent_months_with_entries(world: World) -> None:
    this = world.get("history").body.decode()
    assert 'href="/status/acme/history/2026-10"' in this
    assert "history/2026-12" not in this
    first = world.get("history/2025-10").body.decode()
    assert 'href="/status/acme/history/2025-11"' in first
    assert "2025-09" not in first


@each(
    "address",
    ["2025-09", "2026-12", "2026-13", "0000-01", "2026-1", "x", "2026-11/x", "2026-11/0", "2026-11/2", "2026-11/1/1"],
)
def test_other_months_do_not_exist(world: World, address: str) -> None:
    assert world.get(f"history/{address}").status == 404


def test_older_incidents_are_read_from_the_database(world: World) -> None:
    world.known.earlier = (LAST_YEAR,)
    month = world.get("history/2025-11").body.decode()
    assert "An old story" in month
    assert "The history cannot be loaded right now. Older entries may be missing." not in month
    assert "<h1><bdi>An old story" in world.get("incidents/incident-old").body.decode()


@pytest.mark.parametrize("is_busy", [False, True])
def test_a_long_month_is_shown_in_parts(world: World, is_busy: bool) -> None:
    many = tuple(replace(LAST_YEAR, id=f"incident-{n}", title=f"Story {n:03}", started_at=NOW - n) for n in range(120))
    world.known.seen = replace(world.known.seen, incidents=many, maintenances=())
    if is_busy:
        world.known.earlier = None
    parts = [world.get(f"history/2026-11{more}").body.decode() for more in ("", "/2", "/3")]
    assert [part.count("<article") for part in parts] == [50, 50, 20]
    assert [title in part for part, title in zip(parts, ("Story 049", "Story 050", "Story 119"), strict=True)] == [
        True
    ] * 3
    assert ['href="/status/acme/history/2026-11/2"' in part for part in parts] == [True, False, False]
    assert "Earlier in November 2026" not in parts[2]
    assert world.get("history/2026-11/4").status == (503 if is_busy else 404)


def test_a_long_incident_is_shown_in_parts(world: World) -> None:
    said = tuple(update(n, "investigating", f"Word {n:03}", NOW - n) for n in range(120))
    world.known.earlier = (replace(LAST_YEAR, updates=said),)
    parts = [world.get(f"incidents/incident-old{more}").body.decode() for more in ("", "/2", "/3")]
    assert [part.count("<li id=") for part in parts] == [50, 50, 20]
    assert "Word 119" in parts[2]
    assert 'href="/status/acme/incidents/incident-old/3"' in parts[1]
    assert "Earlier updates" not in parts[2]
    for wrong in ("0", "4", "x", "-1", "1/2"):
        assert world.get(f"incidents/incident-old/{wrong}").status == 404


def test_a_page_makes_html_of_what_it_shows_alone(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def html(text: str) -> Markup:
        asked.append(text)
        return Markup.escape(text)

    monkeypatch.setattr(markdown, "html", html)
    said = tuple(update(n, "investigating", f"Word {n}", NOW - n) for n in range(30))
    many = tuple(replace(ONGOING, id=f"incident-{n}", updates=said) for n in range(100))
    world.known.seen = replace(world.known.seen, incidents=many, maintenances=())
    shown = world.get().body.decode()
    assert shown.count("<article") == 20
    assert shown.count("All updates") == 20
    assert len(asked) == 20 * 5
    assert '<a href="/status/acme/history">View all incidents' in shown


def test_while_the_database_is_busy_the_latest_are_shown(world: World) -> None:
    world.known.earlier = None
    busy = world.get("history/2026-11").body.decode()
    assert "Slow pages" in busy
    assert "The history cannot be loaded right now. Older entries may be missing." in busy
    assert "Slow pages" in world.get("incidents/incident-0").body.decode()
    assert world.get("incidents/incident-old").status == 503


@each(
    ("month", "months", "then"),
    [
        (Month(2026, 1), -1, Month(2025, 12)),
        (Month(2026, 12), 1, Month(2027, 1)),
        (Month(2026, 6), -18, Month(2024, 12)),
    ],
)
def test_months_are_counted_across_years(month: Month, months: int, then: Month) -> None:
    assert month.moved(months) == then
