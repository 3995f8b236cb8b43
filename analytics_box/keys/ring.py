"""All API keys in memory, by the digest of their secret: a look-up costs no query, a revoke acts at once."""

from analytics_box import ids
from analytics_box.clock import Clock
from analytics_box.identity import Key


class KeyRing:
    """The keys of this box. Whoever changes a key in box.db tells the ring after the commit."""

    def __init__(self, clock: Clock, keys: dict[bytes, Key]) -> None:
        self._clock = clock
        self._keys = keys

    def find(self, secret: str) -> Key | None:
        """The usable key with this secret. Digests are compared, so timing tells nothing about secrets."""
        key = self._keys.get(ids.digest(secret)) if ids.is_key_shaped(secret) else None
        return key if key is not None and key.usable(self._clock.now()) else None

    def remember(self, digest: bytes, key: Key) -> None:
        """A key was made or changed."""
        self._keys[digest] = key

    def all(self) -> list[Key]:
        """Every key, also those that no longer work."""
        return list(self._keys.values())
