"""Which flags are stale, and since when."""

from msgspec.structs import replace

from analytics_box.base.clock import DAY
from analytics_box.products.flags.evaluation.compiling import compile_ruleset
from analytics_box.products.flags.flag import (
    Flag,
    FlagDefinition,
    Prerequisite,
    TargetGroup,
    TargetingCondition,
    TargetingRule,
    Variant,
)
from analytics_box.products.flags.usage.rules import LastGiven, Stale, needed_keys, outcomes, stale
from tests.cases import each
from tests.products.flags.evaluation.invented import Chance

NOW = 1_800_000_000_000
GROUPS = {
    "beta": TargetGroup(
        id="beta",
        organization_id="o",
        website_id=None,
        name="Beta",
        rules=(TargetingRule(type="email", value="a@b.example"),),
    )
}
SPLIT = (Variant(key="a", value="A", weight=40), Variant(key="b", value="B", weight=60))
ON = TargetingRule(type="user_id", value="ada")


@each(
    ("definition", "given"),
    [
        (FlagDefinition(), {"false"}),
        (FlagDefinition(defaultValue=True), {"true"}),
        (FlagDefinition(rules=(ON,)), {"true", "false"}),
        (FlagDefinition(defaultValue=True, rules=(ON,)), {"true"}),
        (FlagDefinition(defaultValue=True, rules=(replace(ON, enabled=False),)), {"true", "false"}),
        (FlagDefinition(rules=(replace(ON, percentage=0.0),)), {"false"}),
        (FlagDefinition(targetGroupIds=("beta",)), {"true", "false"}),
        (FlagDefinition(targetGroupIds=("gone",)), {"false"}),
        (FlagDefinition(defaultValue=True, dependencies=("other",)), {"true", "false"}),
        (FlagDefinition(prerequisites=(Prerequisite(key="other"),)), {"false"}),
        (FlagDefinition(type="rollout", rolloutPercentage=0), {"false"}),
        (FlagDefinition(type="rollout", rolloutPercentage=0.5), {"true", "false"}),
        (FlagDefinition(type="rollout", rolloutPercentage=100), {"true"}),
        (FlagDefinition(type="multivariant", variants=SPLIT), {"a", "b"}),
        (FlagDefinition(type="multivariant", variants=SPLIT[:1]), {"a"}),
        (FlagDefinition(type="multivariant", variants=tuple(replace(one, weight=None) for one in SPLIT)), {"a", "b"}),
        (
            FlagDefinition(type="multivariant", variants=(replace(SPLIT[0], weight=100), replace(SPLIT[1], weight=0))),
            {"a"},
        ),
        (
            FlagDefinition(
                type="multivariant",
                variants=SPLIT[:1],
                rules=(TargetingRule(type="conditions", conditions=TargetingCondition(group="beta"), variant="a"),),
            ),
            {"a"},
        ),
        (FlagDefinition(type="multivariant", variants=SPLIT[:1], rules=(ON,)), {"a", "true"}),
    ],
)
def test_possible_outcomes_are_derived_from_the_definition(definition: FlagDefinition, given: set[str]) -> None:
    assert outcomes(definition, GROUPS) == given


def test_outcomes_outside_the_definition_never_occur() -> None:
    constant = 0
    for seed in range(120):
        chance = Chance(seed, beyond=True)
        flags, groups = chance.world()
        ready, by_id = compile_ruleset(flags, groups), {one.id: one for one in flags}
        said = {one.id: outcomes(one.definition, {group.id: group for group in groups}) for one in flags}
        for _ in range(6):
            active = [one for one in ready.all(chance.context()) if one.reason != "DEFAULT_VALUE"]
            for outcome in active:
                gave = outcome.variant or str(outcome.enabled).lower()
                assert gave in said[outcome.flag_id], (seed, by_id[outcome.flag_id])
                constant += len(said[outcome.flag_id]) == 1
    assert constant > 10


def flag(definition: FlagDefinition, *, created: int = 100, changed: int = 100, user_id: str | None = None) -> Flag:
    """A flag made and last changed so many days ago."""
    return Flag(
        id="f",
        organization_id="o",
        website_id=None,
        key="checkout",
        definition=definition,
        user_id=user_id,
        created_at=NOW - created * DAY,
        updated_at=NOW - changed * DAY,
    )


HALF = FlagDefinition(type="rollout", rolloutPercentage=50)


@each(
    ("definition", "days_ago", "given", "expected"),
    [
        # created, changed, active since; when each was last given, all in days ago
        (HALF, (100, 100, 100), {}, ("never_evaluated", 100)),
        (HALF, (100, 100, 10), {}, None),
        (HALF, (10, 10, 10), {}, None),
        (HALF, (100, 1, 100), {}, ("never_evaluated", 100)),
        (HALF, (100, 100, 100), {"true": 40, "false": 50}, ("never_evaluated", 40)),
        (HALF, (100, 100, 100), {"true": 30, "false": 50}, ("never_evaluated", 30)),
        (HALF, (100, 100, 100), {"true": 29, "false": 2}, None),
        (HALF, (100, 100, 100), {"true": 1, "false": 50}, ("one_outcome", 50)),
        (HALF, (100, 100, 100), {"true": 1}, ("one_outcome", 100)),
        (HALF, (100, 60, 100), {"true": 1}, ("one_outcome", 60)),
        (HALF, (100, 20, 100), {"true": 1}, None),
        (FlagDefinition(), (100, 50, 100), {"false": 1}, ("constant", 50)),
        (FlagDefinition(), (100, 20, 100), {"false": 1}, None),
        (FlagDefinition(), (100, 50, 100), {"false": 31}, ("never_evaluated", 31)),
        (FlagDefinition(status="inactive"), (100, 50, 100), {}, None),
        (FlagDefinition(status="archived"), (100, 50, 100), {}, None),
    ],
)
def test_unused_flag_is_stale(
    definition: FlagDefinition,
    days_ago: tuple[int, int, int],
    given: dict[str, int],
    expected: tuple[str, int] | None,
) -> None:
    created, changed, active = days_ago
    found = stale(
        flag(definition, created=created, changed=changed),
        GROUPS,
        LastGiven({gave: NOW - ago * DAY for gave, ago in given.items()}),
        active_since=NOW - active * DAY,
        now=NOW,
        days=30,
    )
    assert found == (Stale(expected[0], NOW - expected[1] * DAY) if expected else None)  # type: ignore[arg-type]


def test_a_flag_that_others_need_is_not_stale_for_lack_of_evaluations() -> None:
    needing = [
        replace(flag(given), environment="eu")
        for given in (
            FlagDefinition(prerequisites=(Prerequisite("checkout"),)),
            FlagDefinition(dependencies=("login",)),
            FlagDefinition(status="inactive", dependencies=("sale",)),
        )
    ]
    assert needed_keys(needing) == {("eu", "checkout"), ("eu", "login")}
    found = [
        stale(flag(one), {}, LastGiven(), active_since=0, now=NOW, days=30, needed=True)
        for one in (HALF, FlagDefinition())
    ]
    assert found == [None, Stale("constant", NOW - 100 * DAY)]


def test_flag_of_a_single_user_is_stale_only_if_unevaluated_and_zero_days_disable_it() -> None:
    mine, asked = flag(FlagDefinition(), user_id="ada"), LastGiven({"false": NOW})
    assert stale(mine, {}, asked, active_since=0, now=NOW, days=30) is None
    assert stale(mine, {}, LastGiven(), active_since=0, now=NOW, days=30) == Stale("never_evaluated", NOW - 100 * DAY)
    assert stale(flag(FlagDefinition()), {}, LastGiven(), active_since=0, now=NOW, days=0) is None
