"""When a domain's registration ends, asked of a registry that stands in for all of them."""

import json
from collections.abc import Awaitable, Callable

from analytics_box.products.monitors.probing.registration import Registration, Registrations
from tests.base.outgoing.places import OPEN, Web, clients_of, plain, strangers_reach_the_tests, web
from tests.cases import each
from tests.products.monitors.probing.checking import NOW, run

DAY = 86_400_000
WEEK = 7 * DAY
ENDS = 1_804_325_400_000  # 2027-03-06T09:30:00Z


def _domain(ends: str) -> bytes:
    events = [{"eventAction": "registration", "eventDate": "1999-01-01T00:00:00Z"}]
    return plain(json.dumps({"events": [*events, {"eventAction": "expiration", "eventDate": ends}]}).encode())


DOMAINS = {
    "example.test": _domain("2027-03-06T09:30:00Z"),
    "example.co.test": _domain("2027-03-06T10:30:00.000+01:00"),
    "dateless.test": plain(b'{"events": []}'),
    "broken.test": plain(b'{"events": 7}'),
    "soon.test": _domain("soon"),
    "down.test": plain(b"", "500 No"),
}


def _registry(place: Web) -> Callable[[bytes], bytes]:
    def reply(request: bytes) -> bytes:
        path = request.split(b" ", 2)[1].decode()
        if path == "/dns.json":
            services = [[["other"], []], [["test", "TESTS"], [f"http://{OPEN}:{place.port}/rdap"]]]
            return plain(json.dumps({"version": "1.0", "services": services}).encode())
        return DOMAINS.get(path.removeprefix("/rdap/domain/"), plain(b"{}", "404 Not Found"))

    return reply


async def _with_registry(work: Callable[[Registrations, Web], Awaitable[None]]) -> None:
    async with web() as place:
        place.reply = _registry(place)
        with strangers_reach_the_tests():
            registrations = Registrations(clients_of(), f"http://{OPEN}:{place.port}/dns.json")
        await work(registrations, place)


CASES = (
    ("example.test", ENDS),
    ("www.Example.test", ENDS),
    ("a.b.c.d.example.test", ENDS),
    ("www.example.co.test", ENDS),
    ("unknown.test", None),
    ("dateless.test", None),
    ("broken.test", None),
    ("soon.test", None),
    ("down.test", None),
    ("example.nowhere", None),
    ("example.other", None),
    ("192.0.2.1", None),
    ("2001:db8::1", None),
    ("localhost", None),
    ("not a host", None),
)


@each(("host", "ends"), CASES)
def test_the_end_of_a_registration_is_found_or_not_known(host: str, ends: int | None) -> None:
    async def asked(registrations: Registrations, _: Web) -> None:
        found = await registrations.find(host, NOW)
        assert (found.ends_at if found else None) == ends
        assert found is None or host.lower().endswith(found.domain)

    run(_with_registry(asked))


def test_the_list_of_registries_is_asked_for_once_a_week() -> None:
    async def asked(registrations: Registrations, place: Web) -> None:
        for host, now, lists in (("a.test", NOW, 1), ("b.test", NOW + WEEK - 1, 1), ("c.test", NOW + WEEK, 2)):
            await registrations.find(host, now)
            assert sum(b" /dns.json " in request for request in place.heard) == lists

    run(_with_registry(asked))


def test_a_domain_is_asked_for_once_for_all_hosts_below_it() -> None:
    async def asked(registrations: Registrations, place: Web) -> None:
        for host in ("example.test", "www.example.test", "example.test"):
            assert await registrations.find(host, NOW) == Registration("example.test", ENDS)
        assert len(place.heard) == 2
        assert await registrations.find("example.test", NOW + DAY)
        assert len(place.heard) == 3

    run(_with_registry(asked))


def test_a_list_that_does_not_come_leaves_what_was_known() -> None:
    async def asked(registrations: Registrations, place: Web) -> None:
        assert await registrations.find("example.test", NOW)
        known = place.reply
        place.reply = lambda request: plain(b"[]") if b" /dns.json " in request else known(request)
        assert await registrations.find("example.test", NOW + WEEK)
        assert await registrations.find("example.test", NOW + WEEK + 1)
        assert sum(b" /dns.json " in request for request in place.heard) == 2

    run(_with_registry(asked))
