"""Email, messengers and text messages."""

import base64
from typing import Final
from urllib.parse import quote, urlencode

from analytics_box.base.notify import checks, wording
from analytics_box.base.notify.kinds.kind import FORM, ChannelField, ChannelKind, Config, Post, SendAttempt, json_post
from analytics_box.base.notify.mail import Mail
from analytics_box.base.notify.message import Message
from analytics_box.base.outgoing.target import target

# Email to one address, through the box's mail server.


def _email_place(config: Config) -> str:
    name, _, domain = config["to"].rpartition("@")
    return f"{name[:1]}…@{domain}"


def _email_mail(config: Config, message: Message, _: SendAttempt) -> Mail:
    return Mail(config["to"], wording.title(message, 150), wording.plain(message, 20_000) + "\n")


EMAIL = ChannelKind(
    name="email",
    label="Email",
    help="Sends an email to one address.",
    fields=(
        ChannelField(
            "to",
            "Email address",
            "A member's address, or one at a verified domain of this organization.",
            checks.as_given,  # The caller has checked that the organization may send to it.
            type="email",
            longest=254,
            missing="Name the email address",
        ),
    ),
    shown=_email_place,
    made=_email_mail,
)


# Telegram, by a bot: plain text of at most 4,096 UTF-16 units.

TELEGRAM_API: Final = "https://api.telegram.org"


def _telegram_post(config: Config, message: Message, _: SendAttempt) -> Post:
    text = wording.calm(wording.plain(message, 2_000))  # each character may be two UTF-16 units
    return json_post(f"{TELEGRAM_API}/bot{config['token']}/sendMessage", {"chat_id": config["chatId"], "text": text})


TELEGRAM = ChannelKind(
    name="telegram",
    label="Telegram",
    help="Sends a message from your bot.",
    fields=(
        ChannelField(
            "token",
            "Bot token",
            "From @BotFather, for example 123456789:AAE…",
            checks.form(r"\d{5,20}:[A-Za-z0-9_-]{30,80}", "Enter a bot token, such as 123456789:AAE…"),
            secret=True,
            longest=110,
        ),
        ChannelField(
            "chatId",
            "Chat",
            "Chat ID, or @name of a channel. The bot must be a member.",
            checks.form(
                r"-?\d{1,20}|@[A-Za-z][A-Za-z0-9_]{3,40}",
                "Enter a chat ID, or @name of a channel",
            ),
            longest=50,
        ),
    ),
    shown=lambda config: f"{config['token'].partition(':')[0]} → {config['chatId']}",
    made=_telegram_post,
)


# Matrix: an event in a room (client-server API). The id of a delivery makes it one event, however often it is sent.


def _matrix_post(config: Config, message: Message, sending: SendAttempt) -> Post:
    room, event = quote(config["room"], safe=""), quote(sending.id, safe="")
    url = f"{config['url']}/_matrix/client/v3/rooms/{room}/send/m.room.message/{event}"
    content = {"msgtype": "m.text", "body": wording.calm(wording.plain(message)), "m.mentions": {}}
    return json_post(url, content, ("Authorization", f"Bearer {config['token']}"), method="PUT")


MATRIX = ChannelKind(
    name="matrix",
    label="Matrix",
    help="Posts to a room from a separate account.",
    fields=(
        checks.server_url("Homeserver of the account, for example https://matrix.example.com"),
        ChannelField(
            "token",
            "Access token",
            "Of the sending account. In Element: All settings, Help & About, Access Token.",
            checks.token,
            secret=True,
            longest=1_000,
        ),
        ChannelField(
            "room",
            "Room",
            "For example !abc:example.com. In Element: Room info, Settings, Advanced. The account must have joined.",
            checks.form(r"![\x21-\x7e]{1,200}", "Enter a room ID, which starts with !"),
        ),
    ),
    shown=lambda config: f"{config['room']} at {target(config['url']).origin}",
    made=_matrix_post,
)


# SMS by Twilio: a text of at most 1,600 characters, kept to 300 because each part of it costs.

TWILIO_API: Final = "https://api.twilio.com/2010-04-01/Accounts"
LONGEST: Final = 300


def _twilio_post(config: Config, message: Message, _: SendAttempt) -> Post:
    sender = "MessagingServiceSid" if config["from"].startswith("MG") and len(config["from"]) == 34 else "From"
    text = f"{wording.title(message, 120)}\n{wording.body(message, LONGEST)}"
    fields = {"To": config["to"], sender: config["from"], "Body": wording.within(text, LONGEST)}
    proof = base64.b64encode(f"{config['accountSid']}:{config['authToken']}".encode()).decode()
    url = f"{TWILIO_API}/{config['accountSid']}/Messages.json"
    return Post(url, (FORM, ("Authorization", f"Basic {proof}")), urlencode(fields).encode())


_NUMBER = r"\+[1-9]\d{6,14}"

TWILIO = ChannelKind(
    name="twilio",
    label="SMS (Twilio)",
    help="Sends a text message through your Twilio account.",
    fields=(
        ChannelField(
            "accountSid",
            "Account SID",
            "On the first page of the Twilio console. It starts with AC.",
            checks.form(r"AC[0-9a-fA-F]{32}", "Enter AC followed by 32 hexadecimal digits"),
        ),
        ChannelField(
            "authToken",
            "Auth token",
            "On the first page of the Twilio console, below the SID.",
            checks.token,
            secret=True,
        ),
        ChannelField(
            "from",
            "Sender",
            "Your number such as +14155550100, a sender name, or the SID of a messaging service (MG…).",
            checks.form(
                rf"{_NUMBER}|MG[0-9a-fA-F]{{32}}|\d{{3,8}}|(?=.*[A-Za-z])[A-Za-z0-9 ]{{1,11}}",
                "Write a number like +14155550100, a name of at most 11 letters, or a messaging service's SID",
            ),
        ),
        ChannelField(
            "to",
            "Phone number",
            "With country code, for example +14155550100.",
            checks.form(_NUMBER, "Enter the number with + and country code, such as +14155550100"),
            type="tel",
        ),
    ),
    shown=lambda config: f"{config['from']} → {config['to'][:4]}…{config['to'][-2:]}",
    made=_twilio_post,
)
