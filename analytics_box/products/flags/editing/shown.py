"""Flags as procedures answer with them (wire 6.2)."""

from datetime import datetime
from typing import Any, TypeVar

from msgspec import UNSET, Struct, UnsetType

from analytics_box.products.flags.editing.change import FlagChange
from analytics_box.products.flags.flag import (
    Algorithm,
    Bucketing,
    Flag,
    FlagDefinition,
    FlagScope,
    Operator,
    RuleType,
    Scalar,
    TargetGroup,
    TargetingCondition,
    TargetingRule,
    Variant,
    VariantType,
)
from analytics_box.products.flags.usage.calls import StaleFlagAnswer, last_evaluated_at, stale_answer
from analytics_box.products.flags.usage.counts import FlagUsage
from analytics_box.resource.fields import answer_of, answer_with

T = TypeVar("T", bound=Struct)


class RuleAnswer(Struct, frozen=True, kw_only=True):
    """A rule with the fields that all rules have; other fields only if they are set."""

    type: RuleType
    operator: Operator
    enabled: bool
    batch: bool
    field: str | UnsetType = UNSET
    value: Scalar | UnsetType = UNSET
    values: tuple[Scalar, ...] | UnsetType = UNSET
    batchValues: tuple[Scalar, ...] | UnsetType = UNSET
    name: str | UnsetType = UNSET
    conditions: TargetingCondition | UnsetType = UNSET
    variant: str | UnsetType = UNSET
    percentage: float | UnsetType = UNSET
    percentageFrom: float | UnsetType = UNSET
    bucketing: Bucketing | UnsetType = UNSET


class VariantAnswer(Struct, frozen=True, kw_only=True):
    """A variant. `weight` is in percent."""

    key: str
    type: VariantType
    value: Any
    description: str | UnsetType = UNSET
    weight: float | UnsetType = UNSET


class BucketingAnswer(Struct, frozen=True, kw_only=True):
    """The bucketing of users. All algorithms except `default` select users independently of other flags."""

    algorithm: Algorithm
    salt: str | UnsetType = UNSET
    variantSalt: str | UnsetType = UNSET
    attribute: str | UnsetType = UNSET


@answer_with(TargetGroup)
class TargetGroupAnswer(Struct, frozen=True, kw_only=True):
    """A target group."""

    id: str
    websiteId: str | None
    organizationId: str
    description: str | None
    color: str | None
    rules: tuple[RuleAnswer, ...]
    createdBy: str
    createdAt: datetime
    updatedAt: datetime


@answer_with(FlagDefinition)
class FlagAnswer(Struct, frozen=True, kw_only=True):
    """A flag with its target groups. `version` grows with each change."""

    id: str
    key: str
    name: str | None
    description: str | None
    rules: tuple[RuleAnswer, ...]
    environment: str | None
    variants: tuple[VariantAnswer, ...]
    bucketing: BucketingAnswer
    folder: str | None
    websiteId: str | None
    organizationId: str
    userId: str | None
    createdBy: str
    targetGroups: tuple[TargetGroupAnswer, ...]
    version: int
    createdAt: datetime
    updatedAt: datetime
    deletedAt: datetime | None


class FlagItemAnswer(FlagAnswer, frozen=True, kw_only=True):
    """A flag, when it was evaluated last, and whether it is stale, so that it could go."""

    lastEvaluatedAt: datetime | None
    stale: StaleFlagAnswer | None


class FlagChangeAnswer(FlagAnswer, frozen=True, kw_only=True):
    """A flag after a change. `inactiveDependencies` kept it inactive although it was to be active; `dependents` are
    active flags that give nothing as long as this one is not active."""

    inactiveDependencies: tuple[str, ...]
    dependents: tuple[str, ...]


def flag_answer(flag: Flag, scope: FlagScope) -> FlagAnswer:
    """A flag of this scope for an answer."""
    return _answer(FlagAnswer, flag, scope)


def flag_item_answer(flag: Flag, scope: FlagScope, used: FlagUsage) -> FlagItemAnswer:
    """A flag of this scope for an answer, with how it is used."""
    last = last_evaluated_at(used.last_at)
    return _answer(FlagItemAnswer, flag, scope, lastEvaluatedAt=last, stale=stale_answer(used.stale))


def flag_change_answer(changed: FlagChange, scope: FlagScope) -> FlagChangeAnswer:
    """A flag after a change, as an answer."""
    inactive, dependents = changed.inactive_dependencies, changed.dependents
    return _answer(FlagChangeAnswer, changed.flag, scope, inactiveDependencies=inactive, dependents=dependents)


def target_group_answer(group: TargetGroup) -> TargetGroupAnswer:
    """A target group for an answer."""
    return answer_of(TargetGroupAnswer, group, rules=tuple(map(rule_answer, group.rules)))


def rule_answer(rule: TargetingRule) -> RuleAnswer:
    """A rule for an answer."""
    return RuleAnswer(
        type=rule.type,
        operator=rule.operator,
        enabled=rule.enabled,
        batch=rule.batch,
        field=rule.field or UNSET,
        value=UNSET if rule.value is None else rule.value,
        values=rule.values or UNSET,
        batchValues=rule.batchValues or UNSET,
        name=rule.name or UNSET,
        conditions=rule.conditions or UNSET,
        variant=rule.variant or UNSET,
        percentage=UNSET if rule.percentage is None else rule.percentage,
        percentageFrom=rule.percentageFrom or UNSET,
        bucketing=rule.bucketing or UNSET,
    )


def variant_answer(variant: Variant) -> VariantAnswer:
    """A variant for an answer."""
    return VariantAnswer(
        key=variant.key,
        type=variant.type,
        value=variant.value,
        description=variant.description or UNSET,
        weight=UNSET if variant.weight is None else variant.weight,
    )


def bucketing_answer(bucketing: Bucketing) -> BucketingAnswer:
    """The bucketing of a flag, for an answer."""
    return BucketingAnswer(
        algorithm=bucketing.algorithm,
        salt=bucketing.salt or UNSET,
        variantSalt=bucketing.variantSalt or UNSET,
        attribute=bucketing.attribute or UNSET,
    )


def _answer(answer: type[T], flag: Flag, scope: FlagScope, **more: Any) -> T:
    given = flag.definition
    groups = {group.id: group for group in scope.groups}
    return answer_of(
        answer,
        flag,
        given,
        rules=tuple(map(rule_answer, given.rules)),
        variants=tuple(map(variant_answer, given.variants)),
        bucketing=bucketing_answer(given.bucketing),
        targetGroups=tuple(target_group_answer(groups[one]) for one in given.targetGroupIds if one in groups),
        **more,
    )
