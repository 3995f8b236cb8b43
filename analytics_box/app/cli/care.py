"""The commands `analytics-box prune`, `retire` and `vacuum`."""

from collections.abc import Iterator
from datetime import date
from typing import Any

import click
import msgspec

from analytics_box.app.admin import channel
from analytics_box.app.cli.command import BOX, Request, argument, check_box, command, option
from analytics_box.app.cli.options import AS_JSON, read_settings, report_refusals, show, with_settings
from analytics_box.base.backup import restore
from analytics_box.base.clock import iso_day
from analytics_box.base.settings import Settings
from analytics_box.base.store import data_lock, schema, space
from analytics_box.base.store.space import VacuumResult

_SECONDS = 4 * 3_600.0
_MEGABYTE = 1_000_000
_EPOCH = date(1970, 1, 1)


def _prune(request: Request) -> Any:
    before, retention, everything = (request.values[name] for name in ("before", "retention", "everything"))
    website, clicks = request.input.get("website"), request.input["clicks"]
    if (before is None) == (not retention):
        raise click.UsageError("Use either --before or --retention")
    if retention and (clicks or website is not None or everything):
        raise click.UsageError("--retention applies to all websites. It cannot be combined with the other options")
    if not retention and not (everything or website or clicks):
        raise click.UsageError("Select what to remove: --website, --all or --clicks")
    if everything and website is not None:
        raise click.UsageError("Use either --website or --all")
    request.input["websites"] = retention or everything or website is not None
    request.input["before"] = (before.date() - _EPOCH).days if before is not None else None
    return request.call()


def _prune_lines(done: dict[str, Any]) -> Iterator[str]:
    would = "would be removed" if done["dryRun"] else "removed"
    for one in done["removed"]:
        yield f"{one['domain'] or 'Short links'}: {_rows(one['rows'])} from before {iso_day(one['before'])} {would}"
    if done["texts"]:
        yield f"{done['texts']:,} unused texts removed"
    if not done["removed"]:
        yield "No website has a retention period, so there is nothing to remove"


def _rows(rows: dict[str, int]) -> str:
    named = [f"{count:,} {table.replace('_', ' ')}" for table, count in rows.items() if count]
    return ", ".join(named) or "nothing"


prune = command(
    "prune",
    "prune",
    "Remove old events of one website or of all.\n\n"
    "A session is removed as a whole, by the day on which it began. Visitors and texts without remaining events are "
    "also removed. Select what to remove: --website, --all or --clicks.",
    click.Option(
        ("--before",),
        type=click.DateTime(["%Y-%m-%d"]),
        metavar="DAY",
        help="Remove events from before this day (UTC), such as 2025-01-01.",
    ),
    click.Option(("--retention",), is_flag=True, help="Apply the retention periods of all websites now."),
    option("website", "--website", "Only this website: its ID or domain."),
    click.Option(("--all", "everything"), is_flag=True, help="All websites."),
    option("clicks", "--clicks", "Clicks on short links of all organizations. Their totals remain.", is_flag=True),
    option("dryRun", "--dry-run", "Show how many rows would be removed without removing them.", is_flag=True),
    target=BOX,
    run=_prune,
    text=_prune_lines,
    seconds=_SECONDS,
)

retire = command(
    "retire",
    "retire",
    "Remove an ingest node permanently.\n\n"
    "Events that it has not shipped to ClickHouse are lost. Its number can never be used again.",
    argument("number", "number", type=click.IntRange(1, 1023)),
    target=BOX,
    run=lambda request: request.call() | request.input,
    text=lambda done: [f"Ingest node {done['number']} is removed"],
)


@click.command()
@AS_JSON
@with_settings("data_dir")
def vacuum(as_json: bool, **given: Any) -> None:
    """Return unused space in both databases to the disk.

    On a running server, empty pages are returned in small steps while events keep coming in. On a stopped server,
    both files are rewritten without gaps. This needs free disk space of twice their size, which is checked first.
    """

    def run() -> None:
        done = _vacuum(read_settings(given))
        show(done, [_line(one) for one in done], as_json=as_json)

    report_refusals(run)


def _vacuum(settings: Settings) -> list[dict[str, Any]]:
    check_box(settings.data_dir)
    try:
        with data_lock.lock(settings.data_dir):
            restore.complete(settings.data_dir)
            files = [settings.data_dir / name for name in (schema.BOX_FILE, schema.EVENTS_FILE)]
            done: list[VacuumResult] = [space.rebuild(path) for path in files if path.exists()]
            return [msgspec.to_builtins(one) for one in done]
    except data_lock.AlreadyRunning:
        answered: list[dict[str, Any]] = channel.ask(settings.data_dir, "vacuum", seconds=_SECONDS)
        return answered


def _line(one: dict[str, Any]) -> str:
    before, after = (one[name] / _MEGABYTE for name in ("before", "after"))
    how = "rewritten" if one["how"] == "rebuilt" else "empty pages returned"
    return f"{one['file']}: {before:,.1f} MB before, {after:,.1f} MB after ({how})"
