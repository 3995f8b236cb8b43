"""The command `analytics-box doctor`."""

import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from analytics_box.app import doctor as system
from analytics_box.app.admin import channel
from analytics_box.app.cli.options import AS_JSON, read_settings, report_refusals, show, with_settings
from analytics_box.app.watch.state import seen_without_a_box
from analytics_box.app.watch.warnings import warnings
from analytics_box.base.clock import SystemClock
from analytics_box.base.settings import Settings
from analytics_box.base.store import data_lock, integrity, schema
from analytics_box.base.store.files import write_private


@click.command()
@click.option(
    "--to",
    default="",
    help="File to write; - for standard output. [default: analytics-box-doctor-TIME.tar.gz]",
)
@AS_JSON
@with_settings()
def doctor(to: str, as_json: bool, **given: Any) -> None:
    """Create a support bundle.

    It contains versions, settings without their texts, sizes, counts, the integrity of the files, jobs, warnings and
    the last log messages. It contains no secrets, no addresses, and no names of users, websites or folders. With
    --json its content is printed instead.
    """

    def run() -> None:
        now = SystemClock().now()
        time = f"{datetime.fromtimestamp(now / 1000, UTC):%Y%m%d-%H%M%S}"
        found = system.gather_sections(_sections(read_settings(given, checked=False), now, time))
        if as_json:
            show(found, [], as_json=True)
            return
        _write(system.pack_bundle(found, now), to or f"{system.FOLDER}-{time}.tar.gz")

    report_refusals(run)


def _sections(found: Settings, now: int, time: str) -> dict[str, system.Section]:
    directory = found.data_dir
    in_use = _is_served(directory)
    sections: dict[str, system.Section] = {
        "about": lambda: system.about() | integrity.libraries() | {"running": in_use, "time": time},
        "settings": lambda: system.setting_values(found),
        "limits": system.limits,
        "data-directory": lambda: system.data_directory(directory, now),
        "box.db": lambda: integrity.report(directory / schema.BOX_FILE, in_use=in_use),
        "events.db": lambda: integrity.report(directory / schema.EVENTS_FILE, in_use=in_use),
    }
    if in_use:
        return sections | {"running": lambda: channel.ask(directory, "report")}
    return sections | {"warnings": lambda: warnings(seen_without_a_box(found, now))}


def _is_served(directory: Path) -> bool:
    try:
        return data_lock.is_served(directory)
    except Exception:
        return False


def _write(content: bytes, to: str) -> None:
    if to == "-":
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    try:
        write_private(Path(to), content)
    except OSError as broken:
        raise click.ClickException(f"{to} cannot be written: {os.strerror(broken.errno or 0)}") from broken
    click.echo(f"{to}: {len(content) / 1000:,.1f} KB. Check its content before you send it")
