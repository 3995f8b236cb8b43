"""From names to addresses and texts: by the system, or by the name servers in the settings."""

import asyncio
import contextlib
import socket
import threading
from collections.abc import Callable, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address
from queue import SimpleQueue
from typing import Any, Final, NamedTuple, Protocol, runtime_checkable

from analytics_box.base.outgoing.failures import NotResolved
from analytics_box.base.outgoing.messages import CANARIES, OTHERS
from analytics_box.base.settings import Settings, SettingsError
from analytics_box.base.translation import _
from analytics_box.base.turns import FairQueue

MOST: Final = 64  # look-ups of all groups at once; further ones wait
PER_GROUP: Final = 16
OWN: Final = 16  # next to them, for each of these that are no group's

Found = list[tuple[Any, ...]]
_Future = asyncio.Future[Found]


class _Job(NamedTuple):
    loop: asyncio.AbstractEventLoop
    future: _Future
    name: str


class Lookups:
    """Starts a thread when a look-up finds none idle, and keeps it."""

    def __init__(
        self,
        look: Callable[[str], Found] | None = None,
        most: int = MOST,
        per_group: int = PER_GROUP,
        own: int = OWN,
    ) -> None:
        self._look = look or _system
        self._shared: FairQueue[_Job] = FairQueue(most, per_group)
        self._own: dict[str, FairQueue[_Job]] = {OTHERS: FairQueue(own, own), CANARIES: FairQueue(own, own)}
        self._begun: SimpleQueue[tuple[FairQueue[_Job], str, _Job]] = SimpleQueue()
        self._lock = threading.Lock()
        self._threads = self._free = 0

    async def find(self, name: str, group: str = OTHERS) -> Found:
        """The addresses from getaddrinfo. Raises OSError or UnicodeError."""
        loop = asyncio.get_running_loop()
        future: _Future = loop.create_future()
        room = self._own.get(group, self._shared)
        with self._lock:
            room.add(group, _Job(loop, future, name))
            self._start(room)
        return await future

    def _start(self, room: FairQueue[_Job]) -> None:
        """Give threads what has room now; the lock is held."""
        while (found := room.next()) is not None:
            if self._free:
                self._free -= 1
            else:
                self._threads += 1
                threading.Thread(target=self._work, name="look-up", daemon=True).start()
            self._begun.put((room, *found))

    def _work(self) -> None:
        while True:
            room, group, (loop, future, name) = self._begun.get()
            found = [] if future.cancelled() else self._tried(name)
            with self._lock:
                self._free += 1
                room.leave(group)
                self._start(room)
            with contextlib.suppress(RuntimeError):  # the loop has ended in the meantime
                loop.call_soon_threadsafe(_settle, future, found)

    def _tried(self, name: str) -> Found | BaseException:
        try:
            return self._look(name)
        except Exception as broken:
            return broken


def _settle(future: _Future, found: Found | BaseException) -> None:
    if future.done():
        return
    if isinstance(found, BaseException):
        future.set_exception(found)
    else:
        future.set_result(found)


def _system(name: str) -> Found:
    return list(socket.getaddrinfo(name, None, type=socket.SOCK_STREAM))


Address = IPv4Address | IPv6Address

SECONDS: Final = 5.0  # for one look-up of texts, or of addresses at a given server
_PORT: Final = 53
_MOST: Final = 16  # addresses of one name that are looked at; one with more is refused


@runtime_checkable
class Resolver(Protocol):
    """Looks names up. Nothing is kept: each call asks again. `servers` are address and port; none for the system's."""

    @property
    def servers(self) -> tuple[tuple[str, int], ...]: ...

    async def addresses(self, name: str, group: str = OTHERS) -> tuple[Address, ...]:
        """All addresses of a name, the preferred first. `group` is on whose behalf (lookups). Raises NotResolved."""

    async def texts(self, name: str) -> tuple[str, ...]:
        """The TXT records of a name; none if it has none. Raises NotResolved when that cannot be found out."""


class SystemResolver:
    """Name resolution as any program on this machine does it: hosts file, then the system's name servers."""

    servers: tuple[tuple[str, int], ...] = ()

    def __init__(self) -> None:
        self._lookups = Lookups()

    async def addresses(self, name: str, group: str = OTHERS) -> tuple[Address, ...]:
        try:
            found = await self._lookups.find(name, group)
        except (OSError, UnicodeError) as broken:
            raise NotResolved(_("The name cannot be resolved")) from broken
        return _few({ip_address(entry[4][0]): None for entry in found})

    async def texts(self, name: str) -> tuple[str, ...]:
        return await _texts(dns_resolver(()), name)


class ServerResolver:
    """Name resolution by the given name servers."""

    def __init__(self, servers: Sequence[tuple[str, int]]) -> None:
        self.servers = tuple(servers)

    async def addresses(self, name: str, group: str = OTHERS) -> tuple[Address, ...]:
        asked = dns_resolver(self.servers)
        answers = await asyncio.gather(*(_records(asked, name, kind) for kind in ("A", "AAAA")))
        return _few({ip_address(record.address): None for records in answers for record in records})

    async def texts(self, name: str) -> tuple[str, ...]:
        return await _texts(dns_resolver(self.servers), name)


def resolver(settings: Settings) -> Resolver:
    """The resolver of these settings. Raises SettingsError."""
    if not settings.dns_servers:
        return SystemResolver()
    return ServerResolver([_server(text) for text in settings.dns_servers])


def _server(text: str) -> tuple[str, int]:
    host, port = text.strip(), str(_PORT)
    if host.startswith("["):
        host, _, after = host[1:].partition("]")
        port = after.removeprefix(":") or port
    elif host.count(":") == 1:
        host, _, port = host.partition(":")
    try:
        address, number = str(ip_address(host)), int(port)
    except ValueError:
        number = 0
    if not 0 < number <= 65_535:
        raise SettingsError(
            f"dns_servers (ANALYTICS_BOX_DNS_SERVERS): {text!r} is not an address. Enter 192.0.2.53 or 192.0.2.53:5353"
        )
    return address, number


def _few(found: dict[Address, None]) -> tuple[Address, ...]:
    if not found:
        raise NotResolved(_("The name has no address"))
    if len(found) > _MOST:
        raise NotResolved(_("The name has more than {most} addresses").format(most=_MOST))
    return tuple(found)


def dns_resolver(servers: Sequence[tuple[str, int]]) -> Any:
    """A resolver of dnspython, with the system's servers unless some are given. Raises NotResolved."""
    import dns.asyncresolver  # noqa: PLC0415  seldom wanted, and it loads a lot
    import dns.nameserver  # noqa: PLC0415  as above
    import dns.resolver  # noqa: PLC0415  as above

    try:
        asked = dns.asyncresolver.Resolver(configure=not servers)
    except dns.resolver.NoResolverConfiguration as broken:
        raise NotResolved(_("No name servers are configured on this machine")) from broken
    if servers:
        asked.nameservers = [dns.nameserver.Do53Nameserver(host, port) for host, port in servers]
    asked.lifetime = SECONDS
    return asked


async def _records(asked: Any, name: str, kind: str) -> tuple[Any, ...]:
    """The records of one kind; none if there are none. Raises NotResolved."""
    import dns.exception  # noqa: PLC0415  as above
    import dns.resolver  # noqa: PLC0415  as above

    try:
        answer = await asked.resolve(f"{name}.", kind, raise_on_no_answer=False)
    except dns.resolver.NXDOMAIN:
        return ()
    except dns.exception.Timeout as late:
        raise NotResolved(_("The name servers do not answer in time")) from late
    except (dns.exception.DNSException, OSError) as broken:
        raise NotResolved(_("The name servers do not give an answer for this name")) from broken
    return tuple(answer.rrset or ())


async def _texts(asked: Any, name: str) -> tuple[str, ...]:
    return tuple(b"".join(record.strings).decode("utf-8", "replace") for record in await _records(asked, name, "TXT"))
