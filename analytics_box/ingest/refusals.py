"""Pages whose events were refused because of their origin, in memory: so that their owner can allow them.

Anybody can send any origin, so little is kept: the latest few of each of the websites that were refused last.
"""

import re
from typing import Final

from msgspec import Struct

from analytics_box.base.cache import BoundedCache
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
        self._of: BoundedCache[int, BoundedCache[str, RefusedOrigin]] = BoundedCache(MOST_WEBSITES)

    def of(self, site: int) -> list[RefusedOrigin]:
        """The refusals of this site, the latest first."""
        known = self._of.get(site)
        return [one for _, one in reversed(known.items())] if known is not None else []

    def note(self, site: int, header: str, now: int) -> None:
        """A request of this origin was refused. What could not be allowed is not kept."""
        try:
            origin = clean_origin(header)
        except ValueError:
            return
        if not _PAGE.match(origin):
            return
        known = self._of.get(site)
        if known is None:
            known = BoundedCache(MOST_ORIGINS)
            self._of.put(site, known)
        before = known.get(origin)
        known.put(origin, RefusedOrigin(origin, (before.times if before is not None else 0) + 1, now))

    def forget(self, site: int, origin: str) -> None:
        """Forget the refusals of an origin that is allowed from now on."""
        known = self._of.get(site)
        if known is not None:
            known.drop(origin)
