"""Streams of changes: clients are notified to fetch flags again.

A stream costs 25 KB. Its limits, wake-ups and end are those of web/streams.py.
"""

from typing import Final

import msgspec

from analytics_box.base.clock import Clock
from analytics_box.base.settings import Settings
from analytics_box.products.flags.directory import Flags
from analytics_box.products.flags.ofrep.states import States
from analytics_box.products.flags.scope import FlagScope
from analytics_box.web.asgi import Receive, Send
from analytics_box.web.streams import PING, EventStream, HeaderList, StreamPace
from analytics_box.web.streams import EventStreams as OpenStreams

_PAUSE: Final = 0.5  # Seconds between two events of a stream.


class FlagStreamRequest:
    """The request for a stream: its scope and environment, and the state that the client knows."""

    __slots__ = ("client_id", "environment", "known", "network", "scope_id")

    def __init__(self, scope_id: str, client_id: str, environment: str | None, known: str, network: str) -> None:
        self.scope_id = scope_id
        self.client_id = client_id
        self.environment = environment
        self.known = known  # The client's state, empty if it is unknown.
        self.network = network


class FlagStreams:
    """All open streams of flags."""

    def __init__(self, flags: Flags, states: States, clock: Clock, settings: Settings) -> None:
        self._flags = flags
        self._states = states
        self._clock = clock
        ping = min(PING, settings.idle_seconds / 3)
        most = min(settings.flag_streams, settings.max_connections // 2)
        of_address = min(settings.flag_streams_address, settings.max_connections_address // 2 or most)
        self.open = OpenStreams(
            clock,
            lambda scope_id, changed: flags.subscribe(str(scope_id), changed),
            StreamPace(pause=_PAUSE, look=ping, ping=ping),
            most=most,
            most_of={"address": of_address},
        )

    @property
    def most(self) -> int:
        """The maximum number of open streams; at 0, none are offered."""
        return self.open.most

    def close(self) -> None:
        """End all streams and accept no new ones: the box stops."""
        self.open.close()

    async def serve(self, wanted: FlagStreamRequest, receive: Receive, send: Send, headers: HeaderList) -> None:
        """Notify a client of changes until it leaves. Raises RateLimited and Unavailable if the limits are reached."""

        async def news() -> bytes | None:
            scope = self._flags.client(wanted.client_id, self._clock.now())
            if scope is None:
                return None
            state = self._states.of(scope, wanted.environment)
            if state == wanted.known:
                return b""
            wanted.known = state
            return _event(scope, state)

        await self.open.serve(EventStream(wanted.scope_id, {"address": wanted.network}), news, receive, send, headers)


def _event(scope: FlagScope, state: str) -> bytes:
    said = {"type": "refetchEvaluation", "etag": state, "lastModified": scope.updated_at // 1000}
    return b"id: %b\nevent: message\ndata: %b\n\n" % (state.encode(), msgspec.json.encode(said))
