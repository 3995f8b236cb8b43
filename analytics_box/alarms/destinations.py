"""Destinations of the wire as the organization's channels: the one that leads there already, else a new one."""

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from analytics_box.acting import By
from analytics_box.configuration import channels
from analytics_box.errors import BadRequest, BoxError
from analytics_box.notify import change, places
from analytics_box.notify.change import Tools
from analytics_box.notify.rules import KINDS, Config, Kind
from analytics_box.store.db import Connection

CHANNEL: Final = "channel"  # the type of a destination that names a channel by its id
TYPES: Final = (CHANNEL, *KINDS)
_IDENTIFIER: Final[Mapping[Kind, str]] = {"email": "to", "telegram": "chat"}  # what it fills; of all others `url`
_FIELDS: Final = {"url": "url", "to": "to", "token": "token", "chatId": "chat"}
_LONGEST_NAME: Final = 100


class Destination(Struct, frozen=True):
    """Where an alarm leads, as it was given: a type with its place, or a channel's id."""

    type: str
    identifier: str = ""
    config: Mapping[str, str] = {}
    channel_id: str = ""
    escalation: bool = False


class Chosen(Struct, frozen=True):
    """The ids of the channels: told at once, and as the escalation."""

    channels: tuple[str, ...]
    escalation: tuple[str, ...]


def chosen(db: Connection, tools: Tools, organization_id: str, by: By, given: Sequence[Destination]) -> Chosen:
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
        raise BadRequest.about("destinations", "Name at least one destination that is told at once")
    return Chosen(tuple(at_once), tuple(one for one in later if one not in at_once))


def identifier(kind: Kind, config: Config) -> str:
    """Where a channel leads, in the words of the wire."""
    return str(getattr(config, _IDENTIFIER.get(kind, "url")))


def open_part(kind: Kind, config: Config) -> dict[str, str]:
    """What somebody who may change a channel sees of its configuration beside the identifier: no secret."""
    own = _IDENTIFIER.get(kind, "url")
    shown = {name: getattr(config, field) for name, field in _FIELDS.items() if field not in {own, "token"}}
    return {name: value for name, value in shown.items() if value}


def _channel(db: Connection, tools: Tools, organization_id: str, by: By, given: Destination) -> str:
    """The id of the channel of one destination."""
    named = given.channel_id or (given.identifier if given.type == CHANNEL else "")
    if named:
        try:
            return change.existing(db, named, organization_id).id
        except BoxError as unknown:
            raise BadRequest("There is no channel with this id") from unknown
    kind = _kind(given.type)
    wanted = _config(kind, given)
    for channel in change.of(db, organization_id):
        if channel.kind == kind and _leads_there(channels.readable(tools, channel), wanted, tools, kind):
            return channel.id
    name = (wanted.to or wanted.chat or given.type)[:_LONGEST_NAME]
    made, _ = channels.create(db, tools, organization_id, by, kind=kind, name=name, enabled=True, config=wanted)
    return made.id


def _kind(name: str) -> Kind:
    for kind in KINDS:
        if kind == name:
            return kind
    raise BadRequest(f"The type is one of {', '.join(TYPES)}")


def _config(kind: Kind, given: Destination) -> Config:
    """The place that was given. Raises BadRequest for fields that no channel has."""
    strange = sorted(given.config.keys() - _FIELDS.keys())
    if strange:
        raise BadRequest(f"config has no field {strange[0]}; it has {', '.join(_FIELDS)}")
    fields = {_FIELDS[name]: value.strip() for name, value in given.config.items()}
    if given.identifier:
        fields[_IDENTIFIER.get(kind, "url")] = given.identifier.strip()
    return Config(**fields)


def _leads_there(there: Config, wanted: Config, tools: Tools, kind: Kind) -> bool:
    """Whether a channel leads to a place. What was not given, as a token that is never shown, may be anything."""
    if wanted.url:
        wanted = Config(url=places.clean_url(kind, wanted.url, tools.fence))
    fields = [name for name in _FIELDS.values() if getattr(wanted, name)]
    return bool(fields) and all(getattr(there, name) == getattr(wanted, name) for name in fields)
