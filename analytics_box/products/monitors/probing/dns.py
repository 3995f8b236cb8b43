"""The check of a name: it is up when a name server gives a record of the wanted type."""

from ipaddress import ip_address
from typing import Final

from analytics_box.base.outgoing.addresses import Fence
from analytics_box.base.outgoing.failures import NoSuchName
from analytics_box.products.monitors.probing.address import name_of, server_of
from analytics_box.products.monitors.probing.asking import RunningCheck
from analytics_box.products.monitors.probing.assertions import needs
from analytics_box.products.monitors.probing.dns_record import DnsRecord, dns_record

PRIVATE: Final = "a private address"


async def look(asking: RunningCheck) -> None:
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
