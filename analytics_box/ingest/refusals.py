"""Pages whose events were refused because of their origin, in memory: so that their owner can allow them.

Anybody can send any origin, so little is kept: the latest few of each of the websites that were refused last.
"""

import re
from typing import Final

from msgspec import Struct

from analytics_box.tenants.websites.tracking import clean_origin

MOST_WEBSITES: Final = 1_000
MOST_ORIGINS: Final = 3  # of a website
REASON: Final = "origin_not_authorized"
_PAGE: Final = re.compile(r"https?://[^*]{1,250}\Z")


class RefusedOrigin(Struct):
    """An origin that may not send, how many requests it sent, and when the last one came (UTC ms)."""

    origin: str
    times: int
    at: int


class Refusals:
    """The origins that were refused, by site."""

    def __init__(self) -> None:
        self._of: dict[int, dict[str, RefusedOrigin]] = {}  # those refused last at the end

    def of(self, site: int) -> list[RefusedOrigin]:
        """The refusals of this site, the latest first."""
        return list(reversed(self._of.get(site, {}).values()))

    def note(self, site: int, header: str, now: int) -> None:
        """A request of this origin was refused. What could not be allowed is not kept."""
        try:
            origin = clean_origin(header)
        except ValueError:
            return
        if not _PAGE.match(origin):
            return
        known = self._of.pop(site, {})
        before = known.pop(origin, None)
        known[origin] = RefusedOrigin(origin, (before.times if before is not None else 0) + 1, now)
        self._of[site] = known
        if len(known) > MOST_ORIGINS:
            del known[next(iter(known))]
        if len(self._of) > MOST_WEBSITES:
            del self._of[next(iter(self._of))]

    def forget(self, site: int, origin: str) -> None:
        """Forget the refusals of an origin that is allowed from now on."""
        self._of.get(site, {}).pop(origin, None)
