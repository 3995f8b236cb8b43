"""Flags of LaunchDarkly: of its API (`GET /api/v2/flags/…` with `summary=0`), or the answer to its SDKs. Pure.

A LaunchDarkly flag has targets, rules and a fallthrough, each with one variation or a percentage rollout. A rollout
becomes a rule for each variation, with its bucket range.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct

from analytics_box.base.errors import BadRequest
from analytics_box.base.translation import _
from analytics_box.products.flags.evaluation.bucketing import draw_by
from analytics_box.products.flags.flag import (
    Bucketing,
    FlagDefinition,
    Prerequisite,
    TargetingCondition,
    TargetingRule,
    Variant,
)
from analytics_box.products.flags.moving.conditions import (
    EVERYBODY,
    all_of,
    identity_of,
    leaf,
    none_of,
    one_of,
    rule,
    variants_of,
)
from analytics_box.products.flags.moving.launchdarkly_clauses import LaunchdarklySegments, attribute_of, drawable
from analytics_box.products.flags.moving.wanted import (
    MOST,
    ImportNotes,
    SourceFile,
    SourceFlag,
    chosen_environment,
    description_of,
    disagreements,
    key_error,
    list_or_empty,
    mapping,
    mappings,
    name_of,
    number,
    scalars,
    source_flag,
    text,
)

_ALL: Final = 100_000  # what weights add up to
_USER: Final = frozenset(("", "user"))  # kinds of context


class LaunchdarklyFlag(Struct, frozen=True, kw_only=True):
    """A flag of one environment. `state` is the answer to SDKs, or the API's object of the environment.

    `variants` have each value once; `gives` has the index of each variation's variant.
    """

    key: str
    given: Mapping[str, Any]
    state: Mapping[str, Any]
    variants: Sequence[Variant]
    gives: Sequence[int]

    @property
    def is_boolean(self) -> bool:
        return bool(self.variants) and all(isinstance(one.value, bool) for one in self.variants)

    def variant(self, variation: Any) -> Variant | None:
        """The variant of a variation, by its position; None if there is none."""
        is_position = isinstance(variation, int) and 0 <= variation < len(self.gives)
        return self.variants[self.gives[variation]] if is_position else None


def is_launchdarkly(given: Mapping[str, Any]) -> bool:
    """Whether this looks like such a file."""
    found = _flag_entries(given)
    return bool(found) and all("variations" in one for one in found)


def read_file(given: Mapping[str, Any], environment: str | None = None) -> SourceFile:
    """The flags that a file defines in one of its environments. Raises BadRequest."""
    found = _flag_entries(given)
    if len(found) > MOST:
        raise BadRequest(_("A file can have up to {most:,} flags; split it").format(most=MOST))
    chosen = chosen_environment((name for one in found for name in mapping(one.get("environments"))), environment)
    segments = LaunchdarklySegments(given.get("segments"))
    read_features = [_feature(one, chosen) for one in found]
    features = {one.key: one for one in read_features}
    flags = tuple(_read_flag(position, one, features, segments) for position, one in enumerate(read_features, 1))
    return SourceFile(
        flags=flags,
        groups=tuple(segments.groups()),
        notes=tuple(disagreements("LaunchDarkly", flags)),
        chosen=chosen,
    )


def _flag_entries(given: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    flags = given.get("flags")
    if isinstance(flags, dict) and "items" not in flags:
        return [{"key": key} | dict(mapping(one)) for key, one in flags.items()]
    found = mappings(flags) or mappings(mapping(flags).get("items")) or mappings(given.get("items"))
    return found or ([given] if "variations" in given and "key" in given else [])


def _feature(given: Mapping[str, Any], environment: str | None) -> LaunchdarklyFlag:
    variations = list_or_empty(given.get("variations"))
    is_of_api = bool(variations) and all(isinstance(one, dict) and "value" in one for one in variations)
    values = [one["value"] for one in variations] if is_of_api else variations
    names = [text(one.get("name")) for one in variations] if is_of_api else []
    variants = variants_of(values, names)
    places = {identity_of(one.value): place for place, one in enumerate(variants)}
    return LaunchdarklyFlag(
        key=text(given.get("key")),
        given=given,
        state=given if environment is None else mapping(mapping(given.get("environments")).get(environment)),
        variants=variants,
        gives=[places[identity_of(value)] for value in values],
    )


def _read_flag(
    position: int, feature: LaunchdarklyFlag, others: Mapping[str, LaunchdarklyFlag], segments: LaunchdarklySegments
) -> SourceFlag:
    error = key_error(feature.key) or ("" if feature.variants else "It has no variations")
    if error:
        return SourceFlag(number=position, key=feature.key, error=error, field="key")
    if not feature.state:
        return SourceFlag(number=position, key=feature.key, error="The file does not have it in this environment")
    notes = ImportNotes()
    reading = _FlagReader(feature, segments, notes)
    is_archived = feature.given.get("archived") is True or feature.state.get("archived") is True
    is_on = feature.state.get("on") is True
    prerequisites = tuple(reading.prerequisites(others))
    fields: dict[str, Any] = {
        "name": name_of(feature.given.get("name"), feature.key),
        "description": description_of(feature.given.get("description")),
        "status": "archived" if is_archived else "active" if is_on else "inactive",
        "prerequisites": prerequisites,
        "offValue": reading.off(),
    }
    rules = [*reading.targets(), *reading.rules()]
    fields |= reading.last(rules)
    shared = fields.get("bucketing") or next((one.bucketing for one in rules if one.bucketing is not None), Bucketing())
    fields |= {"bucketing": shared, "rules": tuple(_without(one, shared) for one in fields.pop("rules", rules))}
    return source_flag(position, feature.key, FlagDefinition(**fields), notes)


def _without(one: TargetingRule, shared: Bucketing) -> TargetingRule:
    """A rule without a bucketing that is the flag's."""
    same = one.bucketing is not None and msgspec.structs.replace(one.bucketing, variantSalt="") == (
        msgspec.structs.replace(shared, variantSalt="")
    )
    return msgspec.structs.replace(one, bucketing=None) if same else one


class _FlagReader:
    """The reader of one flag."""

    def __init__(self, feature: LaunchdarklyFlag, segments: LaunchdarklySegments, notes: ImportNotes) -> None:
        self._feature = feature
        self._segments = segments
        self._notes = notes

    def prerequisites(self, others: Mapping[str, LaunchdarklyFlag]) -> Iterable[Prerequisite]:
        """The prerequisites of a flag: other flags with their required variants."""
        for one in mappings(self._feature.state.get("prerequisites")):
            key = text(one.get("key"))
            other = others.get(key)
            given = None if other is None else other.variant(one.get("variation"))
            if other is None or given is None or key_error(key):
                self._notes.lose(_("It requires the flag {key}, which is not in the file").format(key=key))
            elif other.is_boolean:
                yield Prerequisite(key=key, gives=("true" if given.value else "false",))
            else:
                yield Prerequisite(key=key, gives=(given.key,))

    def off(self) -> Any:
        """The value while it is off, or while others are not as it needs them; None if that is the code's default."""
        given = self._feature.variant(self._feature.state.get("offVariation"))
        return None if given is None else given.value

    def targets(self) -> Iterable[TargetingRule]:
        """Rules for users who are named one by one."""
        for one in (
            *mappings(self._feature.state.get("targets")),
            *mappings(self._feature.state.get("contextTargets")),
        ):
            values = scalars(one.get("values"))
            if not values:
                continue
            if text(one.get("contextKind")) not in _USER:
                self._notes.lose(
                    _("Targets of the kind {text} are not supported").format(text=text(one.get("contextKind")))
                )
                continue
            yield from self._given(one_of("user_id", values), one, "targets")

    def rules(self) -> Iterable[TargetingRule]:
        """Rules of its rules."""
        for position, one in enumerate(mappings(self._feature.state.get("rules")), 1):
            condition = self._segments.condition(mappings(one.get("clauses")), self._notes, f"Rule {position}")
            if condition is not None:
                yield from self._given(condition, one, text(one.get("description")) or f"Rule {position}")

    def last(self, rules: list[TargetingRule]) -> dict[str, Any]:
        """The default rule: fields of the definition, with further rules if needed."""
        given = mapping(self._feature.state.get("fallthrough"))
        rollout = mapping(given.get("rollout"))
        if not rollout:
            found = self._feature.variant(given.get("variation"))
            if found is None:
                self._notes.lose(_("It has no default rule"))
            return self._always(found or self._feature.variants[0])
        bucketing = self._bucketing(rollout)
        shares = self._shares(rollout)
        if bucketing is None or not shares:
            self._notes.lose(_("The rollout of the default rule is not supported"))
            return self._always(self._feature.variants[0])
        first, share = shares[0]
        plain = sum(share for _variant, share in shares) >= 100 and not bucketing.attribute
        if plain and self._feature.is_boolean and first.value is True and len(shares) < 3:
            return {"type": "rollout", "rolloutPercentage": share, "bucketing": bucketing}
        keys = [one.key for one, _share in shares]
        if plain and not self._feature.is_boolean and len(set(keys)) == len(keys):
            weights = {one.key: share for one, share in shares}
            ordered = [one for one, _share in shares] + [
                one for one in self._feature.variants if one.key not in weights
            ]
            variants = tuple(msgspec.structs.replace(one, weight=weights.get(one.key, 0.0)) for one in ordered)
            drawn = msgspec.structs.replace(bucketing, variantSalt=bucketing.salt)
            return {"type": "multivariant", "variants": variants, "bucketing": drawn}
        chain = list(self._drawn(EVERYBODY, shares, bucketing, ""))
        return self._always(shares[-1][0]) | {"rules": (*rules, *chain), "bucketing": bucketing}

    def _always(self, variant: Variant) -> dict[str, Any]:
        if self._feature.is_boolean:
            return {"type": "boolean", "defaultValue": variant.value is True}
        weighted = (
            msgspec.structs.replace(one, weight=100.0 if one.key == variant.key else 0.0)
            for one in self._feature.variants
        )
        return {"type": "multivariant", "variants": tuple(weighted)}

    def _given(self, condition: TargetingCondition, given: Mapping[str, Any], name: str) -> Iterable[TargetingRule]:
        """The rules for users who match a condition."""
        rollout = mapping(given.get("rollout"))
        if not rollout:
            variant = self._feature.variant(given.get("variation"))
            if variant is None:
                self._notes.lose(_("{name}: its variation does not exist").format(name=name))
                return
            yield rule(condition, **self._gives(variant), name=name)
            return
        bucketing, shares = self._bucketing(rollout), self._shares(rollout)
        if bucketing is None or not shares:
            self._notes.lose(_("{name}: this rollout is not supported").format(name=name))
            return
        yield from self._drawn(condition, shares, bucketing, name)

    def _drawn(
        self, condition: TargetingCondition, shares: Sequence[tuple[Variant, float]], bucketing: Bucketing, name: str
    ) -> Iterable[TargetingRule]:
        """A rule for each range. Users without the attribute to bucket by, or with a value that is neither a text nor a
        whole number, get the first; those beyond all ranges get the last.
        """
        if bucketing.attribute:
            without = all_of((condition, none_of([drawable(bucketing.attribute)])))
            yield rule(without, **self._gives(shares[0][0]), name=name)
            drawn, end = draw_by(bucketing)(""), 0.0  # here an empty text draws no user
            for variant, share in shares:
                end += share
                if drawn < end or variant is shares[-1][0]:
                    empty = all_of((condition, leaf(bucketing.attribute, "equals", "")))
                    yield rule(empty, **self._gives(variant), name=name)
                    break
        start = 0.0
        for variant, share in shares[:-1]:
            between: dict[str, Any] = {"above": start, "percentage": start + share, "bucketing": bucketing}
            yield rule(condition, **self._gives(variant), **between, name=name)
            start += share
        yield rule(condition, **self._gives(shares[-1][0]), name=name)

    def _gives(self, variant: Variant) -> dict[str, Any]:
        return {"enabled": variant.value is True} if self._feature.is_boolean else {"variant": variant.key}

    def _bucketing(self, rollout: Mapping[str, Any]) -> Bucketing | None:
        if text(rollout.get("contextKind") or rollout.get("rolloutContextKind")) not in _USER:
            return None
        by = "key" if rollout.get("kind") == "experiment" else text(rollout.get("bucketBy")) or "key"
        attribute = attribute_of(by)
        if attribute is None:
            return None
        seed = rollout.get("seed")
        salt = str(seed) if isinstance(seed, int) else f"{self._feature.key}.{text(self._feature.state.get('salt'))}"
        return Bucketing(algorithm="launchdarkly", salt=salt, attribute="" if attribute == "user_id" else attribute)

    def _shares(self, rollout: Mapping[str, Any]) -> list[tuple[Variant, float]]:
        """The variants of a rollout with their percent, without those of weight 0."""
        found: list[tuple[Variant, float]] = []
        weighted = mappings(rollout.get("variations"))
        for one in weighted:
            variant, weight = self._feature.variant(one.get("variation")), number(one.get("weight")) or 0
            if variant is None:
                return []
            if weight > 0:
                found.append((variant, round(weight * 100 / _ALL, 6)))
        return found
