"""Flags of flagd, from the JSON or YAML of its definitions. Pure.

The targeting of flagd is one JsonLogic expression, which gives the name of a variant. Its branches become rules in
their order; a `fractional` becomes a rule for each range.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any, Final

import msgspec
from msgspec import Struct

from analytics_box.base.errors import BadRequest
from analytics_box.base.translation import _
from analytics_box.products.flags.evaluation.bucketing import draw_by
from analytics_box.products.flags.flag import (
    Algorithm,
    Bucketing,
    FlagDefinition,
    TargetingCondition,
    TargetingRule,
    Variant,
)
from analytics_box.products.flags.moving.conditions import (
    EVERYBODY,
    all_of,
    exists,
    is_for_everybody,
    none_of,
    rule,
    type_of,
    without_text,
)
from analytics_box.products.flags.moving.flagd_conditions import (
    Evaluators,
    UnsupportedExpression,
    attribute_of,
    condition,
    excerpt,
)
from analytics_box.products.flags.moving.wanted import (
    MOST,
    ImportNotes,
    SourceFile,
    SourceFlag,
    description_of,
    disagreements,
    key_error,
    list_or_empty,
    mapping,
    number,
    source_flag,
    text,
)

_DEEPEST: Final = 30
_DRAWN: Final = (
    "The third version of flagd's fractional uses a different hash; import the file again with the format flagd-v3 "
    "if you use that version, otherwise flagd"
)


class FlagdShared(Struct, frozen=True, kw_only=True):
    """The shared parts of a file's flags: expressions by their names, and the bucketing."""

    evaluators: Mapping[str, Any]
    algorithm: Algorithm
    sure: bool = True  # whether the user named the version of flagd that the file is of


def is_flagd(given: Mapping[str, Any]) -> bool:
    """Whether this looks like such a file."""
    flags = given.get("flags")
    return isinstance(flags, dict) and bool(flags) and all("variants" in mapping(one) for one in flags.values())


def read_v3(given: Mapping[str, Any], environment: str | None = None) -> SourceFile:
    """The flags of a file, bucketed by the third version of flagd's `fractional`. Raises BadRequest."""
    return read_file(given, environment, "flagd_v3")


def read_unsure(given: Mapping[str, Any], environment: str | None = None) -> SourceFile:
    """Read a file whose version of flagd is unknown. Raises BadRequest."""
    return read_file(given, environment, sure=False)


def read_file(
    given: Mapping[str, Any], environment: str | None = None, algorithm: Algorithm = "flagd", *, sure: bool = True
) -> SourceFile:
    """The flags of a file; it has no environments. Raises BadRequest."""
    flags = given.get("flags")
    if not isinstance(flags, dict):
        raise BadRequest(_("flags must be an object with flags by key"))
    if len(flags) > MOST:
        raise BadRequest(_("A file can have up to {most:,} flags; split it").format(most=MOST))
    if environment is not None:
        raise BadRequest.about("sourceEnvironment", _("flagd files have no environments"))
    shared = FlagdShared(evaluators=mapping(given.get("$evaluators")), algorithm=algorithm, sure=sure)
    found = tuple(_read_flag(at, str(key), mapping(one), shared) for at, (key, one) in enumerate(flags.items(), 1))
    lost = ["metadata is not supported"] if given.get("metadata") else []
    return SourceFile(
        flags=found,
        notes=(*lost, *disagreements("flagd", found)),
    )


def _read_flag(position: int, key: str, given: Mapping[str, Any], shared: FlagdShared) -> SourceFlag:
    values = mapping(given.get("variants"))
    error = key_error(key) or ("" if values else "It has no variants")
    if error:
        return SourceFlag(number=position, key=key, error=error, field="key")
    notes = ImportNotes()
    default = _name(given.get("defaultVariant"))
    if default and default not in values:
        notes.lose(_("The defaultVariant {default} is not a variant of the flag").format(default=default))
    if not default:
        notes.lose(_("There is no defaultVariant. If no rule matches, the default in your code applies"))
    reading = _TargetingReader(key, values, default if default in values else "", shared, notes)
    try:
        rules = reading.rules(given.get("targeting"))
    except UnsupportedExpression as strange:
        notes.lose(_("The targeting cannot be read: {strange}").format(strange=strange))
        rules = []
    metadata = mapping(given.get("metadata"))
    if set(metadata) - {"description"}:
        notes.say(_("metadata is not supported"))
    fields: dict[str, Any] = {
        "description": description_of(metadata.get("description")),
        "status": "inactive" if given.get("state") == "DISABLED" else "active",
        **reading.last(rules),
    }
    return source_flag(position, key, FlagDefinition(**fields), notes)


def _name(given: Any) -> str:
    """The name of a variant; flagd takes true and false as "true" and "false"."""
    return ("true" if given else "false") if isinstance(given, bool) else text(given)


class _TargetingReader:
    """The targeting of one flag while it is read."""

    def __init__(
        self, key: str, values: Mapping[str, Any], default: str, shared: FlagdShared, notes: ImportNotes
    ) -> None:
        self._key = key
        self._values = {str(name): value for name, value in values.items()}
        self._default = default
        self._evaluators = Evaluators(shared.evaluators)
        self._algorithm = shared.algorithm
        self._sure = shared.sure
        self._notes = notes
        self._is_boolean = all(isinstance(one, bool) for one in self._values.values())

    def rules(self, targeting: Any) -> list[TargetingRule]:
        """Rules for all branches; the outcome of the last one, if it is for all users, is the flag's default."""
        if not targeting:
            return []
        return list(self._walk(targeting, EVERYBODY, 0))

    def last(self, rules: list[TargetingRule]) -> dict[str, Any]:
        """The fields of the default rule, with the rules."""
        shared = next((one.bucketing for one in rules if one.bucketing is not None), Bucketing())
        own = [msgspec.structs.replace(one, bucketing=None) if one.bucketing == shared else one for one in rules]
        default = self._default or next(iter(self._values))
        if own and is_for_everybody(own[-1]):
            last = own.pop()
            default = last.variant or next(name for name, value in self._values.items() if value is last.enabled)
        while own and own[-1].percentage is None and self._same(own[-1], default):
            own.pop()
        fields: dict[str, Any] = {"rules": tuple(own), "bucketing": shared}
        if self._is_boolean:
            return fields | {"type": "boolean", "defaultValue": self._values[default] is True}
        variants = (
            Variant(key=name, value=value, type=type_of(value), weight=100.0 if name == default else 0.0)
            for name, value in self._values.items()
        )
        return fields | {"type": "multivariant", "variants": tuple(variants)}

    def _same(self, one: TargetingRule, default: str) -> bool:
        """Return whether a rule has the same outcome as the default rule after it."""
        return one.enabled is self._values[default] if self._is_boolean else one.variant == default

    def _walk(self, given: Any, path: TargetingCondition, depth: int) -> Iterator[TargetingRule]:
        """Rules that give something to all who come along a path."""
        self._evaluators.begin_part()
        if depth > _DEEPEST:
            raise UnsupportedExpression("it is nested too deeply")
        if given is None or isinstance(given, bool | str):
            yield from self._leaf(given, path)
            return
        if not isinstance(given, dict) or len(given) != 1:
            raise UnsupportedExpression(f"{excerpt(given)} is not a valid operation")
        (operation, arguments), *_ = given.items()
        if operation == "$ref":
            yield from self._walk(self._evaluators.find(arguments), path, depth + 1)
        elif operation in {"if", "?:"}:
            yield from self._branches(list_or_empty(arguments), path, depth)
        elif operation == "fractional":
            yield from self._fractional(list_or_empty(arguments), path)
        else:
            found = condition(given, self._evaluators)
            yield from self._leaf(True, all_of((path, found)))
            yield from self._leaf(False, path)

    def _branches(self, arguments: Sequence[Any], path: TargetingCondition, depth: int) -> Iterator[TargetingRule]:
        for at in range(0, len(arguments) - 1, 2):
            found = condition(arguments[at], self._evaluators)
            yield from self._walk(arguments[at + 1], all_of((path, found)), depth + 1)
        yield from self._walk(arguments[-1] if len(arguments) % 2 else None, path, depth + 1)

    def _leaf(self, given: Any, path: TargetingCondition) -> Iterator[TargetingRule]:
        name = self._default if given is None else _name(given)
        if name not in self._values:
            if given is not None:
                raise UnsupportedExpression(f"{name} is not a variant of the flag")
            return  # of a flag without a default, which is noted
        yield rule(path, **self._gives(name))

    def _gives(self, name: str) -> dict[str, Any]:
        return {"enabled": self._values[name]} if self._is_boolean else {"variant": name}

    def _fractional(self, arguments: Sequence[Any], path: TargetingCondition) -> Iterator[TargetingRule]:
        """A rule for each range; users without the attribute to bucket by get the default."""
        shares = [one for one in arguments if isinstance(one, list)]
        by = arguments[0] if arguments and not isinstance(arguments[0], list) else None
        if len(shares) != len(arguments) - (by is not None) or not shares:
            raise UnsupportedExpression("fractional has no weights")
        salt, attribute = self._drawn_by(by)
        if not self._sure:
            self._notes.lose(_DRAWN)
        weights = [self._weight(one) for one in shares]
        if not 0 < sum(weights) < 2**31:
            raise UnsupportedExpression("the sum of the weights of fractional is not from 1 to 2,147,483,647")
        bucketing = Bucketing(algorithm=self._algorithm, salt=salt, attribute=attribute)
        if by is not None and not any(one == exists(attribute) for one in (path.all or (path,))):
            self._notes.lose(
                _("Without {attribute}, flagd's engines disagree. Here, the default applies").format(
                    attribute=attribute
                )
            )
        yield from self._leaf(None, all_of((path, none_of([exists(attribute)]))))
        if by is not None and attribute != "user_id":
            # The box does not bucket by an empty text, so the result for it is fixed here.
            empty = self._outcome_at(draw_by(bucketing)(""), shares, weights)
            yield from self._leaf(empty, all_of((path, without_text(attribute))))
        yield from self._shares(shares, weights, bucketing, path)

    def _outcome_at(self, drawn: float, shares: Sequence[Any], weights: Sequence[float]) -> Any:
        """The outcome of the share that a draw falls into."""
        ends = accumulate(weights)
        return next(share[0] for share, end in zip(shares, ends, strict=True) if drawn * sum(weights) < end * 100)

    def _shares(
        self, shares: Sequence[Any], weights: Sequence[float], bucketing: Bucketing, path: TargetingCondition
    ) -> Iterable[TargetingRule]:
        end, whole = 0.0, sum(weights)
        for share, weight in zip(shares, weights, strict=True):
            start, end = end, end + weight
            name = self._default if share[0] is None else _name(share[0])
            if isinstance(share[0], dict) or name not in self._values:
                raise UnsupportedExpression(f"fractional gives {excerpt(share[0])}")
            if weight:
                last = end == whole
                upto = None if last else end * 100 / whole
                above = 0 if last else start * 100 / whole
                yield rule(
                    path, **self._gives(name), above=above, percentage=upto, bucketing=None if last else bucketing
                )

    def _weight(self, share: Any) -> float:
        weight = share[1] if len(share) == 2 else 1
        if not 1 <= len(share) <= 2 or weight is None or number(weight) != weight or weight % 1:
            raise UnsupportedExpression("the weights of fractional are not whole numbers")
        return max(weight, 0)

    def _drawn_by(self, given: Any) -> tuple[str, str]:
        """The salt and attribute of a `fractional`: the flag's key and the targeting key if it names none."""
        if given is None:
            return self._key, "user_id"
        if self._algorithm == "flagd_v3":
            raise UnsupportedExpression(f"fractional buckets by {excerpt(given)}")
        parts = list_or_empty(mapping(given).get("cat")) if "cat" in mapping(given) else [given]
        salt = "".join(self._salt(one) for one in parts[:-1])
        attribute = attribute_of(parts[-1]) if parts else None
        if attribute is None or not salt:
            raise UnsupportedExpression(f"fractional buckets by {excerpt(given)}")
        return salt, attribute

    def _salt(self, given: Any) -> str:
        if isinstance(given, str):
            return given
        if mapping(given).get("var") in ("$flagd.flagKey", ["$flagd.flagKey"]):
            return self._key
        raise UnsupportedExpression(f"fractional buckets by {excerpt(given)}")
