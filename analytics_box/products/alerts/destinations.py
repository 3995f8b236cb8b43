"""Destinations of the wire as the organization's channels: the one that leads there already, else a new one."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from analytics_box.base.acting import By
from analytics_box.base.errors import BadRequest, BoxError
from analytics_box.base.notify import change
from analytics_box.base.notify.change import ChannelTools
from analytics_box.base.notify.kinds.kind import ChannelKind, Config, clean
from analytics_box.base.notify.kinds.table import KINDS
from analytics_box.base.outgoing.addresses import Fence
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.products.alerts.alert_rule import CHANNEL, Destination
from analytics_box.tenants.configuration import channels

TYPES: Final = (CHANNEL, *KINDS)
_USUAL: Final = ("url", "to", "chatId")  # fields that an identifier fills, where a kind has one of them
_LONGEST_NAME: Final = 100


class ChosenChannels(Struct, frozen=True):
    """The ids of the channels: told at once, and as the escalation."""

    channels: tuple[str, ...]
    escalation: tuple[str, ...]


def choose_channels(
    db: Connection, tools: ChannelTools, organization_id: str, by: By, given: Sequence[Destination]
) -> ChosenChannels:
    """The channels of these destinations, made where there is none. Raises Forbidden, BadRequest or Conflict."""
    at_once: dict[str, None] = {}
    later: dict[str, None] = {}
    for place, destination in enumerate(given):
        try:
            channel_id = _channel(db, tools, organization_id, by, destination)
        except BadRequest as wrong:
            details = wrong.details
            text = f"Destination {place + 1}: {details[0].message if details else wrong.message}"
            raise BadRequest.about("destinations", text) from wrong
        (later if destination.escalation else at_once)[channel_id] = None
    if not at_once:
        raise BadRequest.about("destinations", _("Add at least one destination that is not for escalation only"))
    return ChosenChannels(tuple(at_once), tuple(one for one in later if one not in at_once))


def identifier(kind: str, config: Config) -> str:
    """The place of a channel, in the words of the wire; empty if that is a secret."""
    own = _own(KINDS[kind])
    return KINDS[kind].open_part(config).get(own, "")


def open_part(kind: str, config: Config) -> dict[str, str]:
    """The part of a channel's configuration, besides the identifier, that users who can change it see: no secret."""
    own = _own(KINDS[kind])
    return {name: value for name, value in KINDS[kind].open_part(config).items() if value and name != own}


def _own(kind: ChannelKind) -> str:
    """The field that an identifier fills: an address, else the first."""
    names = [field.name for field in kind.fields]
    return next((name for name in _USUAL if name in names), names[0])


def _channel(db: Connection, tools: ChannelTools, organization_id: str, by: By, given: Destination) -> str:
    """The id of the channel of one destination."""
    named = given.channel_id or (given.identifier if given.type == CHANNEL else "")
    if named:
        try:
            return change.existing(db, named, organization_id).id
        except BoxError as unknown:
            raise BadRequest(_("There is no channel with this id")) from unknown
    kind = _kind(given.type)
    wanted = _config(kind, given)
    for channel in change.of(db, organization_id):
        if channel.kind == kind.name and _leads_there(
            channels.readable(tools, channel), wanted, tools.fence_of(organization_id), kind
        ):
            return channel.id
    name = (wanted.get("to") or wanted.get("chatId") or kind.label)[:_LONGEST_NAME]  # an address may be a secret
    made, _rest = channels.create(db, tools, organization_id, by, kind=kind, name=name, enabled=True, config=wanted)
    return made.id


def _kind(name: str) -> ChannelKind:
    if name not in KINDS:
        raise BadRequest(_("Enter one of these types: {types}").format(types=", ".join(TYPES)))
    return KINDS[name]


def _config(kind: ChannelKind, given: Destination) -> Config:
    """The place that was given. Raises BadRequest for fields that no channel of this kind has."""
    known = [field.name for field in kind.fields]
    strange = sorted(given.config.keys() - set(known))
    if strange:
        raise BadRequest(
            _("config does not have the field {strange}. Its fields are {known}").format(
                strange=strange[0], known=", ".join(known)
            )
        )
    fields = {name: value.strip() for name, value in given.config.items()}
    if given.identifier:
        fields[_own(kind)] = given.identifier.strip()
    return fields


def _leads_there(there: Config | None, wanted: Config, fence: Fence, kind: ChannelKind) -> bool:
    """Whether a channel leads to a place. What was not given, as a token that is never shown, may be anything."""
    needed = {field.name for field in kind.fields if field.required and not field.secret and not field.default}
    if there is None or not all(wanted.get(name) for name in (_own(kind), *needed)):
        return False
    typed = {field.name: there.get(field.name, "") for field in kind.fields}  # without what the box signs with
    cleaned = clean(kind, {**typed, **wanted}, fence)
    return all(there.get(name) == cleaned.get(name) for name in wanted)
