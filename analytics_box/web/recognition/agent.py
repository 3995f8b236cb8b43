"""The meaning of a User-Agent header: browser, system, kind of device, and whether a bot sent it.

All of them compiled take 6 MB; what the browsers of a website say needs a few dozen of 637.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from importlib import resources
from typing import Generic, Literal, Protocol, TypeVar

import msgspec
import ua_parser_rs
from msgspec import Struct

from analytics_box.web.recognition.bots import classify, without_model

_HEAD = 4  # characters by which pieces of text are found


class AgentMatch(Protocol):
    """A browser or a system as ua-parser names it."""

    family: str
    major: str | None
    minor: str | None


class _Extractor(Protocol):
    def extract(self, user_agent: str) -> AgentMatch | None: ...


_Fields = tuple[str, str | None, str | None, str | None, str | None, str | None]
_Row = tuple[str, str | None, str | None, str | None, str | None, str | None, tuple[str, ...]]
Kind = TypeVar("Kind", bound=_Extractor)


class _PatternFile(msgspec.Struct, frozen=True):
    """A row is a pattern with what replaces its groups, and pieces of text in lower case: one is in all that fits."""

    version: str
    browsers: tuple[_Row, ...]
    systems: tuple[_Row, ...]


class Patterns(Generic[Kind]):
    """Patterns in their order: the first that fits counts."""

    def __init__(self, rows: tuple[_Row, ...], compiled: Callable[[list[_Fields]], Kind]) -> None:
        self._rows: list[_Fields] = [row[:6] for row in rows]
        self._compiled: list[Kind | None] = [None] * len(rows)
        self._compile = compiled
        pieces: dict[str, list[int]] = {}
        for number, row in enumerate(rows):
            for piece in row[6] or ("",):
                pieces.setdefault(piece, []).append(number)
        self._short = tuple(item for item in pieces.items() if len(item[0]) < _HEAD)
        self._long: dict[str, list[tuple[str, list[int]]]] = {}
        for piece, numbers in pieces.items():
            if len(piece) >= _HEAD:
                self._long.setdefault(piece[:_HEAD], []).append((piece, numbers))

    def find(self, text: str, lower: str, heads: set[str]) -> AgentMatch | None:
        """The match of the first pattern that fits a text, which is also given in lower case and with its heads."""
        for number in self._candidates(lower, heads):
            pattern = self._compiled[number]
            if pattern is None:
                pattern = self._compiled[number] = self._compile([self._rows[number]])
            found = pattern.extract(text)
            if found is not None:
                return found
        return None

    def _candidates(self, lower: str, heads: set[str]) -> list[int]:
        """Patterns of which a piece is in the text, in their order."""
        found: set[int] = set()
        for piece, numbers in self._short:
            if piece in lower:
                found.update(numbers)
        for head in heads & self._long.keys():
            for piece, numbers in self._long[head]:
                if piece in lower:
                    found.update(numbers)
        return sorted(found)


def browser_and_system(user_agent: str) -> tuple[AgentMatch | None, AgentMatch | None]:
    """The browser and the system of a User-Agent, in about 60 µs once the patterns that it needs are compiled."""
    browsers, systems = _patterns()
    lower = user_agent.lower()
    heads = {lower[start : start + _HEAD] for start in range(len(lower) - _HEAD + 1)}
    return browsers.find(user_agent, lower, heads), systems.find(user_agent, lower, heads)


@lru_cache(maxsize=1)
def _patterns() -> "tuple[Patterns[ua_parser_rs.UserAgentExtractor], Patterns[ua_parser_rs.OSExtractor]]":
    """Read with the first event."""
    text = resources.files("analytics_box.web.recognition").joinpath("data/agents.json").read_bytes()
    file = msgspec.json.decode(text, type=_PatternFile)
    return (
        Patterns(file.browsers, ua_parser_rs.UserAgentExtractor),
        Patterns(file.systems, ua_parser_rs.OSExtractor),
    )


Device = Literal["desktop", "mobile", "tablet"]  # televisions and consoles are desktops: neither of the others

# What the patterns call WebKit without Safari: an app's view of a page far more often than the mail program that writes
# the same header. Its number is WebKit's.
WEBKIT = "Apple Mail"
# One product under several names: people ask for the browser, the device is a column of its own.
BROWSERS = {
    "Chrome Mobile": "Chrome",
    "Chrome Mobile iOS": "Chrome",
    "Chrome Mobile WebView": "Chrome",
    "Mobile Safari": "Safari",
    "Mobile Safari UI/WKWebView": "Safari",
    "Firefox Mobile": "Firefox",
    "Firefox iOS": "Firefox",
    "Edge Mobile": "Edge",
    "Opera Mobile": "Opera",
    "Opera Mini": "Opera",
    "DuckDuckGo Mobile": "DuckDuckGo",
    "Brave Mobile": "Brave",
    "Samsung Internet": "Samsung Internet",
    "HeadlessChrome": "Chrome",
    WEBKIT: "Safari",
}
SYSTEMS = {
    "Mac OS X": "macOS",
    "Mac OS": "macOS",
    "Chrome OS": "ChromeOS",
    "Ubuntu": "Linux",
    "Fedora": "Linux",
    "Web0S": "webOS",
    "Chromecast Android": "Android",
}

# Televisions, the boxes below them and consoles stand in a room: they count as desktops. They may call themselves
# Android, Mobile, Silk or iPhone, too, and so they are asked for first. All of it in lower case.
_LARGE = (
    *("smarttv", "smart tv", "smart-tv", "smart_tv", "android tv", "androidtv", "android_tv", "google tv", "googletv"),
    *("apple tv", "appletv", "opera tv", "mitv", "tv box", "tvbox", "hbbtv", "tvos", "web0s", "webos;", "webos.tv"),
    *("netcast", "bravia", " viera", "roku", "crkey", "chromecast", "vidaa", "ce-html", "stbapp", "; aft"),
    *("playstation", "nintendo", "xbox", "ouya"),
)
_TABLET = ("ipad", "tablet", "kindle", "silk/", "playbook", "touchpad", "nexus 7", "nexus 9", "nexus 10")
_MOBILE = (
    *("mobi", "iphone", "ipod", "dv(iph", "windows phone", "wpdesktop", "windows ce", "lumia", "blackberry", "bb10"),
    *("opera mini", "ucweb", "kaios", "symbian", "series40", "series 40", "series60", "series 60", "nokia", "maemo"),
    *("meego", "sonyericsson", "semc-", "palm", "webos/", "dolfin", "midp", "cldc", "j2me", "brew mp", "brew/"),
    *("up.browser", "up.link", "up/", "netfront", "teleca", "obigo", "maui-", "maui ", "wap1", "wap2", "wap-", "wap "),
    *("docomo", "kddi", "j-phone", "softbank", "vodafone"),
)
_PHONES = ("samsung-", "lg-", "lge-", "mot-", "sagem", "sie-")  # with which only phones begin
_REMEMBERED, _LONGEST = 8_000, 512  # headers, and characters of one that is worth remembering: about 8 MB
_TELEVISION = re.compile(r"tv(?![\w-])")  # of an Android that is no phone: phones' models may end so, too


class Agent(Struct, frozen=True):
    """The sender by its User-Agent. Names are empty if unknown.

    `bot` is the reason why it is a bot, `bot_name` the name that the bot gives itself; both are empty for people.
    """

    browser: str = ""
    browser_version: str = ""
    system: str = ""
    system_version: str = ""
    device: Device = "desktop"
    bot: str = ""
    bot_name: str = ""


NOTHING = Agent()


def parse(user_agent: str) -> Agent:
    """Read one User-Agent header; about 200 µs the first time, far below 1 µs after that."""
    return _parse_cached(user_agent) if len(user_agent) <= _LONGEST else _parse(user_agent)


def forget() -> None:
    """Forget the User-Agents of all requests."""
    _parse_cached.cache_clear()


@lru_cache(maxsize=_REMEMBERED)
def _parse_cached(user_agent: str) -> Agent:
    return _parse(user_agent)


def _parse(user_agent: str) -> Agent:
    said = without_model(user_agent)
    browser, system = browser_and_system(said)
    bot, bot_name = classify(user_agent)
    return Agent(
        browser=BROWSERS.get(browser.family, browser.family) if browser else "",
        browser_version=_version(browser.major, browser.minor) if browser and browser.family != WEBKIT else "",
        system=_system(said, system.family if system else ""),
        system_version=_version(system.major, system.minor) if system else "",
        device=_device(user_agent),
        bot=bot,
        bot_name=bot_name,
    )


def _system(user_agent: str, family: str) -> str:
    """The name of a system; televisions of LG say webOS, or Web0S with a zero, and Linux beside it."""
    name = SYSTEMS.get(family, family)
    return "webOS" if name in {"", "Linux"} and "webos" in user_agent.lower().replace("web0s", "webos") else name


def _version(major: str | None, minor: str | None) -> str:
    return f"{major}.{minor}" if major and minor else major or ""


def _device(user_agent: str) -> Device:
    lower = user_agent.lower()
    if _has(lower, _LARGE):
        return "desktop"
    if _has(lower.replace("tablet pc", ""), _TABLET):  # Windows with a pen
        return "tablet"
    if lower.startswith(_PHONES) or _has(lower, _MOBILE):
        return "mobile"
    return "tablet" if "android" in lower and not _TELEVISION.search(lower) else "desktop"


def _has(text: str, words: tuple[str, ...]) -> bool:
    return any(word in text for word in words)
