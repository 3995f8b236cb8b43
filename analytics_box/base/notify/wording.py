"""The words of a message in the forms that services take: cut to their limits, without mentions and markup. Pure.

Texts come from people and from the internet. Whatever they hold, the message keeps its form.
"""

import html
import re
from collections.abc import Callable
from hashlib import sha256
from typing import Final

from analytics_box.base.notify.message import Message, Tone, line, lines

COLORS: Final[dict[Tone, int]] = {"good": 0x2E7D32, "bad": 0xC62828, "neutral": 0x546E7A}
SENDER: Final = "Analytics Box"

_MARKDOWN = re.compile(r"([\\`*_~|<>\[\]()#:@-])")
_LOOKALIKES = str.maketrans(
    {
        "@": "＠",
        "*": "∗",
        "_": "\u02cd",
        "`": "'",
        "~": "∼",
        "|": "∣",
        "#": "＃",
        "[": "［",
        "]": "］",
        "<": "‹",
        ">": "›",
        "\\": "＼",
    }
)


def title(message: Message, longest: int) -> str:
    """The event in one line that is never empty."""
    return line(message.title, longest) or line(message.type, longest) or SENDER


def facts(message: Message, most: int, *, longest: int) -> list[tuple[str, str]]:
    """Label and value of the first fields, each in one line that is never empty; values at most so long."""
    return [(line(label, 60) or "–", line(value, longest) or "–") for label, value in message.fields[:most]]


def body(message: Message, longest: int) -> str:
    """All but the title and the address, as lines; the title where there is nothing else."""
    parts = [lines(message.text, 2_000), *(f"{label}: {value}" for label, value in facts(message, 20, longest=500))]
    return within("\n".join(part for part in parts if part), longest) or title(message, longest)


def plain(message: Message, longest: int = 3_900) -> str:
    """The whole message as text; the address is never cut."""
    end = f"\n\n{message.url}" if message.url else ""
    start = f"{title(message, 200)}\n\n{body(message, longest)}"
    return within(start, longest - len(end)) + end


def calm(text: str) -> str:
    """Text that mentions nobody."""
    return text.replace("@", "＠")


def tame(text: str) -> str:
    """Text for chats whose markup cannot be escaped reliably: signs that mean something give way to ones alike."""
    return text.translate(_LOOKALIKES)


def escape_markdown(text: str) -> str:
    """Text with a backslash before all that Markdown might read."""
    return _MARKDOWN.sub(r"\\\1", text)


def as_html(text: str) -> str:
    """Text for HTML, with its line breaks."""
    return html.escape(text).replace("\n", "<br>")


def within(text: str, longest: int, escape: Callable[[str], str] = str, size: Callable[[str], int] = len) -> str:
    """The escaped text, cut between characters so that `size` of what comes out is at most `longest`."""
    whole = escape(text)
    if size(whole) <= longest:
        return whole
    room, kept = longest - size("…"), []
    for sign in text:
        piece = escape(sign)
        room -= size(piece)
        if room < 0:
            break
        kept.append(piece)
    return "".join(kept) + "…"


def utf8(text: str) -> int:
    """The length of a text in UTF-8, in bytes."""
    return len(text.encode())


def key(message: Message, id: str, longest: int) -> str:
    """The key that messages about one thing share, of limited length; the message's own id if it stands alone."""
    name = message.subject or id
    return name if name.isascii() and name.isprintable() and len(name) <= longest else sha256(name.encode()).hexdigest()
