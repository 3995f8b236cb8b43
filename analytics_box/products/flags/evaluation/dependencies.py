"""Dependencies of flags: user attributes (others need not be part of a cache key), and other flags. Pure."""

from collections.abc import Iterable, Mapping

from msgspec import Struct

from analytics_box.products.flags.evaluation.asking import variants_by
from analytics_box.products.flags.evaluation.conditions import draws, is_percentage, nodes
from analytics_box.products.flags.evaluation.outcome import EvaluationContext
from analytics_box.products.flags.flag import Bucketing, Flag, RolloutBy, TargetGroup, TargetingRule


class Uses(Struct, frozen=True):
    """The parts of a context that any flag looks at; `properties` are their names."""

    user_id: bool = False
    email: bool = False
    organization_id: bool = False
    team_id: bool = False
    properties: frozenset[str] = frozenset()

    def kept(self, context: EvaluationContext) -> EvaluationContext:
        """The context without attributes that no flag uses: it gets the same outcomes."""
        names = self.properties | {"email"} if self.email and not context.email else self.properties
        return EvaluationContext(
            user_id=context.user_id if self.user_id else "",
            email=context.email if self.email else "",
            organization_id=context.organization_id if self.organization_id else "",
            team_id=context.team_id if self.team_id else "",
            properties={name: context.properties[name] for name in names if name in context.properties},
        )


_PARTS = ("user_id", "email", "organization_id", "team_id")
_DRAWN: dict[RolloutBy, tuple[str, ...]] = {
    "user": ("user_id", "email"),
    "organization": ("organization_id",),
    "team": ("team_id",),
}


def uses_of(flags: Iterable[Flag], groups: Iterable[TargetGroup], off: Iterable[Flag] = ()) -> Uses:
    """The attributes that flags and their target groups use; flags that are `off` use only their user."""
    looking = _Looking({group.id: group for group in groups})
    for flag in flags:
        looking.at_flag(flag)
    looking.at_owners(off)
    return Uses(**{part: part in looking.parts for part in _PARTS}, properties=frozenset(looking.properties))


class _Looking:
    """A collector of used attributes, target group by target group."""

    def __init__(self, groups: dict[str, TargetGroup]) -> None:
        self.parts: set[str] = set()
        self.properties: set[str] = set()
        self._groups = groups
        self._seen: set[tuple[str | Bucketing, ...]] = set()

    def at_owners(self, flags: Iterable[Flag]) -> None:
        if any(flag.user_id is not None for flag in flags):
            self.parts.add("user_id")

    def at_flag(self, flag: Flag) -> None:
        definition = flag.definition
        drawing = definition.rolloutBy, definition.bucketing
        self.at_owners((flag,))
        if definition.type != "boolean":
            by = variants_by(definition) if definition.type == "multivariant" else definition.rolloutBy
            self._at_draw(by, definition.bucketing)
        for group_id in (*definition.targetGroupIds, *self._at_rules(definition.rules, *drawing)):
            group = self._groups.get(group_id)
            known = (group_id, *drawing) if group is not None and draws(group.rules) else (group_id,)
            if group is not None and known not in self._seen:
                self._seen.add(known)
                self._at_rules(group.rules, *drawing)

    def _at_rules(self, rules: tuple[TargetingRule, ...], by: RolloutBy, bucketing: Bucketing) -> list[str]:
        """Look at rules, and give the target groups that they name."""
        for rule in rules:
            if rule.percentage is not None:
                self._at_draw(by, rule.bucketing or bucketing)
            if rule.type in ("user_id", "email"):
                self.parts.add(rule.type)
            elif is_percentage(rule):
                self._at_draw("user", Bucketing())
            elif rule.field:
                self.properties.update((rule.field, rule.field.partition(".")[0]))
        named = []
        for node in nodes(rules):
            if node.attribute:
                self._at(node.attribute)
            if node.group:
                named.append(node.group)
        return named

    def _at_draw(self, by: RolloutBy, bucketing: Bucketing) -> None:
        if bucketing.attribute:
            self._at(bucketing.attribute)
        else:
            self.parts.update(_DRAWN[by])

    def _at(self, attribute: str) -> None:
        names = self.parts if attribute in _PARTS else self.properties
        names.update((attribute, attribute.partition(".")[0]))


DEEPEST_PREREQUISITES = 10  # The longest chain of required flags.


def unsound(flags: Iterable[Flag]) -> frozenset[str]:
    """Keys of flags that need each other in a circle, or through too many others: they are not satisfied."""
    needs: dict[str, set[str]] = {}
    for flag in flags:
        needs.setdefault(flag.key, set()).update(one.key for one in flag.definition.prerequisites)
    depths = depths_of(needs)
    return frozenset(key for key, needed in needs.items() if needed and depths.get(key, 99) > DEEPEST_PREREQUISITES)


def depths_of(needs: Mapping[str, Iterable[str]]) -> dict[str, int]:
    """The longest chain of dependencies below each flag; flags in a circle, or that need one in a
    circle, are left out."""
    wanted_by: dict[str, list[str]] = {}
    left: dict[str, int] = {}
    for key, needed in needs.items():
        inside = {one for one in needed if one in needs}
        left[key] = len(inside)
        for one in inside:
            wanted_by.setdefault(one, []).append(key)
    ready = [key for key, number in left.items() if number == 0]
    depths = dict.fromkeys(ready, 0)
    while ready:
        done = ready.pop()
        for key in wanted_by.get(done, ()):
            depths[key] = max(depths.get(key, 0), depths[done] + 1)
            left[key] -= 1
            if left[key] == 0:
                ready.append(key)
    return {key: depth for key, depth in depths.items() if left[key] == 0}


def circle(key: str, needs: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
    """A path from a flag over its dependencies back to it, with it at both ends; empty if there is none."""
    came_from: dict[str, str] = {}
    left = [key]
    while left:
        here = left.pop()
        for needed in sorted(needs.get(here, ())):
            if needed == key:
                way = [key]
                while here != key:
                    way.append(here)
                    here = came_from[here]
                return (key, *way[:0:-1], key)
            if needed not in came_from:
                came_from[needed] = here
                left.append(needed)
    return ()
