"""Discord, by a webhook of a channel: an embed of at most 6,000 characters, markup included, that mentions nobody."""

from typing import Any

from analytics_box.base.notify import checks, wording
from analytics_box.base.notify.kinds.kind import Config, Kind, Post, Sending, json_post
from analytics_box.base.notify.message import Message, lines
from analytics_box.base.notify.wording import marked, within


def _made(config: Config, message: Message, _: Sending) -> Post:
    embed: dict[str, Any] = {
        "title": marked(wording.title(message, 120)),
        "description": within(lines(message.text, 1_800), 2_000, marked),
        "color": wording.COLORS[message.tone],
        "timestamp": wording.iso(message.at),
        "fields": [
            {"name": marked(label), "value": within(value, 240, marked), "inline": True}
            for label, value in wording.facts(message, 10, longest=240)
        ],
    }
    if message.url:
        embed["url"] = message.url
    return json_post(config["url"], {"embeds": [embed], "allowed_mentions": {"parse": []}})


DISCORD = Kind(
    name="discord",
    label="Discord",
    help="A message in a channel of your server.",
    fields=(checks.webhook_url("Server settings, Integrations, Webhooks, Copy webhook URL."),),
    shown=checks.origin_of,
    made=_made,
)
