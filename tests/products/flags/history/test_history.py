"""The history of a flag: what changed, by whom and why, and giving a state back."""

from itertools import pairwise
from typing import Any

import pytest
from msgspec.structs import replace

from analytics_box.products.flags import saving
from analytics_box.products.flags.flag import FlagDefinition, Prerequisite, TargetingRule, Variant
from analytics_box.products.flags.history import rows as history
from analytics_box.products.flags.history import words
from analytics_box.products.flags.history.difference import DefinitionChange, difference
from analytics_box.resource.forms import inputs_of
from tests.cases import each
from tests.products.flags.evaluation.invented import Chance
from tests.products.flags.world import World
from tests.tenants.keys.world import cookie_of

A = Variant(key="a", value="Buy", weight=50)


def among(*values: Any) -> TargetingRule:
    return TargetingRule(type="user_id", operator="in", values=values)


@each(
    ("change", "text"),
    [
        (DefinitionChange("rolloutPercentage", "changed", 10.0, 12.5), "Percentage rollout: 10 % → 12.5 %"),
        (DefinitionChange("defaultValue", "changed", False, True), "Default rule: off → on"),
        (DefinitionChange("newField", "changed", "a", "b"), "New field: “a” → “b”"),
        (DefinitionChange("status", "changed", "active", "inactive"), "Status: “active” → “inactive”"),
        (DefinitionChange("name", "changed", "", "New\u202e"), "Name: nothing → “New\\u202e”"),
        (DefinitionChange("payload", "changed", False, True), "Payload: false → true"),
        (DefinitionChange("payload", "changed", None, {"a": 1}), 'Payload: nothing → {"a":1}'),
        (DefinitionChange("payload", "changed", "x" * 300, 0), f"Payload: “{'x' * 200}…” → 0"),
        (DefinitionChange("dependencies", "added", None, "pay", "pay"), "Required flag pay added"),
        (DefinitionChange("targetGroupIds", "removed", "g", None, "g"), "Target group Staff removed"),
        (
            DefinitionChange("targetGroupIds", "moved", ["g", "h"], ["h", "g"]),
            "Order of target groups: Staff, h → h, Staff",
        ),
        (DefinitionChange("variants", "added", None, A, "a"), "Variant a added: “Buy”"),
        (
            DefinitionChange("variants", "changed", A, Variant(key="a", value="Get", weight=70), "a"),
            "Variant a: value: “Buy” → “Get”, weight: 50 % → 70 %",
        ),
        (DefinitionChange("variants", "moved", ["a", "b"], ["b", "a"]), "Order of variants: a, b → b, a"),
        (
            DefinitionChange("prerequisites", "added", None, Prerequisite("pay", ("a", "b")), "pay"),
            "Required flag pay added: must serve a or b",
        ),
        (DefinitionChange("rules", "moved", 3, 1, "1"), "Rule 1 was rule 3"),
        (
            DefinitionChange("rules", "removed", TargetingRule(type="user_id", value="ada"), None, "2"),
            "Rule 2 removed: User ID is ada → on",
        ),
        (
            DefinitionChange(
                "rules",
                "changed",
                TargetingRule(type="user_id", value="ada"),
                TargetingRule(type="email", value="ada"),
                "1",
            ),
            "Rule 1: Email is ada → on (before: User ID is ada → on)",
        ),
        (
            DefinitionChange("rules", "changed", among("a", "b", "c"), among("b", "c", "d"), "1"),
            "Rule 1: User ID is one of b, c, d → on, added d, removed a",
        ),
        (
            DefinitionChange("rules", "changed", among(*"abcdefgh"), among(*"abcdefgh", *range(20)), "1"),
            "Rule 1: User ID is one of a, b, c, d, 24 more → on, added 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 10 more",
        ),
        (
            DefinitionChange(
                "rules",
                "changed",
                TargetingRule(type="email", value="a", name="x"),
                TargetingRule(type="email", value="a"),
                "1",
            ),
            "Rule 1: Email is a → on, details changed",
        ),
    ],
)
def test_a_change_is_a_line_that_people_read(change: DefinitionChange, text: str) -> None:
    assert words.line(change, {"g": "Staff"}).replace("\N{NO-BREAK SPACE}", " ") == text


def test_every_change_of_every_field_has_its_line() -> None:
    told = set()
    for seed in range(80):
        flags, groups = Chance(seed, beyond=True).world()
        names = {one.id: one.name for one in groups}
        for before, after in pairwise(one.definition for one in flags):
            for change in difference(before, after):
                assert words.line(change, names).strip(), change
                told.add(change.field)
    simple = {"name", "description", "persistAcrossAuth", "folder"}  # nothing is at random in them
    # Texts and switches all have the same kind of line.
    plain = {name for name, one in inputs_of(FlagDefinition).items() if one.kind in {"text", "box"}}
    assert told | simple | plain == set(FlagDefinition.__struct_fields__)
    for field, value in zip(sorted(simple), ("a", "b", "c", True), strict=True):
        (change,) = difference(FlagDefinition(), replace(FlagDefinition(), **{field: value}))
        assert change.field == field


def made(world: World, key: str, **fields: Any) -> str:
    """The id of a new rollout."""
    answer = world.good("flags/create", **{"key": key, "websiteId": world.shop, "type": "rollout"} | fields)
    return str(answer["id"])


def test_each_change_is_a_version_with_changes_author_and_note(world: World) -> None:
    flag = made(world, "checkout", rolloutPercentage=10)
    world.box.clock.advance(seconds=60)
    member = cookie_of(world.box, "member")
    world.good("flags/update", id=flag, rolloutPercentage=50, note="It went well", cookie=member)
    world.good("flags/update", id=flag, name="Checkout", rules=[{"type": "user_id", "value": "ada"}])
    found = world.good("flags/history", flagId=flag)
    assert [(one["version"], one["action"], one["note"]) for one in found["versions"]] == [
        (3, "updated", ""),
        (2, "updated", "It went well"),
        (1, "created", ""),
    ]
    by_key, by_person, first = found["versions"]
    assert by_person["actor"].startswith("user:")
    assert by_person["actorName"] is None
    told = world.good("flags/history", flagId=flag, cookie=member)["versions"]
    assert [one["actorName"] is not None and "@" in one["actorName"] for one in told] == [False, True, False]
    assert told[0]["actorName"]
    world.box.box.box_db.write_now(
        lambda db: db.execute(
            "update websites set organization_id = ? where id = ?", (world.box.foreign_organization_id, world.shop)
        )
    )
    moved = world.box.box.box_db.read_now(lambda db: history.latest(db, flag, before=None, limit=9))
    assert [(one.actor_name, bool(one.actor)) for one in moved] == [("", True)] * 3  # they are members there no more
    assert by_key["actor"].startswith("apikey:")
    (change,) = by_person["changes"]
    assert change == {
        "field": "rolloutPercentage",
        "kind": "changed",
        "item": "",
        "before": 10,
        "after": 50,
        "text": "Percentage rollout: 10\N{NO-BREAK SPACE}% → 50\N{NO-BREAK SPACE}%",
    }
    assert [(one["field"], one["kind"], one["item"]) for one in by_key["changes"]] == [
        ("name", "changed", ""),
        ("rules", "added", "1"),
    ]
    assert (first["changes"], found["hasMore"]) == ([], False)
    page = world.good("flags/history", flagId=flag, limit=1)
    assert (page["versions"], page["hasMore"]) == ([by_key], True)
    rest = world.good("flags/history", flagId=flag, before=3)
    assert rest["versions"] == [by_person, first]


def test_two_versions_are_compared_in_either_direction(shared: World) -> None:
    flag = made(shared, "compared", rolloutPercentage=10)
    shared.good("flags/update", id=flag, rolloutPercentage=20)
    shared.good("flags/update", id=flag, rolloutPercentage=30, rolloutBy="team")
    forth = shared.good("flags/diff", flagId=flag, **{"from": 1, "to": 3})
    back = shared.good("flags/diff", flagId=flag, **{"from": 3, "to": 1})
    assert [(one["field"], one["before"], one["after"]) for one in forth["changes"]] == [
        ("rolloutPercentage", 10, 30),
        ("rolloutBy", "user", "team"),
    ]
    assert [(one["before"], one["after"]) for one in back["changes"]] == [(30, 10), ("team", "user")]
    assert (forth["from"], forth["to"]) == (1, 3)
    assert shared.good("flags/diff", flagId=flag, **{"from": 2, "to": 2})["changes"] == []
    assert shared.refused("flags/diff", flagId=flag, **{"from": 1, "to": 9})[0] == 404


def test_a_version_is_given_back_as_a_new_one(shared: World) -> None:
    flag = made(shared, "restored", rolloutPercentage=10, payload={"color": "red"})
    shared.good("flags/update", id=flag, rolloutPercentage=90, payload=None, status="inactive")
    was = shared.good("flags/version", flagId=flag, version=1)
    assert was["definition"]["payload"] == {"color": "red"}
    done = shared.good("flags/restore", flagId=flag, version=1, note="Too early", current=2)
    assert (done["version"], done["status"], done["rolloutPercentage"], done["payload"]) == (
        3,
        "active",
        10,
        {"color": "red"},
    )
    (found,) = (one for one in shared.known().flags if one.id == flag)
    assert (found.version, found.definition.payload) == (3, {"color": "red"})
    newest = shared.good("flags/history", flagId=flag, limit=1)["versions"][0]
    assert (newest["action"], newest["note"]) == ("restored", "Too early")
    assert shared.good("flags/diff", flagId=flag, **{"from": 1, "to": 3})["changes"] == []
    shared.good("flags/update", id=flag, environment="staging")
    assert shared.good("flags/restore", flagId=flag, version=2)["environment"] == "staging"
    back, moved = shared.good("flags/history", flagId=flag, limit=2)["versions"]
    assert (back["note"], back["environment"]) == ("Restored version 2", "staging")
    assert [one["text"] for one in moved["changes"]] == ["Environment: nothing → “staging”"]
    assert shared.refused("flags/restore", flagId=flag, version=1, current=2)[0] == 409
    assert shared.refused("flags/restore", flagId=flag, version=7)[0] == 404


def test_impossible_version_is_not_restored(shared: World) -> None:
    made(shared, "needed")
    flag = made(shared, "needing", dependencies=["needed"])
    shared.good("flags/update", id=flag, dependencies=[])
    needed = next(one for one in shared.known().flags if one.key == "needed")
    shared.good("flags/delete", id=needed.id)
    status, said = shared.refused("flags/restore", flagId=flag, version=1)
    assert (status, "needed" in said) == (400, True), said


def test_others_see_no_history_and_viewers_restore_nothing(shared: World) -> None:
    flag = made(shared, "private", rolloutPercentage=1)
    for procedure, given in {
        "history": {},
        "version": {"version": 1},
        "diff": {"from": 1, "to": 1},
        "restore": {"version": 1},
    }.items():
        assert shared.refused(f"flags/{procedure}", flagId=flag, by="foreign", **given)[0] == 404, procedure
        assert shared.refused(f"flags/{procedure}", flagId=flag, by="reading", **given)[0] == 403, procedure
    viewer = cookie_of(shared.box, "viewer")
    assert shared.call("flags/history", flagId=flag, cookie=viewer).status == 200
    assert shared.refused("flags/restore", flagId=flag, version=1, cookie=viewer)[0] == 403


def test_old_versions_are_removed_if_a_scope_exceeds_its_size(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saving, "LARGEST_HISTORY", 12_000)
    monkeypatch.setattr(saving, "LEAST_VERSIONS", 3)
    monkeypatch.setattr(saving, "_EVERY", 1)
    quiet, busy = made(world, "quiet"), made(world, "busy")
    for number in range(6):
        world.good("flags/update", id=quiet, description=f"{number}")
    for number in range(15):
        world.good("flags/update", id=busy, payload={"a": f"{number}" * 900})
    kept = world.rows("select flag_id, version from flag_versions order by flag_id = ?, version", busy)
    assert [version for flag, version in kept if flag == quiet] == [5, 6, 7]
    versions = [version for flag, version in kept if flag == busy]
    assert versions == list(range(versions[0], 17))
    assert 3 < len(versions) < 12
    assert len(world.good("flags/history", flagId=busy)["versions"]) == len(versions)
