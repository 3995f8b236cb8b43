"""On-call services, whose alerts open and close: PagerDuty and Opsgenie."""

from typing import Any, Final
from urllib.parse import quote

from analytics_box.base.clock import iso
from analytics_box.base.notify import checks, wording
from analytics_box.base.notify.kinds.kind import ChannelField, ChannelKind, Config, Post, SendAttempt, json_post
from analytics_box.base.notify.message import Message, Tone, lines

# PagerDuty, Events API v2: a trigger opens an alert, a resolve with the same dedup_key closes it.

PAGERDUTY_HOSTS: Final = {"us": "https://events.pagerduty.com", "eu": "https://events.eu.pagerduty.com"}
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
            "timestamp": iso(message.at),
            "class": message.type,
            "custom_details": {"text": lines(message.text, 2_000), **dict(wording.facts(message, 20, longest=500))},
        },
        "client": wording.SENDER,
    }
    if message.url:
        content |= {"client_url": message.url, "links": [{"href": message.url, "text": wording.SENDER}]}
    return json_post(f"{PAGERDUTY_HOSTS[config['region']]}/v2/enqueue", content)


PAGERDUTY = ChannelKind(
    name="pagerduty",
    label="PagerDuty",
    help="Triggers an alert and resolves it when the problem ends.",
    fields=(
        ChannelField(
            "routingKey",
            "Integration key",
            "In your service: Integrations, Add integration, Events API V2. It has 32 characters.",
            checks.form(r"[A-Za-z0-9]{32}", "Enter 32 letters and digits"),
            secret=True,
        ),
        ChannelField(
            "region",
            "Service region",
            "Select EU if your PagerDuty address contains .eu.",
            checks.as_given,
            type="choice",
            default="us",
            choices=(("us", "US"), ("eu", "EU")),
        ),
    ),
    shown=lambda config: f"{PAGERDUTY_HOSTS[config['region']]}/…",
    made=_pagerduty_post,
    stays_open=True,
)


# Opsgenie, Alert API: an alert is created and closed by its alias. A title of 130 characters, details of 8,000.

OPSGENIE_HOSTS: Final = {"us": "https://api.opsgenie.com", "eu": "https://api.eu.opsgenie.com"}
_PRIORITIES: Final[dict[Tone, str]] = {"bad": "P1", "neutral": "P3", "good": "P5"}


def _opsgenie_post(config: Config, message: Message, sending: SendAttempt) -> Post | None:
    alerts = f"{OPSGENIE_HOSTS[config['region']]}/v2/alerts"
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
    help="Creates an alert and closes it when the problem ends.",
    fields=(
        ChannelField(
            "apiKey",
            "API key",
            "In your team: Integrations, Add integration, API.",
            checks.token,
            secret=True,
            longest=100,
        ),
        ChannelField(
            "region",
            "Service region",
            "Select EU if your account is in the EU.",
            checks.as_given,
            type="choice",
            default="us",
            choices=(("us", "US"), ("eu", "EU")),
        ),
    ),
    shown=lambda config: f"{OPSGENIE_HOSTS[config['region']]}/…",
    made=_opsgenie_post,
    stays_open=True,
)
