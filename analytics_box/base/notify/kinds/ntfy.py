"""ntfy: a message to a topic, published as JSON; at most 4,096 bytes."""

from typing import Any, Final

from analytics_box.base.notify import checks, wording
from analytics_box.base.notify.kinds.kind import ChannelField, ChannelKind, Config, Post, SendAttempt, json_post
from analytics_box.base.notify.message import Message, Tone
from analytics_box.base.outgoing.target import target

_PRIORITIES: Final[dict[Tone, int]] = {"bad": 4, "neutral": 3, "good": 3}
_TAGS: Final[dict[Tone, list[str]]] = {"bad": ["rotating_light"], "neutral": [], "good": ["white_check_mark"]}


def _ntfy_place(config: Config) -> str:
    """Without the topic: whoever knows it may read and write it."""
    return f"{config['topic'][:2]}… at {target(config['url']).origin}"


def _ntfy_post(config: Config, message: Message, _: SendAttempt) -> Post:
    content: dict[str, Any] = {
        "topic": config["topic"],
        "title": wording.title(message, 200),
        "message": wording.within(wording.body(message, 3_000), 4_000, size=wording.utf8),
        "priority": _PRIORITIES[message.tone],
        "tags": _TAGS[message.tone],
    }
    if message.url:
        content["click"] = message.url
    token = config.get("token")
    return json_post(f"{config['url']}/", content, *([("Authorization", f"Bearer {token}")] if token else []))


NTFY = ChannelKind(
    name="ntfy",
    label="ntfy",
    help="A push message to a topic, at ntfy.sh or a server of your own.",
    fields=(
        checks.server_url("https://ntfy.sh, or your own", default="https://ntfy.sh"),
        ChannelField(
            "topic",
            "Topic",
            "Up to 64 letters, digits, - and _. At ntfy.sh whoever knows it can read it: choose one hard to guess.",
            checks.form(r"[-_A-Za-z0-9]{1,64}", "A topic has 1 to 64 letters, digits, - and _"),
            longest=64,
        ),
        ChannelField(
            "token",
            "Access token",
            "Only if the topic is protected: Account, Access tokens. It begins with tk_.",
            checks.token,
            secret=True,
            required=False,
        ),
    ),
    shown=_ntfy_place,
    made=_ntfy_post,
)
