"""Checks of TCP ports and their banners, TLS certificates, DNS records and machines that answer a ping."""

import re
from ipaddress import ip_address
from typing import Final

from analytics_box.base.outgoing import ping
from analytics_box.base.outgoing.addresses import Fence
from analytics_box.base.outgoing.connection import handshake, talk
from analytics_box.base.outgoing.failures import NoSuchName
from analytics_box.products.monitors.monitor import Assertion
from analytics_box.products.monitors.probing.address import name_of, place_of, server_of
from analytics_box.products.monitors.probing.asking import RunningCheck
from analytics_box.products.monitors.probing.assertions import evaluate_assertions, needs
from analytics_box.products.monitors.probing.seen import CheckObservations, DnsRecord, dns_record

_ESCAPE: Final = re.compile(r"\\(?:x([0-9a-fA-F]{2})|([rnt0\\]))")
_ESCAPED: Final = {"r": "\r", "n": "\n", "t": "\t", "0": "\0", "\\": "\\"}


async def check_tcp(asking: RunningCheck) -> None:
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


async def check_ping(asking: RunningCheck) -> None:
    """Ping until one answer comes; the time is that of the echo that was answered, with the look-up of the name."""
    monitor, seen, course = asking.monitor, asking.seen, asking.course
    place = place_of("ping", monitor.url)
    took = await ping.ping(asking.client, place, seconds=monitor.seconds, course=course)
    seen.total = seen.ttfb = took + (course.phases.dns or 0.0)


async def check_tls(asking: RunningCheck) -> None:
    """Connect and agree on TLS; what is wrong with the certificate counts unless the monitor takes any."""
    asking.client.trust(verify=True)
    asking.begin()
    monitor, seen = asking.monitor, asking.seen
    place = place_of("tls", monitor.url)
    shaken = await handshake(asking.client, place, seconds=monitor.seconds, course=asking.course)
    phases = asking.course.phases  # of the last connection: a certificate that is not accepted takes two
    seen.total = sum(each for each in (phases.dns, phases.connect, phases.tls) if each is not None)
    seen.certificate_ends = shaken.certificate.ends_at
    seen.certificate_valid = not shaken.wrong
    seen.tls_wrong = shaken.wrong if monitor.options.verify else ""


PRIVATE: Final = "a private address"


async def check_dns(asking: RunningCheck) -> None:
    """Ask once; a name that does not exist has no records where an assertion is about them."""
    from analytics_box.base.outgoing.records import records  # noqa: PLC0415  dnspython loads a lot

    asking.begin()
    monitor, seen = asking.monitor, asking.seen
    options = monitor.options
    name, server = name_of(monitor.url), server_of(options.server)
    if server is None:
        asking.client.fence.check_name(name)
    try:
        found = await records(
            asking.client, name, options.record, server=server, seconds=monitor.seconds, course=asking.course
        )
    except NoSuchName:
        if not needs(options.assertions, "record"):
            raise
        seen.records = ()
        return
    records_seen = (dns_record(options.record, record) for record in found.found)
    seen.records = tuple(_visible_record(record, asking.client.fence) for record in records_seen)
    seen.total = asking.course.phases.dns


def _visible_record(record: DnsRecord, fence: Fence) -> DnsRecord:
    """A record as assertions see it: of an address that the box may not ask, only that it is one."""
    try:
        address = ip_address(record.meaning)
    except ValueError:
        return record
    return record if fence.shows(address) else DnsRecord(record.kind, PRIVATE, PRIVATE)
