"""Pushbullet: a note or a link to the devices of an account."""

from typing import Any, Final

from analytics_box.base.notify import checks, wording
from analytics_box.base.notify.kinds.kind import ChannelField, ChannelKind, Config, Post, SendAttempt, json_post
from analytics_box.base.notify.message import Message

API: Final = "https://api.pushbullet.com/v2/pushes"


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
    return json_post(API, content, ("Access-Token", config["token"]))


PUSHBULLET = ChannelKind(
    name="pushbullet",
    label="Pushbullet",
    help="A push message to your devices.",
    fields=(
        ChannelField(
            "token",
            "Access token",
            "Pushbullet: Settings, Account, Create access token. It opens the whole account.",
            checks.token,
            secret=True,
        ),
        ChannelField(
            "device",
            "Device",
            "The id (iden) of one device. Leave it empty for all.",
            checks.form(r"[A-Za-z0-9]{1,64}", "This is not the id of a device"),
            required=False,
        ),
    ),
    shown=lambda config: f"api.pushbullet.com → {config['device']}" if config.get("device") else "api.pushbullet.com",
    made=_pushbullet_post,
)
