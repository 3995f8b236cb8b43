"""Mattermost, by an incoming webhook: an attachment. It takes mentions also in Slack's form (<!channel>)."""

from typing import Any

from analytics_box.base.notify import checks, wording
from analytics_box.base.notify.kinds.kind import ChannelKind, Config, Post, SendAttempt, json_post
from analytics_box.base.notify.message import Message, lines
from analytics_box.base.notify.wording import tame


def _mattermost_post(config: Config, message: Message, _: SendAttempt) -> Post:
    title = tame(wording.title(message, 200))
    attachment: dict[str, Any] = {
        "fallback": title,
        "color": f"#{wording.COLORS[message.tone]:06x}",
        "title": title,
        "text": tame(lines(message.text, 2_000)),
        "fields": [
            {"title": tame(label), "value": tame(value), "short": True}
            for label, value in wording.facts(message, 10, longest=500)
        ],
    }
    if message.url:
        attachment["title_link"] = message.url
    return json_post(config["url"], {"attachments": [attachment]})


MATTERMOST = ChannelKind(
    name="mattermost",
    label="Mattermost",
    help="A message in a channel of your server.",
    fields=(
        checks.webhook_url(
            "Product menu, Integrations, Incoming Webhooks, Add. It looks like https://chat.example.com/hooks/…"
        ),
    ),
    shown=checks.origin_of,
    made=_mattermost_post,
)
