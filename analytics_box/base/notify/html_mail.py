"""The HTML part of a mail, rendered by web/templates/mail/message.html: one card, light and dark, on phones too. Pure.

Many mail programs drop style sheets, so each element carries its own style. Those that read the sheet in the head take
the dark colors and the narrow layout from there. Nothing is loaded from elsewhere.
"""

import re
from collections.abc import Callable, Mapping
from typing import Final, Literal

from markupsafe import Markup
from msgspec import Struct

Tone = Literal["good", "warn", "bad", "info", "muted"]
Render = Callable[..., str]  # a template's name and its context

TEMPLATE: Final = "mail/message.html"
LIGHT: Final[Mapping[Tone, str]] = {
    "good": "#1a7f37",
    "warn": "#8a5d00",
    "bad": "#b3261e",
    "info": "#2b5fb8",
    "muted": "#5f5b53",
}
DARK: Final[Mapping[Tone, str]] = {
    "good": "#56d364",
    "warn": "#e3b341",
    "bad": "#ff8279",
    "info": "#8ab4f8",
    "muted": "#a9a59d",
}
# The elements that users' Markdown becomes.
_OF_TEXT: Final[Mapping[str, str]] = {
    "p": "margin:0 0 12px",
    "ul": "margin:0 0 12px;padding-left:22px",
    "ol": "margin:0 0 12px;padding-left:22px",
    "li": "margin:0 0 4px",
    "a": "color:#0b6b62",
    "code": "font-family:Menlo,Consolas,monospace;font-size:13px;background:#f1efe9;padding:1px 4px",
    "pre": "margin:0 0 12px;padding:12px;background:#f1efe9;white-space:pre-wrap",
    "blockquote": "margin:0 0 12px;padding-left:12px;border-left:3px solid #d8d4ca",
    "hr": "border:0;border-top:1px solid #e8e5de;margin:16px 0",
}
_TAG: Final = re.compile(rf"<({'|'.join(_OF_TEXT)})(?=[ >/])")


class MailRow(Struct, frozen=True):
    """A line of the table: a name and its state, in the color of the tone."""

    name: str
    value: str
    tone: Tone


class Action(Struct, frozen=True):
    """A link: the button, or one in the foot."""

    label: str
    href: str


class HtmlMail(Struct, frozen=True, kw_only=True):
    """The content of a mail. Lists of mails show `preview` after the subject; `text` is safe HTML."""

    brand: str
    kind: str = ""
    title: str
    tone: Tone = "muted"
    label: str = ""
    details: tuple[str, ...] = ()
    text: Markup = Markup()
    heading: str = ""
    rows: tuple[MailRow, ...] = ()
    action: Action
    note: str = ""
    foot: str
    links: tuple[Action, ...] = ()
    preview: str = ""
    language: str = "en"

    def rendered(self, render: Render) -> str:
        """Return the HTML document."""
        return render(TEMPLATE, mail=self, light=LIGHT, dark=DARK)


def style_html(html: Markup) -> Markup:
    """Return users' text with a style on each element."""
    return Markup(_TAG.sub(lambda tag: f'<{tag[1]} style="{_OF_TEXT[tag[1]]}"', str(html)))  # noqa: S704  safe before
