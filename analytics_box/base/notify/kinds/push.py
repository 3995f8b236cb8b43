"""Push notifications: ntfy, Gotify, Pushover, Pushbullet."""

from typing import Any, Final
from urllib.parse import urlencode

from analytics_box.base.notify import checks, wording
from analytics_box.base.notify.kinds.kind import FORM, ChannelField, ChannelKind, Config, Post, SendAttempt, json_post
from analytics_box.base.notify.message import Message, Tone
from analytics_box.base.outgoing.target import target

# ntfy: a message to a topic, published as JSON; at most 4,096 bytes.

_NTFY_PRIORITIES: Final[dict[Tone, int]] = {"bad": 4, "neutral": 3, "good": 3}
_TAGS: Final[dict[Tone, list[str]]] = {"bad": ["rotating_light"], "neutral": [], "good": ["white_check_mark"]}


def _ntfy_place(config: Config) -> str:
    """The place without its topic, which is enough to read and write it."""
    return f"{config['topic'][:2]}… at {target(config['url']).origin}"


def _ntfy_post(config: Config, message: Message, _: SendAttempt) -> Post:
    content: dict[str, Any] = {
        "topic": config["topic"],
        "title": wording.title(message, 200),
        "message": wording.within(wording.body(message, 3_000), 4_000, size=wording.utf8),
        "priority": _NTFY_PRIORITIES[message.tone],
        "tags": _TAGS[message.tone],
    }
    if message.url:
        content["click"] = message.url
    token = config.get("token")
    return json_post(f"{config['url']}/", content, *([("Authorization", f"Bearer {token}")] if token else []))


NTFY = ChannelKind(
    name="ntfy",
    label="ntfy",
    help="Pushes to a topic at ntfy.sh or on your server.",
    fields=(
        checks.server_url("https://ntfy.sh, or your server", default="https://ntfy.sh"),
        ChannelField(
            "topic",
            "Topic",
            "Up to 64 letters, digits, - and _. At ntfy.sh, anyone who knows it can read it: choose one hard to guess.",
            checks.form(r"[-_A-Za-z0-9]{1,64}", "Enter 1 to 64 letters, digits, - and _"),
            longest=64,
        ),
        ChannelField(
            "token",
            "Access token",
            "Required if the topic is protected: Account, Access tokens. It starts with tk_.",
            checks.token,
            secret=True,
            required=False,
        ),
    ),
    shown=_ntfy_place,
    made=_ntfy_post,
)


# Gotify: a message of an application, as plain text.

_GOTIFY_PRIORITIES: Final[dict[Tone, int]] = {"bad": 8, "neutral": 5, "good": 5}


def _gotify_post(config: Config, message: Message, _: SendAttempt) -> Post:
    extras: dict[str, Any] = {"client::display": {"contentType": "text/plain"}}
    if message.url:
        extras["client::notification"] = {"click": {"url": message.url}}
    content = {
        "title": wording.title(message, 200),
        "message": wording.body(message, 4_000),
        "priority": _GOTIFY_PRIORITIES[message.tone],
        "extras": extras,
    }
    return json_post(f"{config['url']}/message", content, ("X-Gotify-Key", config["token"]))


GOTIFY = ChannelKind(
    name="gotify",
    label="Gotify",
    help="Pushes through your server.",
    fields=(
        checks.server_url("https://push.example.com"),
        ChannelField(
            "token", "Application token", "Apps, Create application, copy its token.", checks.token, secret=True
        ),
    ),
    shown=checks.origin_of,
    made=_gotify_post,
)


# Pushover: title of 250 characters, message of 1,024, address of 512.

PUSHOVER_API: Final = "https://api.pushover.net/1/messages.json"
_PUSHOVER_PRIORITIES: Final[dict[Tone, int]] = {"bad": 1, "neutral": 0, "good": 0}  # 1 passes quiet hours


def _pushover_post(config: Config, message: Message, _: SendAttempt) -> Post:
    fields = {
        "token": config["token"],
        "user": config["user"],
        "title": wording.title(message, 250),
        "message": wording.body(message, 1_024),
        "priority": str(_PUSHOVER_PRIORITIES[message.tone]),
        "timestamp": str(message.at // 1000),
    }
    if config.get("device"):
        fields["device"] = config["device"]
    if message.url and len(message.url) <= 512:
        fields["url"] = message.url
    return Post(PUSHOVER_API, (FORM,), urlencode(fields).encode())


_KEY = checks.form(r"[A-Za-z0-9]{30}", "This has 30 letters and digits")

PUSHOVER = ChannelKind(
    name="pushover",
    label="Pushover",
    help="Pushes to your devices or a group.",
    fields=(
        ChannelField(
            "token",
            "API token",
            "Pushover: Your applications, the application, API token.",
            _KEY,
            secret=True,
        ),
        ChannelField(
            "user", "User or group key", "On your Pushover dashboard, or on the group's page.", _KEY, secret=True
        ),
        ChannelField(
            "device",
            "Device",
            "Device names, separated by commas. Leave blank for all.",
            checks.form(r"[A-Za-z0-9_-]{1,25}(,[A-Za-z0-9_-]{1,25}){0,9}", "Enter a device name"),
            required=False,
        ),
    ),
    shown=lambda config: f"{config['user'][:4]}…" + (f" → {config['device']}" if config.get("device") else ""),
    made=_pushover_post,
)


# Pushbullet: a note or a link to the devices of an account.

PUSHBULLET_API: Final = "https://api.pushbullet.com/v2/pushes"


def _pushbullet_post(config: Config, message: Message, sending: SendAttempt) -> Post:
    content: dict[str, Any] = {
        "type": "link" if message.url else "note",
        "title": wording.title(message, 200),
        "body": wording.body(message, 2_000),
        "guid": sending.id,
    }
    if message.url:
        content["url"] = message.url
    if config.get("device"):
        content["device_iden"] = config["device"]
    return json_post(PUSHBULLET_API, content, ("Access-Token", config["token"]))


PUSHBULLET = ChannelKind(
    name="pushbullet",
    label="Pushbullet",
    help="Pushes to your devices.",
    fields=(
        ChannelField(
            "token",
            "Access token",
            "Pushbullet: Settings, Account, Create access token. It gives access to the whole account.",
            checks.token,
            secret=True,
        ),
        ChannelField(
            "device",
            "Device",
            "The iden of a device. Leave blank for all.",
            checks.form(r"[A-Za-z0-9]{1,64}", "Enter a device iden"),
            required=False,
        ),
    ),
    shown=lambda config: f"api.pushbullet.com → {config['device']}" if config.get("device") else "api.pushbullet.com",
    made=_pushbullet_post,
)
