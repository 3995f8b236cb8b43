"""The cookies of one chain of redirects: what a host sets, it gets back from then on, as a browser does it (RFC 6265).

Other hosts never get them, whatever `Domain` says, and nothing is kept beyond the request.
"""

import re
import time
from email.utils import parsedate_to_datetime
from typing import Final

from msgspec import Struct

from analytics_box.base.cache import BoundedCache
from analytics_box.base.outgoing.messages import Header
from analytics_box.base.outgoing.target import RequestTarget

_MOST: Final = 50  # of one chain; later ones replace the oldest
_LONGEST: Final = 4_096  # characters of a name with its value
_MOST_CHARACTERS: Final = 8_192  # of one Cookie header
_PLAIN = re.compile(r"[ -:<-~]*\Z")  # ASCII without control characters and `;`


class _Cookie(Struct, frozen=True):
    name: str
    value: str
    host: str
    path: str
    is_secure: bool


class Cookies:
    """The cookies that were set so far."""

    def __init__(self) -> None:
        self._kept: BoundedCache[tuple[str, str, str], _Cookie] = BoundedCache(_MOST)

    def hear(self, target: RequestTarget, headers: tuple[Header, ...]) -> None:
        """Apply the cookies that the answer of this target sets and removes."""
        for name, value in headers:
            if name == "set-cookie":
                self._set(target, value)

    def headers(self, target: RequestTarget, given: tuple[Header, ...]) -> tuple[Header, ...]:
        """The headers of a request to this target, with its cookies; a given one of the same name is left out."""
        found = {cookie.name: cookie.value for _, cookie in self._kept.items() if _is_for(cookie, target)}
        if not found:
            return given
        before = [pair.strip() for name, value in given if name.lower() == "cookie" for pair in value.split(";")]
        pairs = [pair for pair in before if pair and pair.partition("=")[0].strip() not in found]
        length = sum(map(len, pairs))
        for name, value in found.items():
            length += len(name) + len(value) + 3
            if length <= _MOST_CHARACTERS:
                pairs.append(f"{name}={value}")
        others = tuple(header for header in given if header[0].lower() != "cookie")
        return (*others, ("Cookie", "; ".join(pairs)))

    def _set(self, target: RequestTarget, text: str) -> None:
        pair, *attributes = text.split(";", 20)
        name, equals, value = (part.strip() for part in pair.partition("="))
        if not equals or not name or len(pair) > _LONGEST or not _PLAIN.match(name + value):
            return
        said = {key.strip().lower(): given.strip() for key, _, given in (one.partition("=") for one in attributes)}
        is_secure = "secure" in said
        if is_secure and target.scheme != "https":
            return
        path = said.get("path", "")
        path = path if path.startswith("/") else _folder(target.path)
        place = (name, target.host, path)
        if _has_ended(said):
            self._kept.drop(place)
        else:
            self._kept.put(place, _Cookie(name, value, target.host, path, is_secure))


def _is_for(cookie: _Cookie, target: RequestTarget) -> bool:
    path = target.path.partition("?")[0]
    fits = path == cookie.path or path.startswith(cookie.path if cookie.path.endswith("/") else f"{cookie.path}/")
    return fits and cookie.host == target.host and (target.scheme == "https" or not cookie.is_secure)


def _folder(path: str) -> str:
    """The default path of a cookie: up to the last slash of the address that sets it."""
    return path.partition("?")[0].rpartition("/")[0] or "/"


def _has_ended(said: dict[str, str]) -> bool:
    """Whether the cookie is set only to be removed. `Max-Age` goes before `Expires`."""
    age = said.get("max-age", "")
    if age.removeprefix("-").isdecimal() and age.isascii():
        return age.startswith("-") or not age.strip("0")
    try:
        return parsedate_to_datetime(said.get("expires", "").replace("-", " ")[:40]).timestamp() <= time.time()
    except (ValueError, OverflowError):
        return False
