"""What flags look at of whoever asks: what is not among it need not be part of a cache's key. Pure."""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from analytics_box.flags.evaluation.conditions import is_percentage
from analytics_box.flags.evaluation.context import Context
from analytics_box.flags.flag import Flag, Node, Rule, TargetGroup


class Uses(Struct, frozen=True):
    """The parts of a context that any flag looks at; `properties` are their names."""

    user_id: bool = False
    email: bool = False
    organization_id: bool = False
    team_id: bool = False
    properties: frozenset[str] = frozenset()

    def kept(self, context: Context) -> Context:
        """The context without what no flag looks at: it gets the same outcomes."""
        return Context(
            user_id=context.user_id if self.user_id else "",
            email=context.email if self.email else "",
            organization_id=context.organization_id if self.organization_id else "",
            team_id=context.team_id if self.team_id else "",
            properties={name: context.properties[name] for name in self.properties if name in context.properties},
        )


_PARTS = ("user_id", "email", "organization_id", "team_id")


def uses_of(flags: Iterable[Flag], groups: Iterable[TargetGroup]) -> Uses:
    """What these flags look at, with all target groups."""
    parts: set[tuple[str, bool]] = set()
    for flag in flags:
        parts.update(_of_flag(flag))
    for group in groups:
        for rule in group.rules:
            parts.update(_of_rule(rule))
    known = {name for name, property_ in parts if not property_}
    return Uses(
        **{part: part in known for part in _PARTS},
        properties=frozenset(name for name, property_ in parts if property_),
    )


def _of_flag(flag: Flag) -> Iterator[tuple[str, bool]]:
    definition = flag.definition
    if flag.user_id is not None:
        yield "user_id", False
    if definition.type != "boolean" or any(rule.percentage is not None for rule in definition.rules):
        yield from _of_draw(flag)
    elif definition.targetGroupIds or any(rule.conditions for rule in definition.rules):
        yield from _of_draw(flag)  # their rules may have percentages, too
    for rule in definition.rules:
        yield from _of_rule(rule)


def _of_draw(flag: Flag) -> Iterator[tuple[str, bool]]:
    definition = flag.definition
    if definition.bucketing.attribute:
        yield _named(definition.bucketing.attribute)
    elif definition.rolloutBy == "organization":
        yield "organization_id", False
    elif definition.rolloutBy == "team":
        yield "team_id", False
    else:
        yield "user_id", False
        yield "email", False


def _of_rule(rule: Rule) -> Iterator[tuple[str, bool]]:
    if rule.conditions is not None:
        yield from _of_node(rule.conditions)
    elif rule.type in ("user_id", "email"):
        yield rule.type, False
    elif rule.field:
        yield rule.field, True
    elif is_percentage(rule):
        yield "user_id", False
        yield "email", False


def _of_node(node: Node) -> Iterator[tuple[str, bool]]:
    for nodes in (node.all, node.any, node.none):
        for one in nodes or ():
            yield from _of_node(one)
    if node.attribute:
        yield _named(node.attribute)


def _named(attribute: str) -> tuple[str, bool]:
    return attribute, attribute not in _PARTS
