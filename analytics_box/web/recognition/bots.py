"""Whether a bot sent a request, and what it calls itself (semantics 19, wire 4.7).

The patterns are those of isbot and crawler-user-agents (`packaging/bots.py` sorts them), the rest are headers that
only bots send, or that every browser does.
"""

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources

from msgspec import Struct

KNOWN = "known_bot_user_agent"
MISSING = "missing_user_agent"
SHORT = "user_agent_too_short"
NO_ACCEPT = "missing_accept_header"
HEADLESS = "headless_browser"
SIGNED = "signed_agent"
DECLARED = "declared_robot"
DATA_CENTRE = "data_centre"
REASONS = (KNOWN, MISSING, SHORT, NO_ACCEPT, HEADLESS, SIGNED, DECLARED, DATA_CENTRE)

_SHORTEST = 10  # characters; no browser says less (wire 4.7)
_HEAD = 4  # characters by which names are found
_LONGEST_NAME = 64

# What names a handset, a television, a console or an app on one: the form of their user agents is no sign of a bot.
_DEVICE = re.compile(
    r"android[ /;)]|build/|midp|cldc|symbian|series ?[468]0|brew|windows phone|wp7|windows ?ce|windows mobile|iemobile"
    r"|hbbtv|ce-html|nettv|smart-?tv|googletv|tvos|watch ?os|watch\d,\d|linux (?:armv|mips)|up\.browser|obigo|teleca"
    r"|netfront|openwave|polaris|dolfin|maui|wap\b|wap[12]\.|bada\b|meego|tizen|web[o0]s|iph\d|iphone|ipad|ipod"
    r"|cfnetwork|darwin/|ucweb|opera/|j2me|mobile|docomo|kddi|j-phone|softbank|vodafone|playstation|nintendo|xbox|roku"
    r"|^(?:mozilla/\d\.\d \(?)?(?:nokia|samsung|sec-|sgh|sch-|gt-|sm-|lg|mot|sony|alcatel|htc|huawei|zte|sagem|philips"
    r"|panasonic|sharp|siemens|sie-|sanyo|toshiba|kyocera|palm|asus|acer|lenovo|blackberry|bird|amoi|benq|pantech"
    r"|haier|hisense|tcl|tecno|micromax|karbonn|lava|spice|fly|k-?touch|oppo|vivo|xiaomi|coolpad|gionee|videocon"
    r"|qmobile|i-mate|dopod|o2|t-mobile|orange|sprint|nec|nexian|cherry|vk|pg-|eten|gradiente|maxx)"
)
# Phones and tablets whose makers call them bots and spiders (Cubot, Logicom, XTouch, Oscal).
_MODEL = re.compile(r"\bcubot|(?<=; )(?:(?:[bcm]|id|power|vr)[ _]bot|xbot|spider 8)(?=[ _;)])", re.IGNORECASE)
_TOKEN = re.compile(r"\d{0,4}[A-Za-z][\w.!&+-]*")
_ELSEWHERE = re.compile(r"://|@|www\.|\(at\)", re.IGNORECASE)
_COMPATIBLE = re.compile(r"compatible; *(?!MSIE|Windows)([A-Za-z][\w.!&+ -]*)")
_EVERYBODY = re.compile(
    r"(?:mozilla|compatible|applewebkit|khtml|like|gecko|safari|version|chrome|firefox|mobile|windows|linux|macintosh"
    r"|x11|u|nt|msie|trident|bot|crawler|spider|check|agent)\Z",
    re.IGNORECASE,
)


class Union(Struct, frozen=True):
    """Several patterns: those that begin with ^, and those that may stand anywhere."""

    start: re.Pattern[str]
    anywhere: re.Pattern[str]

    def find(self, text: str) -> re.Match[str] | None:
        """The first match of any of the patterns."""
        return self.start.match(text) or self.anywhere.search(text)


class BotLists(Struct, frozen=True):
    """The patterns, each in the form in which it is found quickest. All but names and `named` want lower case."""

    words: tuple[str, ...]
    starts: tuple[str, ...]
    patterns: Union
    shapes: Union
    names: dict[str, tuple[str, ...]]  # first four characters → names that begin so, the longest first
    named: Union


@lru_cache(maxsize=1)
def lists() -> BotLists:
    """The patterns; read with the first event."""
    found = json.loads(resources.files("analytics_box.web.recognition").joinpath("data/bots.json").read_text("utf-8"))
    names: dict[str, list[str]] = {}
    for name in sorted(found["names"], key=len, reverse=True):
        names.setdefault(name[:_HEAD], []).append(name)
    return BotLists(
        words=tuple(found["words"]),
        starts=tuple(found["starts"]),
        patterns=_union(found["patterns"]),
        shapes=_union(found["shapes"]),
        names={head: tuple(longer) for head, longer in names.items()},
        named=_union(found["named"]),
    )


def _union(patterns: list[str]) -> Union:
    def joined(some: list[str]) -> re.Pattern[str]:
        return re.compile("|".join(f"(?:{pattern})" for pattern in some) or r"\b\B", re.ASCII)

    return Union(
        joined([pattern for pattern in patterns if pattern.startswith("^")]),
        joined([pattern for pattern in patterns if not pattern.startswith("^")]),
    )


def classify(user_agent: str) -> tuple[str, str]:
    """The reason why this User-Agent is a bot's, and the bot's name for itself; both empty for people's."""
    if not user_agent:
        return MISSING, ""
    if len(user_agent) < _SHORTEST:
        return SHORT, _cut(user_agent)
    said = without_model(user_agent)
    sign = _sign(said)
    return (KNOWN, name_of(said, sign)) if sign else ("", "")


def without_model(user_agent: str) -> str:
    """The User-Agent of a phone without a name of its model that sounds like a bot's."""
    lower = user_agent.lower()
    if "android" in lower and ("bot" in lower or "spider" in lower):
        return _MODEL.sub("phone", user_agent)
    return user_agent


def classify_headers(headers: Mapping[bytes, bytes]) -> tuple[str, str]:
    """Classify a request by its other headers: each one here is one that no person's browser sends, or lacks."""
    if b"accept" not in headers:
        return NO_ACCEPT, ""
    if b"signature-agent" in headers:  # Web Bot Auth: a robot that proves who it is
        return SIGNED, _cut(headers[b"signature-agent"].decode("latin-1").strip('"').removeprefix("https://"))
    if b"from" in headers:  # RFC 9110, 10.1.2: robots name whom to write to
        return DECLARED, _cut(re.split(r"@|\(at\)", headers[b"from"].decode("latin-1"))[-1])
    if b"Headless" in headers.get(b"sec-ch-ua", b""):
        return HEADLESS, ""
    return "", ""


def _sign(user_agent: str) -> str:
    """The part of the text that identifies a bot; empty if there is none."""
    known = lists()
    name = _listed_name(user_agent, known.names)
    if name:
        return name
    match = known.named.find(user_agent)
    if match:
        return match[0]
    lower = user_agent.lower()
    for word in known.words:
        if word in lower:
            return word
    if lower.startswith(known.starts):
        return lower.split("/", 1)[0]
    match = known.patterns.find(lower)
    if match is None:
        match = known.shapes.find(lower)
        if match is None or _DEVICE.search(lower):
            return ""
    return match[0] or user_agent


def _listed_name(user_agent: str, names: Mapping[str, tuple[str, ...]]) -> str:
    for start in range(len(user_agent) - _HEAD + 1):
        longer = names.get(user_agent[start : start + _HEAD])
        if longer is not None:
            for name in longer:
                if user_agent.startswith(name, start):
                    return name
    return ""


def name_of(user_agent: str, sign: str) -> str:
    """The bot's name for itself: the word that holds the sign, the name after “compatible”, or the first word.

    Addresses are skipped: they tell where to read about it.
    """
    said = " ".join(word for word in user_agent.split() if not _ELSEWHERE.search(word))
    at = said.lower().find(sign.lower())
    if at >= 0 and len(sign) < len(user_agent):
        for token in _TOKEN.finditer(said):
            if token.end() > at:
                if token.start() < at + len(sign) and not _EVERYBODY.match(token[0]):
                    return _cut(token[0])
                break
    compatible = _COMPATIBLE.search(said)
    if compatible:
        return _cut(compatible[1])
    own = (token[0] for token in _TOKEN.finditer(said) if not _EVERYBODY.match(token[0]))
    return _cut(next(own, sign))


def _cut(name: str) -> str:
    return "".join(letter for letter in name if letter.isprintable()).strip()[:_LONGEST_NAME]
