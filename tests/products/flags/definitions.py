"""A flag with a bit of everything, for tests of forms and sentences."""

from typing import Final

from msgspec.structs import replace

from analytics_box.products.flags.console.fields import FlagFormState
from analytics_box.products.flags.flag import (
    Bucketing,
    FlagDefinition,
    Prerequisite,
    TargetingCondition,
    TargetingRule,
    Variant,
)

# What forms can write, too.
WRITTEN: Final = (
    TargetingRule("user_id", "in", values=("anna", "ben"), name="The team"),
    TargetingRule("email", "ends_with", value="@example.com", enabled=False),
    TargetingRule("email", "ends_with", batch=True, batchValues=("@one.example", "@two.example"), variant="blue"),
    TargetingRule("property", "equals", field="plan", value="5"),
    TargetingRule("property", "greater", field="seats", value=5, percentage=12.5),
    TargetingRule("property", "exists", field="beta"),
    TargetingRule("property", value=25),
    TargetingRule("conditions", conditions=TargetingCondition(attribute="team_id", operator="in", values=("t1", "2"))),
    TargetingRule("conditions", conditions=TargetingCondition(group="group-1")),
    TargetingRule(
        "conditions",
        conditions=TargetingCondition(
            any=(
                TargetingCondition(
                    all=(
                        TargetingCondition(attribute="email", operator="contains", value="@"),
                        TargetingCondition(attribute="plan", value=True, only="text"),
                    )
                ),
                TargetingCondition(
                    none=(TargetingCondition(attribute="version", operator="version_less", value="2.1.0"),)
                ),
            )
        ),
        percentage=50,
    ),
)
# What only imports and the API can: forms keep it as it is.
KEPT: Final = (
    TargetingRule("user_id", "equals", value="two\nlines"),
    TargetingRule("email", "in", batch=True, values=("x",), batchValues=(" spaces ", '"quoted"', "")),
    TargetingRule("user_id", "in", value="one value in the field for one", values=()),
    TargetingRule("conditions", conditions=TargetingCondition(all=())),
)
WHOLE: Final = FlagDefinition(
    name="Checkout",
    description="The new checkout\nin two steps",
    type="multivariant",
    status="inactive",
    defaultValue=True,
    offValue={"as": ["it", "was"]},
    payload={"limit": 5, "names": ["a", None, 1.5]},
    rules=(*WRITTEN, *KEPT),
    rolloutPercentage=33.34,
    rolloutBy="team",
    persistAcrossAuth=True,
    dependencies=("login",),
    prerequisites=(Prerequisite("a"), Prerequisite("b", ("false",)), Prerequisite("c", ("red", "blue, or not"))),
    variants=(
        Variant("red", "red\r\ntext", weight=33.33),
        Variant("blue", {"deep": [1, 2.0]}, "json", "blue one", 66.67),
        Variant("seven", 7, "number"),
    ),
    targetGroupIds=("group-1", "group-2"),
    folder="shop",
    bucketing=Bucketing("unleash", "salt", "other salt", "deviceId"),
)


def posted(state: FlagFormState) -> dict[str, str]:
    """The form as a browser posts it, untouched."""
    form = dict(state.fields)
    for start in ("rules", "variants", "needs", "groups"):
        for number, row in enumerate(getattr(state, start)):
            for name in row.__struct_fields__:
                if name != "tree":
                    form[f"{start}.{number}.{name}"] = getattr(row, name)
    for number, rule in enumerate(state.rules):
        _tree(form, f"rules.{number}.if", rule.tree)
    return {name: _sent(name, value) for name, value in form.items()}


def _sent(name: str, text: str) -> str:
    """A text as a browser sends it: only text areas have line breaks."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    is_area = name.rpartition(".")[2] in {"description", "offValue", "payload", "value", "values", "variants"}
    return text.replace("\n", "\r\n" if is_area else "")


def untold(state: FlagFormState) -> FlagFormState:
    """The form as if all in it had been typed just now."""
    return replace(
        state,
        rules=tuple(replace(one, was="") for one in state.rules),
        variants=tuple(replace(one, was="") for one in state.variants),
    )


def _tree(form: dict[str, str], name: str, tree: object) -> None:
    for field in ("kind", "attribute", "property", "operator", "values", "group", "only"):
        form[f"{name}.{field}"] = getattr(tree, field)
    for place, inner in enumerate(getattr(tree, "inner")):  # noqa: B009 - any of its parts
        _tree(form, f"{name}.{place}", inner)
