"""A question to a name server: the system's, those of the settings, or a named one that was vetted."""

import time
from typing import Any, Final

from msgspec import Struct

from analytics_box.base.outgoing.client import Client
from analytics_box.base.outgoing.connection import within
from analytics_box.base.outgoing.failures import NoSuchName, NotResolved
from analytics_box.base.outgoing.messages import RequestCourse, ms
from analytics_box.base.outgoing.resolve import dns_resolver
from analytics_box.base.outgoing.target import HostPort
from analytics_box.base.translation import _

MOST: Final = 100  # records of one answer; those beyond are left out


class Records(Struct, frozen=True):
    """The answer of a name server: the records as dnspython has them, none if there are none; `ttl` is in seconds."""

    found: tuple[Any, ...]
    ttl: int | None


async def records(
    client: Client, name: str, kind: str, *, server: HostPort | None, seconds: float, course: RequestCourse
) -> Records:
    """The records of one kind that a name has. `course.phases.dns` is how long that took. Raises Failed."""
    async with within(seconds):
        servers = client.resolver.servers
        if server is not None:
            addresses = await client.vet(server, RequestCourse(group=course.group))
            servers = tuple((str(address), server.port) for address in addresses)
            await course.enter(addresses[0])
            course.address = str(addresses[0])
        asked = dns_resolver(servers)
        asked.lifetime = seconds
        asked.timeout = min(asked.timeout, max(seconds / 2, 0.1))
        began = time.perf_counter()
        answer = await _answer(asked, name, kind)
        course.phases.dns = ms(began)
    if answer.rrset is None:
        return Records((), None)
    found = sorted(answer.rrset, key=lambda record: str(record.to_text()))
    return Records(tuple(found[:MOST]), int(answer.rrset.ttl))


async def _answer(asked: Any, name: str, kind: str) -> Any:
    import dns.exception  # noqa: PLC0415  seldom wanted, and it loads a lot
    import dns.resolver  # noqa: PLC0415  as above

    try:
        return await asked.resolve(f"{name}.", kind, raise_on_no_answer=False)
    except dns.resolver.NXDOMAIN as unknown:
        raise NoSuchName(_("The name does not exist (NXDOMAIN)")) from unknown
    except dns.exception.Timeout as late:
        raise NotResolved(_("The name server does not answer in time")) from late
    except dns.resolver.NoNameservers as refused:
        raise NotResolved(
            _("The name server gives no answer for this name{codes}").format(codes=_codes(refused))
        ) from refused
    except (dns.exception.DNSException, OSError) as broken:
        raise NotResolved(_("The name server gives no answer for this name")) from broken


def _codes(refused: Any) -> str:
    """The code that the servers gave, such as SERVFAIL."""
    said = {str(error[3]) for error in refused.kwargs.get("errors", ()) if isinstance(error[3], str)}
    codes = sorted(code for code in said if code.isalpha() and code.isupper())
    return f" ({', '.join(codes)})" if codes else ""
