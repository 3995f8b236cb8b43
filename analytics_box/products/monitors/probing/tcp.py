"""The check of a TCP port: it is up when somebody accepts the connection, and says what is asserted of a banner."""

import re
from typing import Final

from analytics_box.base.outgoing.connection import talk
from analytics_box.products.monitors.monitor import Assertion
from analytics_box.products.monitors.probing.address import place_of
from analytics_box.products.monitors.probing.asking import RunningCheck
from analytics_box.products.monitors.probing.assertions import evaluate_assertions
from analytics_box.products.monitors.probing.seen import CheckObservations

_ESCAPE: Final = re.compile(r"\\(?:x([0-9a-fA-F]{2})|([rnt0\\]))")
_ESCAPED: Final = {"r": "\r", "n": "\n", "t": "\t", "0": "\0", "\\": "\\"}


async def look(asking: RunningCheck) -> None:
    """Connect; say what there is to say, and hear an answer where one is wanted."""
    asking.begin()
    monitor, seen = asking.monitor, asking.seen
    options, place = monitor.options, place_of("tcp", monitor.url)
    asserted = tuple(each for each in options.assertions if each.subject == "banner")
    listens = bool(asserted or options.send)

    def enough(heard: bytes) -> bool:
        return b"\n" in heard if not asserted else _hold(asserted, heard)

    heard = await talk(
        asking.client,
        place,
        seconds=monitor.seconds,
        send=unescape(options.send),
        enough=enough if listens else None,
        course=asking.course,
    )
    if listens:
        seen.banner, seen.size = heard, len(heard)
    phases = asking.course.phases
    steps = (phases.dns, phases.connect, phases.first_byte, phases.transfer)
    seen.total = sum(each for each in steps if each is not None)  # without the silence after what was said
    seen.ttfb = seen.total - (phases.transfer or 0.0) if listens else None


def unescape(text: str) -> bytes:
    r"""The bytes to send, in which \r, \n, \t, \0, \\ and \x1f stand for those characters; \x80 and above are bytes."""
    found, end = b"", 0
    for each in _ESCAPE.finditer(text):
        found += text[end : each.start()].encode()
        found += bytes([int(each[1], 16)]) if each[1] else _ESCAPED[each[2]].encode()
        end = each.end()
    return found + text[end:].encode()


def _hold(asserted: tuple[Assertion, ...], heard: bytes) -> bool:
    return all(each.held for each in evaluate_assertions(asserted, CheckObservations(banner=heard), 0).held)
