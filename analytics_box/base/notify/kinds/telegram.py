"""Telegram, by a bot: plain text of at most 4,096 UTF-16 units."""

from typing import Final

from analytics_box.base.notify import checks, wording
from analytics_box.base.notify.kinds.kind import ChannelField, ChannelKind, Config, Post, SendAttempt, json_post
from analytics_box.base.notify.message import Message

API: Final = "https://api.telegram.org"


def _telegram_post(config: Config, message: Message, _: SendAttempt) -> Post:
    text = wording.calm(wording.plain(message, 2_000))  # each character may be two UTF-16 units
    return json_post(f"{API}/bot{config['token']}/sendMessage", {"chat_id": config["chatId"], "text": text})


TELEGRAM = ChannelKind(
    name="telegram",
    label="Telegram",
    help="A message from a bot of yours.",
    fields=(
        ChannelField(
            "token",
            "Bot token",
            "From @BotFather, like 123456789:AAE…",
            checks.form(r"\d{5,20}:[A-Za-z0-9_-]{30,80}", "This is not a bot's token; it looks like 123456789:AAE…"),
            secret=True,
            longest=110,
        ),
        ChannelField(
            "chatId",
            "Chat",
            "The number of the chat, or @name of a channel. The bot has to be a member of it.",
            checks.form(
                r"-?\d{1,20}|@[A-Za-z][A-Za-z0-9_]{3,40}",
                "This is not a chat; write its number, or @name of a channel",
            ),
            longest=50,
        ),
    ),
    shown=lambda config: f"{config['token'].partition(':')[0]} → {config['chatId']}",
    made=_telegram_post,
)
