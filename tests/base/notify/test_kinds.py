"""Every kind of channel against the service that it is for, and against texts that want to be more than text."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from analytics_box.base.errors import BadRequest
from analytics_box.base.notify.change import open_config
from analytics_box.base.notify.kinds.http import PLACEHOLDERS, signature
from analytics_box.base.notify.kinds.kind import Post, SendAttempt, clean
from analytics_box.base.notify.kinds.table import KINDS
from analytics_box.base.notify.mail import Mail
from analytics_box.base.notify.message import Message, line, lines
from analytics_box.base.notify.wording import within
from analytics_box.base.outgoing.addresses import Fence
from analytics_box.base.store.seal import Seal
from tests.base.notify.services import FENCE, NOW, SERVICES, config_of, secrets_of
from tests.cases import each

SENDING = SendAttempt("msg_1", NOW)
MESSAGE = Message(
    type="monitor.down",
    title="Health check failed: shop",
    text="GET https://shop.example/ answers 503.\nTried twice.",
    at=NOW,
    tone="bad",
    url="https://stats.example.com/monitors/1",
    fields=(("Since", "12:00 UTC"), ("Cause", "503")),
    subject="monitor:abc",
)
HOSTILE = Message(
    type="monitor.down",
    title="<!channel> @everyone @room\r\nBcc: x@example.com <users/all> {{text}}",
    text='<https://evil.example|click> [click](https://evil.example) *b* _i_ `c` <b>&"\u202egnp\u200b\x00"},{"a":"',
    at=NOW,
    fields=(("<!here>", "@here **x** &To=%2B1"), ("", "")),
)
LONG = Message(
    type="x",
    title="<" * 10_000,
    text="&@\n" * 10_000,
    at=NOW,
    fields=(("*" * 500, '"' * 10_000),) * 40,
    subject="s" * 900,
)
WIDE = replace(LONG, title="😀" * 10_000, text="😀" * 10_000, fields=(("😀" * 500, "😀" * 5_000),) * 40)
EMPTY = Message(type="x", title="\u200b", text="", at=NOW)


def made(kind: str, message: Message, **changed: str) -> Post:
    config = {**config_of(kind), **changed}
    found = KINDS[kind].made(config, message, SENDING)
    assert isinstance(found, Post)
    return found


def taken(kind: str, message: Message) -> Any:
    """The body as the service reads it, which refuses what it does not know."""
    return SERVICES[kind].take(made(kind, message))


def content(kind: str, message: Message) -> str:
    body = made(kind, message).body.decode()
    return json.dumps(json.loads(body), ensure_ascii=False) if body.startswith("{") else body


def test_there_is_a_service_for_every_kind_that_posts() -> None:
    assert set(SERVICES) == set(KINDS) - {"email"}


@each("kind", SERVICES)
def test_the_service_takes_what_is_sent(kind: str) -> None:
    taken(kind, MESSAGE)
    assert "Health" in content(kind, MESSAGE)
    assert "503" in content(kind, MESSAGE)


@each(("kind", "message"), [(kind, message) for kind in SERVICES for message in (HOSTILE, LONG, WIDE, EMPTY)])
def test_no_text_breaks_a_form_or_a_limit(kind: str, message: Message) -> None:
    taken(kind, message)


@settings(max_examples=25, deadline=None)
@given(
    st.text(max_size=300), st.text(max_size=3_000), st.lists(st.tuples(st.text(max_size=90), st.text()), max_size=12)
)
def test_nor_does_any_other(title: str, text: str, fields: list[tuple[str, str]]) -> None:
    message = Message(type="x", title=title, text=text, at=NOW, fields=tuple(fields), subject=title)
    for kind in SERVICES:
        if kind != "webhook":  # it has the texts as they are, and what is stored is valid Unicode
            taken(kind, message)


@each("kind", [kind for kind in SERVICES if kind not in {"webhook", "pagerduty", "opsgenie"}])
def test_invisible_characters_are_removed_from_messages(kind: str) -> None:
    for harm in ("\u202e", "\u200b", "\\u0000", "%00", "\\r", "%0D"):
        assert harm not in content(kind, HOSTILE)


@each("kind", ["telegram", "matrix", "mattermost", "rocket_chat"])
def test_mentions_become_text_if_they_cannot_be_disabled(kind: str) -> None:
    assert "@" not in content(kind, HOSTILE)
    assert "＠everyone" in content(kind, HOSTILE)


@each("kind", ["mattermost", "rocket_chat", "slack"])
def test_chats_read_no_markup(kind: str) -> None:
    found = content(kind, replace(HOSTILE, title="x"))
    for harm in ("<!here>", "<https://evil", "*b*", "_i_", "`c`"):
        assert harm not in found
    assert "](https" not in found or kind == "slack"  # which does not know this form


def test_other_markup_is_escaped_as_each_service_wants_it() -> None:
    embed = taken("discord", HOSTILE).embeds[0]
    assert "[click](" not in embed.description
    assert "**x**" not in embed.fields[0].value
    paragraph = taken("google_chat", HOSTILE).cardsV2[0].card.sections[0].widgets[0].textParagraph.text
    assert "<b>" not in paragraph
    assert "<users/all>" not in paragraph
    assert taken("slack", HOSTILE).blocks[0].text.text.startswith("<!channel>")  # a header is plain text


def test_long_text_is_cut_between_characters() -> None:
    assert within("<" * 10, 12, lambda text: text.replace("<", "&lt;")) == "&lt;&lt;…"
    assert within("<<", 8, lambda text: text.replace("<", "&lt;")) == "&lt;&lt;"
    assert within("äöü", 5, size=lambda text: len(text.encode())) == "ä…"
    assert (len(line("x" * 10, 5)), line("x" * 10, 5)[-1]) == (5, "…")
    assert lines("a\n\nb", 10) == "a\n\nb"
    assert made("telegram", replace(LONG, url=MESSAGE.url)).body.endswith(f'{MESSAGE.url}"}}'.encode())


# What stays open until it is resolved


RESOLVED = replace(MESSAGE, action="resolve", tone="good")


def test_pagerduty_opens_and_resolves_by_the_same_key() -> None:
    opened, closed = taken("pagerduty", MESSAGE), taken("pagerduty", RESOLVED)
    assert (opened.event_action, closed.event_action) == ("trigger", "resolve")
    assert opened.dedup_key == closed.dedup_key == "monitor:abc"
    assert opened.payload.severity == "critical"


def test_opsgenie_creates_and_closes_by_the_same_alias() -> None:
    assert taken("opsgenie", MESSAGE).alias == "monitor:abc"
    closing = made("opsgenie", RESOLVED)
    assert closing.url == "https://api.opsgenie.com/v2/alerts/monitor%3Aabc/close?identifierType=alias"
    assert ("Authorization", "GenieKey eb24-hush") in closing.headers
    assert set(json.loads(closing.body)) == {"source", "note"}


@each("kind", ["pagerduty", "opsgenie"])
def test_alert_without_a_resolution_resolves_nothing(kind: str) -> None:
    alone = replace(MESSAGE, subject="")
    assert "msg_1" in content(kind, alone)
    assert KINDS[kind].made(config_of(kind), replace(alone, action="resolve"), SENDING) is None
    assert KINDS[kind].stays_open


def test_long_subjects_stay_the_same_and_fit() -> None:
    keys = {taken("pagerduty", replace(each, subject="ü" * 900)).dedup_key for each in (MESSAGE, RESOLVED)}
    assert len(keys) == 1
    assert len(keys.pop()) == 64


# A template of one's own

ALL = "".join(f"{{{{{name}}}}}" for name in PLACEHOLDERS)
TEMPLATE = '{"a": ["{{title}}", {"b": "x{{ text }}x"}], "n": 1, "{{title}}": null, "all": "' + ALL + '"}'


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=50), st.text(max_size=200))
def test_no_value_breaks_out_of_a_template(title: str, text: str) -> None:
    message = Message(type="x", title=title + '{{text}}"', text=text + '"}, {"a": "{{title}}', at=NOW)
    body = json.loads(made("http", message, body=TEMPLATE).body)
    assert set(body) == {"a", "n", "{{title}}", "all"}
    assert body["a"][0].endswith('{{text}}"')
    assert body["a"][1]["b"].endswith('"}, {"a": "{{title}}x')
    posted = made("http", message, format="form", body="a={{title}}&b={{text}}").body.decode()
    assert posted.count("&") == 1
    assert posted.count("=") == 2
    assert re.fullmatch(r"[\x21-\x7e]*", posted)


def test_a_template_says_method_format_and_headers() -> None:
    post = made("http", MESSAGE, method="PUT", format="text", body="{{title}}: {{details}}")
    assert (post.method, post.body) == ("PUT", b"Health check failed: shop: Since: 12:00 UTC\nCause: 503")
    assert post.headers == (("Content-Type", "text/plain; charset=utf-8"), ("X-Token", "hush"), ("X-Other", "1"))
    asked = made("http", MESSAGE, method="GET")
    assert (asked.method, asked.body) == ("GET", b"")


# What people type

BREAK = "x\r\nEvil: 1"
WRONG: tuple[tuple[str, str, str], ...] = (
    *(
        (name, field.name, wrong)
        for name, kind in KINDS.items()
        for field in kind.fields
        if field.secret and name != "http"
        for wrong in ("", BREAK, "tökən", "a b")
        if wrong or field.required
    ),
    *(
        (name, field.name, "http://example.com/x")
        for name, kind in KINDS.items()
        for field in kind.fields
        if field.type == "url" and name != "webhook"
    ),
    ("ntfy", "topic", "a/b"),
    ("ntfy", "topic", "a" * 65),
    ("ntfy", "url", "http://127.0.0.1/"),
    ("ntfy", "url", "http://[::1]/"),
    ("gotify", "url", "https://push.example/?a=b"),
    ("gotify", "url", "https://u:p@push.example/"),
    ("matrix", "url", "https://169.254.169.254/"),
    ("matrix", "room", "#alias:example.com"),
    ("matrix", "room", "!a b"),
    ("pushover", "device", "a b"),
    ("pagerduty", "region", "moon"),
    ("twilio", "accountSid", "../../x"),
    ("twilio", "from", "+0"),
    ("twilio", "to", "0151 1234"),
    ("http", "method", "DELETE"),
    ("http", "method", "POST / HTTP/1.1"),
    ("http", "headers", "no colon"),
    ("http", "headers", "Host: evil.example"),
    ("http", "headers", "content-length: 5"),
    ("http", "headers", "X-A: \x01"),
    ("http", "headers", "X A: b"),
    ("http", "headers", "X-A: ü"),
    ("http", "headers", "\n".join(f"X-{number}: 1" for number in range(21))),
    ("http", "body", '{"a": {{title}}}'),
    ("http", "body", '{"a": "{{tilte}}"}'),
    ("http", "body", '{"a": "{{title}}"'),
    ("http", "body", "[" * 8_000),
    ("http", "body", "x" * 8_001),
    ("slack", "to", "a@example.com"),
)


@each(("kind", "field", "value"), WRONG)
def test_invalid_configuration_is_refused_at_its_field(kind: str, field: str, value: str) -> None:
    typed = SERVICES[kind].typed if kind != "email" else {}
    with pytest.raises(BadRequest) as refused:
        clean(KINDS[kind], {**typed, field: value}, Fence() if value.startswith("http://example") else FENCE)
    assert [detail.field for detail in refused.value.details] == [field]
    assert BREAK not in refused.value.details[0].message


def test_all_fields_together_fit_where_they_are_stored() -> None:
    with pytest.raises(BadRequest, match="exceed"):
        clean(KINDS["http"], {**SERVICES["http"].typed, "format": "text", "body": "😀" * 8_000}, FENCE)


@each("kind", KINDS)
def test_fields_have_names_of_their_own_and_a_label(kind: str) -> None:
    fields = KINDS[kind].fields
    assert len({field.name for field in fields} | {"name", "type"}) == len(fields) + 2
    assert all(field.label for field in fields)
    assert KINDS[kind].name == kind


@each("kind", SERVICES)
def test_destination_is_described_without_secrets(kind: str) -> None:
    config = config_of(kind)
    said = KINDS[kind].shown(config)
    assert 0 < len(said) <= 300
    open_part = KINDS[kind].open_part(config)
    for secret in secrets_of(kind, config):
        assert not secret or secret not in said
    for field in KINDS[kind].fields:
        assert (field.name in open_part) != field.secret


@each(
    ("kind", "config", "said"),
    [
        ("webhook", {"url": "https://hooks.example:8443/?key=1"}, "https://hooks.example:8443/…"),
        ("webhook", {"url": "https://hooks.example/"}, "https://hooks.example"),
        ("email", {"to": "ops@example.com"}, "o…@example.com"),
        ("telegram", {"token": "123456:AAE", "chatId": "@ops"}, "123456 → @ops"),
        ("twilio", {"from": "+14155550100", "to": "+4915112345678"}, "+14155550100 → +491…78"),
    ],
)
def test_destination_can_be_recognized(kind: str, config: dict[str, str], said: str) -> None:
    assert KINDS[kind].shown(config) == said


def test_a_letter_has_one_line_of_subject() -> None:
    letter = KINDS["email"].made({"to": "ops@example.com"}, HOSTILE, SENDING)
    assert isinstance(letter, Mail)
    assert letter.to == "ops@example.com"
    assert not {"\n", "\r"} & set(letter.subject)


def test_a_signature_is_that_of_the_standard() -> None:
    """As the library `standardwebhooks` signs the same message."""
    headers = dict(
        signature(
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            id="msg_p5jXN8AQM9LWM0D4loKWxJek",
            body=b'{"test": 2432232314}',
            now=1_614_265_330_999,
        )
    )
    assert headers == {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }


def test_a_webhook_says_type_time_and_data() -> None:
    assert json.loads(made("webhook", MESSAGE).body) == {
        "type": "monitor.down",
        "timestamp": "2026-06-17T12:00:00.000Z",
        "data": {
            "title": MESSAGE.title,
            "text": MESSAGE.text,
            "tone": "bad",
            "url": MESSAGE.url,
            "subject": "monitor:abc",
            "action": "trigger",
            "fields": {"Since": "12:00 UTC", "Cause": "503"},
        },
    }


def test_fields_that_earlier_versions_stored_under_another_name_are_read(tmp_path: Path) -> None:
    seal = Seal(tmp_path / "secret.key")
    stored = seal.seal(b'{"token":"1:a","chat":"-5"}', owner="channel:c1")
    assert open_config(seal, "c1", stored) == {"token": "1:a", "chatId": "-5"}
