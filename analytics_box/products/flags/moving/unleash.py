"""Flags of Unleash: from an export of features or of a state, the admin API, or the answer to its clients. Pure.

An Unleash flag is on for users that match one of its strategies; each has constraints and an optional percentage. A
strategy becomes a rule; if there are variants, rules exclude users who get none, and the variants' weights do the rest.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from analytics_box.base.errors import BadRequest
from analytics_box.base.file_queue import keep_going
from analytics_box.base.translation import _
from analytics_box.products.flags.flag import (
    MOST_NODES,
    Bucketing,
    FlagDefinition,
    Prerequisite,
    TargetingCondition,
    TargetingRule,
    Variant,
)
from analytics_box.products.flags.moving import unleash_constraints
from analytics_box.products.flags.moving.conditions import EVERYBODY, all_of, exists, none_of, one_of, rule
from analytics_box.products.flags.moving.unleash_constraints import overrides, variants_of
from analytics_box.products.flags.moving.wanted import (
    MOST,
    ImportNotes,
    SourceFile,
    SourceFlag,
    chosen_environment,
    description_of,
    disagreements,
    entries,
    key_error,
    mapping,
    mappings,
    name_of,
    number,
    source_flag,
    text,
)

_ATTRIBUTES: Final = unleash_constraints.ATTRIBUTES
_GRADUAL: Final = {"gradualRolloutUserId": "userId", "gradualRolloutSessionId": "sessionId"}
_LISTS: Final = {"userWithId": ("userIds", "user_id", "in"), "remoteAddress": ("IPs", "remoteAddress", "ip_in")}
_NO_USER: Final = (
    "Users without a user id were assigned by session or at random; here they all share one bucket. If all of your "
    "users have a user id, activate it"
)


class Toggle(Struct, frozen=True, kw_only=True):
    """A flag of one environment, from any kind of file. Segments of a strategy are already constraints."""

    key: str
    given: Mapping[str, Any]
    enabled: bool
    strategies: Sequence[Mapping[str, Any]]
    variants: Sequence[Mapping[str, Any]]
    dependencies: Sequence[Mapping[str, Any]] = ()


class StrategyGate(Struct, frozen=True, kw_only=True):
    """The users that a strategy is on for: those who match the condition and are bucketed below the percentage."""

    condition: TargetingCondition
    percentage: float = 100
    bucketing: Bucketing = Bucketing()


def is_unleash(given: Mapping[str, Any]) -> bool:
    """Whether this looks like such a file."""
    features = given.get("features")
    named = isinstance(features, list) and all("name" in mapping(one) for one in features)
    return named or "featureStrategies" in given


def read_file(given: Mapping[str, Any], environment: str | None = None) -> SourceFile:
    """The flags that a file defines in one of its environments. Raises BadRequest."""
    features = entries(given.get("features", []), "features")
    if len(features) > MOST:
        raise BadRequest(_("A file can have up to {most:,} flags; split it").format(most=MOST))
    toggles, chosen = _toggles(given, features, environment)
    states = {one.key: one.enabled for one in toggles}
    flags = tuple(_read_flag(number, one, states) for number, one in enumerate(toggles, 1))
    return SourceFile(
        flags=flags,
        notes=(*_lost_parts(given), *disagreements("Unleash", flags)),
        chosen=chosen,
    )


def _lost_parts(given: Mapping[str, Any]) -> Iterable[str]:
    """The parts of a file other than flags, as notes."""
    for name in ("strategies", "featureTags", "tags", "projects", "contextFields", "links"):
        if given.get(name):
            yield f"{name} is not supported"


def _toggles(
    given: Mapping[str, Any], features: Sequence[Mapping[str, Any]], environment: str | None
) -> tuple[list[Toggle], str | None]:
    segments = {text(one.get("id")): one for one in mappings(given.get("segments"))}
    if "featureStrategies" in given or "featureEnvironments" in given:
        return _of_export(given, features, segments, environment)
    named = [text(one.get("name")) for feature in features for one in mappings(feature.get("environments"))]
    chosen = chosen_environment(named, environment)
    found = []
    for feature in features:
        within = next((one for one in mappings(feature.get("environments")) if text(one.get("name")) == chosen), None)
        state = feature if within is None else within
        found.append(
            Toggle(
                key=text(feature.get("name")),
                given=feature,
                enabled=state.get("enabled") is True,
                strategies=[_with_segments(one, segments) for one in mappings(state.get("strategies"))],
                variants=mappings(state.get("variants") or feature.get("variants")),
                dependencies=mappings(feature.get("dependencies")),
            )
        )
    return found, chosen


def _of_export(
    given: Mapping[str, Any],
    features: Sequence[Mapping[str, Any]],
    segments: Mapping[str, Mapping[str, Any]],
    environment: str | None,
) -> tuple[list[Toggle], str | None]:
    """The toggles of files that list strategies and states separately from the flags."""
    strategies, states = mappings(given.get("featureStrategies")), mappings(given.get("featureEnvironments"))
    chosen = chosen_environment(
        (text(one["environment"]) for one in (*states, *strategies) if one.get("environment")), environment
    )
    here = [one for one in strategies if not one.get("environment") or text(one["environment"]) == chosen]
    here.sort(key=lambda one: number(one.get("sortOrder")) or 0)
    strategies_of: dict[str, list[Mapping[str, Any]]] = {}
    for one in here:
        strategies_of.setdefault(text(one.get("featureName")), []).append(one)
    state_of = {
        text(one.get("featureName")): one
        for one in states
        if not one.get("environment") or text(one["environment"]) == chosen
    }
    links: dict[str, list[str]] = {}
    for link in mappings(given.get("featureStrategySegments")):
        links.setdefault(text(link.get("featureStrategyId")), []).append(text(link.get("segmentId")))
    needs = {text(one.get("feature")): mappings(one.get("dependencies")) for one in mappings(given.get("dependencies"))}
    found = []
    for feature in features:
        key = text(feature.get("name"))
        state = state_of.get(key, {})
        found.append(
            Toggle(
                key=key,
                given=feature,
                enabled=state.get("enabled") is True,
                strategies=[
                    _with_segments(one, segments, links.get(text(one.get("id")), ()))
                    for one in strategies_of.get(key, ())
                ],
                variants=mappings(state.get("variants") or feature.get("variants")),
                dependencies=needs.get(key, ()),
            )
        )
    return found, chosen


def _with_segments(
    given: Mapping[str, Any], segments: Mapping[str, Mapping[str, Any]], linked: Iterable[str] = ()
) -> Mapping[str, Any]:
    """A strategy with the constraints of its segments; those of a segment that the file does not have are missing, and
    if a flag has too many, the first ones are kept, which exceed the limit."""
    keep_going()
    ids = [text(one) for one in given.get("segments") or () if not isinstance(one, dict)]
    inside = [one for one in given.get("segments") or () if isinstance(one, dict)]
    ids += [*linked, *(text(one.get("id")) for one in inside if "constraints" not in one)]
    found = [segments.get(one, {}) for one in dict.fromkeys(ids)] + [one for one in inside if "constraints" in one]
    constraints = list(mappings(given.get("constraints")))
    missing = False
    for segment in found:
        if isinstance(segment.get("constraints"), list):
            constraints += mappings(segment["constraints"])[: MOST_NODES + 1]
        else:
            missing = True
    return dict(given) | {"constraints": constraints, "without segment": missing}


def _read_flag(number: int, toggle: Toggle, states: Mapping[str, bool]) -> SourceFlag:
    error = key_error(toggle.key)
    if error:
        return SourceFlag(number=number, key=toggle.key, error=error, field="key")
    notes = ImportNotes()
    is_off = toggle.given.get("archived") is True or toggle.given.get("archivedAt") is not None
    fields: dict[str, Any] = {
        "name": name_of(toggle.given.get("name"), toggle.key),
        "description": description_of(toggle.given.get("description")),
        "status": "archived" if is_off else "active" if toggle.enabled else "inactive",
        "prerequisites": tuple(_prerequisites(toggle, states, notes)),
    }
    active = [one for one in toggle.strategies if one.get("disabled") is not True]
    if toggle.strategies and not active:
        notes.lose(_("All strategies are disabled, so the flag is off for all users"))
    gates = [gate for one in active if (gate := _gate(toggle.key, one, notes)) is not None]
    if not active and not toggle.strategies:
        gates = [StrategyGate(condition=EVERYBODY)]
    given_variants, salt = _variants(toggle, active, notes)
    if given_variants:
        fields |= _with_variants(toggle, gates, (given_variants, salt), notes)
    else:
        fields |= _without_variants(gates) | {"offValue": False}
    return source_flag(number, toggle.key, FlagDefinition(**fields), notes)


def _prerequisites(toggle: Toggle, states: Mapping[str, bool], notes: ImportNotes) -> Iterable[Prerequisite]:
    for one in toggle.dependencies:
        key = text(one.get("feature"))
        variants = tuple(text(name) for name in one.get("variants") or ())
        if one.get("enabled") is False and states.get(key) is not True:
            notes.lose(_("It is on while {key} is off; here, required flags must be active").format(key=key))
        elif key_error(key):
            notes.lose(_("It requires the flag {key}, which is not a valid key here").format(key=key))
        else:
            yield Prerequisite(key=key, gives=("false",) if one.get("enabled") is False else variants or ("true",))


def _gate(key: str, given: Mapping[str, Any], notes: ImportNotes) -> StrategyGate | None:
    """The users that a strategy is on for; None if that cannot be expressed, which is noted."""
    name = text(given.get("name") or given.get("strategyName"))
    parameters = mapping(given.get("parameters"))
    if given.get("without segment"):
        notes.lose(_("The file does not include the segment constraints of the strategy {name}").format(name=name))
        return None
    condition = unleash_constraints.condition(mappings(given.get("constraints")), notes)
    if condition is None:
        return None
    if name == "default":
        return StrategyGate(condition=condition)
    if name in _LISTS:
        parameter, attribute, operator = _LISTS[name]
        values = [one.strip() for one in text(parameters.get(parameter)).split(",") if one.strip()]
        found = one_of(attribute, values) if operator == "in" else unleash_constraints.within(attribute, values)
        if found is None:
            notes.lose(_("The strategy {name} has networks that are not supported").format(name=name))
            return None
        return StrategyGate(condition=all_of((condition, found)))
    if name == "flexibleRollout" or name in _GRADUAL:
        return _gradual(key, name, parameters, condition, notes)
    notes.lose(_("The strategy {name} is not supported").format(name=name))
    return None


def _gradual(
    key: str, name: str, parameters: Mapping[str, Any], condition: TargetingCondition, notes: ImportNotes
) -> StrategyGate | None:
    percentage = number(parameters.get("rollout" if name == "flexibleRollout" else "percentage"))
    stickiness = _GRADUAL.get(name) or text(parameters.get("stickiness")) or "default"
    if percentage is None or not 0 <= percentage <= 100:
        notes.lose(_("The strategy {name} has no percentage from 0 to 100").format(name=name))
        return None
    if percentage == 100 and stickiness in {"default", "random"}:
        return StrategyGate(condition=condition)
    if stickiness == "random":
        notes.lose(_("It is on at random for each evaluation"))
        return None
    salt = text(parameters.get("groupId")) or key
    attribute = _drawn_by(stickiness, notes)
    if stickiness != "default":  # who does not have it is never in
        condition = all_of((condition, exists(attribute)))
    if percentage == 100:
        return StrategyGate(condition=condition)
    return StrategyGate(condition=condition, percentage=percentage, bucketing=_bucketing(key, salt, attribute))


def _bucketing(key: str, salt: str, attribute: str, variant_salt: str = "") -> Bucketing:
    return Bucketing(
        algorithm="unleash",
        salt="" if salt == key else salt,
        variantSalt="" if variant_salt == salt else variant_salt,
        attribute=attribute,
    )


def _drawn_by(stickiness: str, notes: ImportNotes) -> str:
    """The attribute to bucket by; empty for the user id, as in flags."""
    if stickiness == "default":
        notes.lose(_NO_USER)
        return ""
    return _ATTRIBUTES.get(stickiness, stickiness)


def _without_variants(gates: Sequence[StrategyGate]) -> dict[str, Any]:
    """The fields of a flag that is on for users that any gate includes, else off."""
    if any(gate.condition == EVERYBODY and gate.percentage == 100 for gate in gates):
        return {"type": "boolean", "defaultValue": True}
    if len(gates) == 1 and gates[0].condition == EVERYBODY:
        (gate,) = gates
        return {"type": "rollout", "rolloutPercentage": gate.percentage, "bucketing": gate.bucketing}
    shared = next((gate.bucketing for gate in gates if gate.percentage < 100), Bucketing())
    return {
        "type": "boolean",
        "bucketing": shared,
        "rules": tuple(
            rule(gate.condition)
            if gate.percentage == 100
            else rule(
                gate.condition,
                percentage=gate.percentage,
                bucketing=None if gate.bucketing == shared else gate.bucketing,
            )
            for gate in gates
        ),
    }


def _variants(
    toggle: Toggle, strategies: Sequence[Mapping[str, Any]], notes: ImportNotes
) -> tuple[Sequence[Mapping[str, Any]], str]:
    """The variants with their bucketing: those of the strategies, else those of the flag."""
    own = [mappings(one.get("variants")) for one in strategies]
    if not any(own):
        return toggle.variants, toggle.key
    salts = {text(mapping(one.get("parameters")).get("groupId")) or toggle.key for one in strategies}
    if len(salts) > 1 or any(one != own[0] for one in own):
        notes.lose(_("Its strategies have different variants. Those of the first are used"))
    first = next(index for index, one in enumerate(own) if one)
    return own[first], text(mapping(strategies[first].get("parameters")).get("groupId")) or toggle.key


def _with_variants(
    toggle: Toggle, gates: Sequence[StrategyGate], drawn: tuple[Sequence[Mapping[str, Any]], str], notes: ImportNotes
) -> dict[str, Any]:
    """The fields of a flag that is off for users that no gate includes, else gives a variant."""
    given, salt = drawn
    variants: list[Variant] = variants_of(given, notes)
    stickiness = {text(one.get("stickiness")) or "default" for one in given}
    if len(stickiness) > 1 or "random" in stickiness:
        notes.lose(_("Its variants are random for each evaluation, or use several attributes"))
    attribute = _drawn_by(min(stickiness), notes) if stickiness != {"random"} else ""
    rules = [*_off(gates, notes), *overrides(given, notes)]
    if attribute:
        rules.append(rule(none_of([exists(attribute)]), variant=variants[0].key))
        notes.lose(_("Users without {attribute} get a random variant").format(attribute=attribute))
    return {
        "type": "multivariant",
        "variants": tuple(variants),
        "rules": tuple(rules),
        "bucketing": _bucketing(toggle.key, salt, attribute),
    }


def _off(gates: Sequence[StrategyGate], notes: ImportNotes) -> Iterable[TargetingRule]:
    """Rules for users that no gate includes. Raises nothing: what cannot be expressed is noted.

    After the first rule every user meets a condition of some gate. For users who meet no condition of a gate for all,
    the gate with the highest percentage whose condition they meet decides: all use the same bucket.
    """
    if any(gate.condition == EVERYBODY and gate.percentage == 100 for gate in gates):
        return
    outside = none_of(gate.condition for gate in gates)
    if outside.any != ():
        yield rule(outside, enabled=False)
    partial = sorted((gate for gate in gates if gate.percentage < 100), key=lambda gate: -gate.percentage)
    if len({(gate.bucketing.salt, gate.bucketing.attribute) for gate in partial}) > 1:
        notes.lose(_("Its strategies use different groupIds, and it has variants"))
        return
    past = [gate.condition for gate in gates if gate.percentage == 100]
    for gate in partial:
        alone = none_of(past) if past else EVERYBODY
        condition = all_of((gate.condition, alone))
        yield rule(condition, enabled=False, above=gate.percentage, bucketing=gate.bucketing)
        past.append(gate.condition)
