"""A channel as the list shows it. Pure but for the time zone."""

from msgspec import Struct

from analytics_box.base.identity import SignedInPerson
from analytics_box.base.notify.kinds.table import KINDS
from analytics_box.base.notify.rules import Channel
from analytics_box.base.texts import IntegrationTexts
from analytics_box.web.page import dates


class ChannelRow(Struct, frozen=True):
    """A channel in the list. `last` says what became of the latest attempt; `well` whether that was good."""

    id: str
    name: str
    kind: str
    leads_to: str
    enabled: bool
    well: bool
    last: str
    waiting: str
    signed: bool


def row(channel: Channel, person: SignedInPerson) -> ChannelRow:
    """A channel for this reader."""
    return ChannelRow(
        id=channel.id,
        name=channel.name,
        kind=KINDS[channel.kind].label,
        leads_to=channel.shown,
        enabled=channel.enabled,
        well=not channel.last_error,
        last=_last(channel, person),
        waiting=_waiting(channel.waiting),
        signed=KINDS[channel.kind].new_secret is not None,
    )


def _last(channel: Channel, person: SignedInPerson) -> str:
    if channel.last_at is None:
        return IntegrationTexts.never
    when = dates.moment(channel.last_at, person)
    if channel.last_error:
        return IntegrationTexts.failed.format(when=when, error=channel.last_error)
    return IntegrationTexts.sent.format(when=when)


def _waiting(count: int) -> str:
    if not count:
        return ""
    return IntegrationTexts.one_waiting if count == 1 else IntegrationTexts.waiting.format(count=count)
