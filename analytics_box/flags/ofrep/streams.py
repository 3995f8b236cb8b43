"""Streams of changes (server-sent events): whoever listens is told that flags are to be asked for again.

An open stream takes no turn of its address, and costs 25 KB. There are so many of them at most, of one address and in
all. A change wakes streams by and by: others are answered in between, and clients do not ask again all at once.
"""

import asyncio
import random
from collections import Counter, deque
from collections.abc import Callable
from typing import Final

import msgspec

from analytics_box.clock import Clock
from analytics_box.errors import RateLimited, Unavailable
from analytics_box.flags.directory import Flags
from analytics_box.flags.ofrep.states import States
from analytics_box.flags.scope import Scope
from analytics_box.http.asgi import Receive, Send
from analytics_box.settings import Settings

PING: Final = 15.0  # seconds of silence, after which a comment shows that both sides are there
_PATIENCE: Final = 30.0  # seconds for a client to take what it is sent
_LONGEST: Final = 6 * 3_600.0  # seconds of a stream, so that none outlives a certificate for days
_PAUSE: Final = 0.5  # seconds between two events of one stream
_AT_ONCE, _BETWEEN = 40, 0.01  # streams that are woken together; seconds until the next ones are
_RETRY: Final = b"retry: 3000\n\n"  # ms until a client comes back
_PING: Final = b":\n\n"
_FULL: Final = "Too many streams are open; ask for changes by polling"


class Wanted:
    """An open stream: what its client knows, and how it is woken."""

    __slots__ = ("client_id", "ended", "environment", "is_next", "known", "network", "scope_id", "wake")

    def __init__(self, scope_id: str, client_id: str, environment: str | None, known: str, network: str) -> None:
        self.scope_id = scope_id
        self.client_id = client_id
        self.environment = environment
        self.known = known  # the state that its client has; empty where that is not known
        self.network = network
        self.ended = False
        self.is_next = False  # it waits to be woken
        self.wake = asyncio.Event()

    def end(self) -> None:
        """Have the stream end at its next step, which is now."""
        self.ended = True
        self.wake.set()


class Streams:
    """All open streams."""

    def __init__(self, flags: Flags, states: States, clock: Clock, settings: Settings, *, ping: float = PING) -> None:
        self._flags = flags
        self._states = states
        self._clock = clock
        self.most = min(settings.flag_streams, settings.max_connections // 2)
        self._most_of_network = min(settings.flag_streams_address, settings.max_connections_address // 2 or self.most)
        self._ping = min(ping, settings.idle_seconds / 3)
        self._open: dict[str, set[Wanted]] = {}  # by scope
        self._subscribed: dict[str, Callable[[], None]] = {}
        self._of_network: Counter[str] = Counter()
        self._waking: deque[Wanted] = deque()
        self._is_closed = False

    def __len__(self) -> int:
        """How many are open."""
        return self._of_network.total()

    def close(self) -> None:
        """End all streams, and take no more: the box stops. Clients come back once it runs again."""
        self._is_closed = True
        for stream in [stream for streams in self._open.values() for stream in streams]:
            stream.end()

    async def serve(self, wanted: Wanted, receive: Receive, send: Send, headers: list[tuple[bytes, bytes]]) -> None:
        """Tell a client of changes until it leaves. Raises RateLimited and Unavailable where there is no room."""
        self._admit(wanted)
        leaving = asyncio.ensure_future(_left(receive))
        leaving.add_done_callback(lambda task: _note_left(task, wanted))
        try:
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await self._tell(wanted, send)
            await _send(send, b"", more=False)
        except (TimeoutError, asyncio.CancelledError):
            pass  # it takes nothing, or it has left: granian then cancels what waits for it
        finally:
            leaving.cancel()
            self._leave(wanted)

    async def _tell(self, stream: Wanted, send: Send) -> None:
        until = self._clock.monotonic() + _LONGEST * random.uniform(0.8, 1)  # noqa: S311  no secret
        await _send(send, _RETRY)
        while not stream.ended and self._clock.monotonic() < until:
            scope = self._flags.client(stream.client_id, self._clock.now())
            if scope is None:
                return
            state = self._states.of(scope, stream.environment)
            if state != stream.known:
                stream.known = state
                await _send(send, _event(scope, state))
                await asyncio.sleep(_PAUSE)
            elif not await _woken(stream.wake, self._ping):
                await _send(send, _PING)

    def _admit(self, stream: Wanted) -> None:
        if self._is_closed or len(self) >= self.most:
            raise Unavailable(_FULL, retry_after=60)
        if self._of_network[stream.network] >= self._most_of_network:
            raise RateLimited(_FULL, limit=self._most_of_network, reset=self._clock.now() + 60_000, retry_after=60)
        self._of_network[stream.network] += 1
        self._open.setdefault(stream.scope_id, set()).add(stream)
        if stream.scope_id not in self._subscribed:
            self._subscribed[stream.scope_id] = self._flags.subscribe(
                stream.scope_id, lambda: self._changed(stream.scope_id)
            )

    def _leave(self, stream: Wanted) -> None:
        self._of_network[stream.network] -= 1
        if not self._of_network[stream.network]:
            del self._of_network[stream.network]
        others = self._open[stream.scope_id]
        others.discard(stream)
        if not others:
            del self._open[stream.scope_id]
            self._subscribed.pop(stream.scope_id)()

    def _changed(self, scope_id: str) -> None:
        """Have all streams of a scope woken. Those that wait for it already will see this change, too."""
        is_waking = bool(self._waking)
        for stream in self._open.get(scope_id, ()):
            if not stream.is_next:
                stream.is_next = True
                self._waking.append(stream)
        if self._waking and not is_waking:
            self._wake_some()

    def _wake_some(self) -> None:
        for _ in range(min(_AT_ONCE, len(self._waking))):
            stream = self._waking.popleft()
            stream.is_next = False
            stream.wake.set()
        if self._waking:
            asyncio.get_running_loop().call_later(_BETWEEN, self._wake_some)


def _event(scope: Scope, state: str) -> bytes:
    said = {"type": "refetchEvaluation", "etag": state, "lastModified": scope.updated_at // 1000}
    return b"id: %b\nevent: message\ndata: %b\n\n" % (state.encode(), msgspec.json.encode(said))


async def _woken(wake: asyncio.Event, seconds: float) -> bool:
    """Whether a stream is woken within so many seconds."""
    try:
        async with asyncio.timeout(seconds):
            await wake.wait()
    except TimeoutError:
        return False
    wake.clear()
    return True


async def _send(send: Send, content: bytes, *, more: bool = True) -> None:
    """Raises TimeoutError where a client does not take it."""
    async with asyncio.timeout(_PATIENCE):
        await send({"type": "http.response.body", "body": content, "more_body": more})


async def _left(receive: Receive) -> None:
    """Return once a client has left, or sends a body, which would be without end and has no business here."""
    while (message := await receive())["type"] == "http.request" and not message.get("body"):
        pass


def _note_left(task: "asyncio.Task[None]", stream: Wanted) -> None:
    """End a stream whose client has left, however that was noticed."""
    if not task.cancelled():
        task.exception()
    stream.end()
