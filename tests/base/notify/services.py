"""The services that channels lead to, as far as messages are concerned: what each takes, by its own documentation.

A service is a line: the configuration that somebody types, and who takes the request. It raises what is wrong, as the
service would refuse it: an unknown field, a wrong type, a text that is too long, a missing or wrong proof of who sends.
"""

import base64
import re
from collections.abc import Callable, Mapping
from ipaddress import ip_network
from typing import Annotated, Any, Literal
from urllib.parse import parse_qsl, urlsplit

import msgspec
from msgspec import Meta, Struct

from analytics_box.base.notify.kinds.http import signature
from analytics_box.base.notify.kinds.kind import SECRET, Config, Post, clean
from analytics_box.base.notify.kinds.table import KINDS
from analytics_box.base.outgoing.addresses import Fence

FENCE = Fence((ip_network("10.0.0.0/8"),))
HOOK = "https://hooks.example/services/T0/B0/hush"
SIGNING = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
NOW = 1_781_697_600_000

Text = Annotated[str, Meta(min_length=1)]
Url = Annotated[str, Meta(pattern=r"^https?://[^\s]+$", max_length=2_048)]


class Strict(Struct, forbid_unknown_fields=True):
    """What has exactly these fields."""


# Webhooks of one's own


class WebhookData(Strict):
    title: str
    text: str
    tone: Literal["good", "bad", "neutral"]
    url: str | None
    subject: str | None
    action: Literal["trigger", "resolve"]
    fields: dict[str, str]


class Webhook(Strict):
    type: str
    timestamp: Annotated[str, Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")]
    data: WebhookData


# Slack: docs.slack.dev/reference/block-kit


class SlackHeaderText(Strict):
    type: Literal["plain_text"]
    text: Annotated[str, Meta(min_length=1, max_length=150)]


class SlackHeader(Strict, tag="header"):
    text: SlackHeaderText


class SlackText(Strict):
    type: Literal["mrkdwn"]
    text: Annotated[str, Meta(min_length=1, max_length=3_000)]


class SlackField(Strict):
    type: Literal["mrkdwn"]
    text: Annotated[str, Meta(min_length=1, max_length=2_000)]


class SlackSection(Strict, tag="section"):
    text: SlackText | None = None
    fields: Annotated[list[SlackField], Meta(min_length=1, max_length=10)] | None = None


class SlackContext(Strict, tag="context"):
    elements: Annotated[list[SlackText], Meta(min_length=1, max_length=10)]


class Slack(Strict):
    text: Annotated[str, Meta(min_length=1, max_length=4_000)]
    blocks: Annotated[list[SlackHeader | SlackSection | SlackContext], Meta(max_length=50)]


# Discord: discord.com/developers/docs/resources/message, embed limits


class DiscordField(Strict):
    name: Annotated[str, Meta(min_length=1, max_length=256)]
    value: Annotated[str, Meta(min_length=1, max_length=1_024)]
    inline: bool


class DiscordEmbed(Strict):
    title: Annotated[str, Meta(min_length=1, max_length=256)]
    description: Annotated[str, Meta(max_length=4_096)]
    color: Annotated[int, Meta(ge=0, le=0xFFFFFF)]
    timestamp: str
    fields: Annotated[list[DiscordField], Meta(max_length=25)]
    url: Url | None = None


class NoMentions(Strict):
    parse: Annotated[list[str], Meta(max_length=0)]


class Discord(Strict):
    embeds: Annotated[list[DiscordEmbed], Meta(min_length=1, max_length=10)]
    allowed_mentions: NoMentions


# Microsoft Teams: an adaptive card, at most 28 KB


class TeamsRun(Strict, tag="TextRun"):
    text: Text
    size: Literal["Large"] | None = None
    weight: Literal["Bolder"] | None = None


class TeamsBlock(Strict, tag="RichTextBlock"):
    inlines: list[TeamsRun]


class TeamsAction(Strict, tag="Action.OpenUrl"):
    title: Text
    url: Url


class TeamsCard(Strict):
    type: Literal["AdaptiveCard"]
    version: Literal["1.4"]
    body: list[TeamsBlock]
    schema: str = msgspec.field(name="$schema")
    actions: list[TeamsAction] = []


class TeamsAttachment(Strict):
    contentType: Literal["application/vnd.microsoft.card.adaptive"]
    content: TeamsCard


class Teams(Strict):
    type: Literal["message"]
    attachments: Annotated[list[TeamsAttachment], Meta(min_length=1, max_length=1)]


# Telegram: core.telegram.org/bots/api#sendmessage


class Telegram(Strict):
    chat_id: Text
    text: Annotated[str, Meta(min_length=1, max_length=4_096)]


# Google Chat: developers.google.com/workspace/chat/api/reference/rest/v1/cards


class GoogleText(Strict):
    text: str


class GoogleOpen(Strict):
    url: Url


class GoogleClick(Strict):
    openLink: GoogleOpen


class GoogleButton(Strict):
    text: Text
    onClick: GoogleClick


class GoogleButtons(Strict):
    buttons: list[GoogleButton]


class GoogleWidget(Strict):
    textParagraph: GoogleText | None = None
    buttonList: GoogleButtons | None = None


class GoogleSection(Strict):
    widgets: Annotated[list[GoogleWidget], Meta(min_length=1, max_length=100)]


class GoogleHeader(Strict):
    title: Text


class GoogleCard(Strict):
    header: GoogleHeader
    sections: list[GoogleSection]


class GoogleWithId(Strict):
    cardId: Text
    card: GoogleCard


class GoogleChat(Strict):
    cardsV2: Annotated[list[GoogleWithId], Meta(min_length=1, max_length=1)]


# Mattermost and Rocket.Chat: attachments as Slack had them first


class ChatField(Strict):
    title: Text
    value: Text
    short: bool


class MattermostAttachment(Strict):
    fallback: Text
    color: Annotated[str, Meta(pattern="^#[0-9a-f]{6}$")]
    title: Text
    text: Annotated[str, Meta(max_length=16_383)]
    fields: list[ChatField]
    title_link: Url | None = None


class Mattermost(Strict):
    attachments: Annotated[list[MattermostAttachment], Meta(min_length=1)]


class RocketAttachment(Strict):
    color: Annotated[str, Meta(pattern="^#[0-9a-f]{6}$")]
    text: str
    fields: list[ChatField]
    title: Text | None = None
    title_link: Url | None = None


class RocketChat(Strict):
    text: Annotated[str, Meta(min_length=1, max_length=5_000)]
    attachments: Annotated[list[RocketAttachment], Meta(min_length=1)]


# Matrix: spec.matrix.org, PUT /rooms/{roomId}/send/{eventType}/{txnId}; an event has at most 65,536 bytes


class Matrix(Strict):
    msgtype: Literal["m.text"]
    body: Text
    mentions: Annotated[dict[str, Any], Meta(max_length=0)] = msgspec.field(name="m.mentions")


# ntfy: docs.ntfy.sh/publish, publish as JSON


class Ntfy(Strict):
    topic: Annotated[str, Meta(pattern="^[-_A-Za-z0-9]{1,64}$")]
    title: Text
    message: Text
    priority: Annotated[int, Meta(ge=1, le=5)]
    tags: list[Text]
    click: Url | None = None


# Gotify: gotify.net/api-docs#/message/createMessage, and its message extras


class GotifyDisplay(Strict):
    contentType: Literal["text/plain", "text/markdown"]


class GotifyClick(Strict):
    url: Url


class GotifyNotification(Strict):
    click: GotifyClick


class GotifyExtras(Strict):
    display: GotifyDisplay = msgspec.field(name="client::display")
    notification: GotifyNotification | None = msgspec.field(name="client::notification", default=None)


class Gotify(Strict):
    title: str
    message: Text
    priority: Annotated[int, Meta(ge=0, le=10)]
    extras: GotifyExtras


# Pushover: pushover.net/api


class Pushover(Strict):
    token: Annotated[str, Meta(pattern="^[A-Za-z0-9]{30}$")]
    user: Annotated[str, Meta(pattern="^[A-Za-z0-9]{30}$")]
    title: Annotated[str, Meta(min_length=1, max_length=250)]
    message: Annotated[str, Meta(min_length=1, max_length=1_024)]
    priority: Literal["-2", "-1", "0", "1"]
    timestamp: Annotated[str, Meta(pattern=r"^\d{10}$")]
    device: Annotated[str, Meta(pattern="^[A-Za-z0-9_,-]{1,250}$")] | None = None
    url: Annotated[str, Meta(min_length=1, max_length=512)] | None = None


# PagerDuty: developer.pagerduty.com, Events API v2


class PagerDutyPayload(Strict):
    summary: Annotated[str, Meta(min_length=1, max_length=1_024)]
    source: Text
    severity: Literal["critical", "error", "warning", "info"]
    timestamp: Annotated[str, Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")]
    class_: str = msgspec.field(name="class")
    custom_details: dict[str, str]


class PagerDutyLink(Strict):
    href: Url
    text: Text


class PagerDuty(Strict):
    routing_key: Annotated[str, Meta(min_length=32, max_length=32)]
    event_action: Literal["trigger", "acknowledge", "resolve"]
    dedup_key: Annotated[str, Meta(min_length=1, max_length=255)]
    payload: PagerDutyPayload
    client: str
    client_url: Url | None = None
    links: list[PagerDutyLink] = []


# Opsgenie: docs.opsgenie.com/docs/alert-api


class Opsgenie(Strict):
    message: Annotated[str, Meta(min_length=1, max_length=130)]
    alias: Annotated[str, Meta(min_length=1, max_length=512)]
    description: Annotated[str, Meta(max_length=15_000)]
    details: dict[str, str]
    tags: Annotated[list[Annotated[str, Meta(min_length=1, max_length=50)]], Meta(max_length=20)]
    source: Annotated[str, Meta(min_length=1, max_length=100)]
    priority: Literal["P1", "P2", "P3", "P4", "P5"]


class OpsgenieClosing(Strict):
    source: Annotated[str, Meta(min_length=1, max_length=100)]
    note: Annotated[str, Meta(min_length=1, max_length=25_000)]


# Pushbullet: docs.pushbullet.com/#create-push


class Pushbullet(Strict):
    type: Literal["note", "link"]
    title: str
    body: Text
    guid: Text
    url: Url | None = None
    device_iden: Text | None = None


# Twilio: twilio.com/docs/messaging/api/message-resource


class Twilio(Strict):
    To: Annotated[str, Meta(pattern=r"^\+[1-9]\d{1,14}$")]
    Body: Annotated[str, Meta(min_length=1, max_length=1_600)]
    From: Text | None = None
    MessagingServiceSid: Annotated[str, Meta(pattern="^MG[0-9a-fA-F]{32}$")] | None = None


class Generic(Strict):
    title: Text
    text: str
    url: str
    action: Literal["trigger", "resolve"]


class Service(Struct):
    """A service. `url` and `proof` are what its documentation asks for; `form` is the type of its body."""

    typed: Mapping[str, str]
    url: str
    form: Any
    proof: tuple[str, str] | None = None
    method: str = "POST"
    further: Callable[[Post, Any], None] | None = None

    def take(self, post: Post) -> Any:
        """The body as the service reads it. Raises what is wrong with the request."""
        headers = {name.lower(): value for name, value in post.headers}
        assert all(re.fullmatch(r"[\x20-\x7e]*", value) for value in headers.values())
        assert post.method == self.method
        assert re.fullmatch(self.url, post.url), post.url
        if self.proof is not None:
            assert headers[self.proof[0]] == self.proof[1]
        if headers["content-type"] == "application/x-www-form-urlencoded":
            body = msgspec.convert(dict(parse_qsl(post.body.decode(), strict_parsing=True)), self.form)
        else:
            assert headers["content-type"] == "application/json"
            body = msgspec.json.decode(post.body, type=self.form)
        if self.further is not None:
            self.further(post, body)
        return body


def config_of(kind: str) -> dict[str, str]:
    """The configuration that the box keeps of what somebody types."""
    config: dict[str, str] = clean(KINDS[kind], SERVICES[kind].typed, FENCE)
    return {**config, SECRET: SIGNING} if KINDS[kind].new_secret else config


def shown_of(kind: str) -> str:
    return KINDS[kind].shown(config_of(kind))


def _signed(post: Post, _: Any) -> None:
    headers = dict(post.headers)
    proof = signature(SIGNING, id=headers["webhook-id"], body=post.body, now=int(headers["webhook-timestamp"]) * 1000)
    assert headers["webhook-signature"] == dict(proof)["webhook-signature"]


def _embed(_: Post, body: Discord) -> None:
    (embed,) = body.embeds
    parts = [embed.title, embed.description, *(f.name for f in embed.fields), *(f.value for f in embed.fields)]
    assert sum(map(len, parts)) <= 6_000


def _bytes(most: int) -> Callable[[Post, Any], None]:
    def check(post: Post, _: Any) -> None:
        assert len(post.body) <= most

    return check


def _ntfy(_: Post, body: Ntfy) -> None:
    assert len(body.message.encode()) <= 4_096


def _utf16(_: Post, body: Telegram) -> None:
    assert len(body.text.encode("utf-16-le")) <= 2 * 4_096


def _details(_: Post, body: Opsgenie) -> None:
    assert sum(len(name) + len(value) for name, value in body.details.items()) <= 8_000


def _one_sender(_: Post, body: Twilio) -> None:
    assert (body.From is None) != (body.MessagingServiceSid is None)


def _of_hook(form: Any, further: Callable[[Post, Any], None] | None = None) -> Service:
    return Service({"url": HOOK}, re.escape(HOOK), form, further=further)


_SID, _AUTH = "AC" + "0a" * 16, "f" * 32
_BASIC = base64.b64encode(f"{_SID}:{_AUTH}".encode()).decode()
_BOT = "123456789:AAEhBOweik6ad9r_QXMENQjcrGbqCr4K-bc"

SERVICES: dict[str, Service] = {
    "webhook": _of_hook(Webhook, _signed),
    "slack": _of_hook(Slack),
    "discord": _of_hook(Discord, _embed),
    "teams": _of_hook(Teams, _bytes(28_000)),
    "google_chat": _of_hook(GoogleChat, _bytes(32_000)),
    "mattermost": _of_hook(Mattermost),
    "rocket_chat": _of_hook(RocketChat),
    "telegram": Service(
        {"token": _BOT, "chatId": "-1001"},
        re.escape(f"https://api.telegram.org/bot{_BOT}/sendMessage"),
        Telegram,
        further=_utf16,
    ),
    "matrix": Service(
        {"url": "https://matrix.example/", "token": "syt_hush", "room": "!a/b:matrix.example"},
        r"https://matrix\.example/_matrix/client/v3/rooms/%21a%2Fb%3Amatrix\.example/send/m\.room\.message/msg_1",
        Matrix,
        ("authorization", "Bearer syt_hush"),
        "PUT",
        _bytes(65_536),
    ),
    "ntfy": Service(
        {"url": "http://10.1.2.3:8080", "topic": "hush-Topic_1", "token": "tk_hush"},
        r"http://10\.1\.2\.3:8080/",
        Ntfy,
        ("authorization", "Bearer tk_hush"),
        further=_ntfy,
    ),
    "gotify": Service(
        {"url": "https://push.example/sub/", "token": "Ahush.x"},
        r"https://push\.example/sub/message",
        Gotify,
        ("x-gotify-key", "Ahush.x"),
    ),
    "pushover": Service(
        {"token": "hush" + "a" * 26, "user": "user" + "hush" + "b" * 22, "device": "phone"},
        r"https://api\.pushover\.net/1/messages\.json",
        Pushover,
    ),
    "pushbullet": Service(
        {"token": "o.hush"}, r"https://api\.pushbullet\.com/v2/pushes", Pushbullet, ("access-token", "o.hush")
    ),
    "pagerduty": Service(
        {"routingKey": "hush" + "0" * 28, "region": "eu"},
        r"https://events\.eu\.pagerduty\.com/v2/enqueue",
        PagerDuty,
        further=_bytes(512_000),
    ),
    "opsgenie": Service(
        {"apiKey": "eb24-hush"},
        r"https://api\.opsgenie\.com/v2/alerts",
        Opsgenie,
        ("authorization", "GenieKey eb24-hush"),
        further=_details,
    ),
    "twilio": Service(
        {"accountSid": _SID, "authToken": _AUTH, "from": "+14155550100", "to": "+4915112345678"},
        rf"https://api\.twilio\.com/2010-04-01/Accounts/{_SID}/Messages\.json",
        Twilio,
        ("authorization", f"Basic {_BASIC}"),
        further=_one_sender,
    ),
    "http": Service(
        {"url": HOOK, "headers": "X-Token: hush\nX-Other: 1"}, re.escape(HOOK), Generic, ("x-token", "hush")
    ),
}


def secrets_of(kind: str, config: Config) -> list[str]:
    """What is never shown: values of secret fields, and paths of addresses."""
    fields = {field.name: field for field in KINDS[kind].fields}
    hidden = [value for name, value in config.items() if name not in fields or fields[name].secret]
    return [*hidden, *(urlsplit(config["url"]).path.strip("/") for _ in [1] if "url" in config)]
