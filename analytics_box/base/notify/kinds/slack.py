"""Slack, by an incoming webhook: blocks of at most 3,000 characters, headers of 150, ten fields of 2,000."""

import html
from typing import Any

from analytics_box.base.notify import checks, wording
from analytics_box.base.notify.kinds.kind import ChannelKind, Config, Post, SendAttempt, json_post
from analytics_box.base.notify.message import Message, lines


def _slack_post(config: Config, message: Message, _: SendAttempt) -> Post:
    title = wording.title(message, 150)
    blocks: list[dict[str, Any]] = [{"type": "header", "text": {"type": "plain_text", "text": title}}]
    text = wording.within(lines(message.text, 2_000), 2_900, _text)
    if text:
        blocks.append({"type": "section", "text": {"type": "mrkdwn", "text": text}})
    if message.fields:
        fields = [
            {"type": "mrkdwn", "text": f"*{_text(label)}*\n{wording.within(value, 1_400, _text)}"}
            for label, value in wording.facts(message, 10, longest=500)
        ]
        blocks.append({"type": "section", "fields": fields})
    if message.url:
        blocks.append({"type": "context", "elements": [{"type": "mrkdwn", "text": f"<{message.url}>"}]})
    return json_post(config["url"], {"text": _text(title), "blocks": blocks})


def _text(text: str) -> str:
    """A text for Slack without mentions and links."""
    return html.escape(text, quote=False).replace("*", "∗").replace("_", "\u02cd").replace("`", "'")


SLACK = ChannelKind(
    name="slack",
    label="Slack",
    help="A message in a channel; also others that take Slack's webhooks.",
    fields=(
        checks.webhook_url(
            "Slack: Apps, Incoming Webhooks, Add to Slack. It begins with https://hooks.slack.com/services/."
        ),
    ),
    shown=checks.origin_of,
    made=_slack_post,
)
