"""Events that come twice: a client that got no answer sends again, with the same eventId (wire 4.7).

The newest ids are in memory. Used by the writer thread alone; a rolled-back savepoint leaves no trace here. After a
restart an id that was seen before counts as new.
"""

import hashlib
from collections import OrderedDict

DIGEST_BYTES = 8


class RecentIds:
    """The newest `capacity` event ids of all sites."""

    def __init__(self, capacity: int = 100_000) -> None:
        self._seen: OrderedDict[bytes, None] = OrderedDict()
        self._learned: list[bytes] = []
        self._capacity = capacity

    def is_repeat(self, site: int, event_id: str) -> bool:
        """Whether this site has had this id; if not, it has from now on. No id is never a repeat."""
        if not event_id:
            return False
        digest = hashlib.blake2b(
            f"{site}\0{event_id}".encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES
        ).digest()
        if digest in self._seen:
            return True
        self._seen[digest] = None
        self._learned.append(digest)
        return False

    def mark(self) -> int:
        return len(self._learned)

    def undo(self, mark: int) -> None:
        for digest in self._learned[mark:]:
            self._seen.pop(digest, None)
        del self._learned[mark:]

    def committed(self) -> None:
        self._learned.clear()
        while len(self._seen) > self._capacity:
            self._seen.popitem(last=False)
