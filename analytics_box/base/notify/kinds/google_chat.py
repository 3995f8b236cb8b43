"""Google Chat, by a webhook of a space: a card; a message has at most 32,000 bytes."""

from typing import Any

from analytics_box.base.notify import checks, wording
from analytics_box.base.notify.kinds.kind import ChannelKind, Config, Post, SendAttempt, json_post
from analytics_box.base.notify.message import Message, lines
from analytics_box.base.notify.wording import as_html, within


def _google_chat_post(config: Config, message: Message, _: SendAttempt) -> Post:
    paragraphs = [
        within(lines(message.text, 2_000), 12_000, as_html, wording.utf8),
        *(
            within(f"{label}: {value}", 1_200, as_html, wording.utf8)
            for label, value in wording.facts(message, 10, longest=300)
        ),
    ]
    widgets: list[dict[str, Any]] = [{"textParagraph": {"text": "<br>".join(paragraphs)}}]
    if message.url:
        link = {"text": message.url, "onClick": {"openLink": {"url": message.url}}}
        widgets.append({"buttonList": {"buttons": [link]}})
    card = {"header": {"title": wording.title(message, 200)}, "sections": [{"widgets": widgets}]}
    return json_post(config["url"], {"cardsV2": [{"cardId": "alert", "card": card}]})


GOOGLE_CHAT = ChannelKind(
    name="google_chat",
    label="Google Chat",
    help="A message in a space.",
    fields=(checks.webhook_url("Space, Apps & integrations, Webhooks, copy the link."),),
    shown=checks.origin_of,
    made=_google_chat_post,
)
