"""What an error did to people (wire 1.7): whom it met, and whether they went on, against those it did not meet."""

from typing import Any

import pytest

from analytics_box.base.clock import DAY, SECOND
from analytics_box.base.facts.event import FactSpan
from analytics_box.base.facts.tables import ATTRIBUTES
from tests.query.facts_of_all_kinds import page_view
from tests.query.world import World

MESSAGE = "x is no function"


@pytest.fixture
def site(world: World) -> int:
    (number,) = world.new_sites(1)
    return number


def error(site: int, time: int, path: str, visitor: int, *, message: str = MESSAGE, profile: str = "") -> FactSpan:
    own = ("TypeError", message, "app.js", 3, 4, "at app.js:3")
    attributes = tuple("desktop" if name == "device" else "" for name in ATTRIBUTES)
    return FactSpan("errors", site, time, visitor, 0, "", path, "", attributes, own, profile=profile)


def ask(world: World, site: int, name: str, *filters: dict[str, Any]) -> Any:
    body: dict[str, object] = {"parameters": [name], "preset": "last_7d", "filters": filters}
    (entry,) = world.entries(body, (site,), now=world.clock.now())
    return entry


def test_error_affects_visitors_of_which_some_are_identified(world: World, site: int) -> None:
    now = world.clock.now()
    world.store_facts([page_view(site, now - 60 * SECOND, "/", visitor) for visitor in (1, 2, 3)])
    world.store_facts(
        [
            error(site, now - 50 * SECOND, "/", 1, profile="ann"),
            error(site, now - 40 * SECOND, "/", 1, profile="bea"),
            error(site, now - 30 * SECOND, "/", 2, profile="ann"),
            error(site, now - 20 * SECOND, "/", 3),
            error(site, now - 10 * SECOND, "/", 3, message="another"),
        ]
    )
    (row,) = ask(world, site, "error_customer_impact", {"field": "message", "op": "eq", "value": MESSAGE}).data
    assert row == {
        "error_occurrences": 4,
        "affected_sessions": 3,
        "affected_visitor_identifiers": 3,
        "linked_visitor_identifiers": 2,
        "unlinked_visitor_identifiers": 1,
        "identified_profiles": 2,
        "ambiguous_profile_sessions": 1,
        "identity_coverage_percent": 66.67,
    }


def test_errors_from_before_there_were_groups_are_grouped_by_their_message(world: World, site: int) -> None:
    now = world.clock.now()
    met = [error(site, now - step * SECOND, "/", step, message=message) for step, message in enumerate("aab", start=1)]
    world.store_facts(met)
    found = ask(world, site, "error_fingerprints").data
    assert [(row["name"], row["fingerprint"], row["count"], row["release"]) for row in found] == [
        ("a", "a", 2, ""),
        ("b", "b", 1, ""),
    ]
    (only,) = ask(world, site, "error_fingerprints", {"field": "fingerprint", "op": "eq", "value": "b"}).data
    assert only["count"] == 1


def test_sessions_that_met_an_error_are_compared_with_as_many_that_did_not(world: World, site: int) -> None:
    noon = world.clock.now() // DAY * DAY - DAY // 2

    def shown(visitor: int, *paths: str, after: int = 0) -> None:
        at = noon + after + visitor * 100 * SECOND
        world.store_facts([page_view(site, at + 10 * SECOND * step, path, visitor) for step, path in enumerate(paths)])

    shown(1, "/a")  # meets it and stops
    shown(2, "/a", "/b")  # meets it and goes on
    shown(3, "/a", "/b")  # does not meet it: matched with 1, goes on
    shown(4, "/a", "/a")  # matched with 2, only sees the same page again
    shown(5, "/a", "/b")  # nobody is left to be matched with
    shown(6, "/b")  # never saw the page
    shown(7, "/a", "/b", after=-DAY)  # saw it on another day
    shown(8, "/c")  # meets it where nobody else was
    for visitor, path in ((1, "/a"), (2, "/a"), (8, "/c")):
        world.store_facts([error(site, noon + visitor * 100 * SECOND + SECOND, path, visitor)])
    world.store_facts([error(site, noon + 6 * 100 * SECOND + SECOND, "/b", 6, message="another")])
    entry = ask(world, site, "error_route_continuation_comparison", {"field": "message", "op": "eq", "value": MESSAGE})
    assert entry.data == [
        {
            "candidate_exposed_sessions": 3,
            "candidate_control_sessions": 4,
            "matched_exposed_sessions": 2,
            "matched_control_sessions": 2,
            "unmatched_exposed_sessions": 1,
            "unmatched_control_sessions": 2,
            "exposed_continued_sessions": 1,
            "control_continued_sessions": 1,
            "exposed_continuation_percent": 50.0,
            "control_continuation_percent": 50.0,
        }
    ]


@pytest.mark.parametrize("name", ["error_customer_impact", "error_route_continuation_comparison"])
@pytest.mark.parametrize(
    "filters",
    [
        [],
        [{"field": "country", "op": "eq", "value": "Germany"}],
        [{"field": "path", "op": "contains", "value": "/a"}],
        [{"field": "path", "op": "in", "value": ["/a"]}],
        [{"field": "path", "op": "eq", "value": ["/a", "/b"]}],
        [{"field": "path", "op": "eq", "value": "/a"}, {"field": "message", "op": "eq", "value": MESSAGE}],
        [{"any": [{"field": "path", "op": "eq", "value": "/a"}]}],
    ],
)
def test_error_effects_require_exactly_one_page_or_message(
    world: World, site: int, name: str, filters: list[dict[str, Any]]
) -> None:
    entry = ask(world, site, name, *filters)
    assert not entry.success
    assert "filter eq on message or path" in str(entry.error)
