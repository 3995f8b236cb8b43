"""Recognition of the same visitor without identifying them (semantics 7).

A visitor's id is a keyed hash with a salt of the UTC day. Only today's and yesterday's salts exist, in a separate 0600
file; once a salt is overwritten, its ids can no longer be linked to an address. Addresses are never hashed with
anything else. Ids with a salt are even; those without one last, and are odd.
"""

import hashlib
import json
import logging
import secrets
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base.clock import DAY, utc_day
from analytics_box.base.facts.event import LASTS, VISITOR_BITS
from analytics_box.base.store.files import write_private
from analytics_box.tenants.websites import origin_check
from analytics_box.web import address, proxy_watch
from analytics_box.web.recognition import agent, hosting

log = logging.getLogger(__name__)

SALT_BYTES = 32
_SHORT = 320  # characters of whom it is worth to remember
HISTORY = "visitors of earlier days"  # by this name secret.key gives the key of history
SALTS_FILE = "salts"
HISTORY_FILE = "history.key"  # where an ingest machine keeps that of its primary

Derive = Callable[[str], bytes]  # a key that secret.key always gives for this name


class Salts(Struct, frozen=True):
    """The two salts that exist on a UTC day. Those of earlier days are gone: history that servers send has salts of its
    own, which secret.key gives for each day and site, so that a day may be imported in many sittings."""

    day: int
    today: bytes
    yesterday: bytes
    history: Derive
    tomorrow: bytes = b""  # made ahead only where other machines need it

    def of(self, day: int, site: int) -> bytes:
        """The salt of this UTC day; today's where that is yet to come."""
        if day >= self.day:
            return self.today
        if day == self.day - 1:
            return self.yesterday
        return self.history(f"visitors of day {day} on site {site}")

    def around(self, instant: int, site: int, *, by_key: bool = False) -> tuple[bytes, bytes]:
        """The salt of this instant's day, and that of the day next to it into which a session may reach.

        Only what comes by key may be older than yesterday.
        """
        day = instant // DAY
        if day >= self.day:
            return self.today, self.yesterday
        early = instant % DAY < DAY // 2
        if day == self.day - 1 and not (by_key and early):
            return self.yesterday, self.today
        return self.of(day, site), self.of(day - 1 if early else day + 1, site)


class History:
    """Salts of earlier days, by a key that is asked for when one is needed."""

    def __init__(self, key: Callable[[], bytes]) -> None:
        self.key = key

    def __call__(self, name: str) -> bytes:
        """The value that the key always gives for this name."""
        return hashlib.blake2b(name.encode(), digest_size=SALT_BYTES, key=self.key()).digest()


class SaltFile:
    """The file of salts. `current` is cheap; a new day writes the file again, atomically and synced.

    `problem` says why the file could not be read when it was opened; new salts were then made. `are_new` says that they
    have nothing to do with those of before, which another machine may have: the file keeps that as well.
    """

    def __init__(self, path: Path, history: Derive) -> None:
        self.path = path
        self.problem = ""
        # Whatever keeps addresses or User-Agents of requests, or salts that are gone, in memory forgets them with the
        # day. Parts of the box that keep such things add themselves.
        self.memories: list[Callable[[], None]] = [
            salted_hash.cache_clear,
            cached_ids.cache_clear,
            address.forget,
            proxy_watch.forget,
            origin_check.forget,
            agent.forget,
            hosting.provider_of.cache_clear,
        ]
        self._history = history
        self.are_new = False
        self._salts = self._read()
        self._is_saved = True

    def current(self, now: int) -> Salts:
        """The salts for this instant. The first call of a UTC day forgets the salt from before yesterday."""
        day = utc_day(now)
        if self._salts is None or day != self._salts.day:
            salts = self._turn(day)
            self._keep(salts)
            return salts
        return self._salts

    def ahead(self, now: int) -> Salts:
        """The salts for this instant with that of tomorrow, which other machines are told before it is used."""
        salts = self.current(now)
        if not salts.tomorrow:
            salts = replace(salts, tomorrow=secrets.token_bytes(SALT_BYTES))
            self._keep(salts)
        return salts

    def adopt(self, given: Salts, now: int) -> None:
        """Use the salts of another machine from now on. Where its midnight is yet to come, its tomorrow is today."""
        if given.day == utc_day(now) - 1 and given.tomorrow:
            given = Salts(given.day + 1, given.tomorrow, given.today, self._history)
        if self._salts is None or given.day >= self._salts.day:
            adopted = replace(given, history=self._history)
            if self._salts is None or adopted != self._salts or self.are_new:
                self.are_new = False
                self._keep(adopted)

    def _keep(self, salts: Salts) -> None:
        self._salts, self._is_saved = salts, False
        for forget in self.memories:  # of a quiet box they would stay for weeks
            forget()
        self.save()

    def save(self) -> None:
        """Write the salts where that has failed so far: until then the file keeps those of before."""
        if self._is_saved or self._salts is None:
            return
        salts = self._salts
        content: dict[str, int | str] = {
            "day": salts.day,
            "today": salts.today.hex(),
            "yesterday": salts.yesterday.hex(),
        }
        if salts.tomorrow:
            content["tomorrow"] = salts.tomorrow.hex()
        if self.are_new:
            content["new"] = True
        try:
            write_private(self.path, json.dumps(content).encode())
        except OSError as broken:
            log.error("%s cannot be written; retrying every minute: %s", self.path, broken.strerror)
        else:
            self._is_saved = True

    def _turn(self, day: int) -> Salts:
        """Salts of another day; where a clock goes back by a day, yesterday's are today's again."""
        old, fresh = self._salts, secrets.token_bytes(SALT_BYTES)
        if old is not None and old.day == day + 1:
            return Salts(day, old.yesterday, fresh, self._history, tomorrow=old.today)
        if old is None or old.day != day - 1:
            return Salts(day, fresh, secrets.token_bytes(SALT_BYTES), self._history)
        return Salts(day, old.tomorrow or fresh, old.today, self._history)

    def _read(self) -> Salts | None:
        try:
            found = json.loads(self.path.read_text("ascii"))
            salts = Salts(
                day=int(found["day"]),
                today=bytes.fromhex(found["today"]),
                yesterday=bytes.fromhex(found["yesterday"]),
                history=self._history,
                tomorrow=bytes.fromhex(found.get("tomorrow", "")),
            )
            if not len(salts.today) == len(salts.yesterday) == SALT_BYTES:
                raise ValueError("its salts are of another length")
            self.are_new = bool(found.get("new"))
        except (OSError, ValueError, KeyError, TypeError) as broken:
            self.problem = "it is missing" if isinstance(broken, FileNotFoundError) else str(broken) or "it is damaged"
            self.are_new = True
            return None
        return salts


def cookieless(salt: bytes, site: int, network: str, user_agent: str) -> int:
    """Today's id of a visitor with this address (IPv6: /64) and User-Agent on this site."""
    return _number(salt, site, f"{network}\0{user_agent}".encode("utf-8", "surrogatepass"))


def by_client_id(salt: bytes, site: int, client_id: str) -> int:
    """Today's id of a client that names itself. An empty salt gives an id that lasts: it is the same on all days."""
    return _number(salt, site, f"\0{client_id}".encode("utf-8", "surrogatepass"))


def both(salts: tuple[bytes, bytes], site: int, who: str) -> tuple[int, int]:
    """The ids under two salts of a client that names itself, with "\\0" before its name, or of a network, "\\0" and a
    User-Agent. Most events come of someone who was there a moment ago."""
    return cached_ids(salts, site, who) if len(who) <= _SHORT else compute_ids(salts, site, who)


@lru_cache(maxsize=8_000)  # of at most 700 bytes each
def cached_ids(salts: tuple[bytes, bytes], site: int, who: str) -> tuple[int, int]:
    """The ids as `hashed` computes them, in memory until the salts change."""
    return compute_ids(salts, site, who)


def compute_ids(salts: tuple[bytes, bytes], site: int, who: str) -> tuple[int, int]:
    """Compute both ids, for a caller that remembers them."""
    text = who.encode("utf-8", "surrogatepass")
    return _number(salts[0], site, text), _number(salts[1], site, text)


def _number(salt: bytes, site: int, who: bytes) -> int:
    hashing = salted_hash(salt, site).copy()
    hashing.update(who)
    number = int.from_bytes(hashing.digest(), "big") >> (64 - VISITOR_BITS)
    return number & ~LASTS or 2 if salt else number | LASTS


@lru_cache(maxsize=1_000)
def salted_hash(salt: bytes, site: int) -> hashlib.blake2b:
    """The hash with its key and the site taken in, which is half of its work: that of the key is done when something
    follows it. To be copied."""
    hashing = hashlib.blake2b(digest_size=8, key=salt)
    hashing.update(f"{site}\0".encode())
    return hashing
