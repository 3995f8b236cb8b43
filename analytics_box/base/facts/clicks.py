"""The kinds of requests for a short link. Only clicks of people are counted."""

from typing import Final, Literal

Kind = Literal[1, 2, 3, 4, 5]
CLICK: Final = 1  # of a person: only these are counted
BOT: Final = 2
PREVIEW: Final = 3  # a bot that makes previews where people share links
PREFETCH: Final = 4
HEAD: Final = 5
KINDS: Final[dict[int, str]] = {CLICK: "click", BOT: "bot", PREVIEW: "preview", PREFETCH: "prefetch", HEAD: "head"}
