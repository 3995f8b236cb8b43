"""Streams of server-sent events: who may have one, how it is woken, and its end. What they tell is their rooms' matter.

An open stream takes no turn of its address. The number of streams is limited, in all and for each user. News wakes
streams gradually: others are answered in between, and clients do not come back all together.
"""

import asyncio
import random
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from msgspec import Struct

from analytics_box.base.clock import Clock
from analytics_box.base.errors import RateLimited, Unavailable
from analytics_box.web.asgi import Receive, Send

PING: Final = 15.0  # seconds of silence, after which something shows that both sides are there
HEADERS: Final = (
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
)
_PATIENCE: Final = 30.0  # seconds for a client to take what it is sent
_LONGEST: Final = 6 * 3_600.0  # seconds of a stream, so that none outlives a certificate for days
_AT_ONCE, _BETWEEN = 40, 0.01  # streams that are woken together; seconds until the next ones are
_RETRY: Final = b"retry: 3000\n\n"  # ms until a client comes back
COMMENT: Final = b":\n\n"  # which scripts do not see
BEAT: Final = b"event: beat\ndata:\n\n"  # which they do
_FULL: Final = "Too many streams are open. Poll instead"
_LATER: Final = 60  # seconds until someone may ask for a stream again

Topic = str | int
HeaderList = list[tuple[bytes, bytes]]
News = Callable[[], Awaitable[bytes | None]]  # what to send now; empty for nothing, None to end the stream
Follow = Callable[[Topic, Callable[[], None]], Callable[[], None]]  # have news of a topic told, until it is undone


class StreamPace(Struct):
    """Seconds: between two events of one stream; until a stream that nothing woke looks again; until a ping, which is
    sent as `beat`."""

    pause: float
    look: float
    ping: float
    beat: bytes = COMMENT


class EventStream:
    """An open stream: what it is about, whose it is, and how it is woken."""

    __slots__ = ("_resting", "ended", "is_next", "topic", "wake", "whose")

    def __init__(self, topic: Topic, whose: Mapping[str, str]) -> None:
        self.topic = topic
        self.whose = tuple(whose.items())
        self.ended = False
        self.is_next = False  # it waits to be woken
        self.wake = asyncio.Event()
        self._resting: asyncio.Future[None] | None = None

    def end(self) -> None:
        """Have the stream end at its next step, which is now."""
        self.ended = True
        self.wake.set()
        if self._resting is not None and not self._resting.done():
            self._resting.set_result(None)

    async def rest(self, seconds: float) -> None:
        """Wait, whatever wakes the stream, unless that is its end."""
        if not self.ended:
            self._resting = asyncio.get_running_loop().create_future()
            await asyncio.wait((self._resting,), timeout=seconds)

    async def woken(self, seconds: float) -> bool:
        """Whether the stream is woken within so many seconds."""
        try:
            async with asyncio.timeout(seconds):
                await self.wake.wait()
        except TimeoutError:
            return False
        self.wake.clear()
        return True


class EventStreams:
    """All open streams of a kind. `most_of` says how many each one may have, by what a stream says whose it is."""

    def __init__(
        self, clock: Clock, follow: Follow, pace: StreamPace, *, most: int, most_of: Mapping[str, int]
    ) -> None:
        self.most = most
        self.most_of = dict(most_of)
        self.pace = pace
        self._clock = clock
        self._follow = follow
        self._open: dict[Topic, set[EventStream]] = {}
        self._undo: dict[Topic, Callable[[], None]] = {}
        self._count = 0
        self._counts: Counter[tuple[str, str]] = Counter()
        self._waking: deque[EventStream] = deque()
        self._is_closed = False

    def __len__(self) -> int:
        """The number of open streams."""
        return self._count

    def close(self) -> None:
        """End all streams, and take no more: the box stops. Clients come back once it runs again."""
        self._is_closed = True
        for stream in [stream for streams in self._open.values() for stream in streams]:
            stream.end()

    async def serve(self, stream: EventStream, news: News, receive: Receive, send: Send, headers: HeaderList) -> None:
        """Tell a client the news until it leaves. Raises RateLimited and Unavailable where there is no room."""
        self._admit(stream)
        leaving = asyncio.ensure_future(_until_disconnect(receive))
        leaving.add_done_callback(lambda task: _note_left(task, stream))
        try:
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await self._tell(stream, news, send)
            await _send(send, b"", more=False)
        except (TimeoutError, asyncio.CancelledError):
            pass  # it takes nothing, or it has left: granian then cancels what waits for it
        finally:
            leaving.cancel()
            self._leave(stream)

    async def _tell(self, stream: EventStream, news: News, send: Send) -> None:
        now = self._clock.monotonic
        until = now() + _LONGEST * random.uniform(0.8, 1)  # noqa: S311  no secret
        await _send(send, _RETRY)
        quiet = 0.0
        while not stream.ended and now() < until:
            told = await news()
            if told is None:
                return
            if told:
                await _send(send, told)
                quiet = 0.0
                await stream.rest(self.pace.pause)
            elif not await stream.woken(self.pace.look):
                quiet += self.pace.look
                if quiet >= self.pace.ping:
                    await _send(send, self.pace.beat)
                    quiet = 0.0

    def _admit(self, stream: EventStream) -> None:
        if self._is_closed or len(self) >= self.most:
            raise Unavailable(_FULL, retry_after=_LATER)
        for whose in stream.whose:
            most = self.most_of[whose[0]]
            if self._counts[whose] >= most:
                reset = self._clock.now() + _LATER * 1_000
                raise RateLimited(_FULL, limit=most, reset=reset, retry_after=_LATER)
        self._count += 1
        self._counts.update(stream.whose)
        self._open.setdefault(stream.topic, set()).add(stream)
        if stream.topic not in self._undo:
            self._undo[stream.topic] = self._follow(stream.topic, lambda: self._changed(stream.topic))

    def _leave(self, stream: EventStream) -> None:
        self._count -= 1
        for whose in stream.whose:
            self._counts[whose] -= 1
            if not self._counts[whose]:
                del self._counts[whose]
        others = self._open[stream.topic]
        others.discard(stream)
        if not others:
            del self._open[stream.topic]
            self._undo.pop(stream.topic)()

    def _changed(self, topic: Topic) -> None:
        """Have all streams of a topic woken. Those that wait for it already will see this change as well."""
        is_waking = bool(self._waking)
        for stream in self._open.get(topic, ()):
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


async def _send(send: Send, content: bytes, *, more: bool = True) -> None:
    """Raises TimeoutError where a client does not take it."""
    async with asyncio.timeout(_PATIENCE):
        await send({"type": "http.response.body", "body": content, "more_body": more})


async def _until_disconnect(receive: Receive) -> None:
    """Return once a client has left, or sends a body, which would be without end and has no business here."""
    while (message := await receive())["type"] == "http.request" and not message.get("body"):
        pass


def _note_left(task: "asyncio.Task[None]", stream: EventStream) -> None:
    """End a stream whose client has left, however that was noticed."""
    if not task.cancelled():
        task.exception()
    stream.end()
