"""The path of a page as it is stored and shown (semantics 16)."""

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote, urlencode

from analytics_box.base.urls import url_parts
from analytics_box.web.recognition.source import CLICK_IDS, is_tracking

LONGEST = 2_048
_REMEMBERED, _SHORT = 5_000, 256  # addresses, and characters of one that is worth remembering: about 10 MB
UTM = ("utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content")
_OF_SOURCE = frozenset((*UTM, *CLICK_IDS, "ref", "source"))

# Control characters and bidirectional overrides: never part of what a person wants to read.
_INVISIBLE = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_SPACES = re.compile(r"\s{2,}")
_ESCAPED = re.compile("[\udc80-\udcff]")  # how Python writes a byte that is no UTF-8
_ASTRAY = re.compile(rf"[?&;]((?:utm_[a-z]+|{'|'.join(CLICK_IDS)})=)", re.IGNORECASE)


class PageAddress(NamedTuple):
    """A page's address, taken apart. Everything is cleaned text."""

    host: str = ""
    path: str = "/"
    query: str = ""  # without utm_* and click ids
    parameters: tuple[tuple[str, str], ...] = ()  # utm_*, ref, source and click ids of the query


def clean(text: str, longest: int = LONGEST) -> str:
    """Text without control and direction characters and without runs of white space, cut to length."""
    if not text:  # most of what an event may say it does not
        return ""
    printable = text.isprintable()  # nothing invisible is, and no white space but the space itself
    if not printable:
        text = _INVISIBLE.sub("", text)
    if not printable or "  " in text:
        text = _SPACES.sub(" ", text)
    return text.strip()[:longest]


def page(address: str) -> PageAddress:
    """Take apart a URL or a bare path; what is neither is "/". A fragment counts where it is a route (`#/` or `#!`)."""
    return _parse_cached(address) if len(address) <= _SHORT else _taken_apart(address)


@lru_cache(maxsize=_REMEMBERED)
def _parse_cached(address: str) -> PageAddress:
    return _taken_apart(address)


def _taken_apart(address: str) -> PageAddress:
    address = address.strip()
    parts = url_parts("/" + address.lstrip("/") if address.startswith("//") else address)
    if address and not any(parts):
        return PageAddress()
    host = parts.hostname or ""
    path, astray = _without_parameters(_tidy(parts.path))
    query = "&".join(filter(None, (parts.query, astray)))
    if parts.fragment.startswith(("/", "!")):
        route, _, more = parts.fragment.partition("?")
        route, lost = _without_parameters(clean(_percent_decode(route)).rstrip("/") or "/")
        path += "#" + route
        query = "&".join(filter(None, (query, lost, more)))
    pairs = parse_qsl(_ASTRAY.sub(r"&\1", query), keep_blank_values=True) if query else []
    about_source = {key.lower(): clean(value, 128) for key, value in pairs if key.lower() in _OF_SOURCE}
    rest = [(key, _ASTRAY.split(value, 1)[0]) for key, value in pairs if not is_tracking(key.lower())]
    kept = clean(unquote(urlencode(rest))) if rest else ""
    return PageAddress(host.lower(), path[:LONGEST].rstrip(), kept, tuple(about_source.items()))


def _tidy(path: str) -> str:
    """A path as people would write it: decoded, in one form of Unicode, without dot segments and empty ones."""
    path = clean(_percent_decode(path))
    if not path.isascii():
        path = unicodedata.normalize("NFC", path)
    if "//" in path or "/." in path or not path.startswith("/") or path.endswith("/"):
        kept: list[str] = []
        for segment in path.split("/"):
            if segment == "..":
                del kept[-1:]
            elif segment not in {"", "."}:
                kept.append(segment)
        path = "/" + "/".join(kept)
    return path


def _percent_decode(text: str) -> str:
    """Percent-decoded; bytes that are no UTF-8 stay as they were written."""
    if "%" not in text:
        return text
    decoded = unquote(text, errors="surrogateescape")
    return _ESCAPED.sub(lambda byte: f"%{ord(byte[0]) - 0xDC00:02X}", decoded)


def _without_parameters(path: str) -> tuple[str, str]:
    """A path, and the parameters of campaigns that went astray into it: /a&utm_source=x, or after an encoded `?`."""
    found = _ASTRAY.search(path)
    if found is None:
        return path, ""
    return path[: found.start()].rstrip("/") or "/", path[found.start() + 1 :].replace("?", "&")
