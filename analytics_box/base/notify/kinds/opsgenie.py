"""Opsgenie, Alert API: an alert is created and closed by its alias. A title of 130 characters, details of 8,000."""

from typing import Final
from urllib.parse import quote

from analytics_box.base.notify import checks, wording
from analytics_box.base.notify.kinds.kind import ChannelField, ChannelKind, Config, Post, SendAttempt, json_post
from analytics_box.base.notify.message import Message, Tone, lines

HOSTS: Final = {"us": "https://api.opsgenie.com", "eu": "https://api.eu.opsgenie.com"}
_PRIORITIES: Final[dict[Tone, str]] = {"bad": "P1", "neutral": "P3", "good": "P5"}


def _opsgenie_post(config: Config, message: Message, sending: SendAttempt) -> Post | None:
    alerts = f"{HOSTS[config['region']]}/v2/alerts"
    key = ("Authorization", f"GenieKey {config['apiKey']}")
    alias = wording.key(message, sending.id, 255)
    if message.action == "resolve":
        if not message.subject:
            return None  # there is nothing that it could close
        closing = {"source": wording.SENDER, "note": f"{wording.title(message, 200)}\n{wording.body(message, 3_000)}"}
        return json_post(f"{alerts}/{quote(alias, safe='')}/close?identifierType=alias", closing, key)
    content = {
        "message": wording.title(message, 130),
        "alias": alias,
        "description": "\n\n".join(part for part in (lines(message.text, 2_000), message.url) if part),
        "details": dict(wording.facts(message, 10, longest=500)),
        "tags": [message.type[:50]],
        "source": wording.SENDER,
        "priority": _PRIORITIES[message.tone],
    }
    return json_post(alerts, content, key)


OPSGENIE = ChannelKind(
    name="opsgenie",
    label="Opsgenie",
    help="An alert that is closed when all is well again.",
    fields=(
        ChannelField(
            "apiKey",
            "API key",
            "Of a team: Integrations, Add integration, API.",
            checks.token,
            secret=True,
            longest=100,
        ),
        ChannelField(
            "region",
            "Service region",
            "EU if your account is kept there.",
            checks.as_given,
            type="choice",
            default="us",
            choices=(("us", "US"), ("eu", "EU")),
        ),
    ),
    shown=lambda config: f"{HOSTS[config['region']]}/…",
    made=_opsgenie_post,
    stays_open=True,
)
