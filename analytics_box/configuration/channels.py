"""Who may make and change alert channels, and which addresses may be written to."""

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.accounts import rules as account_rules
from analytics_box.acting import By
from analytics_box.configuration import domains
from analytics_box.errors import BadRequest
from analytics_box.notify import change
from analytics_box.notify.change import Tools, Wanted
from analytics_box.notify.rules import Channel, Config, Kind
from analytics_box.store.db import Connection
from analytics_box.store.seal import SealBroken
from analytics_box.tenancy import access, members, rules


class Seen(Struct, frozen=True):
    """The channels that somebody sees; without their places for those who may not change them."""

    channels: list[Channel]
    configs: dict[str, Config]


def of(db: Connection, tools: Tools, organization_id: str, by: By) -> Seen:
    """The organization's channels, the oldest first. Raises Forbidden."""
    role = access.check(db, organization_id, by, "read")
    found = change.of(db, organization_id)
    if not rules.may(role, "update"):
        return Seen(found, {})
    return Seen(found, {channel.id: readable(tools, channel) for channel in found})


def readable(tools: Tools, channel: Channel) -> Config:
    """Where a channel leads; nothing where the file that its secrets were sealed with is lost."""
    try:
        return change.opened(tools.seal, channel)
    except SealBroken:
        return Config()


def existing(db: Connection, organization_id: str, by: By, channel_id: str) -> Channel:
    """A channel for somebody who may change it. Raises Forbidden or NotFound."""
    access.check(db, organization_id, by, "update")
    return change.existing(db, channel_id, organization_id)


def create(
    db: Connection,
    tools: Tools,
    organization_id: str,
    by: By,
    *,
    kind: Kind,
    name: str,
    enabled: bool,
    config: Config,
) -> tuple[Channel, str]:
    """A new channel, and for a webhook its secret. Raises Forbidden, BadRequest or Conflict."""
    access.check(db, organization_id, by, "update")
    return change.create(
        db,
        tools,
        by,
        organization_id=organization_id,
        kind=kind,
        name=name,
        enabled=enabled,
        config=_with_known_recipient(db, organization_id, by, config) if kind == "email" else config,
    )


def update(db: Connection, tools: Tools, organization_id: str, by: By, channel_id: str, wanted: Wanted) -> Channel:
    """A changed channel. Raises Forbidden, NotFound or BadRequest."""
    channel = existing(db, organization_id, by, channel_id)
    config = wanted.config
    if config is not None:
        config = _filled(readable(tools, channel), config)
        if channel.kind == "email":
            config = _with_known_recipient(db, organization_id, by, config)
        wanted = replace(wanted, config=config)
    return change.update(db, tools, by, channel, wanted)


def rotate(db: Connection, tools: Tools, organization_id: str, by: By, channel_id: str) -> tuple[Channel, str]:
    """A webhook with a new secret. Raises Forbidden, NotFound or BadRequest."""
    return change.rotate(db, tools, by, existing(db, organization_id, by, channel_id))


def delete(db: Connection, organization_id: str, by: By, channel_id: str) -> Channel:
    """The channel that was deleted. Raises Forbidden or NotFound."""
    channel = existing(db, organization_id, by, channel_id)
    change.delete(db, by, channel)
    return channel


def _filled(before: Config, given: Config) -> Config:
    """What is left out of a changed place stays: a token is never shown, so nobody has to type it again."""
    return Config(
        url=given.url or before.url,
        to=given.to or before.to,
        token=given.token or before.token,
        chat=given.chat or before.chat,
    )


def _with_known_recipient(db: Connection, organization_id: str, by: By, config: Config) -> Config:
    """Mail goes only to members and to domains that the organization has proven: the box writes to nobody else.

    Whoever runs the box may name any address. Raises BadRequest.
    """
    if not config.to:
        return config
    try:
        to = account_rules.clean_email(config.to)
    except BadRequest as broken:
        raise BadRequest.about("to", broken.message) from broken
    known = {member.email.lower() for member in members.everybody(db, organization_id)}
    own_domain = domains.owns(db, organization_id, to.rpartition("@")[2])
    if to.lower() not in known and not own_domain and not access.administers(db, by):
        raise BadRequest.about("to", "Name a member's address, or one at a domain that this organization has verified")
    return replace(config, to=to)
