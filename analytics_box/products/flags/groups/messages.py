"""Input of target group procedures (wire 6.4)."""

from datetime import datetime
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from analytics_box.products.flags.flag import LONGEST_DESCRIPTION, LONGEST_NAME, MOST_RULES, TargetingRule
from analytics_box.products.flags.messages import Id, OwnedInput

Name = Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME)]
Description = Annotated[str, Meta(max_length=LONGEST_DESCRIPTION)]
Color = Annotated[str, Meta(pattern="^(#[0-9A-Fa-f]{6})?$", max_length=7)]
Instant = Annotated[datetime, Meta(tz=True)]
Rules = Annotated[tuple[TargetingRule, ...], Meta(max_length=MOST_RULES)]


class CreateTargetGroup(OwnedInput, frozen=True, kw_only=True):
    """Input of targetGroups.create. `color` is like #2563eb."""

    name: Name
    description: Description | None = None
    color: Color | None = None
    rules: Rules = ()


class UpdateTargetGroup(OwnedInput, frozen=True, kw_only=True):
    """Input of targetGroups.update. Omitted fields do not change; null clears a field.

    With `updatedAt` the group changes only if it has not been changed since then.
    """

    id: Id
    name: Name | UnsetType = UNSET
    description: Description | UnsetType | None = UNSET
    color: Color | UnsetType | None = UNSET
    rules: Rules | UnsetType = UNSET
    updatedAt: Instant | None = None


class TargetGroupId(OwnedInput, frozen=True, kw_only=True):
    """Input that names a target group."""

    id: Id
