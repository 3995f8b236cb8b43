"""Which flags are stale, and since when."""

from msgspec.structs import replace

from analytics_box.base.clock import DAY
from analytics_box.products.flags.evaluation.compiling import compiled
from analytics_box.products.flags.flag import Definition, Flag, Node, Prerequisite, Rule, TargetGroup, Variant
from analytics_box.products.flags.usage.rules import Given, Stale, needed_keys, outcomes, stale
from tests.cases import each
from tests.products.flags.evaluation.invented import Chance

NOW = 1_800_000_000_000
GROUPS = {
    "beta": TargetGroup(
        id="beta", organization_id="o", website_id=None, name="Beta", rules=(Rule(type="email", value="a@b.example"),)
    )
}
SPLIT = (Variant(key="a", value="A", weight=40), Variant(key="b", value="B", weight=60))
ON = Rule(type="user_id", value="ada")


@each(
    ("definition", "given"),
    [
        (Definition(), {"false"}),
        (Definition(defaultValue=True), {"true"}),
        (Definition(rules=(ON,)), {"true", "false"}),
        (Definition(defaultValue=True, rules=(ON,)), {"true"}),
        (Definition(defaultValue=True, rules=(replace(ON, enabled=False),)), {"true", "false"}),
        (Definition(rules=(replace(ON, percentage=0.0),)), {"false"}),
        (Definition(targetGroupIds=("beta",)), {"true", "false"}),
        (Definition(targetGroupIds=("gone",)), {"false"}),
        (Definition(defaultValue=True, dependencies=("other",)), {"true", "false"}),
        (Definition(prerequisites=(Prerequisite(key="other"),)), {"false"}),
        (Definition(type="rollout", rolloutPercentage=0), {"false"}),
        (Definition(type="rollout", rolloutPercentage=0.5), {"true", "false"}),
        (Definition(type="rollout", rolloutPercentage=100), {"true"}),
        (Definition(type="multivariant", variants=SPLIT), {"a", "b"}),
        (Definition(type="multivariant", variants=SPLIT[:1]), {"a"}),
        (Definition(type="multivariant", variants=tuple(replace(one, weight=None) for one in SPLIT)), {"a", "b"}),
        (
            Definition(type="multivariant", variants=(replace(SPLIT[0], weight=100), replace(SPLIT[1], weight=0))),
            {"a"},
        ),
        (
            Definition(
                type="multivariant",
                variants=SPLIT[:1],
                rules=(Rule(type="conditions", conditions=Node(group="beta"), variant="a"),),
            ),
            {"a"},
        ),
        (Definition(type="multivariant", variants=SPLIT[:1], rules=(ON,)), {"a", "true"}),
    ],
)
def test_what_a_flag_can_give_is_read_off_its_definition(definition: Definition, given: set[str]) -> None:
    assert outcomes(definition, GROUPS) == given


def test_nobody_gets_what_the_definition_does_not_say() -> None:
    constant = 0
    for seed in range(120):
        chance = Chance(seed, beyond=True)
        flags, groups = chance.world()
        ready, by_id = compiled(flags, groups), {one.id: one for one in flags}
        said = {one.id: outcomes(one.definition, {group.id: group for group in groups}) for one in flags}
        for _ in range(6):
            active = [one for one in ready.all(chance.context()) if one.reason != "DEFAULT_VALUE"]
            for outcome in active:
                gave = outcome.variant or str(outcome.enabled).lower()
                assert gave in said[outcome.flag_id], (seed, by_id[outcome.flag_id])
                constant += len(said[outcome.flag_id]) == 1
    assert constant > 10


def flag(definition: Definition, *, created: int = 100, changed: int = 100, user_id: str | None = None) -> Flag:
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


HALF = Definition(type="rollout", rolloutPercentage=50)


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
        (Definition(), (100, 50, 100), {"false": 1}, ("constant", 50)),
        (Definition(), (100, 20, 100), {"false": 1}, None),
        (Definition(), (100, 50, 100), {"false": 31}, ("never_evaluated", 31)),
        (Definition(status="inactive"), (100, 50, 100), {}, None),
        (Definition(status="archived"), (100, 50, 100), {}, None),
    ],
)
def test_a_flag_is_stale_that_nobody_needs_any_more(
    definition: Definition,
    days_ago: tuple[int, int, int],
    given: dict[str, int],
    expected: tuple[str, int] | None,
) -> None:
    created, changed, active = days_ago
    found = stale(
        flag(definition, created=created, changed=changed),
        GROUPS,
        Given({gave: NOW - ago * DAY for gave, ago in given.items()}),
        active_since=NOW - active * DAY,
        now=NOW,
        days=30,
    )
    assert found == (Stale(expected[0], NOW - expected[1] * DAY) if expected else None)  # type: ignore[arg-type]


def test_a_flag_that_others_need_is_not_stale_for_lack_of_evaluations() -> None:
    needing = [
        replace(flag(given), environment="eu")
        for given in (
            Definition(prerequisites=(Prerequisite("checkout"),)),
            Definition(dependencies=("login",)),
            Definition(status="inactive", dependencies=("sale",)),
        )
    ]
    assert needed_keys(needing) == {("eu", "checkout"), ("eu", "login")}
    found = [
        stale(flag(one), {}, Given(), active_since=0, now=NOW, days=30, needed=True) for one in (HALF, Definition())
    ]
    assert found == [None, Stale("constant", NOW - 100 * DAY)]


def test_a_flag_of_one_user_is_only_stale_when_nobody_asks_and_zero_days_switch_it_off() -> None:
    mine, asked = flag(Definition(), user_id="ada"), Given({"false": NOW})
    assert stale(mine, {}, asked, active_since=0, now=NOW, days=30) is None
    assert stale(mine, {}, Given(), active_since=0, now=NOW, days=30) == Stale("never_evaluated", NOW - 100 * DAY)
    assert stale(flag(Definition()), {}, Given(), active_since=0, now=NOW, days=0) is None
