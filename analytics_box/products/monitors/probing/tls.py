"""The check of a certificate: it is up when a TLS handshake succeeds and the certificate is accepted."""

from analytics_box.base.outgoing.connection import handshake
from analytics_box.products.monitors.probing.address import place_of
from analytics_box.products.monitors.probing.asking import RunningCheck


async def look(asking: RunningCheck) -> None:
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
