"""Answers on their way: a long one leaves in pieces, so a client that does not read it holds little memory.

granian copies whatever it is given at once, whether the client reads or not. Given in pieces, it takes the next one
only when the client has made room for it.
"""

import asyncio
from collections import Counter
from typing import NamedTuple

from analytics_box.base.errors import BoxError
from analytics_box.base.translation import _
from analytics_box.web.asgi import Send

PIECE = 16_384  # bytes that are handed to granian at once
MOST_BYTES = 48 << 20  # of all answers that wait for their clients
PATIENCE = 15.0  # seconds for a client to make room for a piece
_PER_CLIENT = 160_000  # bytes that granian keeps of an answer that waits
_LATE = 1.0  # seconds without progress after which an answer may be ended to make room


class NotRead(BoxError):
    """The client does not read its answer, which is broken off."""


class _Waiting(NamedTuple):
    network: str
    since: float  # seconds of the event loop's clock
    deadline: asyncio.Timeout


class UnreadAnswers:
    """The long answers that are being sent, and what they hold."""

    def __init__(self, most_bytes: int = MOST_BYTES, patience: float = PATIENCE) -> None:
        self._most = most_bytes
        self._patience = patience
        self._waiting: dict[object, _Waiting] = {}  # the one without progress for longest comes first
        self._holders = Counter[int]()  # of each content, by its identity: many answers may share one
        self._contents = 0  # bytes

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def held(self) -> int:
        """Bytes that answers hold now, the copies of the server included."""
        return self._contents + len(self._waiting) * _PER_CLIENT

    async def send(self, send: Send, content: bytes, *, network: str, more: bool) -> None:
        """Send this part of an answer in pieces. Raises NotRead when the client makes no room for one in time."""
        answer, loop = object(), asyncio.get_running_loop()
        self._hold(content)
        try:
            for at in range(0, len(content), PIECE):
                end = at + PIECE
                piece = {"type": "http.response.body", "body": content[at:end], "more_body": more or end < len(content)}
                async with asyncio.timeout(self._patience) as deadline:
                    self._waiting.pop(answer, None)
                    self._waiting[answer] = _Waiting(network, loop.time(), deadline)
                    await send(piece)
        except TimeoutError as late:
            raise NotRead(_("The client does not read its answer")) from late
        finally:
            self._waiting.pop(answer, None)
            self._let_go(content)

    def make_room(self) -> None:
        """End answers without progress while all hold too much, first those of the address that has most of them."""
        if self.held <= self._most:
            return
        now = asyncio.get_running_loop().time()
        late = [one for one in self._waiting.values() if now - one.since > _LATE]
        counts = Counter(one.network for one in late)
        excess = self.held - self._most
        while late and excess > 0:
            crowded = max(counts, key=counts.__getitem__)
            chosen = next(one for one in late if one.network == crowded)
            late.remove(chosen)
            counts[crowded] -= 1
            chosen.deadline.reschedule(now)
            excess -= _PER_CLIENT

    def _hold(self, content: bytes) -> None:
        self.make_room()
        self._holders[id(content)] += 1
        if self._holders[id(content)] == 1:
            self._contents += len(content)

    def _let_go(self, content: bytes) -> None:
        self._holders[id(content)] -= 1
        if not self._holders[id(content)]:
            del self._holders[id(content)]
            self._contents -= len(content)
