"""The commands `analytics-box backup` and `restore`."""

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
import msgspec

from analytics_box.app.admin import channel
from analytics_box.app.cli.command import check_box
from analytics_box.app.cli.options import AS_JSON, read_effective_settings, report_refusals, with_settings
from analytics_box.base import errors
from analytics_box.base.backup import record, restore, take
from analytics_box.base.backup.failures import BackupFailed
from analytics_box.base.backup.manifest import KEY_IN_CLEAR, Manifest
from analytics_box.base.backup.places import PIPE, place_of, source_of
from analytics_box.base.backup.record import BackupEntry
from analytics_box.base.backup.sealing import passphrase_of
from analytics_box.base.backup.take import BackupOptions, PairCopy
from analytics_box.base.clock import SystemClock
from analytics_box.base.settings import FILE_NAME, Settings
from analytics_box.base.store import data_lock, schema
from analytics_box.base.translation import _

_MEGABYTE = 1_000_000
_COPY_SECONDS = 4 * 3_600.0
_PASSPHRASE = click.option(
    "--passphrase-file",
    default=None,
    type=click.Path(exists=True, dir_okay=False),
    help="File whose first line is the passphrase that encrypts backups. [default: backup_passphrase_file]",
)


@click.command()
@click.argument("dest", required=False)
@click.option(
    "--check", "only_check", is_flag=True, help="Verify an existing backup instead: a file, folder, - or s3://…"
)
@click.option("--keep", type=click.IntRange(min=0), default=0, help="Number of backups to keep in DEST. [default: all]")
@click.option("--without-key", is_flag=True, help="Leave out secret.key, which decrypts stored secrets.")
@_PASSPHRASE
@AS_JSON
@with_settings("data_dir")
def backup(
    dest: str | None,
    only_check: bool,
    keep: int,
    without_key: bool,
    passphrase_file: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Create a backup in DEST: a folder, - for standard output, or s3://bucket/prefix.

    The server can be running. DEST defaults to the setting backup_to. With --check, DEST is the backup to
    verify, which can be on a read-only disk.
    """

    def run() -> None:
        found = read_effective_settings(given)
        where = dest or ("" if only_check else found.backup_to)
        if not where:
            raise click.UsageError("Enter DEST: a folder, - or s3://bucket/prefix. Or set backup_to")
        passphrase = passphrase_of(
            passphrase_file or found.backup_passphrase_file, "" if passphrase_file else found.backup_passphrase
        )
        if only_check:
            _show_checked(*_check_backup(found, where, passphrase), as_json=as_json)
            return
        wanted = BackupOptions(passphrase=passphrase, keep=keep, with_key=not without_key)
        _show_made(back_up(found, where, wanted), as_json=as_json)

    report_refusals(run)


def back_up(found: Settings, where: str, wanted: BackupOptions) -> BackupEntry:
    """Create a backup of a data directory, whether its box runs or not. Raises BackupFailed or NotAnswering."""
    clock, place = SystemClock(), place_of(where, found)
    try:
        place.look()
        copy = _copy(found, clock)
        try:
            entry = take.finish(found, copy, place, wanted, clock)
        finally:
            take.remove(Path(copy.folder))
    except (BackupFailed, OSError) as failed:
        _note(found, BackupEntry(kind=wanted.kind, place=place.shown, ended=clock.now(), error=str(failed)))
        raise BackupFailed(str(failed)) from failed
    _note(found, entry)
    return entry


def _copy(found: Settings, clock: SystemClock) -> PairCopy:
    try:
        check_box(found.data_dir)
        with data_lock.lock(found.data_dir):
            restore.complete(found.data_dir)
            return take.copy(found, (), clock)
    except data_lock.AlreadyRunning:
        told = msgspec.convert(channel.ask(found.data_dir, "backup copy", seconds=_COPY_SECONDS), type=PairCopy)
        name = Path(told.folder).name  # the box can know its folder by another path; only our own path is ever deleted
        if name in {"", ".", ".."}:
            raise BackupFailed(_("The running server did not return the folder of its copy. See its log")) from None
        return PairCopy(str(found.data_dir / take.COPIES / name), told.moment)


def _note(found: Settings, entry: BackupEntry) -> None:
    """Record the result of a backup."""
    try:
        with data_lock.lock(found.data_dir):
            record.add(found.data_dir, entry)
    except data_lock.AlreadyRunning:
        try:
            channel.ask(found.data_dir, "backup note", msgspec.json.encode(entry))
        except (channel.NotAnswering, errors.BoxError) as refused:
            click.echo(f"Warning: the server did not record this backup: {refused}", err=True)


def _show_made(entry: BackupEntry, *, as_json: bool) -> None:
    to_error = entry.place == PIPE
    if as_json:
        click.echo(msgspec.json.encode(entry).decode(), err=to_error)
        return
    click.echo(
        f"{entry.name}: {entry.bytes / _MEGABYTE:,.1f} MB, data of {_time(entry.moment)}"
        f"{', encrypted' if entry.sealed else ''}",
        err=to_error,
    )
    if entry.has_key_in_clear:
        click.echo(f"{KEY_IN_CLEAR} Or use --passphrase-file or --without-key.", err=True)


def _check_backup(found: Settings, where: str, passphrase: bytes) -> tuple[str, Manifest]:
    place, name = source_of(where, found)
    return place.full_name(name), restore.check(place, name, passphrase)


def _show_checked(name: str, manifest: Manifest, *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps({"name": name, **_print_progress(manifest)}))
        return
    click.echo(f"{name} is intact. {_in_words(manifest)}")


def _print_progress(manifest: Manifest) -> dict[str, Any]:
    return {
        "version": manifest.version,
        "box": manifest.box,
        "moment": manifest.moment,
        "bytes": manifest.bytes,
        "events": manifest.rows(schema.EVENTS_FILE, "stored_events"),
        "websites": manifest.rows(schema.BOX_FILE, "websites"),
        "key": manifest.key,
    }


def _in_words(manifest: Manifest) -> str:
    events = manifest.rows(schema.EVENTS_FILE, "stored_events")
    return (
        f"Created {_time(manifest.moment)} by version {manifest.version}: {events:,} events, "
        f"{manifest.rows(schema.BOX_FILE, 'websites'):,} websites, {manifest.rows(schema.BOX_FILE, 'users'):,} "
        f"accounts, {manifest.bytes / _MEGABYTE:,.1f} MB"
        f"{', without its secret.key' if manifest.key == 'left out' else ''}"
        f"{f'. {manifest.notice}' if manifest.notice else ''}"
    )


def _time(instant: int) -> str:
    return f"{datetime.fromtimestamp(instant / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC"


@click.command("restore")
@click.argument("source")
@click.option("--yes", is_flag=True, help="Restore without asking for confirmation.")
@_PASSPHRASE
@AS_JSON
@with_settings("data_dir")
def restore_command(source: str, yes: bool, passphrase_file: str | None, as_json: bool, **given: Any) -> None:
    """Restore a backup from SOURCE: a file, a folder, or - for a pipe.

    SOURCE can also be s3://bucket/prefix/. The newest backup of a folder or prefix is used. The server must be stopped.
    The backup is verified first. The current files are moved to a folder next to them.
    """

    def run() -> None:
        found = read_effective_settings(given)
        if source == PIPE and not yes:
            raise click.UsageError("Add --yes to restore from a pipe")
        passphrase = passphrase_of(
            passphrase_file or found.backup_passphrase_file, "" if passphrase_file else found.backup_passphrase
        )
        directory = found.data_dir
        with _alone(directory):
            restore.complete(directory)
            place, name = source_of(source, found, restore.box_of(directory))
            ready = restore.prepare(directory, place, name, passphrase)
            try:
                if not yes:
                    _ask(directory, place.full_name(name), ready)
            except BaseException:
                restore.undo(directory)
                raise
            kept_config = ready.manifest.has(FILE_NAME) and (directory / FILE_NAME).exists()
            aside = restore.commit(directory, ready, SystemClock().now())
        _show_restored(directory, ready, aside, kept_config=kept_config, as_json=as_json)

    report_refusals(run)


def _alone(directory: Path) -> Any:
    if data_lock.is_served(directory):
        raise data_lock.AlreadyRunning(f"{directory} is in use by a running server. Stop it before you restore")
    return data_lock.lock(directory)


def _ask(directory: Path, name: str, ready: restore.RestoreCandidate) -> None:
    click.echo(f"{name} is intact. {_in_words(ready.manifest)}", err=True)
    for line in _losses(ready):
        click.echo(line, err=True)
    if not sys.stdin.isatty():
        raise BackupFailed(_("There is no terminal for the confirmation. Add --yes"))
    click.confirm(f"Restore it into {directory}?", abort=True, err=True)


def _losses(ready: restore.RestoreCandidate) -> list[str]:
    if not ready.there:
        return []
    loss = ready.loss
    return [
        *(["This backup is of ANOTHER server than the current files."] if ready.other_box else []),
        f"Newer data is lost: {loss.events:,} events, {loss.clicks:,} clicks on short links, {loss.changes:,} changes "
        "in the audit log. Since-revoked keys and sessions work again, passwords are those of the backup, and users "
        "removed since then are back.",
    ]


def _show_restored(
    directory: Path, ready: restore.RestoreCandidate, aside: Path | None, *, kept_config: bool, as_json: bool
) -> None:
    if as_json:
        told = {
            **_print_progress(ready.manifest),
            "lost": msgspec.to_builtins(ready.loss),
            "otherBox": ready.other_box,
            "kept": str(aside) if aside else None,
        }
        click.echo(json.dumps(told))
        return
    click.echo(f"Restored {directory}. {_in_words(ready.manifest)}")
    for line in _losses(ready):
        click.echo(line)
    if aside:
        click.echo(f"The previous files are in {aside}. Delete them when you no longer need them")
    if kept_config:
        click.echo(f"{directory / FILE_NAME} was not changed")
