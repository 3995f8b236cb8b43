"""What a check of an http address sends, and what its result holds."""

import asyncio
import threading
from ipaddress import ip_address
from typing import Any

import pytest
from msgspec.structs import replace

from analytics_box.base.errors import Unavailable
from analytics_box.base.outgoing.addresses import Address, Fence
from analytics_box.base.outgoing.client import Clients
from analytics_box.base.outgoing.crowd import Crowd, CrowdSpot
from analytics_box.base.outgoing.failures import NotResolved
from analytics_box.base.outgoing.fences import Fences
from analytics_box.base.outgoing.messages import BodyBudget
from analytics_box.products.monitors.monitor import JsonParsing, MonitorSecrets
from analytics_box.products.monitors.probing.assertions import Verdict, evaluate_assertions
from analytics_box.products.monitors.probing.probe import Prober
from analytics_box.products.monitors.result import AssertionResult, CheckResult
from tests.base.outgoing.places import EXPIRES, OPEN, Names, clients_of, names, plain, web
from tests.cases import each
from tests.products.monitors.faults import Faults, banner, faults, secure
from tests.products.monitors.probing.checking import NOW, check, monitor, run, that

KEPT = JsonParsing(enabled=True)


async def _asked(path: str = "", **given: Any) -> tuple[CheckResult, str]:
    async with faults() as server:
        found = await check(monitor(f"http://{OPEN}:{server.port}/{path}", **given))
        return found, server.heard[-1].decode()


def test_the_plain_check_asks_as_a_browser_does_and_tells_what_it_measured() -> None:
    found, head = run(_asked())
    assert head.startswith("GET / HTTP/1.1\r\n")
    assert "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36" in head
    assert (found.at, found.outcome, found.http_code, found.bytes, found.redirects) == (NOW, "pass", 200, 5, 0)
    assert (found.address, found.certificate_ends, found.certificate_valid) == (OPEN, None, None)
    assert (found.phases.dns, found.phases.tls) == (None, None)
    assert found.ttfb is not None
    assert 0 < found.ttfb <= (found.total or 0)
    assert (found.phases.connect or 0) + (found.phases.first_byte or 0) <= found.ttfb + 1


@pytest.mark.parametrize(
    ("secrets", "sent"),
    [
        (MonitorSecrets(user="me", password="päss"), "Authorization: Basic bWU6cMOkc3M="),
        (MonitorSecrets(bearer="t0ken"), "Authorization: Bearer t0ken"),
        (MonitorSecrets(headers=(("authorization", "Own"),), bearer="t0ken"), "authorization: Own"),
        (MonitorSecrets(headers=(("User-Agent", "mine"),)), "User-Agent: mine"),
    ],
)
def test_secrets_are_sent_as_they_are_meant(secrets: MonitorSecrets, sent: str) -> None:
    _, head = run(_asked(secrets=secrets))
    assert f"\r\n{sent}\r\n" in head
    assert head.lower().count(f"\r\n{sent.lower().split(':')[0]}:") == 1


def test_a_method_with_a_body_is_sent() -> None:
    _, head = run(_asked(method="POST", secrets=MonitorSecrets(body="a=ä")))
    assert head.startswith("POST / HTTP/1.1\r\n")
    assert "Content-Length: 4\r\n" in head


@pytest.mark.parametrize(("path", "sent"), [("", f"/?_cb={NOW}"), ("x?a=1#part", f"/x?a=1&_cb={NOW}")])
def test_caches_are_passed_by_where_that_is_wanted(path: str, sent: str) -> None:
    _, head = run(_asked(path, cache_bust=True))
    assert head.startswith(f"GET {sent} HTTP")


def test_redirects_are_followed_unless_they_are_not_wanted() -> None:
    found, head = run(_asked("once-moved"))
    assert (found.http_code, found.redirects, head.split(" ")[1]) == (200, 1, "/there")
    found, _ = run(_asked("once-moved", redirects=0))
    assert (found.http_code, found.redirects, found.outcome) == (301, 0, "pass")


def test_each_assertion_tells_what_it_saw_and_values_are_kept() -> None:
    assertions = that("json", "equals", "ok", property="/status") + that(
        "json", "less_than", "10", property="/db/latency_ms", level="warn"
    )
    found, _ = run(_asked("json", assertions=assertions, json_parsing=JsonParsing(enabled=True)))
    assert (found.outcome, found.reason) == ("warn", "assertion")
    assert found.held == (AssertionResult(0, True, "ok"), AssertionResult(1, False, "12"))
    assert found.error == "Value /db/latency_ms is 12, expected less than 10"
    assert found.data == '{"status":"ok","db.latency_ms":12}'


def test_a_certificate_is_told_of_the_connection_itself() -> None:
    async def asked(server: Names) -> tuple[CheckResult, int]:
        async with faults(secure()) as place:
            found = await check(monitor(f"https://name.test:{place.port}/"), server)
            return found, place.connections

    async def named() -> tuple[CheckResult, int]:
        async with names() as server:
            server.records[("name.test", "A")] = [[OPEN]]
            return await asked(server)

    found, connections = run(named())
    assert (found.certificate_valid, found.certificate_ends, connections) == (True, EXPIRES, 1)
    assert found.phases.dns is not None
    assert found.phases.tls is not None


def test_unsendable_value_is_reported_without_showing_it() -> None:
    found, _ = run(_forged())
    assert (found.outcome, found.reason) == ("fail", "refused")
    assert "t0ken" not in found.error


async def _forged() -> tuple[CheckResult, str]:
    async with faults() as server:
        secrets = MonitorSecrets(bearer="t0ken\r\nX: y")
        return await check(monitor(f"http://{OPEN}:{server.port}/", secrets=secrets)), ""


def test_a_fault_of_the_check_itself_is_a_result_and_logged_without_the_address(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("analytics_box.products.monitors.probing.http._headers", broken)
    found = run(check(monitor(f"http://{OPEN}/path?key=hidden")))
    assert (found.outcome, found.reason) == ("fail", "failed")
    assert "hidden" not in found.error + caplog.text
    assert "ZeroDivisionError" in caplog.text


async def _answered(body: bytes, budget: BodyBudget | None = None, **given: Any) -> CheckResult:
    async with web(OPEN) as server:
        server.reply = lambda _: plain(body)
        return await Prober(clients_of(), budget).check(monitor(f"http://{OPEN}:{server.port}/", **given), NOW)


@each(("size", "is_beside"), [(4_000, False), (5_000, True)])
def test_long_answers_are_judged_beside_everything_else(
    size: int, is_beside: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = []

    def noted(*given: Any) -> Verdict:
        where.append(threading.current_thread() is not threading.main_thread())
        return evaluate_assertions(*given)

    monkeypatch.setattr("analytics_box.products.monitors.probing.probe.evaluate_assertions", noted)
    body = b'{"status": "%s"}' % (b"x" * size)
    found = run(_answered(body, assertions=that("json", "exists", property="/status"), json_parsing=KEPT))
    assert (found.outcome, where) == ("pass", [is_beside])
    assert found.data == f'{{"status":"{"x" * 200}"}}'


def test_of_a_long_answer_all_is_read_and_1_mb_is_looked_at() -> None:
    body = b"x" * 1_048_575 + b"y" + b"z" * 1_000_000
    found = run(_answered(body, assertions=that("body", "contains", "xy") + that("body", "not_contains", "z")))
    assert (found.outcome, found.bytes) == ("pass", 2_048_576)


def test_without_memory_for_the_answer_a_check_has_its_status_or_says_nothing() -> None:
    body = b"x" * 100_000
    for budget in (BodyBudget(50_000), BodyBudget(per_group=50_000)):
        found = run(_answered(body, budget, json_parsing=KEPT))
        assert (found.outcome, found.http_code, found.bytes) == ("pass", 200, 100_000)
        found = run(_answered(body, budget, json_parsing=KEPT, assertions=that("status", "equals", "201")))
        assert (found.outcome, found.http_code) == ("fail", 200)
        with pytest.raises(Unavailable):
            run(_answered(body, budget, assertions=that("body", "contains", "y")))
        assert budget.taken == 0


def test_checks_of_one_network_wait_for_each_other_and_the_time_for_that_is_not_theirs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("analytics_box.base.outgoing.crowd.ms", lambda _: 10_000.0)  # that one had to wait
    # As if it were a public one.
    monkeypatch.setattr("analytics_box.base.outgoing.crowd.network_of", lambda *_: b"network")

    async def story() -> CheckResult:
        crowd = Crowd(most=1)
        other = CrowdSpot(crowd, "other", Fence())
        await other.enter(ip_address(OPEN))
        prober = Prober(clients_of(), crowd=crowd)
        async with web(OPEN) as server:
            with pytest.raises(Unavailable):
                await prober.check(monitor(f"http://{OPEN}:{server.port}/", ms=20), NOW)
            assert server.connections == 0
            waiting = asyncio.ensure_future(prober.check(monitor(f"http://{OPEN}:{server.port}/"), NOW))
            await asyncio.sleep(0)
            other.leave()
            found = await waiting
            assert not crowd._networks
            return found

    found = run(story())
    assert (found.outcome, found.http_code, found.total) == ("pass", 200, 0)


def test_names_are_looked_up_on_behalf_of_the_organization_and_canaries_on_that_of_the_box() -> None:
    asked = []

    class Known:
        servers: tuple[tuple[str, int], ...] = ()

        async def addresses(self, name: str, group: str = "") -> tuple[Address, ...]:
            asked.append((name, group))
            raise NotResolved

        async def texts(self, name: str) -> tuple[str, ...]:
            return ()

    prober = Prober(Clients(Fences(), Known(), agent=""))
    for one in (monitor("http://a.test/"), replace(monitor("tcp://b.test:80", "tcp"), organization_id="")):
        assert run(prober.check(one, NOW)).reason == "dns"
    assert asked == [("a.test", "o"), ("b.test", "canaries")]


def test_push_monitors_are_not_asked() -> None:
    assert run(check(monitor("push://", "push"))).reason == "failed"


def test_a_check_that_is_given_up_closes_its_connection() -> None:
    async def asked() -> bytes:
        gone: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

        async def silent(_: Faults, reader: asyncio.StreamReader, __: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            task.cancel()
            gone.set_result(await reader.read())

        async with banner(silent) as server:
            task = asyncio.ensure_future(check(monitor(f"http://{OPEN}:{server.port}/")))
            with pytest.raises(asyncio.CancelledError):
                await task
            return await asyncio.wait_for(gone, 10)

    assert run(asked()) == b""
