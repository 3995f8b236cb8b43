"""Microsoft Teams, by a workflow that takes an adaptive card of at most 28 KB."""

from typing import Any

from analytics_box.base.notify import checks, wording
from analytics_box.base.notify.kinds.kind import ChannelKind, Config, Post, SendAttempt, json_post
from analytics_box.base.notify.message import Message, lines


def _teams_post(config: Config, message: Message, _: SendAttempt) -> Post:
    texts = [text for text in lines(message.text, 2_000).splitlines() if text][:20]
    body: list[dict[str, Any]] = [
        _runs(wording.title(message, 200), size="Large", weight="Bolder"),
        *(_runs(text) for text in texts),
        *(_runs(f"{label}: {value}") for label, value in wording.facts(message, 10, longest=200)),
    ]
    card: dict[str, Any] = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": body,
    }
    if message.url:
        card["actions"] = [{"type": "Action.OpenUrl", "title": message.url, "url": message.url}]
    attachment = {"contentType": "application/vnd.microsoft.card.adaptive", "content": card}
    return json_post(config["url"], {"type": "message", "attachments": [attachment]})


def _runs(text: str, **look: str) -> dict[str, Any]:
    """Text that Teams takes as it is: other blocks read Markdown."""
    return {"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": text, **look}]}


TEAMS = ChannelKind(
    name="teams",
    label="Microsoft Teams",
    help="A card in a channel, by a workflow.",
    fields=(
        checks.webhook_url("Channel, Workflows, “Post to a channel when a webhook request is received”, copy the URL."),
    ),
    shown=checks.origin_of,
    made=_teams_post,
)
