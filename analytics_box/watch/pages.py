"""The page /settings/box: the program itself, what it keeps on disk, and what answers queries."""

from pathlib import Path

import analytics_box
from analytics_box import texts
from analytics_box.backup.backups import Backups
from analytics_box.backup.record import Entry
from analytics_box.http.page.dates import moment
from analytics_box.http.page.visit import Page, Visitor
from analytics_box.identity import Person
from analytics_box.query.engines import Status
from analytics_box.query.run import Queries
from analytics_box.store import schema
from analytics_box.texts import figures

_MEGABYTE = 1_000_000
_SHOWN = 10  # backups


async def box(visit: Visitor) -> Page:
    """GET /settings/box."""
    words, parts = texts.TheBox, visit.parts
    status = await parts[Queries].engines.status()
    directory = parts.settings.data_dir
    files = {name: _megabytes(_size(directory, name)) for name in (schema.BOX_FILE, schema.EVENTS_FILE)}
    return visit.settings_page(
        "box.html",
        "box",
        version=analytics_box.__version__,
        files=files,
        logs=_megabytes(sum(db.log_bytes for db in (parts.box_db, parts[Queries].engines.events))),
        engine=words.engines[parts[Queries].engines.name],
        state=words.states[status.state],
        facts=_facts(status),
        backups=[_backup(entry, visit.person) for entry in parts[Backups].standing().recent[:_SHOWN]],
    )


def _backup(entry: Entry, person: Person) -> tuple[str, str]:
    """When a backup ended, and what became of it."""
    words = texts.BackupNotices
    said = words.whole.format(name=entry.name, size=_megabytes(entry.bytes))
    return moment(entry.ended, person), words.failed_row.format(error=entry.error) if entry.error else said


def _facts(status: Status) -> dict[str, str]:
    """What the column replica is, by the names of texts.TheBox; empty where there is none."""
    if status.state == "off":
        return {}
    return {
        "rows": figures.count(status.rows),
        "behind": figures.count(status.behind),
        "memory": _megabytes(status.memory),
        "size": _megabytes(status.size),
    }


def _size(directory: Path, name: str) -> int:
    """Bytes of a database with its log."""
    return sum(file.stat().st_size for file in (directory / name, directory / f"{name}-wal") if file.exists())


def _megabytes(size: int) -> str:
    return texts.TheBox.megabytes.format(number=f"{size / _MEGABYTE:,.1f}")
