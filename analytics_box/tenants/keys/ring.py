"""All API keys in memory, by the digest of their secret: a look-up costs no query, a revoke has immediate effect.

It comes before the limits of single routes and does not depend on them. Ingest routes have a separate allowance,
so that this one never undercuts theirs; a key with its own rate limit has that one for everything.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from functools import partial
from typing import Any, Final, Literal, NamedTuple

from analytics_box.base import ids
from analytics_box.base.clock import MINUTE, SECOND, Clock
from analytics_box.base.errors import RateLimited
from analytics_box.base.identity import ApiKey
from analytics_box.base.limits import WINDOW, Allowance, TokenBuckets
from analytics_box.base.settings import Settings
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.resource.audited import AuditedTable
from analytics_box.tenants.keys.rules import StoredKey, key_of

USE_NOTED_EVERY = 5 * MINUTE  # how coarse "last used" is (wire 10.2)


class KeyRing:
    """The keys of this box. Code that changes a key in box.db updates the ring after the commit.

    Keys of the organizations in `closed` are not found.
    """

    def __init__(self, clock: Clock, records: Iterable[StoredKey], closed: Set[str] = frozenset()) -> None:
        self._clock = clock
        self._closed = closed
        records = list(records)
        self.replace(records)
        self._used = {record.id: record.last_used_at for record in records if record.last_used_at}
        self._unsaved: set[str] = set()

    def find(self, secret: str) -> ApiKey | None:
        """The usable key with this secret; notes now and then that it is used.

        Digests are compared, so timing reveals nothing about secrets.
        """
        key = self.look_up(secret)
        if key is None:
            return None
        now = self._clock.now()
        if not key.usable(now):
            return None
        self.note_use(key, now)
        return key

    def look_up(self, secret: str) -> ApiKey | None:
        """The key with this secret, also one that no longer works."""
        key = self._keys.get(ids.digest(secret)) if ids.is_key_shaped(secret) else None
        return None if key is None or key.organization_id in self._closed else key

    def remember(self, record: StoredKey) -> None:
        """Add a created or changed key. If it has a new secret, the old one stops working."""
        self._keys.pop(self._digests.get(record.id, b""), None)
        self._keys[record.digest] = key_of(record)
        self._digests[record.id] = record.digest

    def replace(self, records: Sequence[StoredKey]) -> None:
        """Replace all keys; their times of use stay known."""
        self._keys = {record.digest: key_of(record) for record in records}
        self._digests = {record.id: record.digest for record in records}

    def forget(self, key_id: str) -> None:
        """A key was deleted."""
        self._keys.pop(self._digests.pop(key_id, b""), None)
        self._used.pop(key_id, None)
        self._unsaved.discard(key_id)

    def forget_organization(self, organization_id: str) -> None:
        """An organization and all its keys are gone."""
        for key in list(self._keys.values()):
            if key.organization_id == organization_id:
                self.forget(key.id)

    def all(self) -> list[ApiKey]:
        """Every key, also those that no longer work."""
        return [key for key in self._keys.values() if key.organization_id not in self._closed]

    # When keys were last used: kept in memory and stored by a job, never during a request

    def note_use(self, key: ApiKey, now: int) -> None:
        """A key was used, unless that was noted in the last five minutes."""
        if now - self._used.get(key.id, 0) >= USE_NOTED_EVERY:
            self._used[key.id] = now
            self._unsaved.add(key.id)

    def last_used(self, key_id: str) -> int | None:
        """The last use of a key, in UTC ms and five minutes coarse."""
        return self._used.get(key_id)

    def unsaved_uses(self) -> dict[str, int]:
        """Uses that are not in box.db yet, by key id."""
        return {key_id: self._used[key_id] for key_id in self._unsaved}

    def saved(self, uses: Mapping[str, int]) -> None:
        """Mark these uses as stored in box.db."""
        self._unsaved -= {key_id for key_id, instant in uses.items() if self._used.get(key_id) == instant}


# Of a secret, only its SHA-256 digest is stored.
KEYS: Final = AuditedTable(
    "api_keys", StoredKey, "api_key", "apiKey", about=lambda key: {"name": key.name, "start": key.start}
)


def everything(db: Connection) -> list[StoredKey]:
    """All keys, oldest first."""
    return KEYS.all(db, "true order by created_at, id")


def note_use(db: Connection, used: Mapping[str, int]) -> None:
    """Store when keys were last used, in UTC ms by key id."""
    for key_id, instant in used.items():
        db.execute("-- keys.note_use\nupdate api_keys set last_used_at = ? where id = ?", (instant, key_id))


Family = Literal["api", "ingest"]


class _Most(NamedTuple):
    """Limits of a key on a family of routes: requests per 60 seconds, and in flight. 0 is unlimited."""

    requests: int
    in_flight: int


class Admission:
    """Counts the requests in flight of each key. The front lets a request go when it is answered."""

    def __init__(self, clock: Clock, limits: TokenBuckets, settings: Settings) -> None:
        self._clock = clock
        self._limits = limits
        self._most: dict[Family, _Most] = {
            "api": _Most(settings.limit_key, settings.limit_key_in_flight),
            "ingest": _Most(settings.limit_key_events, settings.limit_key_events_in_flight),
        }
        self._in_flight: dict[tuple[Family, str], int] = {}

    def enter(self, scope: dict[str, Any], key: ApiKey, family: Family) -> Allowance | None:
        """Let a request of this key in, and note in its scope how it leaves. Raises RateLimited."""
        most = self._most[family]
        name = (family, key.id)
        running = self._in_flight.get(name, 0)
        if most.in_flight and running >= most.in_flight:
            raise RateLimited(
                _("Too many concurrent requests with this API key"),
                limit=most.in_flight,
                reset=self._clock.now() + SECOND,
                retry_after=1,
            )
        rate = key.rate
        allowance = (
            self._limits.take(family, key.id, most.requests, window=WINDOW)
            if rate is None
            else self._limits.take(f"key {rate.window}", key.id, rate.max, window=rate.window)
        )
        self._in_flight[name] = running + 1
        scope["leave"] = partial(self._leave, name)  # for the front
        return allowance

    def _leave(self, name: tuple[Family, str]) -> None:
        """A request that was let in is over."""
        left = self._in_flight[name] - 1
        if left:
            self._in_flight[name] = left
        else:
            del self._in_flight[name]

    def in_flight(self, key_id: str) -> int:
        """The number of a key's requests in progress."""
        return sum(count for (_, name), count in self._in_flight.items() if name == key_id)
