"""A plain TCP connection to a vetted place: connect, say something if asked to, and hear what the other side says."""

import asyncio
import time
from collections.abc import Callable
from typing import Final

from analytics_box.base.outgoing.client import Client
from analytics_box.base.outgoing.connection import connect
from analytics_box.base.outgoing.deadline import within
from analytics_box.base.outgoing.failures import BadAnswer
from analytics_box.base.outgoing.messages import RequestCourse, ms
from analytics_box.base.outgoing.stream import TcpStream
from analytics_box.base.outgoing.target import HostPort

HEARD_BYTES: Final = 4_096
_QUIET_SECONDS: Final = 1.0  # once somebody has begun to speak, this long a silence is the end of it

Enough = Callable[[bytes], bool]


async def talk(
    client: Client, place: HostPort, *, seconds: float, send: bytes = b"", enough: Enough | None, course: RequestCourse
) -> bytes:
    """Connect, send, and read up to 4 KB until `enough` of it is there; without `enough` nothing is read.

    Reading ends with the connection, too, and with a second of silence after the first byte. `course.phases` has the
    first byte, and the last as `transfer`. Raises Failed.
    """
    async with within(seconds):
        addresses = await client.vet(place, course)
        stream = await connect(addresses, place.port, course)
        try:
            if send:
                await stream.write(send)
            return await _read_line(stream, enough, course) if enough is not None else b""
        except OSError as broken:
            raise BadAnswer("The connection was broken off") from broken
        finally:
            stream.close()


async def _read_line(stream: TcpStream, enough: Enough, course: RequestCourse) -> bytes:
    began = time.perf_counter()
    heard = await stream.read(HEARD_BYTES)
    if not heard:
        raise BadAnswer("The other side closes the connection without a word")
    first = last = time.perf_counter()
    course.phases.first_byte = ms(began, first)
    while len(heard) < HEARD_BYTES and not enough(heard):
        try:
            async with asyncio.timeout(_QUIET_SECONDS):
                more = await stream.read(HEARD_BYTES - len(heard))
        except TimeoutError:
            break
        if not more:
            break
        heard += more
        last = time.perf_counter()
    course.phases.transfer = ms(first, last)
    return heard
