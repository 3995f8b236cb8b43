"""The path of a page as it is stored and shown (semantics 16)."""

import re
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from analytics_box.ingest.source import CLICK_IDS

LONGEST = 2_048
_DROPPED = frozenset(CLICK_IDS) | {"gbraid", "wbraid", "dclid", "yclid", "igshid", "mc_eid"}
UTM = ("utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content")

# Control characters and bidirectional overrides: never part of what a person wants to read.
_INVISIBLE = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_SPACES = re.compile(r"\s{2,}")


class Page(NamedTuple):
    """A page's address, taken apart. Everything is cleaned text."""

    host: str = ""
    path: str = "/"
    query: str = ""  # without utm_* and click ids
    parameters: tuple[tuple[str, str], ...] = ()  # utm_*, ref, source and click ids of the query


def clean(text: str, longest: int = LONGEST) -> str:
    """Text without control and direction characters and without runs of white space, cut to length."""
    if not text:  # most of what an event may say it does not
        return ""
    printable = text.isprintable()
    if not printable or not text.isascii():
        text = _INVISIBLE.sub("", text)
    if not printable or "  " in text:
        text = _SPACES.sub(" ", text)
    return text.strip()[:longest]


@lru_cache(maxsize=20_000)
def page(address: str) -> Page:
    """Take apart a URL or a bare path; what is neither is "/". A fragment counts where it is a route (`#/` or `#!`)."""
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
    except ValueError:
        return Page()
    path = clean(unquote(parts.path)).rstrip("/") or "/"
    if not path.startswith("/"):
        path = "/" + path
    if parts.fragment.startswith(("/", "!")):
        path = (path + "#" + clean(unquote(parts.fragment)))[:LONGEST]
    pairs = parse_qsl(parts.query, keep_blank_values=True) if parts.query else []
    about_source = tuple((key, clean(value, 128)) for key, value in pairs if _tells_source(key))
    rest = [(key, value) for key, value in pairs if key not in _DROPPED and not key.startswith("utm_")]
    return Page(host.lower(), path, clean(unquote(urlencode(rest))) if rest else "", about_source)


def _tells_source(key: str) -> bool:
    return key in UTM or key in CLICK_IDS or key in {"ref", "source"}
