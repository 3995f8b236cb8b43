"""The history of a page goes back month by month, also while box.db is busy."""

from msgspec.structs import replace

from analytics_box.status_pages.serving.history import Month
from tests.cases import each
from tests.status_pages.serving.examples import DAY, ENDED, NOW
from tests.status_pages.serving.world import World

LAST_YEAR = replace(ENDED, id="incident-old", title="An old story", started_at=NOW - 365 * DAY)


def test_a_month_has_what_began_in_it_newest_first(world: World) -> None:
    shown = world.get("history/2026-11").body.decode()
    places = [shown.index(title) for title in ("New database servers", "Requests to the API fail", "Slow pages")]
    assert places == sorted(places)
    assert "No incidents in this month." in world.get("history/2026-09").body.decode()


def test_it_leads_to_the_months_before_and_after_that_the_page_has_seen(world: World) -> None:
    this = world.get("history").body.decode()
    assert 'href="/status/acme/history/2026-10"' in this
    assert "history/2026-12" not in this
    first = world.get("history/2025-10").body.decode()
    assert 'href="/status/acme/history/2025-11"' in first
    assert "2025-09" not in first


@each("address", ["2025-09", "2026-12", "2026-13", "0000-01", "2026-1", "x", "2026-11/x"])
def test_other_months_do_not_exist(world: World, address: str) -> None:
    assert world.get(f"history/{address}").status == 404


def test_what_is_not_among_the_latest_is_read(world: World) -> None:
    world.known.earlier = (LAST_YEAR,)
    assert "An old story" in world.get("history/2025-11").body.decode()
    assert "<h1><bdi>An old story" in world.get("incidents/incident-old").body.decode()


def test_while_the_database_is_busy_the_latest_are_shown(world: World) -> None:
    world.known.earlier = None
    assert "Slow pages" in world.get("history/2026-11").body.decode()
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
