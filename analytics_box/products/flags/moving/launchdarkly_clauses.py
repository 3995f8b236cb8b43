"""Clauses and segments of LaunchDarkly as conditions and target groups. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from analytics_box.base.file_queue import keep_going
from analytics_box.base.translation import _
from analytics_box.products.flags.evaluation.bucketing import draw_by
from analytics_box.products.flags.flag import Bucketing, Operator, Scalar, TargetingCondition, TargetingRule
from analytics_box.products.flags.moving.conditions import (
    LOOSE_VERSION,
    NO_USER,
    all_of,
    any_of,
    each_of,
    exists,
    has_huge_number,
    instant,
    is_instant,
    leaf,
    let_in,
    none_of,
    of_type,
    one_of,
    pattern,
    rule,
    version,
)
from analytics_box.products.flags.moving.wanted import (
    ImportNotes,
    SourceGroup,
    description_of,
    list_or_empty,
    mapping,
    mappings,
    name_of,
    number,
    scalars,
    text,
)

_USER: Final = frozenset(("", "user"))  # kinds of context
_ATTRIBUTES: Final = {"key": "user_id"}
_TEXTS: Final[dict[str, Operator]] = {"startsWith": "starts_with", "endsWith": "ends_with", "contains": "contains"}
_NUMBERS: Final[dict[str, Operator]] = {
    "lessThan": "less",
    "lessThanOrEqual": "less_or_equal",
    "greaterThan": "greater",
    "greaterThanOrEqual": "greater_or_equal",
}
_DATES: Final[dict[str, Operator]] = {"before": "before", "after": "after"}
_VERSIONS: Final[dict[str, Operator]] = {
    "semVerEqual": "version_equals",
    "semVerLessThan": "version_less",
    "semVerGreaterThan": "version_greater",
}
_ALL: Final = 100_000  # Weights add up to this.
# JavaScript writes whole numbers so.
_WHOLE: Final = r"^-?(\d+|\d+(\.\d+)?e\+\d+)$"
_DEEPEST: Final = 4  # Segments in segments.


def attribute_of(reference: str) -> str | None:
    """The name of an attribute in this box; None for a path that has no name here, and for the kind of a context."""
    name = reference
    if reference.startswith("/"):
        steps = [step.replace("~1", "/").replace("~0", "~") for step in reference[1:].split("/")]
        if len(steps) > 1 and not all(step and "." not in step for step in steps):
            return None
        name = ".".join(steps)
    return _ATTRIBUTES.get(name, name) if name not in {"", "kind"} else None


class LaunchdarklySegments:
    """The segments of a file, which become target groups."""

    def __init__(self, given: Any) -> None:
        found: Iterable[Mapping[str, Any]]
        if isinstance(given, dict) and "items" not in given:
            found = [{"key": key} | dict(mapping(one)) for key, one in given.items()]
        else:
            found = mappings(given) or mappings(mapping(given).get("items"))
        self._given = {text(one.get("key")): one for one in found}
        self._read: dict[str, tuple[SourceGroup, ImportNotes]] = {}
        self._named: set[str] = set()  # by flags
        self._reading: list[str] = []

    def groups(self) -> Iterable[SourceGroup]:
        """The target groups that flags refer to."""
        return [group for key, (group, _) in self._read.items() if key in self._named]

    def condition(self, clauses: Sequence[Mapping[str, Any]], notes: ImportNotes, of: str) -> TargetingCondition | None:
        """The condition that all clauses together mean; None if one cannot be expressed here, which is noted."""
        found = [self._clause(one, notes) for one in clauses]
        for one, node in zip(clauses, found, strict=True):
            if node is None:
                notes.lose(
                    _("{of}: {attribute} {operator} is not supported").format(
                        of=of, attribute=text(one.get("attribute")), operator=text(one.get("op"))
                    )
                )
        known = [node for node in found if node is not None]
        return all_of(known) if len(known) == len(found) else None

    def _clause(self, given: Mapping[str, Any], notes: ImportNotes) -> TargetingCondition | None:
        keep_going()
        operator, values, negate = text(given.get("op")), scalars(given.get("values")), given.get("negate") is True
        if operator == "segmentMatch":
            inside = [self._segment(str(one), notes) for one in values]
            found = any_of([one for one in inside if one is not None])
            return None if None in inside else none_of([found]) if negate else found
        attribute = attribute_of(text(given.get("attribute")))
        if (
            attribute is None
            or text(given.get("contextKind")) not in _USER
            or len(values) != len(list_or_empty(given.get("values")))
        ):
            return None
        compared = _comparison(attribute, operator, values)
        if compared is None:
            return None
        return all_of((exists(attribute), none_of([compared]))) if negate else compared

    def _segment(self, key: str, notes: ImportNotes) -> TargetingCondition | None:
        """A reference to a segment; None, which is noted, for one that is not in the file or cannot be said."""
        if key not in self._given:
            notes.lose(_("The segment {key} is not in the file").format(key=key))
            return None
        if key in self._reading or len(self._reading) > _DEEPEST:
            notes.lose(_("The segment {key} contains itself, or is nested too deeply").format(key=key))
            return None
        if key not in self._read:
            self._reading.append(key)
            said = ImportNotes()
            rules = tuple(one for one in self._rules(key, self._given[key], said) if one.conditions != NO_USER)
            group = _group(self._given[key], rules, said)
            self._read[key] = (group, said)
            self._reading.pop()
        group, said = self._read[key]
        if said.decides:
            notes.lose(_("The segment {key} is incomplete: {said}").format(key=key, said="; ".join(said.said)[:300]))
        if not self._reading:
            self._named.add(key)
            return TargetingCondition(group=key)
        inside = let_in(group.rules)  # a target group names no others
        if inside is None:
            notes.lose(
                _("The segment {key} has a rollout or too many conditions, and is nested in another").format(key=key)
            )
        return inside

    def _rules(self, key: str, given: Mapping[str, Any], notes: ImportNotes) -> Iterable[TargetingRule]:
        if given.get("unbounded") is True:
            notes.lose(_("It is a big segment, whose users are not in the file"))
        for name, enabled in (("included", True), ("excluded", False)):
            listed_ = [{"values": given.get(name)}, *mappings(given.get(f"{name}Contexts"))]
            for one in listed_:
                values = scalars(one.get("values"))
                if values and text(one.get("contextKind")) not in _USER:
                    notes.lose(
                        _("Contexts of the kind {text} are not supported").format(text=text(one.get("contextKind")))
                    )
                elif values:
                    yield rule(one_of("user_id", values), enabled=enabled, name=name)
        for position, one in enumerate(mappings(given.get("rules")), 1):
            condition = self.condition(mappings(one.get("clauses")), notes, f"Rule {position}")
            if condition is not None:
                yield from _rollout_rules(f"{key}.{text(given.get('salt'))}", one, condition, notes)


def _rollout_rules(
    salt: str, given: Mapping[str, Any], condition: TargetingCondition, notes: ImportNotes
) -> Iterable[TargetingRule]:
    """A rule of a segment, which may include only a percentage of users."""
    weight = number(given.get("weight"))
    if weight is None:
        yield rule(condition)
        return
    attribute = attribute_of(text(given.get("bucketBy")) or "key")
    if attribute is None or text(given.get("rolloutContextKind")) not in _USER:
        notes.lose(_("The rollout of a rule is not supported"))
        return
    by = "" if attribute == "user_id" else attribute
    if by and weight > 0:  # users without one are drawn at 0
        yield rule(all_of((condition, none_of([drawable(by)]))))
        if draw_by(Bucketing(algorithm="launchdarkly", salt=salt))("") < weight * 100 / _ALL:
            yield rule(all_of((condition, leaf(by, "equals", ""))))  # here an empty text draws no user
    if by:
        condition = all_of((condition, none_of([leaf(by, "equals", "")])))
    bucketing = Bucketing(algorithm="launchdarkly", salt=salt, attribute=by)
    yield rule(condition, percentage=round(weight * 100 / _ALL, 6), bucketing=bucketing)


def _group(given: Mapping[str, Any], rules: tuple[TargetingRule, ...], notes: ImportNotes) -> SourceGroup:
    key = text(given.get("key"))
    return SourceGroup(
        ref=key,
        name=name_of(given.get("name")) or key[:100],
        description=description_of(given.get("description")),
        rules=rules,
        notes=notes.said,
    )


def drawable(attribute: str) -> TargetingCondition:
    """Return whether users can be bucketed by their attribute: it is a text or a whole number."""
    whole = all_of((of_type(attribute, "number"), leaf(attribute, "matches", _WHOLE)))
    return any_of((of_type(attribute, "text"), whole))


def _comparison(attribute: str, operator: str, values: Sequence[Scalar]) -> TargetingCondition | None:
    if operator == "in":
        return one_of(attribute, values)
    texts = [one for one in values if isinstance(one, str)]
    if operator == "matches":
        return pattern(attribute, texts)
    if operator in _TEXTS:
        if "" in texts:  # Every text matches.
            return pattern(attribute, [""])
        return each_of(attribute, _TEXTS[operator], texts, only="text")
    if operator in _NUMBERS:
        numbers = [one for one in values if isinstance(one, int | float) and not isinstance(one, bool)]
        return each_of(attribute, _NUMBERS[operator], numbers, only="number")
    if operator in _VERSIONS:
        if any(has_huge_number(one) for one in texts):
            return None
        return any_of(version(attribute, _VERSIONS[operator], one, LOOSE_VERSION) for one in texts)
    if operator in _DATES:
        dates = [one for one in values if is_instant(one)]
        number = each_of(attribute, _DATES[operator], dates, only="number")
        return any_of((number, *(instant(attribute, _DATES[operator], one) for one in dates)))
    return None
