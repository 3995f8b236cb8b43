"""Permissions to create and change alert channels, the addresses that they may use, and the test of the mail server."""

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base.acting import By
from analytics_box.base.errors import BadRequest
from analytics_box.base.notify import change, mail_limits
from analytics_box.base.notify.change import ChannelTools, ChannelUpdate
from analytics_box.base.notify.kinds.kind import ChannelKind, Config
from analytics_box.base.notify.kinds.table import KINDS
from analytics_box.base.notify.mail import Mail, Mailer, NotSent
from analytics_box.base.notify.rules import Channel
from analytics_box.base.store.db import Connection
from analytics_box.base.store.seal import SealBroken
from analytics_box.base.translation import _
from analytics_box.tenants.accounts import rules as account_rules
from analytics_box.tenants.configuration import domains
from analytics_box.tenants.tenancy import members, rules
from analytics_box.web.call import Call


class VisibleChannels(Struct, frozen=True):
    """The channels that a user sees; without destinations for users who cannot change them."""

    channels: list[Channel]
    configs: dict[str, Config]


def of(db: Connection, tools: ChannelTools, organization_id: str, by: By) -> VisibleChannels:
    """The organization's channels, the oldest first. Raises Forbidden."""
    role = members.check(db, organization_id, by, "read")
    found = change.of(db, organization_id)
    if not rules.may(role, "update"):
        return VisibleChannels(found, {})
    return VisibleChannels(found, {channel.id: readable(tools, channel) for channel in found})


def readable(tools: ChannelTools, channel: Channel) -> Config:
    """The decrypted configuration of a channel; empty if the file that its secrets were encrypted with is lost."""
    try:
        return change.decrypt_config(tools.seal, channel)
    except SealBroken:
        return {}


def existing(db: Connection, organization_id: str, by: By, channel_id: str) -> Channel:
    """A channel for a user who can change it. Raises Forbidden or NotFound."""
    members.check(db, organization_id, by, "update")
    return change.existing(db, channel_id, organization_id)


def create(
    db: Connection,
    tools: ChannelTools,
    organization_id: str,
    by: By,
    *,
    kind: ChannelKind,
    name: str,
    enabled: bool,
    config: Config,
) -> tuple[Channel, str]:
    """A new channel, and the secret that it signs with, if it does. Raises Forbidden, BadRequest or Conflict."""
    members.check(db, organization_id, by, "update")
    return change.create(
        db,
        tools,
        by,
        organization_id=organization_id,
        kind=kind,
        name=name,
        enabled=enabled,
        config=_with_known_recipients(db, organization_id, by, kind, config),
    )


def update(
    db: Connection, tools: ChannelTools, organization_id: str, by: By, channel_id: str, wanted: ChannelUpdate
) -> Channel:
    """A changed channel. Raises Forbidden, NotFound or BadRequest."""
    channel = existing(db, organization_id, by, channel_id)
    kind = KINDS[channel.kind]
    if wanted.config is not None:
        wanted = replace(wanted, config=_with_known_recipients(db, organization_id, by, kind, wanted.config))
    elif wanted.enabled and not channel.enabled:  # A member may have left, or a domain been removed.
        _with_known_recipients(db, organization_id, by, kind, readable(tools, channel))
    return change.update(db, tools, by, channel, wanted)


def rotate(db: Connection, tools: ChannelTools, organization_id: str, by: By, channel_id: str) -> tuple[Channel, str]:
    """A webhook with a new secret. Raises Forbidden, NotFound or BadRequest."""
    return change.rotate(db, tools, by, existing(db, organization_id, by, channel_id))


def delete(db: Connection, organization_id: str, by: By, channel_id: str) -> Channel:
    """The channel that was deleted. Raises Forbidden or NotFound."""
    channel = existing(db, organization_id, by, channel_id)
    change.delete(db, by, channel)
    return channel


def _with_known_recipients(db: Connection, organization_id: str, by: By, kind: ChannelKind, config: Config) -> Config:
    """Mail goes only to members and to domains that the organization has proven: the box writes to no other address.

    Administrators of the box can enter any address. Raises BadRequest.
    """
    cleaned = dict(config)
    for field in kind.fields:
        if field.type == "email" and config.get(field.name):
            cleaned[field.name] = _known_recipient(db, organization_id, by, field.name, config[field.name])
    return cleaned


def _known_recipient(db: Connection, organization_id: str, by: By, field: str, given: str) -> str:
    try:
        to = account_rules.clean_email(given)
    except BadRequest as broken:
        raise BadRequest.about(field, broken.message) from broken
    known = {member.email.lower() for member in members.of_organization(db, organization_id) if member.confirmed}
    own_domain = domains.owns(db, organization_id, to.rpartition("@")[2])
    if to.lower() not in known and not own_domain and not members.administers(db, by):
        raise BadRequest.about(field, _("Enter a member's address, or one at a verified domain"))
    return to


TESTS: Final = 5  # a caller can send this many in 60 seconds


class TestEmailResult(Struct, frozen=True):
    """The result of a test email. `error` is the reason why nothing was sent, or null."""

    success: bool
    to: str
    error: str | None


async def send_test(call: Call, to: str) -> TestEmailResult:
    """Send a test email to the address of a known person; the caller limits how often. Raises RateLimited."""
    await call.write(lambda db: mail_limits.take(db, "test", to, call.now))
    text = _("This is a test of the mail server of {url}. You do not need to do anything.\n")
    mail = Mail(to, _("Analytics Box can send email"), text.format(url=call.parts.settings.public_url))
    try:
        await call.parts[Mailer].send(mail)
    except NotSent as why:
        return TestEmailResult(success=False, to=to, error=str(why))
    return TestEmailResult(success=True, to=to, error=None)
