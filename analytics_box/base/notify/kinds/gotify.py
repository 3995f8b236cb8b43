"""Gotify: a message of an application, as plain text."""

from typing import Any, Final

from analytics_box.base.notify import checks, wording
from analytics_box.base.notify.kinds.kind import ChannelField, ChannelKind, Config, Post, SendAttempt, json_post
from analytics_box.base.notify.message import Message, Tone

_PRIORITIES: Final[dict[Tone, int]] = {"bad": 8, "neutral": 5, "good": 5}


def _gotify_post(config: Config, message: Message, _: SendAttempt) -> Post:
    extras: dict[str, Any] = {"client::display": {"contentType": "text/plain"}}
    if message.url:
        extras["client::notification"] = {"click": {"url": message.url}}
    content = {
        "title": wording.title(message, 200),
        "message": wording.body(message, 4_000),
        "priority": _PRIORITIES[message.tone],
        "extras": extras,
    }
    return json_post(f"{config['url']}/message", content, ("X-Gotify-Key", config["token"]))


GOTIFY = ChannelKind(
    name="gotify",
    label="Gotify",
    help="A push message from a server of your own.",
    fields=(
        checks.server_url("https://push.example.com"),
        ChannelField(
            "token", "Application token", "Apps, Create application, copy its token.", checks.token, secret=True
        ),
    ),
    shown=checks.origin_of,
    made=_gotify_post,
)
