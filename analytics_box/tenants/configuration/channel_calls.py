"""The procedures of alert channels: `config.listChannels`, `createChannel` and so on (scope manage:config; wire 10.5).

All members of the organization see the channels. Their destinations are for owners, admins and API keys with
the scope; a signing secret is shown once, and a bot's token never.
"""

from datetime import datetime
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from analytics_box.base.errors import BadRequest
from analytics_box.base.notify.change import ChannelTools, ChannelUpdate
from analytics_box.base.notify.deliveries import send_test
from analytics_box.base.notify.kinds.kind import ChannelKind, Config
from analytics_box.base.notify.kinds.table import KINDS
from analytics_box.base.notify.message import Message
from analytics_box.base.notify.rules import Channel
from analytics_box.base.notify.send import ChannelSender, SendOutcome
from analytics_box.base.translation import _
from analytics_box.resource.reach import acting
from analytics_box.tenants.configuration import channels
from analytics_box.tenants.tenancy.messages import OrganizationInput, Success, Text, date
from analytics_box.web.call import Call

TESTS = 5  # tests that one caller may make per 60 s (wire 11.3, alarms.test)

_FIELDS = "; ".join(f"{kind.name}: {', '.join(field.name for field in kind.fields)}" for kind in KINDS.values())
Type = Annotated[str, Meta(max_length=40, extra_json_schema={"enum": list(KINDS)})]
GivenConfig = Annotated[
    dict[Annotated[str, Meta(max_length=40)], Annotated[str, Meta(max_length=10_000)]],
    Meta(
        max_length=20,
        examples=[{"to": "ada@example.com"}],  # of the first type
        description=f"The destination: the fields of its type, as text. By type: {_FIELDS}.",
    ),
]
ConfigShown = Annotated[
    dict[str, str], Meta(description="The destination: the fields of its type, without secret ones.")
]


class NewChannel(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of config.createChannel."""

    type: Type
    name: Text
    config: GivenConfig
    enabled: bool = True
    organizationId: Text | None = None


class ChangedChannel(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of config.updateChannel; omitted fields keep their values, also inside of `config`.

    A field that is not needed is emptied with "". At another server, secrets have to be given again.
    """

    channelId: Text
    name: Text | None = None
    enabled: bool | None = None
    config: GivenConfig | None = None
    organizationId: Text | None = None


class OfChannel(Struct, frozen=True, forbid_unknown_fields=True):
    """Input that names a channel."""

    channelId: Text
    organizationId: Text | None = None


class LastResult(Struct, frozen=True):
    """The result of the latest attempt to send something; `error` is null for a success."""

    at: datetime
    success: bool
    error: str | None


class ChannelShown(Struct, frozen=True):
    """A channel as procedures answer with it.

    `identifier` says where it leads without secrets; `config` is null for members and viewers. `waiting` counts
    messages that have not arrived yet.
    """

    id: str
    organizationId: str
    type: Type
    name: str
    enabled: bool
    identifier: str
    config: ConfigShown | None
    lastResult: LastResult | None
    waiting: int
    createdAt: datetime
    updatedAt: datetime


class ChannelMade(Struct, frozen=True):
    """Output of config.createChannel. `secret` is what a webhook signs with, shown only here; else null."""

    channel: ChannelShown
    secret: str | None


class NewSecret(Struct, frozen=True):
    """Output of config.rotateChannelSecret. The secret is shown only here."""

    id: str
    secret: str


class ChannelTestResult(Struct, frozen=True):
    """The result of a test. `channel` is the type; `error` is the reason of a failure."""

    success: bool
    channel: Type
    error: str | UnsetType = UNSET


class ChannelTestAnswer(Struct, frozen=True):
    """Output of config.testChannel (wire 10.5, alarms.test)."""

    results: list[ChannelTestResult]


async def list_channels(call: Call, given: OrganizationInput) -> list[ChannelShown]:
    """config.listChannels: list alert channels, oldest first. Raises Forbidden."""
    organization_id, by = acting(call, given.organizationId)
    seen = await call.read(lambda db: channels.of(db, call.parts[ChannelTools], organization_id, by))
    return [channel_answer(channel, seen.configs.get(channel.id)) for channel in seen.channels]


async def create_channel(call: Call, given: NewChannel) -> ChannelMade:
    """config.createChannel: create an alert channel. Raises Forbidden, BadRequest or Conflict."""
    organization_id, by = acting(call, given.organizationId)
    tools, kind = call.parts[ChannelTools], kind_of(given.type)
    channel, secret = await call.write(
        lambda db: channels.create(
            db,
            tools,
            organization_id,
            by,
            kind=kind,
            name=given.name,
            enabled=given.enabled,
            config=given.config,
        )
    )
    return ChannelMade(channel_answer(channel, channels.readable(tools, channel)), secret or None)


async def update_channel(call: Call, given: ChangedChannel) -> ChannelShown:
    """config.updateChannel: update an alert channel. Raises Forbidden, NotFound or BadRequest.

    Disabling a channel discards its waiting messages.
    """
    organization_id, by = acting(call, given.organizationId)
    tools = call.parts[ChannelTools]
    wanted = ChannelUpdate(given.name, given.enabled, given.config)
    channel = await call.write(lambda db: channels.update(db, tools, organization_id, by, given.channelId, wanted))
    return channel_answer(channel, channels.readable(tools, channel))


async def rotate_channel_secret(call: Call, given: OfChannel) -> NewSecret:
    """config.rotateChannelSecret: replace the signing secret of a webhook channel. Raises Forbidden or NotFound."""
    organization_id, by = acting(call, given.organizationId)
    tools = call.parts[ChannelTools]
    channel, secret = await call.write(lambda db: channels.rotate(db, tools, organization_id, by, given.channelId))
    return NewSecret(channel.id, secret)


async def delete_channel(call: Call, given: OfChannel) -> Success:
    """config.deleteChannel: delete an alert channel and its waiting messages. Raises Forbidden or NotFound."""
    organization_id, by = acting(call, given.organizationId)
    await call.write(lambda db: channels.delete(db, organization_id, by, given.channelId))
    return Success()


async def test_channel(call: Call, given: OfChannel) -> ChannelTestAnswer:
    """config.testChannel: send a test message through an alert channel. Raises Forbidden, NotFound or RateLimited."""
    channel, outcome = await try_now(call, given.channelId, given.organizationId)
    return ChannelTestAnswer([ChannelTestResult(not outcome.error, channel.kind, outcome.error or UNSET)])


async def try_now(call: Call, channel_id: str, organization_id: str | None = None) -> tuple[Channel, SendOutcome]:
    """Send a test and keep what came of it. Raises Forbidden, NotFound or RateLimited."""
    organization_id, by = acting(call, organization_id)
    channel = await call.read(lambda db: channels.existing(db, organization_id, by, channel_id))
    call.parts.limits.take("channel tests", call.identity.limit_name, TESTS)
    seal, sender = call.parts[ChannelTools].seal, call.parts[ChannelSender]
    return channel, await send_test(call.parts.box_db, seal, sender, channel, _test_message(call))


def _test_message(call: Call) -> Message:
    """The test message. It contains no text that a user typed."""
    url = call.parts.settings.public_url
    return Message(
        type="channel.test",
        title=_("Test from Analytics Box"),
        text=_("This is a test from {url}. The channel works; you do not need to do anything.").format(url=url),
        at=call.now,
        url=url,
    )


def kind_of(name: str) -> ChannelKind:
    """The kind of this name. Raises BadRequest."""
    kind = KINDS.get(name)
    if kind is None:
        raise BadRequest.about("type", _("Unknown type. Use one of {kinds}").format(kinds=", ".join(KINDS)))
    return kind


def channel_answer(channel: Channel, config: Config | None) -> ChannelShown:
    """A channel for an answer; with its place for those who may see it."""
    last = None
    if channel.last_at is not None:
        last = LastResult(date(channel.last_at), not channel.last_error, channel.last_error or None)
    return ChannelShown(
        id=channel.id,
        organizationId=channel.organization_id,
        type=channel.kind,
        name=channel.name,
        enabled=channel.enabled,
        identifier=channel.shown,
        config=KINDS[channel.kind].open_part(config) if config is not None else None,
        lastResult=last,
        waiting=channel.waiting,
        createdAt=date(channel.created_at),
        updatedAt=date(channel.updated_at),
    )
