"""A message in the form of each kind of channel: what receivers expect, and nothing that a stranger's text could do."""

import json
from typing import Any

import pytest

from analytics_box.notify.forms import mail, plain, post, signature
from analytics_box.notify.message import Message, line, lines
from analytics_box.notify.rules import Config, Kind, shown

NOW = 1_781_697_600_000
HOOK = "https://hooks.example/services/T0/B0/secret"
MESSAGE = Message(
    type="monitor.down",
    title="Health check failed: shop",
    text="GET https://shop.example/ answers 503.\nTried twice.",
    at=NOW,
    tone="bad",
    url="https://stats.example.com/monitors/1",
    fields=(("Since", "12:00 UTC"), ("Cause", "503")),
)
HOSTILE = Message(
    type="monitor.down",
    title="<!channel> @everyone\r\nBcc: x@example.com <users/all>",
    text="<https://evil.example|click> [click](https://evil.example) *b* _i_ `c` <b>&\u202egnp\u200b",
    at=NOW,
    fields=(("<!here>", "@here **x**"),),
)
CONFIGS: dict[Kind, Config] = {
    "webhook": Config(url=HOOK, secret="whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
    "slack": Config(url=HOOK),
    "discord": Config(url=HOOK),
    "teams": Config(url=HOOK),
    "google_chat": Config(url=HOOK),
    "telegram": Config(token="123456:AAE", chat="-1001"),
}


def sent(kind: Kind, message: Message = MESSAGE) -> dict[str, Any]:
    made = post(kind, CONFIGS[kind], message, id="msg_1", now=NOW)
    assert ("Content-Type", "application/json") in made.headers
    content: dict[str, Any] = json.loads(made.body)
    return content


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
    assert sent("webhook") == {
        "type": "monitor.down",
        "timestamp": "2026-06-17T12:00:00.000Z",
        "data": {
            "title": MESSAGE.title,
            "text": MESSAGE.text,
            "tone": "bad",
            "url": MESSAGE.url,
            "fields": {"Since": "12:00 UTC", "Cause": "503"},
        },
    }


def test_only_webhooks_are_signed() -> None:
    for kind, config in CONFIGS.items():
        names = {name for name, _ in post(kind, config, MESSAGE, id="msg_1", now=NOW).headers}
        assert ("webhook-signature" in names) == (kind == "webhook")


def test_slack_gets_a_fallback_and_blocks() -> None:
    content = sent("slack")
    assert content["text"] == MESSAGE.title
    assert [block["type"] for block in content["blocks"]] == ["header", "section", "section", "context"]
    assert content["blocks"][0]["text"] == {"type": "plain_text", "text": MESSAGE.title}


def test_discord_gets_an_embed_and_mentions_nobody() -> None:
    content = sent("discord")
    embed = content["embeds"][0]
    assert (embed["url"], embed["color"]) == (MESSAGE.url, 0xC62828)
    assert [field["name"] for field in embed["fields"]] == ["Since", "Cause"]
    assert content["allowed_mentions"] == {"parse": []}


def test_teams_gets_an_adaptive_card() -> None:
    attachment = sent("teams")["attachments"][0]
    assert attachment["contentType"] == "application/vnd.microsoft.card.adaptive"
    assert attachment["content"]["type"] == "AdaptiveCard"
    assert attachment["content"]["actions"][0]["url"] == MESSAGE.url


def test_google_chat_gets_a_card() -> None:
    card = sent("google_chat")["cardsV2"][0]["card"]
    assert card["header"]["title"] == MESSAGE.title
    assert "Tried twice." in card["sections"][0]["widgets"][0]["textParagraph"]["text"]


def test_a_bot_posts_plain_text() -> None:
    made = post("telegram", CONFIGS["telegram"], MESSAGE, id="msg_1", now=NOW)
    assert made.url == "https://api.telegram.org/bot123456:AAE/sendMessage"
    assert json.loads(made.body) == {"chat_id": "-1001", "text": plain(MESSAGE)}


def test_a_letter_has_one_line_of_subject() -> None:
    letter = mail(Config(to="ops@example.com"), HOSTILE)
    assert letter.to == "ops@example.com"
    assert "\n" not in letter.subject
    assert "\r" not in letter.subject


@pytest.mark.parametrize("kind", [kind for kind in CONFIGS if kind != "webhook"])
def test_texts_of_strangers_stay_text(kind: Kind) -> None:
    content = json.dumps(sent(kind, HOSTILE), ensure_ascii=False)
    for harm in ("\u202e", "\u200b", "\\r"):
        assert harm not in content
    if kind == "slack":
        assert "<!here>" not in content
        assert "<https://evil" not in content
        assert content.count("<!channel>") == 1  # in the header, which is plain text
        assert sent(kind, HOSTILE)["blocks"][0]["text"]["type"] == "plain_text"
    if kind == "google_chat":
        texts = sent(kind, HOSTILE)["cardsV2"][0]["card"]["sections"][0]["widgets"][0]["textParagraph"]["text"]
        assert "<b>" not in texts
        assert "<users/all>" not in texts
    if kind == "discord":
        embed = sent(kind, HOSTILE)["embeds"][0]
        assert "[click](" not in embed["description"]
        assert "**x**" not in embed["fields"][0]["value"]
    if kind == "teams":
        assert {block["type"] for block in sent(kind, HOSTILE)["attachments"][0]["content"]["body"]} == {
            "RichTextBlock"
        }


def test_long_texts_are_cut() -> None:
    long = Message(type="x", title="t" * 5_000, text="x" * 50_000, at=NOW, fields=(("l" * 500, "v" * 5_000),) * 40)
    assert len(sent("slack", long)["blocks"][0]["text"]["text"]) <= 150
    assert len(sent("slack", long)["blocks"][1]["text"]["text"]) <= 3_000
    assert len(sent("slack", long)["blocks"][2]["fields"]) == 10
    embed = sent("discord", long)["embeds"][0]
    assert len(embed["title"]) <= 256
    assert len(embed["description"]) <= 4_096
    assert len(embed["fields"]) <= 25
    assert (len(line("x" * 10, 5)), line("x" * 10, 5)[-1]) == (5, "…")
    assert lines("a\n\nb", 10) == "a\n\nb"


@pytest.mark.parametrize(
    ("kind", "config", "said"),
    [
        ("webhook", Config(url=HOOK), "https://hooks.example/…"),
        ("webhook", Config(url="https://hooks.example:8443/?key=1"), "https://hooks.example:8443/…"),
        ("webhook", Config(url="https://hooks.example/"), "https://hooks.example"),
        ("email", Config(to="ops@example.com"), "o…@example.com"),
        ("telegram", Config(token="123456:AAE", chat="@ops"), "123456 → @ops"),
    ],
)
def test_where_a_channel_leads_is_said_without_secrets(kind: Kind, config: Config, said: str) -> None:
    assert shown(kind, config) == said
