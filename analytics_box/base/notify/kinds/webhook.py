"""A signed POST to a program of one's own.

Signed as Standard Webhooks (standardwebhooks.com): id, time and body, HMAC-SHA-256, base64.
"""

import base64
import hashlib
import hmac
import secrets
from typing import Final

from analytics_box.base.notify import checks
from analytics_box.base.notify.kinds.kind import SECRET, ChannelField, ChannelKind, Config, Post, SendAttempt, json_post
from analytics_box.base.notify.message import Message
from analytics_box.base.notify.wording import iso

PREFIX: Final = "whsec_"  # what secrets begin with


def signature(secret: str, *, id: str, body: bytes, now: int) -> tuple[tuple[str, str], ...]:
    """The headers that prove a webhook's origin. `now` is UTC ms."""
    key = base64.b64decode(secret.removeprefix(PREFIX))
    at = str(now // 1000)
    signed = hmac.digest(key, f"{id}.{at}.".encode() + body, hashlib.sha256)
    return (
        ("webhook-id", id),
        ("webhook-timestamp", at),
        ("webhook-signature", f"v1,{base64.b64encode(signed).decode()}"),
    )


def new_secret() -> str:
    """A secret in the form of Standard Webhooks: 24 random bytes."""
    return PREFIX + base64.b64encode(secrets.token_bytes(24)).decode()


def _webhook_post(config: Config, message: Message, sending: SendAttempt) -> Post:
    content = {
        "type": message.type,
        "timestamp": iso(message.at),
        "data": {
            "title": message.title,
            "text": message.text,
            "tone": message.tone,
            "url": message.url or None,
            "subject": message.subject or None,
            "action": message.action,
            "fields": dict(message.fields),
        },
    }
    post = json_post(config["url"], content)
    signed = signature(config[SECRET], id=sending.id, body=post.body, now=sending.now)
    return Post(post.url, post.headers + signed, post.body)


WEBHOOK = ChannelKind(
    name="webhook",
    label="Webhook",
    help="A signed POST with JSON to your own program.",
    fields=(
        ChannelField(
            "url",
            "Address",
            "It gets a POST with JSON and has to answer with a status of 200 to 299 within 10 seconds.",
            checks.any_url,
            type="url",
            longest=2_048,
            missing="Write the whole address, like https://example.com/path",
        ),
    ),
    shown=checks.origin_of,
    made=_webhook_post,
    new_secret=new_secret,
    in_clear=True,  # it is signed, and carries no token
)
