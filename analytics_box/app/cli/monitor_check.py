"""The command `analytics-box monitor check`, which needs no box."""

import asyncio
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final, get_args

import click

from analytics_box.app.cli.options import AS_JSON, read_settings, report_refusals, show, with_settings
from analytics_box.base.clock import SystemClock
from analytics_box.base.outgoing import client
from analytics_box.base.outgoing.failures import AddressRefused
from analytics_box.base.settings import Settings
from analytics_box.products.monitors.monitor import Assertion, Kind, Monitor, Options, RecordType, Subject
from analytics_box.products.monitors.probing.address import clean_address
from analytics_box.products.monitors.probing.probe import KINDS, Prober
from analytics_box.products.monitors.result import CheckPhases, CheckResult

_DAY: Final = 86_400_000
_TEXTS: Final[dict[Kind, Subject]] = {"http": "body", "tcp": "banner", "dns": "record"}
_BY_SCHEME: Final[dict[str, Kind]] = {kind: kind for kind in KINDS}
_STEPS: Final = (
    ("dns", "name look-up"),
    ("connect", "connect"),
    ("tls", "TLS"),
    ("first_byte", "first byte"),
    ("transfer", "transfer"),
)


@click.command("check")
@click.argument("url")
@click.option(
    "--kind",
    type=click.Choice(list(KINDS)),
    default=None,
    help="Kind of check. [default: by the scheme of URL, or http]",
)
@click.option("--timeout", type=click.FloatRange(0.1, 120), default=10.0, show_default=True, help="Timeout in seconds.")
@click.option("--status", default="", help="HTTP statuses that mean up, such as 200-299,404. [default: all below 500]")
@click.option("--contains", default="", help="Text that the response must contain.")
@click.option(
    "--record", type=click.Choice(get_args(RecordType)), default="A", show_default=True, help="DNS record type."
)
@click.option("--server", default="", help="Name server for a DNS check. [default: that of the system]")
@AS_JSON
@with_settings("data_dir", "allowed_private_targets", "dns_servers")
def monitor_check(
    url: str,
    kind: Kind | None,
    timeout: float,
    status: str,
    contains: str,
    record: RecordType,
    server: str,
    as_json: bool,
    **given: Any,
) -> None:
    """Check URL once, as a monitor does, and print the duration of each step. No server needs to run.

    Examples of URL: example.com, https://example.com/health, tcp://example.com:22, tls://example.com,
    dns://example.com, ping://example.com. The exit code is 0 for up, 1 for down and 2 for invalid usage.
    """
    meant, address = _kind_and_address(kind, url)
    asked = Monitor(
        number=0,
        id="",
        organization_id="",
        kind=meant,
        url=address,
        timeout=round(timeout * 1000),
        options=Options(record=record, server=server, assertions=_assertions(meant, status, contains)),
    )

    def run() -> None:
        found = asyncio.run(_run_check(read_settings(given), asked))
        show(_plain(asked, found), list(_words(found)), as_json=as_json)
        sys.exit(1 if found.outcome == "fail" else 0)

    report_refusals(run)


def _assertions(kind: Kind, status: str, contains: str) -> tuple[Assertion, ...]:
    about = _TEXTS.get(kind)
    if (contains and about is None) or (status and kind != "http"):
        raise click.UsageError(f"--status and --contains do not apply to a check of kind {kind}")
    found = [Assertion("status", "in", status)] if status else []
    if contains and about is not None:
        found.append(Assertion(about, "contains", contains))
    return tuple(found)


async def _run_check(settings: Settings, asked: Monitor) -> CheckResult:
    return await Prober(client.clients(settings, agent="Analytics Box")).check(asked, SystemClock().now())


def _kind_and_address(kind: Kind | None, url: str) -> tuple[Kind, str]:
    """The kind of the check, and the address with its scheme."""
    scheme, found, _ = url.partition("://")
    meant = kind or _BY_SCHEME.get(scheme.lower() if found else "", "http")
    if not found:
        url = f"{'https' if meant == 'http' else meant}://{url}"
    try:
        return meant, clean_address(meant, url)
    except AddressRefused as refused:
        raise click.BadParameter(str(refused), param_hint="URL") from refused


def _words(found: CheckResult) -> Iterator[str]:
    took = f"{_ms(found.total):,.1f} ms"
    status = f", status {found.http_code}" if found.http_code else ""
    yield f"Up in {took}{status}" if found.outcome != "fail" else f"Down after {took}{status}: {found.error}"
    for name, called in _STEPS:
        if (step := getattr(found.phases, name)) is not None:
            yield f"  {called:<13}{_ms(step):>10,.1f} ms"
    if found.address:
        yield f"  {'address':<13}{found.address}"
    if found.bytes is not None:
        leads = f", after {found.redirects} redirect{'' if found.redirects == 1 else 's'}" if found.redirects else ""
        yield f"  {'received':<13}{found.bytes:,} bytes{leads}"
    if found.certificate_ends is not None:
        told = "accepted" if found.certificate_valid else "not accepted"
        yield f"  {'certificate':<13}{told}, {_end(found.certificate_ends, found.at)}"


def _end(ends: int, now: int) -> str:
    day = f"{datetime.fromtimestamp(ends / 1000, UTC):%Y-%m-%d}"
    days = abs(ends - now) // _DAY
    return f"expires {day}, in {days:,} days" if ends > now else f"expired {day}, {days:,} days ago"


def _plain(asked: Monitor, found: CheckResult) -> dict[str, Any]:
    """The result for programs; durations in ms, times in UTC ms."""
    return {
        "url": asked.url,
        "kind": asked.kind,
        "up": found.outcome != "fail",
        "reason": found.reason,
        "error": found.error,
        "status": found.http_code or None,
        "total": _ms(found.total),
        "ttfb": _ms(found.ttfb),
        "phases": {name: _ms(getattr(found.phases, name)) for name in CheckPhases.__struct_fields__},
        "address": found.address,
        "bytes": found.bytes,
        "redirects": found.redirects,
        "certificateEnds": found.certificate_ends,
        "certificateValid": found.certificate_valid,
    }


def _ms(us: int | None) -> Any:
    return None if us is None else us / 1000
