"""An ICMP echo to a vetted address, over a datagram socket that needs no privileges where the system allows it."""

import asyncio
import secrets
import socket
import struct
import time
from typing import Final

from analytics_box.base.outgoing.addresses import Address
from analytics_box.base.outgoing.client import Client
from analytics_box.base.outgoing.connection import within
from analytics_box.base.outgoing.failures import NotConnected, RequestFailed
from analytics_box.base.outgoing.messages import RequestCourse, ms
from analytics_box.base.outgoing.target import HostPort
from analytics_box.base.translation import _

NOT_ALLOWED: Final = (
    "This machine does not let the server send pings: set net.ipv4.ping_group_range to a range that includes the "
    "server's group, such as: sysctl -w net.ipv4.ping_group_range='0 2147483647'"
)
_AGAIN_SECONDS: Final = 1.0  # a packet may be lost
_HEADER: Final = struct.Struct("!BBHHH")  # type, code, checksum, identifier, sequence
_KINDS: Final = {4: (8, 0), 6: (128, 129)}  # what asks, what answers
_LONGEST: Final = 2_048


async def ping(client: Client, place: HostPort, *, seconds: float, course: RequestCourse) -> float:
    """The round-trip time of an echo in ms; a request is sent each second until one comes back. Raises
    RequestFailed."""
    async with within(seconds):
        addresses = await client.vet(place, course)
        address = addresses[0]
        await course.enter(address)
        course.address = str(address)
        with icmp(address) as channel:
            try:
                took = await _is_echo(channel, address.version)
            except OSError as broken:
                raise NotConnected(_("This address is unreachable")) from broken
    course.phases.first_byte = took
    return took


def icmp(address: Address) -> socket.socket:
    """A socket on which echoes go to this address and come back from it. Raises RequestFailed where that is not
    allowed."""
    family, protocol = (
        (socket.AF_INET, socket.IPPROTO_ICMP) if address.version == 4 else (socket.AF_INET6, socket.IPPROTO_ICMPV6)
    )
    try:
        channel = socket.socket(family, socket.SOCK_DGRAM, protocol)
    except PermissionError as denied:
        raise RequestFailed(NOT_ALLOWED) from denied
    except OSError as broken:
        raise RequestFailed(_("This machine cannot ping addresses of this kind")) from broken
    try:
        channel.setblocking(False)
        channel.connect((str(address), 0))
    except OSError as broken:
        channel.close()
        raise NotConnected(_("This address is unreachable")) from broken
    return channel


async def _is_echo(channel: socket.socket, version: int) -> float:
    token, number = secrets.token_bytes(16), 0
    while True:
        number = (number + 1) & 0xFFFF
        began = time.perf_counter()
        channel.send(echo(version, number, token))
        try:
            async with asyncio.timeout(_AGAIN_SECONDS):
                while not is_answer(
                    version, number, token, await asyncio.get_running_loop().sock_recv(channel, _LONGEST)
                ):
                    pass
        except TimeoutError:
            continue
        return ms(began)


def echo(version: int, number: int, token: bytes) -> bytes:
    """The packet that asks. The kernel writes the identifier, and the checksum for IPv6."""
    kind = _KINDS[version][0]
    bare = _HEADER.pack(kind, 0, 0, 0, number) + token
    return _HEADER.pack(kind, 0, _checksum(bare), 0, number) + token


def is_answer(version: int, number: int, token: bytes, packet: bytes) -> bool:
    """Whether the packet answers that one; some systems hand it over with its IP header."""
    if version == 4 and packet[:1] and packet[0] >> 4 == 4 and len(packet) > 20:
        packet = packet[(packet[0] & 15) * 4 :]
    if len(packet) < _HEADER.size:
        return False
    kind, _, _, _, got = _HEADER.unpack_from(packet)
    return kind == _KINDS[version][1] and got == number and packet[_HEADER.size :] == token


def _checksum(data: bytes) -> int:
    """RFC 1071."""
    total: int = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF
