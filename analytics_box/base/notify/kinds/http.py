"""Addresses that you enter: a signed webhook, and a request whose body is a template.

`{{title}}` and the other names of PLACEHOLDERS give way to what the message says. Each value is written as the body's
format asks, so nothing in it can end a string, add a field or be read as a placeholder again.
"""

import base64
import hashlib
import hmac
import re
import secrets
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import quote

import msgspec

from analytics_box.base.clock import iso
from analytics_box.base.errors import BadRequest
from analytics_box.base.notify import checks, wording
from analytics_box.base.notify.kinds.kind import SECRET, ChannelField, ChannelKind, Config, Post, SendAttempt, json_post
from analytics_box.base.notify.message import Message, line, lines
from analytics_box.base.outgoing.addresses import Fence
from analytics_box.base.translation import _

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
            **message.data,
        },
    }
    post = json_post(config["url"], content)
    signed = signature(config[SECRET], id=sending.id, body=post.body, now=sending.now)
    return Post(post.url, post.headers + signed, post.body)


WEBHOOK = ChannelKind(
    name="webhook",
    label="Webhook",
    help="Sends a signed POST request with JSON to your program.",
    fields=(
        ChannelField(
            "url",
            "Address",
            "Receives a POST request with JSON. It must respond with a status from 200 to 299 within 10 seconds.",
            checks.any_url,
            type="url",
            longest=2_048,
            missing="Enter the full address, such as https://example.com/path",
        ),
    ),
    shown=checks.origin_of,
    made=_webhook_post,
    new_secret=new_secret,
    in_clear=True,  # it is signed, and carries no token
)


Values = Mapping[str, str]

PLACEHOLDERS: Final = ("title", "text", "details", "url", "time", "type", "tone", "action", "subject", "id")
METHODS: Final = (("POST", "POST"), ("PUT", "PUT"), ("PATCH", "PATCH"), ("GET", "GET, without a body"))
FORMATS: Final = (("json", "JSON"), ("form", "Form fields"), ("text", "Plain text"))
_TYPES: Final = {
    "json": "application/json",
    "form": "application/x-www-form-urlencoded",
    "text": "text/plain; charset=utf-8",
}
_DEFAULT: Final = '{"title": "{{title}}", "text": "{{text}}", "url": "{{url}}", "action": "{{action}}"}'
_PLACEHOLDER = re.compile(r"\{\{\s*([A-Za-z_]*)\s*\}\}")
_HEADER = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}):[ \t]*([\x20-\x7e]{0,2000})")
_OURS: Final = frozenset(  # what the box and its client say of a request
    ("host", "content-length", "content-type", "transfer-encoding", "connection", "te", "trailer", "upgrade", "expect")
)
_MOST_HEADERS: Final = 20


def _headers(value: str, _fence: Fence) -> str:
    kept = [each.strip() for each in value.split("\n") if each.strip()]
    if len(kept) > _MOST_HEADERS:
        raise BadRequest(_("Enter up to {most} headers").format(most=_MOST_HEADERS))
    for each in kept:
        found = _HEADER.fullmatch(each)
        if found is None:
            raise BadRequest(_("Enter one ASCII header per line, such as X-Token: abc"))
        if found[1].lower() in _OURS:
            raise BadRequest(_("The header {found} is set automatically").format(found=found[1]))
    return "\n".join(kept)


def _pairs(headers: str) -> list[tuple[str, str]]:
    found = (each.partition(":") for each in headers.split("\n") if each)
    return [(name, value.strip()) for name, _sign, value in found]


def _template(value: str, _fence: Fence) -> str:
    for name in _PLACEHOLDER.findall(value):
        if name not in PLACEHOLDERS:
            raise BadRequest(
                _("There is no placeholder {{{{{name}}}}}. Use one of {placeholders}").format(
                    name=name, placeholders=", ".join(PLACEHOLDERS)
                )
            )
    return value


def _whole(config: Config) -> None:
    """A body has to have its format before anything is filled in. Raises BadRequest."""
    if config["format"] != "json" or config["method"] == "GET":
        return
    try:
        _fill_template(msgspec.json.decode(config["body"]), dict.fromkeys(PLACEHOLDERS, ""))
    except (msgspec.DecodeError, RecursionError) as broken:
        wrong = "This is not valid JSON. Write placeholders inside of quotes, like {“text”: “{{text}}”}"
        raise BadRequest.about("body", wrong.replace("“", '"').replace("”", '"')) from broken


def _values(message: Message, sending: SendAttempt) -> Values:
    return {
        "title": wording.title(message, 500),
        "text": lines(message.text, 4_000),
        "details": "\n".join(f"{label}: {value}" for label, value in wording.facts(message, 20, longest=500)),
        "url": message.url,
        "time": iso(message.at),
        "type": line(message.type, 100),
        "tone": message.tone,
        "action": message.action,
        "subject": line(message.subject, 300),
        "id": sending.id,
    }


def _fill(template: str, values: Values, escape: Callable[[str], str] = str) -> str:
    """In one go, so that a value with a placeholder in it stays as it is."""
    return _PLACEHOLDER.sub(lambda found: escape(values.get(found[1], "")), template)


def _fill_template(content: Any, values: Values) -> Any:
    """JSON with its texts filled in; names of fields stay as they are."""
    if isinstance(content, str):
        return _fill(content, values)
    if isinstance(content, list):
        return [_fill_template(each, values) for each in content]
    if isinstance(content, dict):
        return {name: _fill_template(each, values) for name, each in content.items()}
    return content


def _body(config: Config, values: Values) -> bytes:
    match config["format"]:
        case "json":
            return msgspec.json.encode(_fill_template(msgspec.json.decode(config["body"]), values))
        case "form":
            return _fill(config["body"].replace("\n", ""), values, lambda value: quote(value, safe="")).encode()
        case _:
            return _fill(config["body"], values).encode()


def _http_post(config: Config, message: Message, sending: SendAttempt) -> Post:
    headers = tuple(_pairs(config.get("headers", "")))
    if config["method"] == "GET":
        return Post(config["url"], headers, b"", "GET")
    body = _body(config, _values(message, sending))
    return Post(config["url"], (("Content-Type", _TYPES[config["format"]]), *headers), body, config["method"])


HTTP = ChannelKind(
    name="http",
    label="HTTP request",
    help="For any other service. You define the request.",
    fields=(
        ChannelField(
            "url",
            "Address",
            "It must respond with a status from 200 to 299 within 10 seconds.",
            checks.secure_url,
            type="url",
            longest=2_048,
        ),
        ChannelField("method", "Method", "", checks.as_given, type="choice", default="POST", choices=METHODS),
        ChannelField(
            "headers",
            "Headers",
            "One per line, for example Authorization: Bearer abc. Stored encrypted.",
            _headers,
            type="lines",
            longest=4_000,
            secret=True,
            required=False,
        ),
        ChannelField(
            "format",
            "Format of the body",
            "Sets how values are escaped, and the Content-Type.",
            checks.as_given,
            type="choice",
            default="json",
            choices=FORMATS,
        ),
        ChannelField(
            "body",
            "Body",
            "Placeholders: "
            + ", ".join(f"{{{{{name}}}}}" for name in PLACEHOLDERS)
            + ". In JSON they stand in quotes.",
            _template,
            type="lines",
            longest=8_000,
            default=_DEFAULT,
        ),
    ),
    shown=checks.origin_of,
    made=_http_post,
    check=_whole,
)
