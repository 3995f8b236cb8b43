"""Pushover: title of 250 characters, message of 1,024, address of 512."""

from typing import Final
from urllib.parse import urlencode

from analytics_box.base.notify import checks, wording
from analytics_box.base.notify.kinds.kind import FORM, ChannelField, ChannelKind, Config, Post, SendAttempt
from analytics_box.base.notify.message import Message, Tone

API: Final = "https://api.pushover.net/1/messages.json"
_PRIORITIES: Final[dict[Tone, int]] = {"bad": 1, "neutral": 0, "good": 0}  # 1 passes quiet hours


def _pushover_post(config: Config, message: Message, _: SendAttempt) -> Post:
    fields = {
        "token": config["token"],
        "user": config["user"],
        "title": wording.title(message, 250),
        "message": wording.body(message, 1_024),
        "priority": str(_PRIORITIES[message.tone]),
        "timestamp": str(message.at // 1000),
    }
    if config.get("device"):
        fields["device"] = config["device"]
    if message.url and len(message.url) <= 512:
        fields["url"] = message.url
    return Post(API, (FORM,), urlencode(fields).encode())


_KEY = checks.form(r"[A-Za-z0-9]{30}", "This has 30 letters and digits")

PUSHOVER = ChannelKind(
    name="pushover",
    label="Pushover",
    help="A push message to your phone or a group.",
    fields=(
        ChannelField(
            "token", "API token", "Pushover: Your applications, the application, API token.", _KEY, secret=True
        ),
        ChannelField("user", "User or group key", "On your dashboard, or on the page of the group.", _KEY, secret=True),
        ChannelField(
            "device",
            "Device",
            "The name of one device, or of several with commas. Leave it empty for all.",
            checks.form(r"[A-Za-z0-9_-]{1,25}(,[A-Za-z0-9_-]{1,25}){0,9}", "This is not the name of a device"),
            required=False,
        ),
    ),
    shown=lambda config: f"{config['user'][:4]}…" + (f" → {config['device']}" if config.get("device") else ""),
    made=_pushover_post,
)
