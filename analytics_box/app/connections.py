"""Connections: the socket that takes them, how many there may be, and an end to those that only take up room.

granian has no limit by address, and no end for what is idle over HTTP/2 or never read (stack 1). So the box looks
through its own sockets: the kernel knows where each comes from, and when something last went over it. That needs Linux.
"""

import logging
import math
import os
import resource
import socket
import stat
import struct
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct

from analytics_box.base import service_manager
from analytics_box.base.settings import Settings
from analytics_box.web.address import Network, is_within, network_of, networks

log = logging.getLogger(__name__)

BACKLOG = 4_096  # connections that the kernel keeps until they are taken; net.core.somaxconn may say less
_UNREAD_MS = 30_000  # for a client to take something of an answer
_UNSENT_BYTES = 65_536  # of an answer that wait in the kernel for a client that does not read
_TURN = 0.25  # seconds between two counts
_IDLE_TURN = 15.0  # seconds between two looks at every connection, however few there are
_SPARE = 640  # open files for everything else: databases, checks of monitors, requests of the box's own
_SAID = 60.0  # seconds between two lines of the log about ended connections
_FILES = "/proc/self/fd" if sys.platform == "linux" else "/dev/fd"
_TCP_INFO = struct.Struct("=44xI4xI")  # the kernel's tcp_info: ms since data was sent, and since it was received
_RESET = struct.pack("ii", 1, 0)  # SO_LINGER: what was not sent is dropped with the connection


class PortTaken(Exception):
    """The address cannot be listened on."""


class Room(Struct, frozen=True):
    """Limits on the number of connections."""

    connections: int  # that granian takes
    per_network: int  # of one address, IPv6 cut to /64; 0: as many as there may be at all
    idle_seconds: float
    files: int  # that connections and everything else may have open together

    @property
    def kept(self) -> int:
        """The number of connections that stay when there are too many, so that new ones can be accepted."""
        return max(self.connections * 4 // 5, 1)


class Connection(NamedTuple):
    """A client's connection, as it was found."""

    descriptor: int
    peer: Any  # address and port, as the socket module has them
    network: str  # its address, IPv6 cut to /64; empty for a trusted proxy
    idle: float  # seconds since anything came or went


class ListenAddress(NamedTuple):
    """A listening address: a host and a port, or the path of a Unix socket."""

    host: str
    port: int = 0
    path: str = ""

    @classmethod
    def of(cls, listener: socket.socket) -> "ListenAddress":
        """The place of a socket."""
        name = listener.getsockname()
        return cls("", path=name) if listener.family == socket.AF_UNIX else cls(name[0], name[1])

    def shown(self, *, secure: bool) -> str:
        """The address for people."""
        if self.path:
            return f"unix:{self.path}"
        return f"{'https' if secure else 'http'}://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"


@contextmanager
def listen(settings: Settings) -> Iterator[socket.socket]:
    """The socket that takes connections: what the service manager hands over, else a Unix socket or host and port.

    Port 0 is one that nobody listens on. Raises PortTaken and SettingsError, with words for the operator.
    """
    if (found := service_manager.inherited_socket()) is not None:
        listener = found
    elif settings.unix_socket:
        listener = _listen_unix(Path(settings.unix_socket), int(settings.unix_socket_mode, 8))
    else:
        listener = _listen_tcp(settings.host, settings.port)
    listener.setblocking(False)
    if sys.platform == "linux" and listener.family != socket.AF_UNIX:  # every connection inherits these
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _UNREAD_MS)
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, _UNSENT_BYTES)
        # Answers above that are written in parts, and the last one would wait 40 ms for the client's acknowledgement.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        with listener:
            yield listener
    finally:
        if found is None and settings.unix_socket:
            Path(settings.unix_socket).unlink(missing_ok=True)


def _listen_tcp(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        both = family == socket.AF_INET6 and socket.has_dualstack_ipv6()
        return socket.create_server((host, port), family=family, backlog=BACKLOG, dualstack_ipv6=both)
    except OSError as taken:
        reason = str(taken.strerror).partition(" (while")[0]
        raise PortTaken(f"Cannot listen on {host}:{port}: {reason}; choose another --host or --port") from taken


def _listen_unix(path: Path, mode: int) -> socket.socket:
    """A Unix socket that has this mode before the first connection. A stale socket is replaced."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        if path.is_socket() and not _is_listened_on(path):
            path.unlink()
        listener.bind(str(path))
        path.chmod(mode)
        listener.listen(BACKLOG)
    except OSError as taken:
        listener.close()
        reason = taken.strerror or str(taken)
        raise PortTaken(f"Cannot listen on {path}: {reason}. Set unix_socket to another path") from taken
    return listener


def _is_listened_on(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking:
        try:
            asking.connect(str(path))
        except ConnectionRefusedError:
            return False
        return True


def room(settings: Settings) -> Room:
    """The limits that the settings ask for, within the open files that the process may have; it raises its own limit as
    far as the
    system permits.
    """
    most = _raise_limit()
    free = most - len(_descriptors())
    spare = min(_SPARE, free // 2)
    connections = max(min(settings.max_connections, free - spare), 1)
    if connections < settings.max_connections:
        log.warning(
            "This process can open %d files, so it accepts %d connections instead of %d "
            "(max_connections). Raise LimitNOFILE of the service, or ulimit -n",
            *(most, connections, settings.max_connections),
        )
    return Room(connections, settings.max_connections_address, settings.idle_seconds, most - spare // 2)


def _raise_limit() -> int:
    """Let this process open as many files as the system permits; how many that are."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    except (OSError, ValueError):  # some systems have another limit besides
        hard = soft
    return hard if hard != resource.RLIM_INFINITY else sys.maxsize


def surplus(found: Iterable[Connection], allowed: Room, kept: int) -> Iterator[tuple[Connection, str]]:
    """The connections to end, and why. Of each address the busiest stay; in a crowd, about as many of every address."""
    ranks = Counter[str]()
    ranked = []
    for connection in sorted(found, key=lambda one: one.idle):
        ranks[connection.network] += bool(connection.network)
        ranked.append((ranks[connection.network], connection))
    for place, (rank, connection) in enumerate(sorted(ranked, key=lambda one: one[0])):
        if connection.idle > allowed.idle_seconds:
            yield connection, "idle"
        elif rank > allowed.per_network > 0:
            yield connection, "too many from one address"
        elif place >= kept:
            yield connection, "too many in all"


@contextmanager
def watch_connections(listener: socket.socket, allowed: Room, settings: Settings) -> Iterator[None]:
    """Meanwhile, connections that are idle or too many are ended; those over a Unix socket are the proxy's own."""
    stopping = threading.Event()
    proxies = networks(settings.trusted_proxies)
    if sys.platform == "linux" and listener.family != socket.AF_UNIX:
        threading.Thread(target=_watch, args=(listener, allowed, proxies, stopping), daemon=True).start()
    try:
        yield
    finally:
        stopping.set()


def _watch(listener: socket.socket, allowed: Room, proxies: tuple[Network, ...], stopping: threading.Event) -> None:
    calm = min(allowed.per_network or allowed.kept, allowed.kept, allowed.files)
    every = math.ceil(min(_IDLE_TURN, allowed.idle_seconds / 2) / _TURN)
    ended = Counter[str]()
    turns, said, port = 0, -math.inf, listener.getsockname()[1]
    with open(os.devnull, "rb") as nothing, socket.socket(listener.family, socket.SOCK_STREAM) as probe:
        while not stopping.wait(_TURN):
            turns += 1
            files = _descriptors()
            if len(files) > calm or turns % every == 0:
                found = [connection for number in files if (connection := _look(probe, number, port, proxies))]
                kept = min(allowed.kept, allowed.files - len(files) + len(found))
                ended.update(why for connection, why in surplus(found, allowed, kept) if _end(probe, connection))
                os.dup2(nothing.fileno(), probe.fileno(), inheritable=False)
            if ended and time.monotonic() - said > _SAID:
                said = time.monotonic()
                reasons = ", ".join(f"{number:,} {why}" for why, number in ended.items())
                log.warning("Closed connections: %s. Open files: %d of %d", reasons, len(files), allowed.files)
                ended.clear()


def _descriptors() -> Sequence[int]:
    """The numbers of all open files of this process."""
    try:
        return [int(name) for name in os.listdir(_FILES)]
    except FileNotFoundError:
        return ()
    except OSError:  # none is free to look with, so all are taken
        return range(resource.getrlimit(resource.RLIMIT_NOFILE)[0])


def _look(probe: socket.socket, number: int, port: int, proxies: tuple[Network, ...]) -> Connection | None:
    """The connection that a descriptor refers to; None when it refers to something else.

    The probe refers to it, too, in the meantime: so nobody can reuse it, and no other descriptor need be free. It never
    refers to a file: when it refers to the next one, the system takes away the locks that SQLite has on that file, and
    another program may then remove the log of a database.
    """
    try:
        if not stat.S_ISSOCK(os.fstat(number).st_mode):
            return None
        os.dup2(number, probe.fileno(), inheritable=False)
        if probe.getsockname()[1:2] != (port,):
            return None
        peer = probe.getpeername()
        sent, received = _TCP_INFO.unpack(probe.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO.size))
    except OSError:
        return None  # no socket, not connected, or closed in the meantime
    network = "" if proxies and is_within(peer[0], proxies) else network_of(peer[0])
    return Connection(number, peer, network, min(sent, received) / 1000)


def _end(probe: socket.socket, connection: Connection) -> bool:
    """End a connection, unless it has ended by itself. What was not sent goes with it."""
    try:
        os.dup2(connection.descriptor, probe.fileno(), inheritable=False)
        if probe.getpeername() != connection.peer:
            return False
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        probe.shutdown(socket.SHUT_RDWR)
    except OSError:
        return False
    return True
