"""Discord, by a webhook of a channel: an embed of at most 6,000 characters, markup included, that mentions nobody."""

from typing import Any

from analytics_box.base.notify import checks, wording
from analytics_box.base.notify.kinds.kind import ChannelKind, Config, Post, SendAttempt, json_post
from analytics_box.base.notify.message import Message, lines
from analytics_box.base.notify.wording import escape_markdown, within


def _discord_post(config: Config, message: Message, _: SendAttempt) -> Post:
    embed: dict[str, Any] = {
        "title": escape_markdown(wording.title(message, 120)),
        "description": within(lines(message.text, 1_800), 2_000, escape_markdown),
        "color": wording.COLORS[message.tone],
        "timestamp": wording.iso(message.at),
        "fields": [
            {"name": escape_markdown(label), "value": within(value, 240, escape_markdown), "inline": True}
            for label, value in wording.facts(message, 10, longest=240)
        ],
    }
    if message.url:
        embed["url"] = message.url
    return json_post(config["url"], {"embeds": [embed], "allowed_mentions": {"parse": []}})


DISCORD = ChannelKind(
    name="discord",
    label="Discord",
    help="A message in a channel of your server.",
    fields=(checks.webhook_url("Server settings, Integrations, Webhooks, Copy webhook URL."),),
    shown=checks.origin_of,
    made=_discord_post,
)
