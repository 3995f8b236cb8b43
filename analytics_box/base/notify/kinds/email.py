"""E-mail to one address, through the box's mail server."""

from analytics_box.base.notify import checks, wording
from analytics_box.base.notify.kinds.kind import ChannelField, ChannelKind, Config, SendAttempt
from analytics_box.base.notify.mail import Mail
from analytics_box.base.notify.message import Message


def _email_place(config: Config) -> str:
    name, _, domain = config["to"].rpartition("@")
    return f"{name[:1]}…@{domain}"


def _email_mail(config: Config, message: Message, _: SendAttempt) -> Mail:
    return Mail(config["to"], wording.title(message, 150), wording.plain(message, 20_000) + "\n")


EMAIL = ChannelKind(
    name="email",
    label="E-mail",
    help="Plain mail to one address.",
    fields=(
        ChannelField(
            "to",
            "E-mail address",
            "A member's address, or one at a domain that this organization has verified.",
            checks.as_given,  # whoever knows the organization has checked it
            type="email",
            longest=254,
            missing="Name the e-mail address",
        ),
    ),
    shown=_email_place,
    made=_email_mail,
)
