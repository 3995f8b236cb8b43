"""The check of an http or https address (wire 8.4)."""

from base64 import b64encode
from typing import Final

from analytics_box.base.outgoing.client import OutgoingRequest
from analytics_box.base.outgoing.connection import handshake
from analytics_box.base.outgoing.failures import NotTrusted, RequestFailed
from analytics_box.base.outgoing.messages import Header, RequestCourse, status_text
from analytics_box.base.outgoing.target import HostPort, target
from analytics_box.products.monitors.probing.asking import RunningCheck
from analytics_box.products.monitors.probing.assertions import needs

BODY_BYTES: Final = 5_242_880  # of an answer that are read
KEPT_BYTES: Final = 1_048_576  # of them, unpacked, that assertions look at
CERTIFICATE_SECONDS: Final = 5.0
BROWSER: Final = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"
_DEFAULTS: Final = (
    ("User-Agent", BROWSER),
    ("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,application/json;q=0.9,*/*;q=0.8"),
    ("Accept-Language", "en-US,en;q=0.9"),
)


async def look(asking: RunningCheck) -> None:
    """Ask once, following redirects; of https also whether the certificate is accepted and when it ends."""
    monitor, seen, course = asking.monitor, asking.seen, asking.course
    options = monitor.options
    ask = OutgoingRequest(
        url=_with_cache_buster(monitor.url, asking.now) if monitor.cache_bust else monitor.url,
        method=options.method,
        headers=_headers(asking),
        body=monitor.secrets.body.encode(),
        seconds=monitor.seconds,
        redirects=options.redirects,
        body_bytes=BODY_BYTES,
        decoded_bytes=KEPT_BYTES,
        keep=options.json_parsing.enabled or needs(options.assertions, "body", "json"),
        share=asking.share,
        verify=options.verify,
    )
    asking.client.prepare(ask)
    asking.begin()
    try:
        answer = await asking.client.fetch(ask, course)
    except NotTrusted:
        seen.total, seen.certificate_valid = asking.elapsed, False
        if not course.redirects:
            await _look_at_certificate(asking)
        raise
    seen.status, seen.headers, seen.complete = answer.status, answer.headers, answer.complete
    seen.status_name = status_text(answer.status)
    seen.size, seen.body = answer.size, answer.body if ask.keep and not answer.unreadable else None
    seen.unreadable = answer.unreadable
    seen.total = answer.total
    seen.ttfb = max(0.0, answer.total - (answer.phases.transfer or 0.0))
    seen.certificate_ends = answer.certificate_expires_at
    if seen.certificate_ends is not None and options.verify:
        seen.certificate_valid = True
    elif monitor.url[:6].lower() == "https:":
        await _look_at_certificate(asking)


async def _look_at_certificate(asking: RunningCheck) -> None:
    """Look up the certificate's expiry and validity by a separate handshake, if the request did not report them."""
    place = target(asking.monitor.url)
    seconds = min(CERTIFICATE_SECONDS, asking.left)
    if seconds <= 0:
        return
    course = RequestCourse(group=asking.course.group, spot=asking.course.spot)
    try:
        shaken = await handshake(asking.client, HostPort(place.host, place.port), seconds=seconds, course=course)
    except RequestFailed:
        return  # what it was asked for is known already
    asking.seen.certificate_ends = shaken.certificate.ends_at
    asking.seen.certificate_valid = not shaken.wrong


def _headers(asking: RunningCheck) -> tuple[Header, ...]:
    secrets = asking.monitor.secrets
    headers = secrets.headers
    given = {name.lower() for name, _ in headers}
    if "authorization" not in given:
        if secrets.bearer:
            headers += (("Authorization", f"Bearer {secrets.bearer}"),)
        elif secrets.user or secrets.password:
            pair = b64encode(f"{secrets.user}:{secrets.password}".encode()).decode()
            headers += (("Authorization", f"Basic {pair}"),)
    return headers + tuple((name, value) for name, value in _DEFAULTS if name.lower() not in given)


def _with_cache_buster(url: str, now: int) -> str:
    """The address with a parameter that no cache has seen."""
    url = url.partition("#")[0]
    return f"{url}{'&' if '?' in url else '?'}_cb={now}"
