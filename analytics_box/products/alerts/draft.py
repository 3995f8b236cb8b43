"""An alarm as somebody wants it: what procedures and the form hand on. Pure."""

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import UNSET, Struct, UnsetType

from analytics_box.products.alerts.alarm import Conditions

CHANNEL: Final = "channel"  # the type of a destination that names a channel by its id


class Destination(Struct, frozen=True):
    """The destination of an alert rule as it was given: a type with its place, or a channel's id."""

    type: str
    identifier: str = ""
    config: Mapping[str, str] = {}
    channel_id: str = ""
    escalation: bool = False


class AlertRuleDraft(Struct, frozen=True):
    """Properties of an alarm; None, and UNSET of the website, leave what is there."""

    name: str | None = None
    description: str | None = None
    website_id: str | UnsetType | None = UNSET
    enabled: bool | None = None
    trigger: str | None = None
    conditions: Conditions | None = None
    destinations: Sequence[Destination] | None = None
