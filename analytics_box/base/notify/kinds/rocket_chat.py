"""Rocket.Chat, by an incoming webhook: a text with an attachment."""

from typing import Any

from analytics_box.base.notify import checks, wording
from analytics_box.base.notify.kinds.kind import ChannelKind, Config, Post, SendAttempt, json_post
from analytics_box.base.notify.message import Message, lines
from analytics_box.base.notify.wording import tame


def _rocket_chat_post(config: Config, message: Message, _: SendAttempt) -> Post:
    attachment: dict[str, Any] = {
        "color": f"#{wording.COLORS[message.tone]:06x}",
        "text": tame(lines(message.text, 2_000)),
        "fields": [
            {"title": tame(label), "value": tame(value), "short": True}
            for label, value in wording.facts(message, 10, longest=200)
        ],
    }
    if message.url:
        attachment |= {"title": message.url, "title_link": message.url}
    return json_post(config["url"], {"text": tame(wording.title(message, 200)), "attachments": [attachment]})


ROCKET_CHAT = ChannelKind(
    name="rocket_chat",
    label="Rocket.Chat",
    help="A message in a channel of your server.",
    fields=(
        checks.webhook_url(
            "Administration, Integrations, New, Incoming: switch it on, save, and copy the webhook URL. "
            "It looks like https://chat.example.com/hooks/…"
        ),
    ),
    shown=checks.origin_of,
    made=_rocket_chat_post,
)
