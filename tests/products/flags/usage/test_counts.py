"""How often flags gave what is counted in memory, reaches the disk, and is told; so is what is stale."""

from typing import Any

import pytest
from msgspec.json import encode

from analytics_box.base.clock import DAY
from analytics_box.base.errors import Unavailable
from analytics_box.products.flags.evaluation.outcome import Outcome
from analytics_box.products.flags.flag import Flag
from analytics_box.products.flags.usage import counts, rows
from analytics_box.products.flags.usage.counts import FlagCounts
from tests.inprocess import Answer
from tests.products.flags.world import World

JSON = {"content_type": "application/json"}


def give(world: World, flag: Flag, *, on: int = 0, off: int = 0, **variants: int) -> None:
    """As if this flag had been evaluated so often."""
    given = {("", True): on, ("", False): off} | {(variant, True): count for variant, count in variants.items()}
    world.box.box.parts[FlagCounts].take(
        Outcome(flag.id, flag.key, "boolean", enabled, enabled, None, "BOOLEAN_DEFAULT", variant, b"", count)
        for (variant, enabled), count in given.items()
    )


def test_counts_are_told_by_day_and_outcome(world: World) -> None:
    flag = world.put("checkout", {"type": "rollout", "rolloutPercentage": 50})
    give(world, flag, on=2, off=1)
    world.box.clock.advance(seconds=86_400)
    give(world, flag, on=5)
    give(world, flag, on=5, blue=4)
    found = world.good("flags/usage", flagId=flag.id)
    today, before = found["lastEvaluatedAt"][:10], found["outcomes"][2]["lastAt"][:10]
    assert (found["count"], found["stale"], found["days"]) == (17, None, 30)
    assert [(one["gave"], one["count"]) for one in found["outcomes"]] == [("true", 12), ("blue", 4), ("false", 1)]
    assert [(one["date"], one["gave"], one["count"]) for one in found["daily"]] == [
        (today, "true", 10),
        (today, "blue", 4),
        (before, "true", 2),
        (before, "false", 1),
    ]
    only_today = world.good("flags/usage", flagId=flag.id, days=1)
    assert (only_today["count"], only_today["lastEvaluatedAt"]) == (14, found["lastEvaluatedAt"])
    assert only_today["outcomes"][2] == found["outcomes"][2] | {"count": 0}


def test_counts_survive_the_end_of_the_box_and_a_disk_that_refuses(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    flag = world.put("checkout")

    def full(*_: object, **__: object) -> None:
        raise Unavailable("The disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(rows, "add", full)
        give(world, flag, off=3)
        world.box.run(world.box.box.parts[FlagCounts].write())
        give(world, flag, off=4)
        world.box.run(world.box.box.parts[FlagCounts].write())
    give(world, flag, off=1)
    world.box.reopen()
    assert world.rows("select gave, count from flag_counts") == [("false", 8)]


def test_pending_counts_are_bounded_and_skip_removed_flags(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    kept, gone = world.put("kept"), world.put("gone")
    give(world, gone, on=1)
    world.box.box.box_db.write_now(lambda db: db.execute("delete from flags where id = ?", (gone.id,)) and None)
    give(world, kept, on=1)
    world.box.run(world.box.box.parts[FlagCounts].write())
    assert world.rows("select flag_id, count from flag_counts") == [(kept.id, 1)]
    monkeypatch.setattr(counts, "MOST_WAITING", 2)
    give(world, kept, on=1, a=1, b=1, c=1)
    give(world, kept, on=1)
    world.box.run(world.box.box.parts[FlagCounts].write())
    assert world.rows("select gave, count from flag_counts order by gave") == [("a", 1), ("true", 3)]


def test_old_counts_go_and_when_a_flag_was_last_evaluated_stays(world: World) -> None:
    flag = world.put("checkout")
    give(world, flag, off=1)
    world.box.run(world.box.box.parts[FlagCounts].write())
    world.box.clock.advance(seconds=(counts.KEPT_DAYS + 1) * DAY / 1000)
    world.box.run(world.box.box.parts[FlagCounts].forget())
    assert world.rows("select count(*) from flag_counts") == [(0,)]
    found = world.good("flags/usage", flagId=flag.id, days=counts.KEPT_DAYS)
    assert (found["count"], found["lastEvaluatedAt"] is not None) == (0, True)
    assert found["stale"] == {"reason": "never_evaluated", "since": found["lastEvaluatedAt"]}


def test_a_flag_that_was_off_for_long_gets_its_days_when_it_is_switched_on(world: World) -> None:
    flag = world.put("checkout", {"type": "rollout", "rolloutPercentage": 50})
    began = world.box.clock.now()
    history = [(1, '{"status": "inactive"}', 0), (2, "{}", 100), (3, '{"status": "inactive"}', 150), (4, "{}", 180)]
    insert = "insert into flag_versions (flag_id, version, key, definition, action, actor, at) values (?,?,?,?,?,?,?)"
    values = [
        (flag.id, version, flag.key, text, "updated", "user:x", began + days * DAY) for version, text, days in history
    ]
    world.box.box.box_db.write_now(lambda db: db.executemany(insert, values) and None)
    world.box.clock.advance(seconds=200 * 86_400)
    assert world.good("flags/usage", flagId=flag.id)["stale"] is None
    world.box.clock.advance(seconds=20 * 86_400)
    assert world.good("flags/usage", flagId=flag.id)["stale"]["reason"] == "never_evaluated"


def test_lists_and_single_flags_say_when_it_was_evaluated_last_and_whether_it_is_stale(world: World) -> None:
    used, unused = world.put("used", {"type": "rollout", "rolloutPercentage": 50}), world.put("unused")
    world.box.clock.advance(seconds=29 * 86_400)
    give(world, used, on=1, off=1)
    world.box.clock.advance(seconds=2 * 86_400)
    give(world, used, on=1)
    found = {one["key"]: one for one in world.good("flags/list", websiteId=world.shop)}
    assert found["used"]["stale"] is None
    assert found["used"]["lastEvaluatedAt"] > found["used"]["createdAt"]
    assert found["unused"]["lastEvaluatedAt"] is None
    assert found["unused"]["stale"] == {"reason": "never_evaluated", "since": found["unused"]["createdAt"]}
    assert world.good("flags/getById", id=unused.id) == found["unused"]
    assert world.good("flags/getByKey", key="used", websiteId=world.shop) == found["used"]
    world.good("flags/update", id=used.id, dependencies=["unused"])
    assert world.good("flags/getById", id=unused.id)["stale"]["reason"] == "constant"
    changed = world.good("flags/update", id=used.id, name="Another")
    assert "stale" not in changed


def test_answers_of_304_are_counted(world: World) -> None:
    flag = world.put("checkout")
    bulk, ofrep = (
        f"/public/v1/flags/bulk?clientId={world.shop}",
        f"/public/v1/flags/{world.shop}/ofrep/v1/evaluate/flags",
    )
    asked: dict[str, Any] = {"context": {"targetingKey": "ada"}}

    def ask(*tags: str) -> list[Answer]:
        sent = [{"if_none_match": tag} if tag else {} for tag in tags]
        return [
            world.box.get(bulk, **sent[0]),
            world.box.ask("POST", ofrep, headers=JSON | sent[1], body=encode(asked)),
        ]

    def counted() -> int:
        count: int = world.good("flags/usage", flagId=flag.id)["count"]
        return count

    tags = [answer.headers["etag"] for answer in ask("", "")]
    assert counted() == 2
    assert [answer.status for answer in ask(*tags)] == [304, 304]
    assert counted() == 4
    world.box.reopen()  # what was answered before is forgotten
    for times in (6, 8):
        assert [answer.status for answer in ask(*tags)] == [304, 304]
        assert counted() == times


def test_usage_request_writes_counts_of_its_website_only(world: World) -> None:
    mine = world.put("mine")
    for environment in range(counts.AT_ONCE + 1):
        world.put("mine", environment=f"e{environment}")
    world.put("theirs", website=world.box.sites["blog"])
    for website in (world.shop, world.box.sites["blog"]):
        world.box.get(f"/public/v1/flags/bulk?clientId={website}")
    for environment in range(counts.AT_ONCE + 1):
        world.box.get(f"/public/v1/flags/bulk?clientId={world.shop}&environment=e{environment}")
    assert world.good("flags/usage", flagId=mine.id)["count"] == 1
    written = "select count(*), sum(count) from flag_counts"
    assert world.rows(written) == [(counts.AT_ONCE + 2, counts.AT_ONCE + 2)]
    world.box.run(world.box.box.parts[FlagCounts].write())
    assert world.rows(written) == [(counts.AT_ONCE + 3, counts.AT_ONCE + 3)]


def test_others_learn_nothing_of_a_flag(shared: World) -> None:
    flag = shared.put("checkout")
    unknown = (404, "There is no flag with this id")
    assert shared.refused("flags/usage", flagId=flag.id, by="foreign") == unknown
    assert shared.refused("flags/usage", flagId="unknown") == unknown
    assert shared.refused("flags/usage", flagId=flag.id, by="reading")[0] == 403
    assert shared.refused("flags/usage", flagId=flag.id, days=0)[0] == 400
    assert shared.call("flags/usage", flagId=flag.id, cookie=shared.owner).status == 200
