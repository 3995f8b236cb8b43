"""Chat services: Slack and what takes its webhooks, Discord, Google Chat, Microsoft Teams."""

import html
from typing import Any

from analytics_box.base.clock import iso
from analytics_box.base.notify import checks, wording
from analytics_box.base.notify.kinds.kind import ChannelKind, Config, Post, SendAttempt, json_post
from analytics_box.base.notify.message import Message, lines
from analytics_box.base.notify.wording import as_html, escape_markdown, tame, within

# Slack, by an incoming webhook: blocks of at most 3,000 characters, headers of 150, ten fields of 2,000.


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
    help="Posts to a channel. Also for other services that accept Slack webhooks.",
    fields=(
        checks.webhook_url(
            "Slack: Apps, Incoming Webhooks, Add to Slack. It starts with https://hooks.slack.com/services/."
        ),
    ),
    shown=checks.origin_of,
    made=_slack_post,
)


# Mattermost, by an incoming webhook: an attachment. It takes mentions also in Slack's form (<!channel>).


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
    help="Posts to a channel of your server.",
    fields=(
        checks.webhook_url(
            "Product menu, Integrations, Incoming Webhooks, Add. For example https://chat.example.com/hooks/…"
        ),
    ),
    shown=checks.origin_of,
    made=_mattermost_post,
)


# Rocket.Chat, by an incoming webhook: a text with an attachment.


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
    help="Posts to a channel of your server.",
    fields=(
        checks.webhook_url(
            "Administration, Integrations, New, Incoming: enable it, save, and copy the webhook URL. "
            "For example https://chat.example.com/hooks/…"
        ),
    ),
    shown=checks.origin_of,
    made=_rocket_chat_post,
)


# Discord, by a webhook of a channel: an embed of at most 6,000 characters, markup included, that mentions nobody.


def _discord_post(config: Config, message: Message, _: SendAttempt) -> Post:
    embed: dict[str, Any] = {
        "title": escape_markdown(wording.title(message, 120)),
        "description": within(lines(message.text, 1_800), 2_000, escape_markdown),
        "color": wording.COLORS[message.tone],
        "timestamp": iso(message.at),
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
    help="Posts to a channel of your server.",
    fields=(checks.webhook_url("Server settings, Integrations, Webhooks, Copy webhook URL."),),
    shown=checks.origin_of,
    made=_discord_post,
)


# Google Chat, by a webhook of a space: a card; a message has at most 32,000 bytes.


def _google_chat_post(config: Config, message: Message, _: SendAttempt) -> Post:
    paragraphs = [
        within(lines(message.text, 2_000), 12_000, as_html, wording.utf8),
        *(
            within(f"{label}: {value}", 1_200, as_html, wording.utf8)
            for label, value in wording.facts(message, 10, longest=300)
        ),
    ]
    widgets: list[dict[str, Any]] = [{"textParagraph": {"text": "<br>".join(paragraphs)}}]
    if message.url:
        link = {"text": message.url, "onClick": {"openLink": {"url": message.url}}}
        widgets.append({"buttonList": {"buttons": [link]}})
    card = {"header": {"title": wording.title(message, 200)}, "sections": [{"widgets": widgets}]}
    return json_post(config["url"], {"cardsV2": [{"cardId": "alert", "card": card}]})


GOOGLE_CHAT = ChannelKind(
    name="google_chat",
    label="Google Chat",
    help="Posts to a space.",
    fields=(checks.webhook_url("Space, Apps & integrations, Webhooks, copy the link."),),
    shown=checks.origin_of,
    made=_google_chat_post,
)


# Microsoft Teams, by a workflow that takes an adaptive card of at most 28 KB.


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
    help="Posts to a channel through a workflow.",
    fields=(
        checks.webhook_url("Channel, Workflows, “Post to a channel when a webhook request is received”, copy the URL."),
    ),
    shown=checks.origin_of,
    made=_teams_post,
)
