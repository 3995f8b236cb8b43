"""Whatever a target does, a check comes to a right result or a clear error, in bounded time and memory."""

import re
from contextlib import AbstractAsyncContextManager

from analytics_box.products.monitors.monitor import JsonParsing
from analytics_box.products.monitors.probing.http import BODY_BYTES
from analytics_box.products.monitors.result import CheckResult, Reason
from tests.base.outgoing.places import EXPIRES, OPEN, names
from tests.cases import each
from tests.products.monitors.faults import (
    EXPIRED_AT,
    EXPIRED_PEM,
    SELF_SIGNED_PEM,
    Faults,
    banner,
    faults,
    old_tls,
    says,
    secure,
)
from tests.products.monitors.probing.checking import check, monitor, run, that

_SHORT = 150  # ms for what would never end
_ROOM = 16_000_000  # bytes that the system takes from a server although nobody reads them

FAULTS: tuple[tuple[str, Reason, str], ...] = (
    ("hang", "timeout", "within 0.15 seconds"),
    ("hang-in-head", "timeout", "within"),
    ("hang-in-body", "timeout", "within"),
    ("drip-head", "timeout", "within"),
    ("drip-body", "timeout", "within"),
    ("interim", "timeout", "within"),
    ("loop", "bad_answer", "More than 10 redirects"),
    ("endless-head", "too_large", "header is larger"),
    ("endless-line", "too_large", "header is larger"),
    ("silent-close", "bad_answer", "ended early"),
    ("early-close", "bad_answer", "ended early"),
    ("close-in-head", "bad_answer", "ended early"),
    ("not-http", "bad_answer", "not HTTP"),
    ("http-0.9", "bad_answer", "not HTTP"),
    ("bad-status", "bad_answer", "not HTTP"),
    ("status-long", "bad_answer", "not HTTP"),
    ("two-lengths", "bad_answer", "not HTTP"),
    ("upgrade", "bad_answer", "another protocol"),
    ("to-nowhere", "bad_answer", "More than 10 redirects"),
    ("to-file", "refused", "Enter an http or https address"),
    ("to-metadata", "refused", "private or reserved"),
    ("to-inside", "refused", "private or reserved"),
    ("500", "assertion", "500 Internal Server Error"),
    ("503", "assertion", "503 Service Unavailable"),
    ("599", "assertion", "answers 599"),
)
FINE = ("", "404", "once-moved", "gigabytes", "bomb", "not-packed", "bad-header")


async def _asked(path: str, **options: object) -> tuple[CheckResult, int]:
    async with faults() as server:
        short = {"ms": _SHORT} if path.startswith(("hang", "drip", "interim")) else {}
        found = await check(monitor(f"http://{OPEN}:{server.port}/{path}?key=secret", **short, **options))  # type: ignore[arg-type]  # options by name
        return found, server.sent


@each(("path", "reason", "error"), FAULTS)
def test_failures_are_reported_with_their_reason(path: str, reason: Reason, error: str) -> None:
    found, _ = run(_asked(path))
    assert (found.outcome, found.reason) == ("fail", reason)
    assert error in found.error
    assert not re.search(r"secret|/latest|\n", found.error)
    assert (found.total or 0) > 0


@each("path", FINE)
def test_unusual_but_valid_answers_pass(path: str) -> None:
    found, sent = run(_asked(path))
    assert (found.outcome, found.reason, found.error) == ("pass", "", "")
    assert found.bytes is not None
    assert found.bytes <= BODY_BYTES
    assert sent <= BODY_BYTES + _ROOM


def test_a_body_is_read_up_to_5_mb_and_unpacked_up_to_5_mb() -> None:
    found, _ = run(_asked("gigabytes"))
    assert found.bytes == BODY_BYTES
    found, _ = run(_asked("bomb", assertions=that("body", "contains", "x")))
    assert (found.outcome, found.bytes is not None and found.bytes < 100_000) == ("fail", True)


def test_a_body_in_very_many_pieces_is_cut() -> None:
    found, sent = run(_asked("endless-chunks"))
    assert (found.outcome, found.bytes) == ("pass", 50_001)
    assert sent <= _ROOM


def test_a_body_that_cannot_be_unpacked_fails_where_it_is_looked_at() -> None:
    found, _ = run(_asked("not-packed", assertions=that("body", "contains", "plain")))
    assert (found.reason, found.error) == ("bad_answer", "The response cannot be decompressed")


def test_a_body_that_cannot_be_unpacked_only_warns_if_its_assertions_only_warn() -> None:
    found, _ = run(_asked("not-packed", assertions=that("body", "not_contains", "error", level="warn")))
    assert (found.outcome, found.error) == ("warn", "The response cannot be decompressed")


def test_a_body_that_cannot_be_unpacked_does_not_matter_where_values_are_only_kept() -> None:
    found, _ = run(_asked("not-packed", json_parsing=JsonParsing(enabled=True)))
    assert (found.outcome, found.data) == ("pass", None)


def test_a_failure_tells_how_far_the_check_came() -> None:
    found, _ = run(_asked("hang"))
    assert found.phases.connect is not None
    assert (found.phases.first_byte, found.http_code, found.address) == (None, 0, OPEN)
    found, _ = run(_asked("hang-in-body"))
    assert found.phases.first_byte is not None
    assert found.phases.transfer is None


TLS = (
    (None, "name.test", True, "", EXPIRES),
    (None, "other.test", False, "Hostname mismatch", EXPIRES),
    (EXPIRED_PEM, "name.test", False, "certificate has expired", EXPIRED_AT),
    (SELF_SIGNED_PEM, "name.test", False, "self-signed certificate", None),
)


@each(("pem", "name", "valid", "error", "ends"), TLS)
def test_a_certificate_that_is_not_accepted_is_told_with_its_end(
    pem: object, name: str, valid: bool, error: str, ends: int | None
) -> None:
    async def asked(kind: str) -> CheckResult:
        async with names() as server, faults(secure(pem) if pem else secure()) as place:  # type: ignore[arg-type]  # a path of the table
            server.records[(name, "A")] = [[OPEN]]
            url = f"https://{name}:{place.port}/" if kind == "http" else f"tls://{name}:{place.port}"
            return await check(monitor(url, kind), server)  # type: ignore[arg-type]  # one of both kinds

    for kind in ("http", "tls"):
        found = run(asked(kind))
        assert (found.outcome, found.reason) == (("pass", "") if valid else ("fail", "tls"))
        assert error in found.error
        assert found.certificate_valid is valid
        assert found.certificate_ends == ends if ends else (found.certificate_ends or 0) > 0


def test_a_monitor_that_takes_any_certificate_passes_and_still_tells_of_it() -> None:
    async def asked(kind: str) -> CheckResult:
        async with names() as server, faults(secure(EXPIRED_PEM)) as place:
            server.records[("name.test", "A")] = [[OPEN]]
            url = f"https://name.test:{place.port}/" if kind == "http" else f"tls://name.test:{place.port}"
            return await check(monitor(url, kind, verify=False), server)  # type: ignore[arg-type]  # one of both kinds

    for kind in ("http", "tls"):
        found = run(asked(kind))
        assert (found.outcome, found.certificate_valid, found.certificate_ends) == ("pass", False, EXPIRED_AT)


def test_servers_that_only_speak_old_tls_or_none_are_told() -> None:
    async def asked(server: AbstractAsyncContextManager[Faults]) -> CheckResult:
        async with server as place:
            return await check(monitor(f"https://{OPEN}:{place.port}/"))

    old, none = run(asked(banner(old_tls))), run(asked(banner(says(b"220 mail.example.com ESMTP\r\n"))))
    assert old.reason == none.reason == "tls"
    assert "version of TLS" in old.error
    assert "does not speak TLS" in none.error


def test_name_servers_that_do_not_answer_and_names_that_are_not_there() -> None:
    async def asked(name: str, *, silent: bool = False) -> CheckResult:
        async with names() as server:
            server.silent = silent
            return await check(monitor(f"http://{name}/", ms=_SHORT), server)

    assert run(asked("slow.test", silent=True)).reason == "timeout"
    missing = run(asked("missing.test"))
    assert (missing.reason, missing.error) == ("dns", "The name has no address")


def test_a_name_that_turns_inside_between_two_checks_is_refused_at_the_second() -> None:
    async def asked() -> list[str]:
        async with names() as server, faults() as place:
            server.records[("turns.test", "A")] = [[OPEN], ["127.0.0.1"]]
            url = f"http://turns.test:{place.port}/"
            return [(await check(monitor(url), server)).reason for _ in range(2)]

    assert run(asked()) == ["", "refused"]


def test_closed_port_is_reported() -> None:
    async def asked() -> CheckResult:
        async with faults() as server:
            port = server.port
        return await check(monitor(f"http://{OPEN}:{port}/"))

    found = run(asked())
    assert (found.reason, found.error) == ("connect", "The connection is refused: nothing listens on this port")
