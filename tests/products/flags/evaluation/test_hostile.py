"""Whatever a context is, and whatever is stored, an evaluation gives something and raises nothing."""

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from analytics_box.products.flags.evaluation import asking, conditions
from analytics_box.products.flags.evaluation.compiling import compile_ruleset
from analytics_box.products.flags.evaluation.outcome import EvaluationContext
from analytics_box.products.flags.evaluation.tracing import trace
from analytics_box.products.flags.flag import Flag
from tests.cases import each
from tests.products.flags.evaluation.invented import ALGORITHMS, EVERY, Chance
from tests.products.flags.evaluation.made import flag, group, ruleset

VALUES = {"greater": 5, "before": "2026-01-01", "version_less": "1.2.3", "matches": "^a+$", "ip_in": "10.0.0.0/8"}


def of_every_kind() -> list[Flag]:
    """Flags with every operator and every draw, by the property "p" and by all parts of a user."""
    by_operator = [
        flag(
            f"{operator}-{number}",
            rules=[
                {"type": "property", "field": "p", "operator": operator, "value": value, "values": [value]},
                {"type": "user_id", "operator": operator, "value": value, "values": [value]},
                {"type": "property", "field": "p", "operator": operator, "batch": True, "batchValues": [value]},
                {"type": "conditions", "conditions": {"attribute": "p", "operator": operator, "value": value}},
            ],
        )
        for operator in dict.fromkeys((*EVERY, *VALUES))
        for number, value in enumerate((VALUES.get(operator, "a"), "("))
    ]
    by_draw = [
        flag(
            f"{algorithm}-{by}",
            type="multivariant",
            variants=[{"key": key, "value": key} for key in "xyz"],
            rolloutBy=by,
            bucketing={"algorithm": algorithm, "attribute": "p" if by == "team" else ""},
            rules=[{"type": "conditions", "conditions": {"all": []}, "percentage": 50}],
        )
        for algorithm in (*ALGORITHMS, "flagd_v3")
        for by in ("user", "organization", "team")
    ]
    return [*by_operator, *by_draw]


READY = ruleset(*of_every_kind())
TEXT = st.one_of(st.text(max_size=20), st.sampled_from(["\ud800", "\x00", "🚀" * 3_000, "x" * 1_000_000, "9" * 5_000]))
NUMBER = st.one_of(st.integers(), st.floats(), st.sampled_from([10**400, -(10**4_000), float("inf"), 1e308]))
ANYTHING = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBER, TEXT),
    lambda inside: st.one_of(st.lists(inside, max_size=5), st.dictionaries(TEXT, inside, max_size=5)),
    max_leaves=10,
)


def deep(depth: int) -> Any:
    found: Any = []
    for _ in range(depth):
        found = [found, {"p": found}]
    return found


@settings(max_examples=30)
@given(user=TEXT, email=TEXT, found=ANYTHING)
@example(user="", email="", found=deep(200))
@example(user="\ud800", email="", found=["x" * 1_000_000] * 1_000)
@example(user="", email="", found=json.loads("[" * 900 + "]" * 900))
def test_no_context_makes_an_evaluation_raise(user: str, email: str, found: Any) -> None:
    who = EvaluationContext(user_id=user, email=email, organization_id=email, team_id=user, properties={"p": found})
    outcomes = READY.all(who)
    assert len(outcomes) == len(READY.keys())
    key = outcomes[len(user) % len(outcomes)].key
    traced, outcome = trace(READY, key, who), READY.one(key, who)
    assert outcome is not None
    assert (traced.enabled, traced.variant, traced.reason) == (outcome.enabled, outcome.variant, outcome.reason)
    assert list(READY.uses.kept(who).properties) == ["p"]


def test_unchecked_definitions_are_evaluated_safely() -> None:
    """Trees that are too deep, target groups inside themselves and rules that say nothing match nobody."""
    node: dict[str, Any] = {"attribute": "p", "operator": "exists"}
    for _ in range(100):
        node = {"all": [node]}
    around = {"type": "conditions", "conditions": {"any": [{"group": "a"}, {"group": "b"}, {"none": [{"group": "a"}]}]}}
    chain = [group(f"c{n}", {"type": "conditions", "conditions": {"group": f"c{n + 1}"}}) for n in range(1_000)]
    flags = [
        flag("deep", rules=[{"type": "conditions", "conditions": node}]),
        flag("around", targetGroupIds=["a", "b", "gone"], rules=[around]),
        flag("chain", targetGroupIds=["c0"]),
        flag("nothing", rules=[{"type": "conditions"}, {"type": "property"}, {"type": "email", "operator": "ip_in"}]),
        flag("weights", type="multivariant", variants=[{"key": "x", "value": 1, "weight": 0}] * 3),
        flag("share", type="rollout", rolloutPercentage=1e9, bucketing={"attribute": "p"}),
    ]
    ready = compile_ruleset(flags, [group("a", around), group("b", around), *chain])
    who = EvaluationContext(user_id="ann", properties={"p": "x"})
    given = {outcome.key: outcome.reason for outcome in ready.all(who)}
    assert given["deep"] == given["chain"] == given["nothing"] == "BOOLEAN_DEFAULT"
    assert given["weights"] == "MULTIVARIANT_EVALUATED"
    assert [trace(ready, key, who).reason for key in given] == list(given.values())


def test_compiled_flag_keeps_no_state_of_earlier_users() -> None:
    """One asker after another gets what they would get alone."""
    chance = Chance(11, beyond=True)
    world = chance.world()
    together, people = compile_ruleset(*world), [chance.context() for _ in range(50)]
    for who in people:
        alone = [(one.key, one.enabled, one.variant) for one in compile_ruleset(*world).all(who)]
        assert [(one.key, one.enabled, one.variant) for one in together.all(who)] == alone


def test_a_long_list_is_made_text_once_for_all_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[float] = []

    def noted(value: float) -> str:
        made.append(value)
        return "1.5"

    monkeypatch.setattr(asking, "_number_text", noted)
    rules = [{"type": "property", "field": "p", "operator": "contains", "value": f"word {n}"} for n in range(50)]
    node = {"any": [{"attribute": "p", "operator": "matches", "value": f"word {n}"} for n in range(50)]}
    ready = compile_ruleset([flag(rules=[*rules, {"type": "conditions", "conditions": node}])], ())
    assert not ready.all(EvaluationContext(properties={"p": [1.5] * 1_000}))[0].enabled
    assert len(made) == 2 * asking.MOST_ELEMENTS


@each(("size", "drawn"), [(320, "x" * 320), (321, "anonymous")])
def test_very_long_id_is_not_bucketed(size: int, drawn: str) -> None:
    ready = compile_ruleset([flag(type="rollout", rolloutPercentage=50, bucketing={"algorithm": "flagd"})], ())
    step = trace(ready, "flag", EvaluationContext(user_id="x" * size)).steps[-1]
    assert step.draw is not None
    assert step.draw.identity == drawn


def test_a_flag_that_others_need_is_evaluated_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def draw(asker: object) -> int:
        asked.append(asker)
        return 99

    monkeypatch.setattr(conditions, "percentage_draw", draw)
    needing = [flag(key, prerequisites=[{"key": "m"}]) for key in ("a", "z")]
    ready = compile_ruleset([needing[0], flag("m", rules=[{"type": "property", "value": 1}]), needing[1]], ())
    assert [one.key for one in ready.all(EvaluationContext())] == ["a", "m", "z"]
    assert len(asked) == 1
