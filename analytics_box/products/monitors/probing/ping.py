"""The check of a machine: it is up when it answers an ICMP echo."""

from analytics_box.base.outgoing import ping
from analytics_box.products.monitors.probing.address import place_of
from analytics_box.products.monitors.probing.asking import RunningCheck


async def look(asking: RunningCheck) -> None:
    """Ping until one answer comes; the time is that of the echo that was answered, with the look-up of the name."""
    monitor, seen, course = asking.monitor, asking.seen, asking.course
    place = place_of("ping", monitor.url)
    took = await ping.ping(asking.client, place, seconds=monitor.seconds, course=course)
    seen.total = seen.ttfb = took + (course.phases.dns or 0.0)
