"""What flags decide, in words."""

from msgspec.structs import replace

from analytics_box.products.flags.flag import (
    Bucketing,
    FlagDefinition,
    Prerequisite,
    TargetGroup,
    TargetingCondition,
    TargetingRule,
    Variant,
)
from analytics_box.products.flags.sentences import flag_lines, plain, rule_sentence
from tests.cases import each
from tests.products.flags.definitions import WHOLE

GROUPS = {"g": "Beta testers"}
GROUP = TargetGroup(
    id="g",
    organization_id="o",
    website_id=None,
    name="Beta testers",
    rules=(TargetingRule("email", "ends_with", value="@beta.example"),),
)


@each(
    ("rule", "sentence"),
    [
        (TargetingRule("user_id", "in", values=("a", "b")), "User ID is one of a, b → on"),
        (TargetingRule("user_id", "not_in", values=("a",), enabled=False), "User ID is not a → off"),
        (
            TargetingRule("user_id", "in", values=tuple("abcdefg")),
            "User ID is one of a, b, c, d, 3 more → on",
        ),
        (
            TargetingRule("email", "ends_with", batch=True, batchValues=("@a", "@b"), variant="blue"),
            "Email ends with any of @a, @b → variant blue",
        ),
        (TargetingRule("property", "exists", field="beta", value="x"), "beta is set → on"),
        (
            TargetingRule("property", "greater", field="seats", value=5.5, percentage=10),
            "seats is greater than 5.5, for 10 % of them → on",
        ),
        (
            TargetingRule("email", "exists", percentage=100, percentageFrom=30, bucketing=Bucketing("flagd")),
            "Email is set, for 30 % to 100 % of them (separate bucketing) → on",
        ),
        (TargetingRule("property", value=25), "Among 25 % of users → on"),
        (
            TargetingRule("conditions", conditions=TargetingCondition(group="g")),
            "In the target group Beta testers → on",
        ),
        (TargetingRule("conditions", conditions=TargetingCondition(group="x")), "In the target group (deleted) → on"),
        (
            TargetingRule(
                "conditions",
                conditions=TargetingCondition(
                    any=(
                        TargetingCondition(
                            all=(
                                TargetingCondition(attribute="plan", value="pro"),
                                TargetingCondition(attribute="admin", value=True),
                            )
                        ),
                        TargetingCondition(
                            none=(
                                TargetingCondition(attribute="team_id", operator="in", values=("t",)),
                                TargetingCondition(group="g"),
                            )
                        ),
                    )
                ),
            ),
            "(plan is pro and admin is true) or none of these: (Team ID is t or in the target group Beta testers) → on",
        ),
        (TargetingRule("conditions", conditions=TargetingCondition(all=())), "Any user → on"),
        (TargetingRule("user_id", "equals", value="\u202eevil"), "User ID is \\u202eevil → on"),
    ],
)
def test_a_rule_reads_as_a_sentence(rule: TargetingRule, sentence: str) -> None:
    assert plain(rule_sentence(rule, GROUPS)).replace("\N{NO-BREAK SPACE}", " ") == sentence


@each(
    ("definition", "lines"),
    [
        (FlagDefinition(), ["All users → off"]),
        (
            FlagDefinition(
                type="rollout", rolloutPercentage=20, rolloutBy="team", rules=(TargetingRule("email", value="a"),)
            ),
            ["Email is a → on", "All other users → 20 % of teams on, others off"],
        ),
        (FlagDefinition(type="rollout"), ["All users → off"]),
        (FlagDefinition(type="rollout", rolloutPercentage=100), ["All users → on"]),
        (
            FlagDefinition(type="multivariant", variants=(Variant("a", 1), Variant("b", 2), Variant("c", 3))),
            ["All users → a (33.33 %), b (33.33 %), c (33.33 %)"],
        ),
        (
            FlagDefinition(
                dependencies=("x",),
                prerequisites=(Prerequisite("y"), Prerequisite("z", ("red", "blue"))),
                targetGroupIds=("g", "gone"),
                defaultValue=True,
            ),
            [
                "x must be active; else off",
                "y must be on; else off",
                "z must serve red or blue; else off",
                "Target group Beta testers",
                "Target group (deleted)",
                "All other users → on",
            ],
        ),
        (FlagDefinition(type="multivariant"), ["All users → no variants yet"]),
        (
            FlagDefinition(status="inactive", offValue=True, dependencies=("x",)),
            ["The flag is inactive. All users get its off value: on", "x must be active; else on", "All users → off"],
        ),
        (
            FlagDefinition(
                type="multivariant",
                variants=(Variant("a", 1),),
                offValue=1,
                rules=(TargetingRule("email", value="e", enabled=False),),
            ),
            ["Email is e → off", "Users with the flag off get variant a", "All other users → a (100 %)"],
        ),
    ],
)
def test_a_flag_reads_as_lines_in_the_order_in_which_they_decide(definition: FlagDefinition, lines: list[str]) -> None:
    said = [plain(one.parts).replace("\N{NO-BREAK SPACE}", " ") for one in flag_lines(definition, (GROUP,))]
    assert said == lines


def test_an_inactive_flag_warns_and_still_says_what_it_would_do() -> None:
    first, *others = flag_lines(WHOLE, (GROUP,))
    assert first.loud
    assert others == list(flag_lines(replace(WHOLE, status="active"), (GROUP,)))


def test_a_target_group_shows_its_rules_and_a_flag_of_one_user_says_so() -> None:
    own, group, _ = flag_lines(FlagDefinition(targetGroupIds=("g",)), (GROUP,), user_id="anna")
    assert plain(own.parts) == "Only for the user anna"
    assert [plain(one) for one in group.inner] == ["Email ends with @beta.example → on"]
