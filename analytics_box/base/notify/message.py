"""The content of a notification. Pure."""

import re
from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct

Tone = Literal["good", "bad", "neutral"]
Action = Literal["trigger", "resolve"]

_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff\U000e0000-\U000e007f]+"
)


class Message(Struct, frozen=True):
    """A message. `type` is for programs, such as `monitor.down`; `at` is UTC ms; `fields` are label and value.

    `subject` names what it is about over time, such as `monitor:ID`; where alerts stay open until they are resolved, a
    message that resolves closes what others about this subject opened. Without a subject it stands alone.
    Only webhooks get `data`, which is JSON.

    Texts may come from anonymous callers: each kind of channel makes them harmless in its own way.
    """

    type: str
    title: str
    text: str
    at: int
    tone: Tone = "neutral"
    url: str = ""
    fields: tuple[tuple[str, str], ...] = ()
    subject: str = ""
    action: Action = "trigger"
    data: Mapping[str, Any] = {}


def line(text: str, longest: int) -> str:
    """A text as one line without characters that nobody sees, at most so many characters long."""
    clean = " ".join(_UNSEEN.sub(" ", text).split())
    return clean if len(clean) <= longest else clean[: longest - 1] + "…"


def lines(text: str, longest: int) -> str:
    """A text of several lines without characters that nobody sees, at most so many characters long."""
    clean = "\n".join(line(each, longest) for each in text.splitlines())
    return clean if len(clean) <= longest else clean[: longest - 1] + "…"
