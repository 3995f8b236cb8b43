"""E-mail to one address, through the box's mail server."""

from analytics_box.base.notify import checks, wording
from analytics_box.base.notify.kinds.kind import Config, Field, Kind, Sending
from analytics_box.base.notify.mail import Mail
from analytics_box.base.notify.message import Message


def _shown(config: Config) -> str:
    name, _, domain = config["to"].rpartition("@")
    return f"{name[:1]}…@{domain}"


def _made(config: Config, message: Message, _: Sending) -> Mail:
    return Mail(config["to"], wording.title(message, 150), wording.plain(message, 20_000) + "\n")


EMAIL = Kind(
    name="email",
    label="E-mail",
    help="Plain mail to one address.",
    fields=(
        Field(
            "to",
            "E-mail address",
            "A member's address, or one at a domain that this organization has verified.",
            checks.as_given,  # whoever knows the organization has checked it
            type="email",
            longest=254,
            missing="Name the e-mail address",
        ),
    ),
    shown=_shown,
    made=_made,
)
