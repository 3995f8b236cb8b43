"""It does not matter in which order visits reach the box, as long as each is told from its beginning (semantics 15)."""

import json
from random import Random
from typing import Any

from msgspec.structs import replace

from analytics_box.base.clock import MINUTE, SECOND
from analytics_box.base.facts.event import CUSTOM, PAGE_EXIT, Event, Fact, FactSpan
from analytics_box.query.catalog import registry
from analytics_box.query.catalog.site_use import FILE_DOWNLOAD, SITE_SEARCH
from analytics_box.query.catalog.values import id_text
from tests.examples import is_thorough
from tests.query.happenings import at
from tests.query.stories import Teller
from tests.query.test_brute import OF_LINKS, OF_MONITORS
from tests.query.world import World

NOON = at(2026, 6, 17, 12)
VISITS = 16
SEEDS = 4 if is_thorough() else 2


def visits(seed: int, site: int) -> list[list[Fact]]:
    """Visits of one website: each of one visitor, with a session id of its own, and no two facts at one instant."""
    draw = Random(seed)
    teller = Teller(seed, (site, site, 0), NOON)
    instants = draw.sample(range(40 * 60), 200)
    found: list[list[Fact]] = []
    for number in range(1, VISITS + 1):
        facts = teller.facts(12)
        first = next(index for index, fact in enumerate(facts) if begins(fact))
        facts[0], facts[first] = facts[first], facts[0]
        visitor = 1_000 + (number % 6 if number % 3 else 0)
        profile = draw.choice(("", "ann", f"person {number}"))
        facts = [sent_by_tracker(fact, index) for index, fact in enumerate(facts)]
        times = sorted(instants.pop() for _ in facts)
        found.append(
            [
                replace(
                    fact,
                    site=site,
                    time=NOON + second * SECOND,
                    visitor=visitor,
                    client_session=f"visit {number}",
                    attributes=facts[0].attributes,
                    profile=profile,
                )
                for fact, second in zip(facts, times, strict=True)
            ]
        )
    return found


def sent_by_tracker(fact: Fact, index: int) -> Fact:
    """Some custom events as ones that the tracker sends by itself; agents read pages that nobody visits, too."""
    if isinstance(fact, FactSpan) and fact.table == "ai_requests" and index % 2:
        return replace(fact, path=f"/agents/{index % 3}")
    if isinstance(fact, FactSpan) and fact.table == "engagement":
        return replace(fact, path="/")
    if not isinstance(fact, Event) or fact.kind != CUSTOM or index % 3:
        return fact
    name, key = (SITE_SEARCH, FILE_DOWNLOAD)[index // 3 % 2]
    return replace(fact, name=name, properties=json.dumps({key: f"{key} {index}"}))


def begins(fact: Fact) -> bool:
    """Whether a session may begin with it."""
    return isinstance(fact, Event) and fact.kind != PAGE_EXIT and not fact.bot


def mixed(told: list[list[Fact]], draw: Random) -> list[Fact]:
    """All facts in some order; those of one visit stay in theirs."""
    waiting = [list(facts) for facts in told]
    order: list[Fact] = []
    while waiting:
        facts = draw.choice(waiting)
        order.append(facts.pop(0))
        waiting = [facts for facts in waiting if facts]
    return order


def test_answers_are_the_same_in_whatever_order_visits_arrive(world: World) -> None:
    world.clock.advance(seconds=(NOON + 40 * MINUTE - world.clock.now()) / 1000)
    names = [name for name in registry.TYPES if name not in OF_LINKS | OF_MONITORS]
    silent, different = set(names), []
    for seed in range(SEEDS):
        here, there = world.new_sites(2)
        world.store_facts([fact for facts in visits(seed, here) for fact in facts])
        for fact in mixed(visits(seed, there), Random(seed)):
            world.store_facts([fact])
        for name in names:
            both = seed % 2 == 0  # the column replica has rows as they come from events.db
            rows = said(world, here, name, both=both and is_thorough())
            if rows != said(world, there, name, both=both):
                different.append((name, seed))
            if rows:
                silent.discard(name)
    assert not different
    assert not silent


def said(world: World, site: int, name: str, *, both: bool) -> list[dict[str, Any]]:
    """What a type says about a website, without the numbers that the box gives by itself."""
    values = {"path": "/a", "session_id": "visit 3", "anonymous_id": id_text(1_000), "flag": "new", "funnel": "f"}
    values |= {"activation_event": "a", "return_event": "a", "horizon_days": "7", "observation_end": "2026-06-18"}
    known = registry.TYPES[name]
    needs = known.needs if known.study else [need for need in known.needs if need in values][:1]
    body: dict[str, object] = {
        "parameters": [name],
        "startDate": "2026-06-17",
        "endDate": "2026-06-18",
        "timeZone": "Asia/Kolkata",
        "granularity": "hourly",
        "limit": 10_000,
        "filters": [{"field": need, "op": "eq", "value": values[need]} for need in needs],
    }
    (entry,) = world.entries(body, (site,), now=world.clock.now(), both=both)
    assert entry.success, entry.error
    return [without_numbers(row) for row in entry.data]


def without_numbers(row: dict[str, Any]) -> dict[str, Any]:
    """A row without the ids of its events, and of its website."""
    shown = {key: value for key, value in row.items() if key not in {"event_id", "session_name", "websites"}}
    if isinstance(row.get("events"), list):
        shown["events"] = [event[1:] for event in row["events"]]
    return shown
