"""Streams of changes: clients are notified to fetch flags again.

A stream costs 25 KB. Its limits, wake-ups and end are those of web/streams.py.
"""

import hashlib
from collections.abc import Iterator
from typing import Final

import msgspec

import analytics_box
from analytics_box.base.cache import BoundedCache
from analytics_box.base.clock import Clock
from analytics_box.base.settings import Settings
from analytics_box.products.flags.directory import Flags
from analytics_box.products.flags.flag import FlagScope
from analytics_box.web.asgi import Receive, Send
from analytics_box.web.streams import PING, EventStream, HeaderList, StreamPace
from analytics_box.web.streams import EventStreams as OpenStreams

_MOST: Final = 5_000  # States that are remembered.


class States:
    """Makes states, each once for a change."""

    def __init__(self) -> None:
        self._known: BoundedCache[tuple[str, str | None], tuple[int, str]] = BoundedCache(_MOST)

    def of(self, scope: FlagScope, environment: str | None) -> str:
        """The state of these flags. Others of the scope, and flags of other environments, do not change it."""
        key = (scope.id, environment)
        found = self._known.get(key)
        if found is not None and found[0] == scope.revision:
            return found[1]
        state = _state(scope, environment)
        self._known.put(key, (scope.revision, state))
        return state


def _state(scope: FlagScope, environment: str | None) -> str:
    """The state as a hash. The revision alone is not enough: after a restored backup the next change has the number of
    a lost one. Another version of the box may word the same flags differently.
    """
    seen = "\n".join([analytics_box.__version__, *sorted(_lines(scope, environment))])
    return hashlib.blake2b(seen.encode(), digest_size=12).hexdigest()


def _lines(scope: FlagScope, environment: str | None) -> Iterator[str]:
    for flag in scope.flags:
        if flag.environment == environment:
            yield f"{flag.id} {flag.version} {flag.updated_at}"
    for group in scope.groups:
        yield f"{group.id} {group.updated_at}"


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
