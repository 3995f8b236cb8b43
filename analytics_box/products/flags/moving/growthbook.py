"""Flags of GrowthBook: from the answer to its SDKs, or its API's list of features. Pure.

The first rule that applies decides a GrowthBook feature. A rule that forces a value becomes a rule; an experiment
becomes one for each variation, with its bucket range.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct

from analytics_box.base.errors import BadRequest
from analytics_box.base.translation import _
from analytics_box.products.flags.flag import (
    MOST_VALUES,
    Algorithm,
    Bucketing,
    FlagDefinition,
    Prerequisite,
    TargetingCondition,
    TargetingRule,
    Variant,
)
from analytics_box.products.flags.moving import growthbook_conditions
from analytics_box.products.flags.moving.conditions import (
    all_of,
    identity_of,
    none_of,
    of_type,
    one_of,
    rule,
    variants_of,
)
from analytics_box.products.flags.moving.growthbook_conditions import IDS, attribute_of
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
    source_flag,
    text,
)

_DRAWS: Final[dict[int, tuple[Algorithm, int]]] = {1: ("growthbook_v1", 1_000), 2: ("growthbook_v2", 10_000)}
_IDS: Final = "The attributes id, userId and user_id become the user id"
_MIXED: Final = "The file has several of the attributes id, userId and user_id, which all become the user id"
_STICKY: Final = (
    "Users that GrowthBook kept in a variation by sticky bucketing can change: the file does not include it"
)


_KNOWN: Final = frozenset(  # of a rule: what is read below, and what decides nothing
    (
        *("id", "type", "name", "description", "phase", "tracks", "track", "enabled", "meta", "disableStickyBucketing"),
        *("condition", "parentConditions", "force", "variations", "weights", "coverage", "ranges", "range"),
        *("key", "seed", "hashAttribute", "hashVersion", "fallbackAttribute", "bucketVersion", "minBucketVersion"),
        *("namespace", "filters"),
    )
)


class GrowthbookFeature(Struct, frozen=True, kw_only=True):
    """A feature of one environment, as SDKs get it, with its details from elsewhere in the file."""

    key: str
    given: Mapping[str, Any]
    enabled: bool = True
    archived: bool = False
    description: str = ""
    error: str = ""


class GrowthbookReferences(Struct, frozen=True, kw_only=True):
    """The references of a feature: saved groups, and the variants of all features of the file by their keys."""

    groups: Mapping[str, Any]
    variants: Mapping[str, Sequence[Variant]]
    mixed: bool = False  # whether several attributes of the file are the user id here


def is_growthbook(given: Mapping[str, Any]) -> bool:
    """Whether this looks like such a file."""
    features = given.get("features")
    if isinstance(features, dict):
        return True
    if isinstance(features, list):
        return all("valueType" in mapping(one) for one in features)
    return bool(given) and all("defaultValue" in mapping(one) and "variants" not in one for one in given.values())


def read_file(given: Mapping[str, Any], environment: str | None = None) -> SourceFile:
    """The flags that a file defines in one of its environments. Raises BadRequest."""
    features, chosen = _features(given, environment)
    if len(features) > MOST:
        raise BadRequest(_("A file can have up to {most:,} flags; split it").format(most=MOST))
    around = GrowthbookReferences(
        groups=mapping(given.get("savedGroups")),
        variants={one.key: variants_of(*_values(one.given)) for one in features},
        mixed=len({name for one in features for name in _ids_in(one.given)}) > 1,
    )
    flags = tuple(_read_flag(position, one, around) for position, one in enumerate(features, 1))
    lost = ["experiments of pages and URLs are not supported"] if given.get("experiments") else []
    return SourceFile(
        flags=flags,
        notes=(_IDS, *lost, *disagreements("GrowthBook", flags)),
        chosen=chosen,
    )


def _features(given: Mapping[str, Any], environment: str | None) -> tuple[list[GrowthbookFeature], str | None]:
    features = given.get("features", given)
    if isinstance(features, dict):
        return [GrowthbookFeature(key=str(key), given=mapping(one)) for key, one in features.items()], None
    found = mappings(features)
    chosen = chosen_environment((name for one in found for name in mapping(one.get("environments"))), environment)
    return [_of_api(one, chosen) for one in found], chosen


def _of_api(given: Mapping[str, Any], environment: str | None) -> GrowthbookFeature:
    """A feature of the API, which contains the SDK's version as a text."""
    state = mapping(mapping(given.get("environments")).get(environment or ""))
    common: dict[str, Any] = {
        "key": text(given.get("id")),
        "archived": given.get("archived") is True,
        "description": description_of(given.get("description")),
    }
    definition = state.get("definition")
    try:
        inside = msgspec.json.decode(definition) if isinstance(definition, str) else definition
    except msgspec.MsgspecError:
        inside = None
    if isinstance(inside, dict):
        return GrowthbookFeature(given=inside, enabled=state.get("enabled") is True, **common)
    if environment is None or not state or state.get("enabled") is not True:
        try:
            value = msgspec.json.decode(str(given.get("defaultValue", "")))
        except msgspec.MsgspecError:
            value = str(given.get("defaultValue", ""))
        return GrowthbookFeature(given={"defaultValue": value}, enabled=False, **common)
    error = "It has no definition for this environment; import what its SDKs get instead (/api/features/…)"
    return GrowthbookFeature(given={}, error=error, **common)


def _ids_in(given: Mapping[str, Any]) -> set[str]:
    """The attributes of a feature that are the user id here, by their names there."""
    found: set[str] = set()
    rules = mappings(given.get("rules"))
    found |= {text(one.get("hashAttribute")) or "id" for one in rules if "coverage" in one or "variations" in one}
    left: list[Any] = [one.get("condition") for one in rules]
    while left:
        one = left.pop()
        left += one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
        found |= set(one) if isinstance(one, dict) else set()
    return found & IDS


def _values(given: Mapping[str, Any]) -> tuple[list[Any], list[str]]:
    """All values that a feature can have, the default one first, and names of theirs."""
    values, names = [given.get("defaultValue")], [""]
    for one in mappings(given.get("rules")):
        if "force" in one:
            values.append(one["force"])
            names.append("")
        elif isinstance(one.get("variations"), list):
            values += one["variations"]
            meta = [text(mapping(each).get("key")) for each in list_or_empty(one.get("meta"))]
            names += [each if not each.isdigit() else "" for each in meta[: len(one["variations"])]]
            names += [""] * (len(values) - len(names))
    return values, names


def _read_flag(position: int, feature: GrowthbookFeature, around: GrowthbookReferences) -> SourceFlag:
    error = key_error(feature.key) or feature.error
    if error:
        return SourceFlag(number=position, key=feature.key, error=error, field="key" if not feature.error else "")
    notes = ImportNotes()
    if around.mixed and _ids_in(feature.given):
        notes.lose(_MIXED)
    variants = around.variants[feature.key]
    is_boolean = all(isinstance(one.value, bool) for one in variants)
    default = feature.given.get("defaultValue")
    if default is None and len(variants) > 1:
        is_boolean = all(isinstance(one.value, bool | None) for one in variants)
    reading = _FeatureReader(feature, around, variants, notes, is_boolean=is_boolean)
    rules = reading.rules()
    fields: dict[str, Any] = {
        "name": name_of(feature.given.get("name"), feature.key),
        "description": feature.description,
        "status": "archived" if feature.archived else "active" if feature.enabled else "inactive",
        "rules": tuple(rules),
        "prerequisites": tuple(reading.prerequisites),
        "bucketing": next((one.bucketing for one in rules if one.bucketing is not None), Bucketing()),
    }
    fields["rules"] = tuple(
        msgspec.structs.replace(one, bucketing=None) if one.bucketing == fields["bucketing"] else one for one in rules
    )
    if is_boolean:
        fields |= {"type": "boolean", "defaultValue": default is True}
    else:
        chosen = next(one.key for one in variants if identity_of(one.value) == identity_of(default))
        weighted = (msgspec.structs.replace(one, weight=100.0 if one.key == chosen else 0.0) for one in variants)
        fields |= {"type": "multivariant", "variants": tuple(weighted)}
    return source_flag(position, feature.key, FlagDefinition(**fields), notes)


class _FeatureReader:
    """The rules of one feature while they are read."""

    def __init__(
        self,
        feature: GrowthbookFeature,
        around: GrowthbookReferences,
        variants: Sequence[Variant],
        notes: ImportNotes,
        *,
        is_boolean: bool,
    ) -> None:
        self._feature = feature
        self._around = around
        self._variants = variants
        self._notes = notes
        self._is_boolean = is_boolean
        self._keys = {identity_of(one.value): one.key for one in variants}
        self._taking = 0  # rules so far that match users
        self.prerequisites: list[Prerequisite] = []

    def rules(self) -> list[TargetingRule]:
        """All of them, in their order."""
        found: list[TargetingRule] = []
        for position, given in enumerate(mappings(self._feature.given.get("rules")), 1):
            unknown = sorted(set(given) - _KNOWN)
            if unknown:
                self._notes.lose(
                    _("Rule {position}: {unknown} is not supported").format(
                        position=position, unknown=", ".join(unknown)
                    )
                )
                continue
            takes = "force" in given or "variations" in given
            if self._needs(given, f"Rule {position}") and takes:
                found += self._one(given, f"Rule {position}")
            self._taking += takes
        return found

    def _one(self, given: Mapping[str, Any], name: str) -> Iterable[TargetingRule]:
        for lost in ("namespace", "filters"):
            if given.get(lost):
                self._notes.lose(_("{name}: its {lost} is not supported").format(name=name, lost=lost))
                return
        if given.get("fallbackAttribute") or given.get("minBucketVersion"):
            self._notes.lose(_STICKY)
        condition = growthbook_conditions.condition(
            mapping(given.get("condition")), self._around.groups, self._notes, name
        )
        if condition is not None:
            yield from self._taken(given, name, condition)

    def _taken(self, given: Mapping[str, Any], name: str, condition: TargetingCondition) -> Iterable[TargetingRule]:
        """The rules for users who match the condition of a GrowthBook rule."""
        if "force" in given:
            ranges: list[Any] = [given["range"]] if given.get("range") else []
            coverage = number(given.get("coverage"))
            if not ranges and coverage is None:
                yield rule(condition, **self._gives(given["force"]), name=text(given.get("id")))
                return
            values, ranges = [given["force"]], ranges or [(0, coverage)]
            seed = text(given.get("seed")) or self._feature.key
        else:
            values = list_or_empty(given.get("variations"))
            if len(values) < 2:
                return  # GrowthBook passes it over, too
            ranges = list_or_empty(given.get("ranges")) or _ranges(given, len(values))
            seed = text(given.get("seed")) or text(given.get("key")) or self._feature.key
        if any(mapping(one).get("passthrough") for one in list_or_empty(given.get("meta"))):
            self._notes.lose(_("{name}: holdouts are not supported").format(name=name))
            return
        version = given.get("hashVersion") or 1
        if version not in _DRAWS:
            self._notes.lose(_("{name}: hashVersion {version} is not supported").format(name=name, version=version))
            return
        algorithm, steps = _DRAWS[version]
        attribute = attribute_of(text(given.get("hashAttribute")) or "id")
        bucketing = Bucketing(algorithm=algorithm, salt=seed, attribute=attribute)
        condition = all_of((condition, of_type(attribute, "text", "number"), none_of([one_of(attribute, (0, ""))])))
        for value, between in zip(values, ranges, strict=False):
            low, high = (number(one) or 0 for one in (*list_or_empty(list(between)), 0, 0)[:2])
            above, percentage = _percent(low, steps), _percent(high, steps)
            if percentage > above:
                drawn: dict[str, Any] = {"above": above, "percentage": percentage, "bucketing": bucketing}
                label = text(given.get("name") or given.get("key") or given.get("id"))
                yield rule(condition, **self._gives(value), **drawn, name=label)

    def _gives(self, value: Any) -> dict[str, Any]:
        if self._is_boolean:
            return {"enabled": value is True}
        return {"variant": self._keys[identity_of(value)]}

    def _needs(self, given: Mapping[str, Any], name: str) -> bool:
        """Return whether the conditions of a rule on other features can be expressed; they become prerequisites."""
        for parent in mappings(given.get("parentConditions")):
            key = text(parent.get("id"))
            gives = self._wanted_of(key, mapping(parent.get("condition")))
            if parent.get("gate") is not True or gives is None or self._taking:
                self._notes.lose(
                    _("{name}: the condition on the feature {key} is not supported").format(name=name, key=key)
                )
                return False
            if gives:
                self.prerequisites.append(Prerequisite(key=key, gives=gives))
        return True

    def _wanted_of(self, key: str, condition: Mapping[str, Any]) -> tuple[str, ...] | None:
        """The variants of another feature that a condition on its value means; None if that cannot be expressed."""
        variants = self._around.variants.get(key)
        asked = condition.get("value")
        if variants is None or set(condition) != {"value"}:
            return None
        values: list[Any] = [asked]
        if isinstance(asked, dict):
            if asked == {"$exists": True}:
                return _prerequisite_values(variants, variants)
            if set(asked) - {"$eq", "$in"}:
                return None
            values = asked.get("$in", [asked.get("$eq")])
        asked_for = values[: MOST_VALUES + 1]
        return _prerequisite_values((one for one in variants if one.value in asked_for), variants) or None


def _prerequisite_values(some: Iterable[Variant], variants: Iterable[Variant]) -> tuple[str, ...]:
    """The names of these variants in a prerequisite; for a flag that is only on or off, whether it is on."""
    is_boolean = all(isinstance(each.value, bool) for each in variants)
    return tuple(("true" if one.value else "false") if is_boolean else one.key for one in some)


def _ranges(given: Mapping[str, Any], variations: int) -> list[tuple[float, float]]:
    """The bucket range of each variation: with a coverage below 1, each keeps its place."""
    said = number(given.get("coverage"))
    coverage = 1.0 if said is None else min(max(said, 0.0), 1.0)
    weights = [found for one in list_or_empty(given.get("weights")) if (found := number(one)) is not None]
    if len(weights) != variations or not 0.99 <= sum(weights) <= 1.01:
        weights = [1 / variations] * variations
    ranges, start = [], 0.0
    for weight in weights:
        ranges.append((start, start + coverage * weight))
        start += weight
    return ranges


def _percent(share: float, steps: int) -> float:
    """The coverage as percent, in bucket steps, so that the same buckets are below it.

    A user in the bucket of the coverage itself is outside, as in GrowthBook's SDK for Python.
    """
    step = min(max(int(share * steps) - 2, 0), steps)
    while step < steps and step / steps < share:
        step += 1
    return step * 100 / steps
