"""The declaration of a kind of channel.

A kind is one file: the fields of its form, the configuration made from them, the part of it that may be shown, and the
request for a message. Nothing outside of that file knows the kind but by the table.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

from analytics_box.base.errors import BadRequest
from analytics_box.base.notify.mail import Mail
from analytics_box.base.notify.message import Message
from analytics_box.base.outgoing.addresses import Fence
from analytics_box.base.translation import _

Config = Mapping[str, str]  # where a channel leads, with all secrets: value by field, stored only sealed
Check = Callable[[str, Fence], str]  # the value as it is kept; raises BadRequest
FieldType = Literal["text", "url", "email", "tel", "lines", "choice"]

JSON: Final = ("Content-Type", "application/json")
FORM: Final = ("Content-Type", "application/x-www-form-urlencoded")
SECRET: Final = "secret"  # noqa: S105  the field that the box itself fills, where a kind signs
MOST_BYTES: Final = 16_384  # of a whole configuration


class ChannelField(Struct, frozen=True):
    """A field of the form, by the name that it has in the API.

    A `secret` one is never shown again. `missing` is what is said where it is required and empty.
    """

    name: str
    label: str
    help: str
    check: Check
    type: FieldType = "text"
    longest: int = 255
    secret: bool = False
    required: bool = True
    default: str = ""
    missing: str = ""
    choices: tuple[tuple[str, str], ...] = ()


class Post(Struct, frozen=True):
    """A request to a service."""

    url: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    method: str = "POST"


class SendAttempt(Struct, frozen=True):
    """A delivery: its id, the same for each attempt, and UTC ms."""

    id: str
    now: int


class ChannelKind(Struct, frozen=True, kw_only=True):
    """A kind of channel. `name` is for programs, `label` and `help` are for people.

    `shown` is the destination of a channel, without a secret. `made` is the request for a message; None if the service
    has no use for it. `check` looks at all fields together; it raises BadRequest. Where `new_secret` is there, the box
    makes a secret for each channel to sign with. With `stays_open`, an alert waits there until a message resolves it.
    Unless `in_clear`, messages go over http only within private networks that are open to the asker.
    """

    name: str
    label: str
    help: str
    fields: tuple[ChannelField, ...]
    shown: Callable[[Config], str]
    made: Callable[[Config, Message, SendAttempt], Post | Mail | None]
    check: Callable[[Config], None] | None = None
    new_secret: Callable[[], str] | None = None
    stays_open: bool = False
    in_clear: bool = False

    @property
    def by_mail(self) -> bool:
        """Whether its messages need the box's mail server."""
        return any(field.type == "email" for field in self.fields)

    def open_part(self, config: Config) -> dict[str, str]:
        """The part of the configuration that users who can change the channel see."""
        return {field.name: config.get(field.name, "") for field in self.fields if not field.secret}


def clean(kind: ChannelKind, given: Config, fence: Fence) -> dict[str, str]:
    """A configuration of what was typed, checked as far as that is possible without asking anybody. Raises BadRequest.

    A name in an address is looked up and vetted when something is sent.
    """
    config = {field.name: _clean(field, given.get(field.name, ""), fence) for field in kind.fields}
    for name in given:
        if name not in config:
            raise BadRequest.about(
                name,
                _("{label} does not have this field. Its fields are {config}").format(
                    label=kind.label, config=", ".join(config)
                ),
            )
    if kind.check is not None:
        kind.check(config)
    config = {name: value for name, value in config.items() if value}
    if len(msgspec.json.encode(config)) > MOST_BYTES:
        raise BadRequest(_("All fields together exceed {most} bytes").format(most=MOST_BYTES))
    return config


def json_post(url: str, content: dict[str, Any], *headers: tuple[str, str], method: str = "POST") -> Post:
    """A request with a body of JSON."""
    return Post(url, (JSON, *headers), msgspec.json.encode(content), method)


def _clean(field: ChannelField, value: str, fence: Fence) -> str:
    value = value.replace("\r\n", "\n").strip() or field.default
    try:
        if not value:
            if field.required:
                raise BadRequest(field.missing or "This is required")
            return ""
        if len(value) > field.longest:
            raise BadRequest(_("Enter up to {longest} characters").format(longest=field.longest))
        if field.choices and value not in dict(field.choices):
            raise BadRequest(_("Choose one of: {choices}").format(choices=", ".join(dict(field.choices))))
        return field.check(value, fence)
    except BadRequest as wrong:
        raise BadRequest.about(field.name, wrong.message) from wrong
