"""Making and changing channels: each verb writes its row and audit entry in the caller's transaction.

Callers check the permission. Secrets are sealed and are in no audit entry.
"""

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import audit, errors, ids, names
from analytics_box.base.acting import By
from analytics_box.base.notify import receivers, rows, rules
from analytics_box.base.notify.kinds.kind import SECRET, ChannelKind, Config, clean
from analytics_box.base.notify.kinds.table import KINDS
from analytics_box.base.notify.mail_limits import mailbox_of
from analytics_box.base.notify.message import line
from analytics_box.base.notify.receivers import CHANNELS
from analytics_box.base.notify.rules import Channel
from analytics_box.base.outgoing.addresses import Fence
from analytics_box.base.outgoing.fences import Fences, member_of
from analytics_box.base.outgoing.target import target
from analytics_box.base.store.db import Connection
from analytics_box.base.store.seal import Seal, SealBroken
from analytics_box.base.translation import _

UNREADABLE = "The secrets of this channel cannot be decrypted. Delete it and create a new one"
_SWITCHED_OFF = "The channel was disabled"
_MEMBER_LEFT = "The channel was disabled because the member with this address left the organization"
_MOVED = "Enter this again, because the address has changed"
_EARLIER = {"chat": "chatId"}  # names of fields as first versions stored them


class ChannelTools(Struct, frozen=True):
    """The tools of the verbs: the seal of secrets, and the networks that channels may reach."""

    seal: Seal
    fences: Fences

    def fence_of(self, organization_id: str) -> Fence:
        """The fence around what the channels of an organization may reach."""
        return self.fences.of(member_of(organization_id))


class ChannelUpdate(Struct, frozen=True):
    """Changed properties of a channel; None leaves what is there, also for fields that `config` does not have."""

    name: str | None = None
    enabled: bool | None = None
    config: Config | None = None


def create(
    db: Connection,
    tools: ChannelTools,
    by: By,
    *,
    organization_id: str,
    kind: ChannelKind,
    name: str,
    enabled: bool,
    config: Config,
) -> tuple[Channel, str]:
    """A new channel, and the secret that it signs with, if it does. Raises BadRequest or Conflict."""
    if len(rows.of(db, organization_id)) >= rules.MOST_CHANNELS:
        raise errors.Conflict.full(
            "channels",
            rules.MOST_CHANNELS,
            _("An organization can have up to {most} channels; delete one first").format(most=rules.MOST_CHANNELS),
        )
    kept = clean(kind, config, tools.fence_of(organization_id))
    if kind.new_secret is not None:
        kept[SECRET] = kind.new_secret()
    channel_id = ids.new_id()
    channel = Channel(
        id=channel_id,
        organization_id=organization_id,
        kind=kind.name,
        name=names.clean_name(name, field="name"),
        enabled=enabled,
        shown=_audit_values(kind, kept),
        sealed=seal_config(tools.seal, channel_id, kept),
        created_at=by.now,
        updated_at=by.now,
    )
    rows.insert(db, channel)
    detail = {"name": channel.name, "type": kind.name, "leadsTo": channel.shown, "enabled": enabled}
    _record(db, by, channel, "created", detail)
    return channel, kept.get(SECRET, "")


def update(db: Connection, tools: ChannelTools, by: By, channel: Channel, wanted: ChannelUpdate) -> Channel:
    """Another name or place, or on and off. What waits for a channel that is switched off is given up."""
    before, kind = channel, KINDS[channel.kind]
    config: Config = {}
    changed = None
    if wanted.config is not None:
        config = _readable(tools.seal, before)
        changed = _merge_config(kind, config, wanted.config, tools.fence_of(channel.organization_id))
    after = replace(
        before,
        name=before.name if wanted.name is None else names.clean_name(wanted.name, field="name"),
        enabled=before.enabled if wanted.enabled is None else wanted.enabled,
        shown=before.shown if changed is None else _audit_values(kind, changed),
    )
    detail = audit.difference(before, after, ("name", "enabled", "shown"), names={"shown": "leadsTo"})
    if changed is not None and changed != config:
        after = replace(after, sealed=seal_config(tools.seal, before.id, changed))
        detail.setdefault("leadsTo", f"changed, at {after.shown}")
    if not detail:
        return before
    after = replace(after, updated_at=by.now)
    rows.update(db, after)
    if changed is not None:
        receivers.forget(db, CHANNELS, after.id)  # it may be another place, or have the secret that was missing
    if not after.enabled:
        rows.give_up(db, after.id, now=by.now, error=_SWITCHED_OFF)
    _record(db, by, after, "updated", {"name": after.name, **detail})
    return existing(db, after.id, after.organization_id)


def rotate(db: Connection, tools: ChannelTools, by: By, channel: Channel) -> tuple[Channel, str]:
    """A new secret to sign with; the old one is used no more. Raises BadRequest for channels without one."""
    new_secret = KINDS[channel.kind].new_secret
    if new_secret is None:
        raise errors.BadRequest(_("This kind of channel has no signing secret"))
    config = _readable(tools.seal, channel)
    if not config:
        raise errors.Conflict(UNREADABLE)
    secret = new_secret()
    config = {**config, SECRET: secret}
    after = replace(channel, sealed=seal_config(tools.seal, channel.id, config), updated_at=by.now)
    rows.update(db, after)
    _record(db, by, after, "rotated", {"name": after.name})
    return after, secret


def delete(db: Connection, by: By, channel: Channel) -> None:
    """Delete a channel, with all its pending messages."""
    rows.delete(db, channel.id)
    _record(db, by, channel, "deleted", {"name": channel.name, "type": channel.kind, "leadsTo": channel.shown})


def disable_mailbox(db: Connection, seal: Seal, by: By, organization_id: str, address: str) -> None:
    """Disable the email channels that send to a member who left the organization."""
    for channel in rows.of(db, organization_id):
        to = _readable(seal, channel).get("to", "") if channel.enabled and KINDS[channel.kind].by_mail else ""
        if to and mailbox_of(to) == mailbox_of(address):
            after = replace(channel, enabled=False, updated_at=by.now)
            rows.update(db, after)
            rows.give_up(db, after.id, now=by.now, error=_MEMBER_LEFT)
            rows.note(db, after.id, at=by.now, error=_MEMBER_LEFT)
            detail: dict[str, object] = {
                "name": after.name,
                "enabled": {"before": True, "after": False},
                "reason": _MEMBER_LEFT,
            }
            _record(db, by, after, "updated", detail)


def of(db: Connection, organization_id: str) -> list[Channel]:
    """The channels of an organization, the oldest first."""
    return rows.of(db, organization_id)


def existing(db: Connection, channel_id: str, organization_id: str) -> Channel:
    """Raises NotFound for an unknown channel and for one of another organization."""
    found = rows.find(db, channel_id)
    if found is None or found.organization_id != organization_id:
        raise errors.NotFound.of("channel", channel_id)
    return found


def note(db: Connection, channel_id: str, *, at: int, error: str) -> None:
    """Record the result of the latest attempt; an empty error is a success."""
    rows.note(db, channel_id, at=at, error=error)


def seal_config(seal: Seal, channel_id: str, config: Config) -> bytes:
    """A channel's configuration as it may be stored."""
    return seal.seal(msgspec.json.encode(config), owner=_owner(channel_id))


def decrypt_config(seal: Seal, channel: Channel) -> Config:
    """The decrypted configuration of a channel. Raises SealBroken."""
    return open_config(seal, channel.id, channel.sealed)


def open_config(seal: Seal, channel_id: str, content: bytes) -> Config:
    """Open a stored configuration. Raises SealBroken."""
    stored = msgspec.json.decode(seal.open(content, owner=_owner(channel_id)), type=dict[str, str])
    return {_EARLIER.get(name, name): value for name, value in stored.items()}


def _merge_config(kind: ChannelKind, before: Config, given: Config, fence: Fence) -> Config:
    """A configuration with what was given; the rest stays. Raises BadRequest or Conflict.

    A secret is sent to another server only if it was entered again: otherwise members who may change the channel could
    have it sent to their own server.
    """
    if kind.new_secret is not None and not before:
        raise errors.Conflict(UNREADABLE)
    kept = {name: value for name, value in before.items() if name != SECRET}
    after = clean(kind, {**kept, **given}, fence)
    if _places(kind, before) != _places(kind, after):
        for field in kind.fields:
            if field.secret and field.name not in given and before.get(field.name):
                raise errors.BadRequest.about(field.name, _MOVED)
    if SECRET in before:
        after[SECRET] = before[SECRET]
    return after


def _places(kind: ChannelKind, config: Config) -> list[str]:
    """The servers that it leads to."""
    urls = [config.get(field.name, "") for field in kind.fields if field.type == "url"]
    return [target(url).origin for url in urls if url]


def _audit_values(kind: ChannelKind, config: Config) -> str:
    return line(kind.shown(config), 300)


def _readable(seal: Seal, channel: Channel) -> Config:
    """Open a channel's configuration; empty if the file that it was sealed with is lost."""
    try:
        return decrypt_config(seal, channel)
    except SealBroken:
        return {}


def _owner(channel_id: str) -> str:
    return f"channel:{channel_id}"


def _record(db: Connection, by: By, channel: Channel, action: audit.Action, detail: dict[str, object]) -> None:
    audit.record(db, by, channel.organization_id, action, "channel", channel.id, detail)
