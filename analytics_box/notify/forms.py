"""A message in the form that each kind of channel takes. Pure.

Webhooks are signed as Standard Webhooks (standardwebhooks.com): id, time and body, HMAC-SHA-256, base64.
"""

import base64
import hashlib
import hmac
import html
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final

import msgspec
from msgspec import Struct

from analytics_box.notify.mail import Mail
from analytics_box.notify.message import Message, line, lines
from analytics_box.notify.rules import Config, Kind

SECRET_PREFIX: Final = "whsec_"  # noqa: S105  what secrets begin with, not one
TELEGRAM: Final = "https://api.telegram.org"
_COLORS: Final = {"good": 0x2E7D32, "bad": 0xC62828, "neutral": 0x546E7A}
_MARKDOWN = re.compile(r"([\\`*_~|<>\[\]()#:@-])")


class Post(Struct, frozen=True):
    """A POST: where to, with which headers and body."""

    url: str
    headers: tuple[tuple[str, str], ...]
    body: bytes


def post(kind: Kind, config: Config, message: Message, *, id: str, now: int) -> Post:
    """What is posted for this message; `id` stays the same when it is sent again. `now` is UTC ms."""
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "application/json"),)
    if kind == "telegram":
        url = f"{TELEGRAM}/bot{config.token}/sendMessage"
        return Post(url, headers, _json({"chat_id": config.chat, "text": plain(message)}))
    body = _json(_FORMS[kind](message))
    if kind == "webhook":
        headers += signature(config.secret, id=id, body=body, now=now)
    return Post(config.url, headers, body)


def mail(config: Config, message: Message) -> Mail:
    """The message as an e-mail."""
    return Mail(config.to, line(message.title, 150), plain(message) + "\n")


def signature(secret: str, *, id: str, body: bytes, now: int) -> tuple[tuple[str, str], ...]:
    """The headers that prove a webhook's origin. `now` is UTC ms."""
    key = base64.b64decode(secret.removeprefix(SECRET_PREFIX))
    at = str(now // 1000)
    signed = hmac.digest(key, f"{id}.{at}.".encode() + body, hashlib.sha256)
    return (
        ("webhook-id", id),
        ("webhook-timestamp", at),
        ("webhook-signature", f"v1,{base64.b64encode(signed).decode()}"),
    )


def plain(message: Message) -> str:
    """The message as text."""
    parts = [line(message.title, 200), "", lines(message.text, 2_000)]
    parts += [f"{line(label, 80)}: {line(value, 500)}" for label, value in message.fields]
    if message.url:
        parts += ["", message.url]
    return "\n".join(parts)


def _webhook(message: Message) -> dict[str, Any]:
    return {
        "type": message.type,
        "timestamp": _iso(message.at),
        "data": {
            "title": message.title,
            "text": message.text,
            "tone": message.tone,
            "url": message.url or None,
            "fields": dict(message.fields),
        },
    }


def _slack(message: Message) -> dict[str, Any]:
    title = line(message.title, 150)
    blocks: list[dict[str, Any]] = [
        {"type": "header", "text": {"type": "plain_text", "text": title}},
        {"type": "section", "text": {"type": "mrkdwn", "text": _slack_text(lines(message.text, 2_000))}},
    ]
    if message.fields:
        fields = [
            {"type": "mrkdwn", "text": f"*{_slack_text(line(label, 80))}*\n{_slack_text(line(value, 500))}"}
            for label, value in message.fields[:10]
        ]
        blocks.append({"type": "section", "fields": fields})
    if message.url:
        blocks.append({"type": "context", "elements": [{"type": "mrkdwn", "text": f"<{message.url}>"}]})
    return {"text": _slack_text(title), "blocks": blocks}


def _slack_text(text: str) -> str:
    """As Slack wants text that shall stay text: no mention, no link."""
    return html.escape(text, quote=False).replace("*", "∗").replace("_", "\u02cd").replace("`", "'") or " "


def _discord(message: Message) -> dict[str, Any]:
    embed: dict[str, Any] = {
        "title": _escaped(line(message.title, 120)),
        "description": _escaped(lines(message.text, 1_800)),
        "color": _COLORS[message.tone],
        "timestamp": _iso(message.at),
        "fields": [
            {"name": _escaped(line(label, 80)), "value": _escaped(line(value, 400)) or "–", "inline": True}
            for label, value in message.fields[:20]
        ],
    }
    if message.url:
        embed["url"] = message.url
    return {"embeds": [embed], "allowed_mentions": {"parse": []}}


def _escaped(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", text)


def _teams(message: Message) -> dict[str, Any]:
    body: list[dict[str, Any]] = [
        _runs(line(message.title, 200), size="Large", weight="Bolder"),
        *(_runs(text) for text in lines(message.text, 2_000).splitlines() if text),
        *(_runs(f"{line(label, 80)}: {line(value, 500)}") for label, value in message.fields),
    ]
    card: dict[str, Any] = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": body,
    }
    if message.url:
        card["actions"] = [{"type": "Action.OpenUrl", "title": message.url, "url": message.url}]
    return {
        "type": "message",
        "attachments": [{"contentType": "application/vnd.microsoft.card.adaptive", "content": card}],
    }


def _runs(text: str, **look: str) -> dict[str, Any]:
    """Text that Teams takes as it is: other blocks read Markdown."""
    return {"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": text, **look}]}


def _google_chat(message: Message) -> dict[str, Any]:
    paragraphs = [lines(message.text, 2_000), *(f"{line(label, 80)}: {line(v, 500)}" for label, v in message.fields)]
    text = "<br>".join(html.escape(each).replace("\n", "<br>") for each in paragraphs)
    widgets: list[dict[str, Any]] = [{"textParagraph": {"text": text}}]
    if message.url:
        link = {"text": message.url, "onClick": {"openLink": {"url": message.url}}}
        widgets.append({"buttonList": {"buttons": [link]}})
    card = {"header": {"title": line(message.title, 200)}, "sections": [{"widgets": widgets}]}
    return {"cardsV2": [{"cardId": "alert", "card": card}]}


_FORMS: Final[dict[Kind, Callable[[Message], dict[str, Any]]]] = {
    "webhook": _webhook,
    "slack": _slack,
    "discord": _discord,
    "teams": _teams,
    "google_chat": _google_chat,
}


def _json(content: dict[str, Any]) -> bytes:
    return msgspec.json.encode(content)


def _iso(instant: int) -> str:
    when = datetime.fromtimestamp(instant / 1000, UTC)
    return when.isoformat(timespec="milliseconds").replace("+00:00", "Z")
