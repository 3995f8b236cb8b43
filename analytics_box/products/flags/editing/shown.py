"""Flags as procedures answer with them (wire 6.2)."""

from datetime import datetime
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

from analytics_box.products.flags.editing.change import FlagChange
from analytics_box.products.flags.flag import (
    Algorithm,
    Bucketing,
    Flag,
    FlagType,
    Operator,
    Prerequisite,
    RolloutBy,
    RuleType,
    Scalar,
    Status,
    TargetGroup,
    TargetingCondition,
    TargetingRule,
    Variant,
    VariantType,
)
from analytics_box.products.flags.scope import FlagScope
from analytics_box.products.flags.usage.reading import FlagUsage
from analytics_box.products.flags.usage.shown import StaleFlagAnswer, last_evaluated_at, stale_answer
from analytics_box.tenants.tenancy.messages import date


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


class TargetGroupAnswer(Struct, frozen=True, kw_only=True):
    """A target group."""

    id: str
    websiteId: str | None
    organizationId: str
    name: str
    description: str | None
    color: str | None
    rules: tuple[RuleAnswer, ...]
    createdBy: str
    createdAt: datetime
    updatedAt: datetime


class FlagAnswer(Struct, frozen=True, kw_only=True):
    """A flag with its target groups. `version` grows with each change."""

    id: str
    key: str
    name: str | None
    description: str | None
    type: FlagType
    status: Status
    defaultValue: bool
    offValue: Any
    payload: Any
    rules: tuple[RuleAnswer, ...]
    rolloutPercentage: float
    rolloutBy: RolloutBy
    persistAcrossAuth: bool
    dependencies: tuple[str, ...]
    prerequisites: tuple[Prerequisite, ...]
    environment: str | None
    variants: tuple[VariantAnswer, ...]
    bucketing: BucketingAnswer
    folder: str | None
    websiteId: str | None
    organizationId: str
    userId: str | None
    createdBy: str
    targetGroupIds: tuple[str, ...]
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
    return FlagAnswer(**_fields(flag, scope))


def flag_item_answer(flag: Flag, scope: FlagScope, used: FlagUsage) -> FlagItemAnswer:
    """A flag of this scope for an answer, with how it is used."""
    return FlagItemAnswer(
        **_fields(flag, scope), lastEvaluatedAt=last_evaluated_at(used.last_at), stale=stale_answer(used.stale)
    )


def flag_change_answer(changed: FlagChange, scope: FlagScope) -> FlagChangeAnswer:
    """A flag after a change, as an answer."""
    return FlagChangeAnswer(
        **_fields(changed.flag, scope),
        inactiveDependencies=changed.inactive_dependencies,
        dependents=changed.dependents,
    )


def target_group_answer(group: TargetGroup) -> TargetGroupAnswer:
    """A target group for an answer."""
    return TargetGroupAnswer(
        id=group.id,
        websiteId=group.website_id,
        organizationId=group.organization_id,
        name=group.name,
        description=group.description or None,
        color=group.color or None,
        rules=tuple(map(rule_answer, group.rules)),
        createdBy=group.created_by,
        createdAt=date(group.created_at),
        updatedAt=date(group.updated_at),
    )


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


def _fields(flag: Flag, scope: FlagScope) -> dict[str, Any]:
    definition = flag.definition
    groups = {group.id: group for group in scope.groups}
    return msgspec.structs.asdict(definition) | {
        "id": flag.id,
        "key": flag.key,
        "name": definition.name or None,
        "description": definition.description or None,
        "folder": definition.folder or None,
        "rules": tuple(map(rule_answer, definition.rules)),
        "variants": tuple(map(variant_answer, definition.variants)),
        "bucketing": bucketing_answer(definition.bucketing),
        "environment": flag.environment,
        "websiteId": flag.website_id,
        "organizationId": flag.organization_id,
        "userId": flag.user_id,
        "createdBy": flag.created_by,
        "targetGroups": tuple(
            target_group_answer(groups[found]) for found in definition.targetGroupIds if found in groups
        ),
        "version": flag.version,
        "createdAt": date(flag.created_at),
        "updatedAt": date(flag.updated_at),
        "deletedAt": None if flag.deleted_at is None else date(flag.deleted_at),
    }
