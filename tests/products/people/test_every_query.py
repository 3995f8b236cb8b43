"""A removed person: every query type answers as if they had never come."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec.structs import replace

from analytics_box.base.clock import DAY
from analytics_box.base.facts.event import LASTS, Event, Fact
from analytics_box.query.catalog.registry import TYPES
from tests.contract.conftest import unlimited
from tests.inprocess import WholeBox, whole_box
from tests.query.facts_of_all_kinds import BEN, BOT, of_assistants, of_tracker, visit

PERSON: Final = LASTS | 9
DAYS: Final = (0, 1, 5, 9)
# Values of the filters that types need.
NEEDS: Final = {
    "message": "x is no function",
    "flag": "new",
    "session_id": "ada",
    "anonymous_id": f"{PERSON:016x}",
    "activation_event": "buy",
    "return_event": "buy",
    "horizon_days": "7",
    "observation_end": "2026-06-17",
}


# Quarantined events name no person, and the person here has another session, which no assistant referred.
NEVER_MOVED: Final = {"bots", "ai_product_visitors"}


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data", adjust=unlimited) as inside:
        steps = [{"type": "PAGE_VIEW", "target": path} for path in ("/", "/a")]
        funnel = {"websiteId": inside.sites["shop"], "name": "Funnel", "steps": steps}
        assert inside.post("/funnels/create", funnel, key="all").status == 200
        yield inside


def put(box: WholeBox, facts: list[Fact]) -> None:
    box.box.events.db.write_now(lambda db: box.box.events.intake.ledger.append(db, facts))


def story(box: WholeBox, now: int) -> list[Fact]:
    site = box.numbers["shop"]
    return [*visit(site, now), *of_tracker(site, now), *of_assistants(site, now)]


def of_person(fact: Fact) -> Fact:
    """A fact of the person, who is known by a profile."""
    if isinstance(fact, Event):
        return replace(fact, visitor=PERSON, profile="ada", client_session="ada")
    return replace(fact, visitor=PERSON, client_session="ada")


def answers(box: WholeBox) -> dict[str, Any]:
    """The answers of all types about websites."""
    (funnel,) = box.post("/funnels/list", {"websiteId": box.sites["shop"]}, key="all").json
    needs, found = NEEDS | {"funnel": funnel["id"]}, {}
    for name, known in TYPES.items():
        if known.subject != "website":
            continue
        filters = [{"field": need, "op": "eq", "value": needs[need]} for need in known.full_needs]
        answer = box.query("shop", {"parameters": [name], "preset": "last_30d", "filters": filters, "limit": 100})
        assert answer.status == 200, answer.body
        (row,) = answer.json["data"]
        assert row["success"], row
        found[name] = row["data"]
    return found


def test_every_query_answers_as_if_a_removed_person_had_never_come(box: WholeBox) -> None:
    now = box.clock.now()
    for day in DAYS:
        put(box, story(box, now - day * DAY))
    before = answers(box)
    for day in DAYS:
        put(box, [of_person(fact) for fact in story(box, now - day * DAY + 90_000) if fact.visitor not in {BEN, BOT}])
    during = answers(box)
    unmoved = {name for name in before if before[name] == during[name]}
    assert unmoved == NEVER_MOVED
    given = {"websiteId": box.sites["shop"], "profileId": "ada"}
    assert box.post("/profiles/delete", given, key="all").status == 200
    after = answers(box)
    assert [name for name in before if before[name] != after[name]] == []
