"""People as events name them: when they are written down, and what the memory beside the database may forget."""

from pathlib import Path

import pytest

from analytics_box.base.clock import DAY
from analytics_box.ingest import profiles
from tests.inprocess import NOON, FixedClock
from tests.products.people.world import Said, World, event


def names(world: World) -> dict[str, int]:
    """Who is known, and when they were last named (UTC ms)."""
    rows = world.read("select value, updated_at from profiles join strings on strings.id = profile")
    return {str(name): int(str(at)) for name, at in rows}


def links(world: World) -> list[tuple[int, str, int]]:
    rows = world.read(
        "select visitor, value, time from visitor_profiles join strings on strings.id = profile order by visitor, time"
    )
    return [(int(str(visitor)), str(name), int(str(time))) for visitor, name, time in rows]


def test_event_with_a_profile_links_once(world: World) -> None:
    site = world.shop.site
    for minute in range(3):
        world.add(event(site, Said(1, "ada", minute=minute, yesterday=2)), event(site, Said(3)))
    assert links(world) == [(1, "ada", NOON), (2, "ada", NOON)]
    assert names(world) == {"ada": NOON}


def test_alternating_users_of_a_device_are_linked_each_time(world: World) -> None:
    for minute, name in enumerate(("ada", "bob", "bob", "ada")):
        world.add(event(world.shop.site, Said(1, name, minute=minute)))
    assert links(world) == [(1, "ada", NOON), (1, "bob", NOON + 60_000), (1, "ada", NOON + 180_000)]


def test_a_late_event_is_put_in_its_place(world: World) -> None:
    site = world.shop.site
    world.add(event(site, Said(1, "ada", minute=0)), event(site, Said(1, "ada", minute=9)))
    world.add(event(site, Said(1, "bob", minute=5)))
    world.add(event(site, Said(1, "bob", minute=6)))
    world.add(event(site, Said(1, "ada", minute=-3)))
    assert links(world) == [(1, "ada", NOON), (1, "bob", NOON + 300_000)]


def test_servers_and_anonymous_events_link_no_profile(world: World) -> None:
    world.add(event(world.shop.site, Said(1, "ada", bot="known_bot_user_agent")))
    assert (links(world), names(world)) == ([], {})
    world.add(event(world.shop.site, Said(0, "server")))
    assert (links(world), list(names(world))) == ([], ["server"])


def test_daily_identification_is_recorded_each_day(world: World) -> None:
    for days in range(3):
        world.add(event(world.shop.site, Said(0, "server")))
        assert names(world) == {"server": NOON + days * (DAY + 1)}
        world.add(event(world.shop.site, Said(0, "server")))
        world.clock.advance(seconds=(DAY + 1) / 1000)


def test_visitor_forgotten_by_retention_is_known_after_identification(world: World) -> None:
    world.add(event(world.shop.site, Said(1, "ada")))
    world.events.write_now(
        lambda db: [db.execute(f"delete from {name}") for name in ("profiles", "visitor_profiles")] and None
    )
    world.clock.advance(seconds=DAY / 1000)
    world.add(event(world.shop.site, Said(1, "ada", minute=1_440)))
    assert list(names(world)) == ["ada"]
    assert links(world) == [(1, "ada", NOON + DAY)]


def test_a_refused_write_teaches_nothing(world: World) -> None:
    def broken(db: object) -> None:
        world.ledger.append(db, [event(world.shop.site, Said(1, "ada"))])  # type: ignore[arg-type]  # a connection
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        world.events.write_now(broken)
    assert names(world) == {}
    world.add(event(world.shop.site, Said(1, "ada")))
    assert links(world) == [(1, "ada", NOON)]
    assert list(names(world)) == ["ada"]


def test_the_memory_is_bounded_and_may_forget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profiles, "CAPACITY", 2)
    world = World(tmp_path / "data", FixedClock())
    for _ in range(2):
        for visitor in range(1, 6):
            world.add(event(world.shop.site, Said(visitor, f"p{visitor}")))
    assert len(links(world)) == len(names(world)) == 5
    world.close()
