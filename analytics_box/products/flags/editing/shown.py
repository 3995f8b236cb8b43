"""Flags as procedures answer with them (wire 6.2)."""

from datetime import datetime
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

from analytics_box.products.flags.editing.change import Changed
from analytics_box.products.flags.flag import (
    Algorithm,
    Bucketing,
    Flag,
    FlagType,
    Node,
    Operator,
    Prerequisite,
    RolloutBy,
    Rule,
    RuleType,
    Scalar,
    Status,
    TargetGroup,
    Variant,
    VariantType,
)
from analytics_box.products.flags.scope import Scope
from analytics_box.products.flags.usage.messages import StaleShown
from analytics_box.products.flags.usage.reading import Used
from analytics_box.products.flags.usage.shown import last_shown, stale_shown
from analytics_box.tenants.tenancy.messages import date


class RuleShown(Struct, frozen=True, kw_only=True):
    """A rule with all fields that rules always had; others only where they are given."""

    type: RuleType
    operator: Operator
    enabled: bool
    batch: bool
    field: str | UnsetType = UNSET
    value: Scalar | UnsetType = UNSET
    values: tuple[Scalar, ...] | UnsetType = UNSET
    batchValues: tuple[Scalar, ...] | UnsetType = UNSET
    name: str | UnsetType = UNSET
    conditions: Node | UnsetType = UNSET
    variant: str | UnsetType = UNSET
    percentage: float | UnsetType = UNSET
    percentageFrom: float | UnsetType = UNSET
    bucketing: Bucketing | UnsetType = UNSET


class VariantShown(Struct, frozen=True, kw_only=True):
    """A variant. `weight` is in percent."""

    key: str
    type: VariantType
    value: Any
    description: str | UnsetType = UNSET
    weight: float | UnsetType = UNSET


class BucketingShown(Struct, frozen=True, kw_only=True):
    """The bucketing of users. All algorithms except `default` select users independently of other flags."""

    algorithm: Algorithm
    salt: str | UnsetType = UNSET
    variantSalt: str | UnsetType = UNSET
    attribute: str | UnsetType = UNSET


class GroupShown(Struct, frozen=True, kw_only=True):
    """A target group."""

    id: str
    websiteId: str | None
    organizationId: str
    name: str
    description: str | None
    color: str | None
    rules: tuple[RuleShown, ...]
    createdBy: str
    createdAt: datetime
    updatedAt: datetime


class FlagShown(Struct, frozen=True, kw_only=True):
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
    rules: tuple[RuleShown, ...]
    rolloutPercentage: float
    rolloutBy: RolloutBy
    persistAcrossAuth: bool
    dependencies: tuple[str, ...]
    prerequisites: tuple[Prerequisite, ...]
    environment: str | None
    variants: tuple[VariantShown, ...]
    bucketing: BucketingShown
    folder: str | None
    websiteId: str | None
    organizationId: str
    userId: str | None
    createdBy: str
    targetGroupIds: tuple[str, ...]
    targetGroups: tuple[GroupShown, ...]
    version: int
    createdAt: datetime
    updatedAt: datetime
    deletedAt: datetime | None


class UsedShown(FlagShown, frozen=True, kw_only=True):
    """A flag, when it was evaluated last, and whether it is stale, so that it could go."""

    lastEvaluatedAt: datetime | None
    stale: StaleShown | None


class ChangedShown(FlagShown, frozen=True, kw_only=True):
    """A flag after a change. `inactiveDependencies` kept it inactive although it was to be active; `dependents` are
    active flags that give nothing as long as this one is not active."""

    inactiveDependencies: tuple[str, ...]
    dependents: tuple[str, ...]


def flag_shown(flag: Flag, scope: Scope) -> FlagShown:
    """A flag of this scope for an answer."""
    return FlagShown(**_fields(flag, scope))


def used_shown(flag: Flag, scope: Scope, used: Used) -> UsedShown:
    """A flag of this scope for an answer, with how it is used."""
    return UsedShown(**_fields(flag, scope), lastEvaluatedAt=last_shown(used.last_at), stale=stale_shown(used.stale))


def changed_shown(changed: Changed, scope: Scope) -> ChangedShown:
    """What became of a flag, for an answer."""
    return ChangedShown(
        **_fields(changed.flag, scope),
        inactiveDependencies=changed.inactive_dependencies,
        dependents=changed.dependents,
    )


def group_shown(group: TargetGroup) -> GroupShown:
    """A target group for an answer."""
    return GroupShown(
        id=group.id,
        websiteId=group.website_id,
        organizationId=group.organization_id,
        name=group.name,
        description=group.description or None,
        color=group.color or None,
        rules=tuple(map(rule_shown, group.rules)),
        createdBy=group.created_by,
        createdAt=date(group.created_at),
        updatedAt=date(group.updated_at),
    )


def rule_shown(rule: Rule) -> RuleShown:
    """A rule for an answer."""
    return RuleShown(
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


def variant_shown(variant: Variant) -> VariantShown:
    """A variant for an answer."""
    return VariantShown(
        key=variant.key,
        type=variant.type,
        value=variant.value,
        description=variant.description or UNSET,
        weight=UNSET if variant.weight is None else variant.weight,
    )


def bucketing_shown(bucketing: Bucketing) -> BucketingShown:
    """The bucketing of a flag, for an answer."""
    return BucketingShown(
        algorithm=bucketing.algorithm,
        salt=bucketing.salt or UNSET,
        variantSalt=bucketing.variantSalt or UNSET,
        attribute=bucketing.attribute or UNSET,
    )


def _fields(flag: Flag, scope: Scope) -> dict[str, Any]:
    definition = flag.definition
    groups = {group.id: group for group in scope.groups}
    return msgspec.structs.asdict(definition) | {
        "id": flag.id,
        "key": flag.key,
        "name": definition.name or None,
        "description": definition.description or None,
        "folder": definition.folder or None,
        "rules": tuple(map(rule_shown, definition.rules)),
        "variants": tuple(map(variant_shown, definition.variants)),
        "bucketing": bucketing_shown(definition.bucketing),
        "environment": flag.environment,
        "websiteId": flag.website_id,
        "organizationId": flag.organization_id,
        "userId": flag.user_id,
        "createdBy": flag.created_by,
        "targetGroups": tuple(group_shown(groups[found]) for found in definition.targetGroupIds if found in groups),
        "version": flag.version,
        "createdAt": date(flag.created_at),
        "updatedAt": date(flag.updated_at),
        "deletedAt": None if flag.deleted_at is None else date(flag.deleted_at),
    }
