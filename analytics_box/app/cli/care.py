"""The commands `analytics-box prune` and `vacuum`."""

from datetime import UTC, datetime
from typing import Any

import click
import msgspec

from analytics_box.app.admin import channel
from analytics_box.app.admin.given import care
from analytics_box.app.cli.operating import carry_out
from analytics_box.app.cli.options import AS_JSON, read_settings, report_refusals, show, with_settings
from analytics_box.base import errors
from analytics_box.base.backup import restore
from analytics_box.base.clock import DAY
from analytics_box.base.settings import Settings
from analytics_box.base.store import data_lock, schema, space
from analytics_box.base.store.space import VacuumResult

_SECONDS = 4 * 3_600.0  # for which the running box may take
_MEGABYTE = 1_000_000


@click.command()
@click.option(
    "--before",
    type=click.DateTime(["%Y-%m-%d"]),
    default=None,
    metavar="DAY",
    help="Remove what is from before this UTC day, like 2025-01-01.",
)
@click.option("--retention", is_flag=True, help="Remove what websites do not want to keep any longer, now.")
@click.option("--website", default=None, help="Only of this website: its id or domain.")
@click.option("--all", "everything", is_flag=True, help="Of all websites.")
@click.option("--clicks", is_flag=True, help="Clicks on short links of all organizations; their totals stay.")
@click.option("--dry-run", is_flag=True, help="Only say how many rows that would be.")
@AS_JSON
@with_settings("data_dir")
def prune(
    before: datetime | None,
    retention: bool,
    website: str | None,
    everything: bool,
    clicks: bool,
    dry_run: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Remove events from before a day, of one website or of all.

    A session goes or stays as a whole, by the day on which it began. With the last event of somebody goes who it was,
    and texts go that nothing has any more. Name what: --website, --all or --clicks.
    """
    if (before is None) == (not retention):
        raise click.UsageError("Name either --before or --retention")
    if retention and (clicks or website is not None or everything):
        raise click.UsageError("--retention goes by the settings of all websites; it takes neither of the others")
    if not retention and not (everything or website or clicks):
        raise click.UsageError("Name what to remove: --website, --all or --clicks")
    if everything and website is not None:
        raise click.UsageError("Name either --website or --all")

    def run() -> None:
        wanted = care.Prune(
            before=_day(before) if before is not None else None,
            website=website,
            websites=retention or everything or website is not None,
            clicks=clicks,
            dry_run=dry_run,
        )
        done = carry_out(read_settings(given), "prune", wanted, seconds=_SECONDS)
        show(done, _of_prune(done), as_json=as_json)

    report_refusals(run)


def _day(day: datetime) -> int:
    return int(day.replace(tzinfo=UTC).timestamp() * 1000) // DAY


def _of_prune(done: dict[str, Any]) -> list[str]:
    would = "would be removed" if done["dryRun"] else "removed"
    lines = [
        f"{one['domain'] or 'Short links'}: {_rows(one['rows'])} from before {_date(one['before'])} {would}"
        for one in done["removed"]
    ]
    if done["texts"]:
        lines.append(f"{done['texts']:,} texts that nothing has any more removed")
    return lines or ["No website has a retention, so there is nothing to remove"]


def _rows(rows: dict[str, int]) -> str:
    named = [f"{count:,} {table.replace('_', ' ')}" for table, count in rows.items() if count]
    return ", ".join(named) or "nothing"


def _date(instant: int) -> str:
    return datetime.fromtimestamp(instant / 1000, UTC).date().isoformat()


@click.command()
@click.argument("number", type=click.IntRange(1, 1023))
@AS_JSON
@with_settings("data_dir")
def retire(number: int, as_json: bool, **given: Any) -> None:
    """Say that an ingest machine is gone for good: nobody waits for it any more.

    What it had and ClickHouse has not is lost. Its number is never used again.
    """

    def run() -> None:
        done = carry_out(read_settings(given), "retire", care.Retire(number))
        show(done, [f"The ingest machine {number} is retired"], as_json=as_json)

    report_refusals(run)


@click.command()
@AS_JSON
@with_settings("data_dir")
def vacuum(as_json: bool, **given: Any) -> None:
    """Give the empty space in both databases back to the disk.

    Beside a running box empty pages are given back in small steps, and events go on coming in. Without one both files
    are stored anew, which also closes gaps; that needs twice their size of free disk, and is checked first.
    """

    def run() -> None:
        done = _vacuum(read_settings(given))
        show(done, [_line(one) for one in done], as_json=as_json)

    report_refusals(run)


def _vacuum(found: Settings) -> list[dict[str, Any]]:
    if not (found.data_dir / schema.BOX_FILE).exists():
        raise errors.NotFound(f"There is no box in {found.data_dir}; name another --data-dir")
    try:
        with data_lock.lock(found.data_dir):
            restore.complete(found.data_dir)
            files = [found.data_dir / name for name in (schema.BOX_FILE, schema.EVENTS_FILE)]
            done: list[VacuumResult] = [space.rebuild(path) for path in files if path.exists()]
            return [msgspec.to_builtins(one) for one in done]
    except data_lock.AlreadyRunning:
        answered: list[dict[str, Any]] = channel.ask(found.data_dir, "vacuum", b"{}", seconds=_SECONDS)
        return answered


def _line(one: dict[str, Any]) -> str:
    before, after = (one[name] / _MEGABYTE for name in ("before", "after"))
    how = "stored anew" if one["how"] == "rebuilt" else "empty pages given back"
    return f"{one['file']}: {before:,.1f} MB before, {after:,.1f} MB after ({how})"
