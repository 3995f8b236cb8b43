"""PagerDuty, Events API v2: a trigger opens an alert, a resolve with the same dedup_key closes it."""

from typing import Any, Final

from analytics_box.base.notify import checks, wording
from analytics_box.base.notify.kinds.kind import ChannelField, ChannelKind, Config, Post, SendAttempt, json_post
from analytics_box.base.notify.message import Message, Tone, lines

HOSTS: Final = {"us": "https://events.pagerduty.com", "eu": "https://events.eu.pagerduty.com"}
_SEVERITIES: Final[dict[Tone, str]] = {"bad": "critical", "neutral": "warning", "good": "info"}


def _pagerduty_post(config: Config, message: Message, sending: SendAttempt) -> Post | None:
    if message.action == "resolve" and not message.subject:
        return None  # there is nothing that it could close
    content: dict[str, Any] = {
        "routing_key": config["routingKey"],
        "event_action": message.action,
        "dedup_key": wording.key(message, sending.id, 255),
        "payload": {
            "summary": wording.title(message, 1_024),
            "source": wording.SENDER,
            "severity": _SEVERITIES[message.tone],
            "timestamp": wording.iso(message.at),
            "class": message.type,
            "custom_details": {"text": lines(message.text, 2_000), **dict(wording.facts(message, 20, longest=500))},
        },
        "client": wording.SENDER,
    }
    if message.url:
        content |= {"client_url": message.url, "links": [{"href": message.url, "text": wording.SENDER}]}
    return json_post(f"{HOSTS[config['region']]}/v2/enqueue", content)


PAGERDUTY = ChannelKind(
    name="pagerduty",
    label="PagerDuty",
    help="An alert that is resolved when all is well again.",
    fields=(
        ChannelField(
            "routingKey",
            "Integration key",
            "Of the service: Integrations, Add integration, Events API V2. It has 32 characters.",
            checks.form(r"[A-Za-z0-9]{32}", "An integration key has 32 letters and digits"),
            secret=True,
        ),
        ChannelField(
            "region",
            "Service region",
            "EU if your address at PagerDuty has .eu. in it.",
            checks.as_given,
            type="choice",
            default="us",
            choices=(("us", "US"), ("eu", "EU")),
        ),
    ),
    shown=lambda config: f"{HOSTS[config['region']]}/…",
    made=_pagerduty_post,
    stays_open=True,
)
