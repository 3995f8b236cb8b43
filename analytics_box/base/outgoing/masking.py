"""URLs as they may be shown to people who must not call them, and stored in plain text: without likely secrets. Pure.

Users and passwords, values of queries and fragments are always hidden, parts of a path if they look like tokens: random
letters and digits, UUIDs, long numbers, and what follows words such as `hooks` or `token`.
"""

import re
from functools import lru_cache
from typing import Final
from urllib.parse import unquote

HIDDEN: Final = "•••"
_REMEMBERED: Final = 20_000  # Lists of 10,000 monitors mask each URL again and again.
_PARAMETER = re.compile(r"[^&;#=]+(=[^&;#]*)?")
_URL = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*://)?(?P<place>[^/?#]*)(?P<path>[^?#]*)(?P<rest>.*)", re.DOTALL)
_IN_TEXT = re.compile(r"https?://[^\s\"'<>“”]+", re.IGNORECASE)
_PLAIN = re.compile(r"(?:/(?:[A-Za-z][a-z]{1,6})?){0,4}")  # Most paths are short words.
_HOOKS = re.compile(r"(?:^|\.)(?:hooks?|webhooks?|hc-ping)\.")  # Paths of these hosts are secrets.
# Everything after the first of these in a path is a secret, after the others what comes next.
_OPENS_ALL: Final = frozenset(("hook", "hooks", "webhook", "webhooks"))
_OPENS_NEXT: Final = frozenset(
    ("access_token", "access-token", "api_key", "api-key", "apikey", "key", "secret", "sig", "signature", "token")
)
_BETWEEN = re.compile(r"[^A-Za-z0-9]+")
_WORD = re.compile(r"[A-Za-z]*[0-9]{0,4}|[0-9]{1,4}[A-Za-z]*")  # A word can have a year, a version or a number.
_RUNS = re.compile(r"[A-Za-z]+|[0-9]+")
_CONSONANTS = re.compile(r"[bcdfghjklmnpqrstvwxz]{6}", re.IGNORECASE)
_FLIPS = re.compile(r"[a-z][A-Z]")
_VOWEL = re.compile(r"[aeiouy]", re.IGNORECASE)
_HEX = re.compile(r"[0-9a-f]{16,}|[0-9A-F]{16,}")
_LONG_NUMBER: Final = 12  # Digits.
_LONG_WORD: Final = 24  # Letters.


@lru_cache(maxsize=_REMEMBERED)
def mask_query(url: str) -> str:
    """The URL with ••• for likely secrets: https://example.com/•••/?token=•••. What has no name in a query is a value.

    What is masked already stays as it is.
    """
    parts = _URL.fullmatch(url)
    if parts is None:  # The pattern matches any text.
        return HIDDEN
    place, path, rest = parts["place"], parts["path"], parts["rest"]
    user, at, host = place.rpartition("@")
    if at and user:
        host = f"{HIDDEN}@{host}"
    shown = f"{parts['scheme'] or ''}{host if at else place}{_path(host, path)}{_rest(rest)}"
    return url if shown == url else shown  # Equal texts take no memory twice.


def masked_text(text: str) -> str:
    """A text with the URLs in it masked."""
    return _IN_TEXT.sub(lambda found: mask_query(found[0]), text) if "://" in text else text


def is_secret(segment: str) -> bool:
    """Return whether a part of a path looks like a token rather than like words."""
    text = unquote(segment)
    runs = [part for part in _BETWEEN.split(text) if part]
    joined = "".join(runs)
    if _HEX.fullmatch(joined) and not joined.isalpha():
        return True
    mixed = sum(not part.isalpha() and not part.isdecimal() for part in runs)
    return mixed >= 3 or any(map(_is_random, runs))


def _path(host: str, path: str) -> str:
    if _PLAIN.fullmatch(path) and not _HOOKS.search(host):
        segments = path.lower().split("/")
        if not _OPENS_ALL.intersection(segments) and not _OPENS_NEXT.intersection(segments):
            return path
    hides_all, hides_next, shown = bool(_HOOKS.search(host)), False, []
    for segment in path.split("/"):
        shown.append(_segment(segment, hides=hides_all or hides_next))
        name = segment.lower()
        hides_next = name in _OPENS_NEXT or (hides_next and not segment)
        hides_all = hides_all or name in _OPENS_ALL
    return "/".join(shown)


def _segment(segment: str, *, hides: bool) -> str:
    if not segment or segment == HIDDEN:
        return segment
    name, sign, value = segment.partition("=")
    if sign and value and not hides and not is_secret(name):
        return f"{name}={HIDDEN}"
    return HIDDEN if hides or is_secret(segment) else segment


def _is_random(part: str) -> bool:
    """Return whether letters and digits look as if they were drawn by chance."""
    if part.isdecimal():
        return len(part) >= _LONG_NUMBER
    if not _WORD.fullmatch(part):  # Digits and letters take turns.
        return len(part) >= 8 or (len(part) >= 6 and len(_RUNS.findall(part)) >= 3)
    letters = part.strip("0123456789")
    if len(letters) < 8:
        return False
    few_vowels = len(_VOWEL.findall(letters)) * 6 < len(letters)
    many_flips = len(_FLIPS.findall(letters)) * 4 > len(letters)
    return len(letters) >= _LONG_WORD or few_vowels or many_flips or _CONSONANTS.search(letters) is not None


def _rest(rest: str) -> str:
    """The query and the fragment, with their signs."""
    query, sharp, fragment = rest.partition("#")
    if query:
        query = f"?{_PARAMETER.sub(_hide, query[1:])}"
    return f"{query}{sharp}{HIDDEN if fragment else ''}"


def _hide(found: re.Match[str]) -> str:
    if found[1] is None:
        return HIDDEN
    return f"{found[0].removesuffix(found[1])}={HIDDEN}" if len(found[1]) > 1 else found[0]
