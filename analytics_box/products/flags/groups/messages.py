"""Input of target group procedures (wire 6.4)."""

from datetime import datetime
from typing import Annotated

from msgspec import Meta

from analytics_box.products.flags.flag import Id, TargetGroup
from analytics_box.products.flags.messages import OwnedInput
from analytics_box.resource.fields import input_of

Instant = Annotated[datetime, Meta(tz=True)]


@input_of(TargetGroup, needed=("name",))
class CreateTargetGroup(OwnedInput, frozen=True, kw_only=True):
    """Input of targetGroups.create. `color` is like #2563eb."""


@input_of(TargetGroup)
class UpdateTargetGroup(OwnedInput, frozen=True, kw_only=True):
    """Input of targetGroups.update. Omitted fields do not change; null clears a field.

    With `updatedAt` the group changes only if it has not been changed since then.
    """

    id: Id
    updatedAt: Instant | None = None


class TargetGroupId(OwnedInput, frozen=True, kw_only=True):
    """Input that names a target group."""

    id: Id
