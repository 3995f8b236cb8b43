"""A flag is evaluated in the wire's order (6.3), and the result says what decided."""

from typing import Any

import msgspec

from analytics_box.products.flags.evaluation.bucketing import variant_draw
from analytics_box.products.flags.evaluation.outcome import EvaluationContext
from analytics_box.products.flags.evaluation.tracing import trace
from analytics_box.products.flags.flag import Flag
from tests.cases import each
from tests.products.flags.evaluation.made import flag, group, ruleset

ANN = EvaluationContext(
    user_id="ann", email="ann@example.com", organization_id="acme", team_id="red", properties={"plan": "pro"}
)
FOR_ANN = {"type": "user_id", "value": "ann"}
FOR_BOB = {"type": "user_id", "value": "bob"}
PAYLOAD = {"color": "blue"}
VARIANTS = [{"key": "a", "value": 1, "type": "number"}, {"key": "b", "value": {"x": [1.0]}, "type": "json"}]
FRIENDS = group("friends", {"type": "email", "operator": "ends_with", "value": "@example.com"})
FOES = group("foes", {"type": "property", "field": "plan", "value": "pro", "enabled": False})
Given = dict[str, Any]


def result(given: Given, *others: Flag, context: EvaluationContext = ANN, key: str = "flag") -> tuple[Any, ...]:
    """Enabled, value, payload, reason and variant of a flag."""
    ready = ruleset(flag("flag", **given), *others, groups=(FRIENDS, FOES))
    outcome = ready.one(key, context)
    assert outcome is not None
    assert outcome in ready.all(context)
    said = msgspec.json.decode(outcome.encoded)
    assert (said["flagId"], said["flagType"]) == (outcome.flag_id, outcome.flag_type)
    assert said.get("variant", "") == outcome.variant
    assert [said[name] for name in ("enabled", "value", "payload", "reason")] == [
        *(outcome.enabled, outcome.value, outcome.payload, outcome.reason)
    ]
    return outcome.enabled, outcome.value, outcome.payload, outcome.reason, outcome.variant


@each(
    ("given", "wanted"),
    [
        ({}, (False, False, None, "BOOLEAN_DEFAULT", "")),
        ({"defaultValue": True, "payload": PAYLOAD}, (True, True, PAYLOAD, "BOOLEAN_DEFAULT", "")),
        ({"payload": PAYLOAD}, (False, False, None, "BOOLEAN_DEFAULT", "")),
        ({"type": "rollout"}, (False, False, None, "ROLLOUT_DISABLED", "")),
        (
            {"type": "rollout", "rolloutPercentage": 100, "payload": PAYLOAD},
            (True, True, PAYLOAD, "ROLLOUT_ENABLED", ""),
        ),
        ({"type": "rollout", "defaultValue": True}, (False, False, None, "ROLLOUT_DISABLED", "")),
        ({"rules": [FOR_ANN]}, (True, True, None, "USER_RULE_MATCH", "")),
        ({"rules": [FOR_ANN], "payload": PAYLOAD}, (True, True, PAYLOAD, "USER_RULE_MATCH", "")),
        (
            {"rules": [FOR_ANN | {"enabled": False}], "defaultValue": True, "payload": PAYLOAD},
            (False, False, None, "USER_RULE_MATCH", ""),
        ),
        ({"rules": [FOR_BOB, FOR_ANN | {"enabled": False}, FOR_ANN]}, (False, False, None, "USER_RULE_MATCH", "")),
        ({"rules": [FOR_BOB], "defaultValue": True}, (True, True, None, "BOOLEAN_DEFAULT", "")),
        ({"targetGroupIds": ["friends"]}, (True, True, None, "TARGET_GROUP_MATCH", "")),
        ({"targetGroupIds": ["foes", "friends"]}, (False, False, None, "TARGET_GROUP_MATCH", "")),
        ({"targetGroupIds": ["gone", "friends", "foes"]}, (True, True, None, "TARGET_GROUP_MATCH", "")),
        (
            {"rules": [FOR_ANN | {"enabled": False}], "targetGroupIds": ["friends"]},
            (False, False, None, "USER_RULE_MATCH", ""),
        ),
        (
            {"type": "multivariant", "variants": VARIANTS[:1], "payload": PAYLOAD},
            (True, 1, PAYLOAD, "MULTIVARIANT_EVALUATED", "a"),
        ),
        (
            {"type": "multivariant", "variants": VARIANTS, "rules": [FOR_ANN]},
            (True, True, None, "USER_RULE_MATCH", ""),
        ),
        (
            {"type": "multivariant", "variants": VARIANTS, "rules": [FOR_ANN | {"variant": "b"}]},
            (True, {"x": [1.0]}, None, "USER_RULE_MATCH", "b"),
        ),
        ({"type": "multivariant", "defaultValue": True}, (True, True, None, "BOOLEAN_DEFAULT", "")),
        ({"dependencies": ["gone"], "rules": [FOR_ANN]}, (False, False, None, "DEPENDENCY_NOT_SATISFIED", "")),
        ({"dependencies": ["off"], "rules": [FOR_ANN]}, (False, False, None, "DEPENDENCY_NOT_SATISFIED", "")),
        ({"dependencies": ["on", "split"], "rules": [FOR_ANN]}, (True, True, None, "USER_RULE_MATCH", "")),
        ({"dependencies": ["flag"], "defaultValue": True}, (True, True, None, "BOOLEAN_DEFAULT", "")),
        ({"prerequisites": [{"key": "on"}], "rules": [FOR_ANN]}, (True, True, None, "USER_RULE_MATCH", "")),
        (
            {"prerequisites": [{"key": "on", "gives": ["false"]}], "rules": [FOR_ANN]},
            (False, False, None, "DEPENDENCY_NOT_SATISFIED", ""),
        ),
        (
            {"prerequisites": [{"key": "false", "gives": ["false"]}]},
            (False, False, None, "BOOLEAN_DEFAULT", ""),
        ),
        (
            {"prerequisites": [{"key": "split", "gives": ["b", "c"]}], "defaultValue": True},
            (False, False, None, "DEPENDENCY_NOT_SATISFIED", ""),
        ),
        (
            {"prerequisites": [{"key": "split", "gives": ["a"]}], "defaultValue": True},
            (True, True, None, "BOOLEAN_DEFAULT", ""),
        ),
        (
            {"prerequisites": [{"key": "off", "gives": ["true", "false"]}], "defaultValue": True},
            (False, False, None, "DEPENDENCY_NOT_SATISFIED", ""),
        ),
        ({"prerequisites": [{"key": "flag"}]}, (False, False, None, "DEPENDENCY_NOT_SATISFIED", "")),
    ],
)
def test_the_first_that_decides_is_the_one_that_the_wire_names(given: Given, wanted: tuple[Any, ...]) -> None:
    others = (
        flag("on", defaultValue=True),
        flag("false"),
        flag("off", status="inactive", defaultValue=True),
        flag("split", type="multivariant", variants=VARIANTS[:1]),
    )
    assert result(given, *others) == wanted


def test_only_active_flags_that_are_not_deleted_are_evaluated() -> None:
    deleted = msgspec.structs.replace(flag("deleted", defaultValue=True), deleted_at=1)
    ready = ruleset(flag("on"), flag("off", status="inactive"), flag("old", status="archived"), deleted)
    assert [outcome.key for outcome in ready.all(ANN)] == ["on"]
    assert list(ready.keys()) == ["on"]
    assert [ready.one(key, ANN) for key in ("off", "old", "deleted", "never")] == [None] * 4
    assert [outcome.key for outcome in ready.all(ANN, ["never", "on", "on", "off"])] == ["on"]


def test_a_flag_of_a_user_is_theirs_alone_and_comes_before_the_one_for_all() -> None:
    ready = ruleset(
        flag("both"),
        flag("both", user="ann", defaultValue=True),
        flag("mine", user="ann"),
        flag("needs", dependencies=["mine"], defaultValue=True),
    )
    given = {outcome.key: outcome.enabled for outcome in ready.all(ANN)}
    assert given == {"both": True, "needs": True, "mine": False}
    others = {outcome.key: outcome.enabled for outcome in ready.all(EvaluationContext(user_id="bob"))}
    assert others == {"both": False, "needs": False}
    assert ready.one("mine", EvaluationContext(user_id="bob")) is None
    assert [outcome.key for outcome in ready.all(EvaluationContext(), ["mine", "both"])] == ["both"]


def test_flags_that_need_each_other_in_a_circle_give_nothing() -> None:
    around = [flag(key, prerequisites=[{"key": other, "gives": ["false"]}]) for key, other in ("ab", "bc", "ca")]
    behind = flag("d", prerequisites=[{"key": "a", "gives": ["false"]}])
    assert {outcome.reason for outcome in ruleset(*around, behind).all(ANN)} == {"DEPENDENCY_NOT_SATISFIED"}


def test_flags_need_each_other_over_ten_steps_at_most() -> None:
    chain = [flag(f"f{n}", defaultValue=True, prerequisites=[{"key": f"f{n + 1}"}]) for n in range(1_000)]
    outcomes = ruleset(*chain, flag("f1000", defaultValue=True)).all(ANN)
    assert [outcome.enabled for outcome in outcomes] == [False] * 990 + [True] * 11


COLOURS = [{"key": "red", "value": "r"}, {"key": "one", "value": 1, "type": "number"}]


@each(
    ("given", "wanted"),
    [
        ({"defaultValue": True}, None),
        ({"defaultValue": True, "offValue": False}, (False, False, "")),
        ({"payload": PAYLOAD, "offValue": True}, (True, True, "")),
        ({"type": "rollout", "offValue": True, "rules": [FOR_ANN | {"enabled": False}]}, (True, True, "")),
        ({"type": "multivariant", "variants": COLOURS}, None),
        ({"type": "multivariant", "variants": COLOURS, "offValue": "r"}, (False, "r", "red")),
        ({"type": "multivariant", "variants": COLOURS, "offValue": True}, (False, True, "")),
        ({"type": "multivariant", "variants": COLOURS, "offValue": {"x": 1}}, (False, {"x": 1}, "")),
    ],
)
def test_an_inactive_flag_gives_its_off_value_and_so_does_one_that_lacks_what_it_needs(
    given: Given, wanted: tuple[Any, ...] | None
) -> None:
    needed = flag("needed", status="inactive")
    ready = ruleset(
        flag("off", **given, status="inactive"),
        flag("gone", **given, status="archived"),
        flag("mine", user="ann", **given, status="inactive"),
        flag("lacks", **given, dependencies=["needed"]),
        flag("lacks-too", **given, prerequisites=[{"key": "off", "gives": ["true", "false", "red"]}]),
        needed,
    )
    outcomes = {one.key: one for one in ready.all(ANN)}
    assert ready.one("gone", ANN) is None
    for key in ("off", "mine", "lacks", "lacks-too"):
        outcome = ready.one(key, ANN)
        assert outcome is outcomes.get(key)
        if "lacks" in key:
            assert outcome is not None
            assert outcome.reason == "DEPENDENCY_NOT_SATISFIED"
            assert wanted is None or (outcome.enabled, outcome.value, outcome.variant) == wanted
        elif outcome is None:
            assert wanted is None
        else:
            assert (outcome.enabled, outcome.value, outcome.variant) == wanted
            assert (outcome.reason, trace(ready, key, ANN).value) == ("DEFAULT_VALUE", outcome.value)
    assert ready.one("mine", EvaluationContext(user_id="bob")) is None


def test_a_rule_that_switches_a_flag_with_variants_off_gives_its_off_value() -> None:
    given = {"type": "multivariant", "variants": COLOURS, "rules": [FOR_ANN | {"enabled": False}]}
    assert result({**given, "offValue": "r"}) == (False, "r", None, "USER_RULE_MATCH", "red")
    assert result({**given, "offValue": 1.5}) == (False, 1.5, None, "USER_RULE_MATCH", "")
    assert result(given) == (False, False, None, "USER_RULE_MATCH", "")
    assert result({"offValue": True, "rules": [FOR_ANN | {"enabled": False}]})[0] is False


def test_an_active_flag_goes_before_an_inactive_one_with_an_off_value() -> None:
    mine = flag("both", user="ann", status="inactive", offValue=False)
    ready = ruleset(flag("both", defaultValue=True), mine)
    assert [one.enabled for one in ready.all(ANN)] == [True]
    ready = ruleset(flag("both", status="inactive", offValue=True), mine)
    assert [(one.enabled, one.reason) for one in ready.all(ANN)] == [(False, "DEFAULT_VALUE")]
    assert [one.enabled for one in ready.all(EvaluationContext())] == [True]


@each(
    ("by", "context", "drawn"),
    [
        ("user", ANN, "ann"),
        ("user", EvaluationContext(email="a@b.c"), "a@b.c"),
        ("user", EvaluationContext(organization_id="acme"), "anonymous"),
        ("organization", ANN, "acme"),
        ("organization", EvaluationContext(user_id="ann"), "anonymous"),
        ("team", ANN, "red"),
        ("team", EvaluationContext(user_id="ann"), "anonymous"),
    ],
)
def test_a_rollout_draws_by_user_organization_or_team(by: str, context: EvaluationContext, drawn: str) -> None:
    bucketing = {"algorithm": "flagd"}
    for percentage in range(0, 101, 5):
        flags = (
            flag("flag", type="rollout", rolloutPercentage=percentage, rolloutBy=by),
            flag("split", type="multivariant", variants=VARIANTS, rolloutBy=by, bucketing=bucketing),
        )
        same = (
            flag("flag", type="rollout", rolloutPercentage=percentage),
            flag("split", type="multivariant", variants=VARIANTS, bucketing=bucketing),
        )
        given = [(one.enabled, one.variant) for one in ruleset(*flags).all(context)]
        assert given == [(one.enabled, one.variant) for one in ruleset(*same).all(EvaluationContext(user_id=drawn))]


@each("by", ["organization", "team"])
def test_variants_are_those_of_users_with_the_default_algorithm(by: str) -> None:
    split, same = (
        ruleset(flag("split", type="multivariant", variants=VARIANTS, **more)) for more in ({"rolloutBy": by}, {})
    )
    people = [EvaluationContext(user_id=f"user-{n}", organization_id="acme", team_id="red") for n in range(40)]
    given = [split.all(split.uses.kept(who))[0].variant for who in people]
    assert given == [same.all(who)[0].variant for who in people]
    assert len(set(given)) == len(VARIANTS)


def test_a_variant_without_weight_is_not_drawn_where_rounded_weights_end_before() -> None:
    weights = {"a": 33.33, "b": 33.33, "c": 33.33, "never": 0}
    variants = [{"key": key, "value": key, "weight": weight} for key, weight in weights.items()]
    one = flag("split", type="multivariant", variants=variants, bucketing={"algorithm": "flagd"})
    ready, draw = ruleset(one), variant_draw(one)
    late = [str(number) for number in range(20_000) if draw(str(number)) >= 99.99]
    assert late
    for user_id in late:
        who = EvaluationContext(user_id=user_id)
        assert ready.all(who)[0].variant == trace(ready, "split", who).variant == "c"


def test_a_rollout_can_draw_by_a_property() -> None:
    by = {"attribute": "company"}
    for company, text in (
        ("acme", "acme"),
        (5, "5"),
        (5.0, "5"),
        (True, "true"),
        (None, "anonymous"),
        ("", "anonymous"),
    ):
        drawn = [
            ruleset(flag("flag", type="rollout", rolloutPercentage=percentage, bucketing=by))
            .all(EvaluationContext(user_id="ann", properties={"company": company}))[0]
            .enabled
            for percentage in range(101)
        ]
        same = [
            ruleset(flag("flag", type="rollout", rolloutPercentage=percentage))
            .all(EvaluationContext(user_id=text))[0]
            .enabled
            for percentage in range(101)
        ]
        assert drawn == same


def test_a_rule_with_a_percentage_matches_those_who_are_drawn() -> None:
    """By the flag's own draw, so a rule of 30 % has the same people as a rollout of 30 %; not by the default one."""
    draw = {"algorithm": "unleash", "salt": "s"}
    everybody = {"type": "conditions", "conditions": {"none": [{"attribute": "user_id", "value": ""}]}}
    ready = ruleset(
        flag("first", bucketing=draw, rules=[everybody | {"percentage": 30}]),
        flag("next", bucketing=draw, rules=[everybody | {"percentageFrom": 30, "percentage": 60}]),
        flag("other", rules=[everybody | {"percentage": 30, "bucketing": {"algorithm": "flagd", "salt": "s"}}]),
        flag("rollout", bucketing=draw, type="rollout", rolloutPercentage=30),
        flag("more", bucketing=draw, type="rollout", rolloutPercentage=60),
        flag("flagd", bucketing={"salt": "s", "algorithm": "flagd"}, type="rollout", rolloutPercentage=30),
    )
    seen = set()
    for number in range(300):
        given = {one.key: one.enabled for one in ready.all(EvaluationContext(user_id=f"user-{number}"))}
        assert given["first"] == given["rollout"]
        assert given["next"] == (given["more"] and not given["rollout"])
        assert given["other"] == given["flagd"]
        seen.add(tuple(given.values()))
    assert len(seen) > 4


def test_outcomes_are_shared_by_all_who_get_them() -> None:
    ready = ruleset(
        flag("split", type="multivariant", variants=VARIANTS, rules=[FOR_ANN, FOR_BOB | {"enabled": False}]),
        flag("roll", type="rollout", rolloutPercentage=50),
        flag("all", type="rollout", rolloutPercentage=100),
    )
    for number in range(100):
        for outcome in ready.all(EvaluationContext(user_id=f"user-{number}")):
            outcome.count += 1
    counted = {(one.key, one.enabled, one.variant): one.count for one in ready.outcomes()}
    assert set(counted) == {
        *(("split", True, ""), ("split", False, ""), ("split", True, "a"), ("split", True, "b")),
        *(("roll", True, ""), ("roll", False, ""), ("all", True, "")),
    }
    assert sum(counted.values()) == 300
    assert counted["all", True, ""] == 100
