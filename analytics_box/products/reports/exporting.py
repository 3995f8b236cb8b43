"""The figures of a report as files in one archive: attached to its mail, offered to webhooks, and put into S3.

The archive is made once for a period. Its key in the storage is the period, so that a repeated upload replaces it.
"""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.backup.failures import BackupFailed
from analytics_box.base.backup.places import S3, place_of
from analytics_box.base.errors import Unavailable
from analytics_box.base.notify.rules import ReceiverBackoff
from analytics_box.base.notify.send import SendOutcome
from analytics_box.base.settings import Settings
from analytics_box.base.translation import _
from analytics_box.figures import export
from analytics_box.figures.asking import UnansweredQuery
from analytics_box.products.goals.lookup import active_goals
from analytics_box.products.overview.goal_rates import parts_of, sheet
from analytics_box.products.reports import making, rows
from analytics_box.products.reports.content import ReportContent
from analytics_box.products.reports.language import words_of
from analytics_box.products.reports.report import FileFormat, Report
from analytics_box.query.presence import Presence
from analytics_box.query.ranges import DayRange
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.call import Parts

log = logging.getLogger(__name__)

# Bytes. Mail servers often refuse larger mails.
MOST_ATTACHED: Final = 5_000_000
FORMAT_LABELS: Final[Mapping[FileFormat, str]] = {"csv": "CSV", "parquet": "Parquet"}


class ReportExport(Struct, frozen=True):
    """An archive of CSV or Parquet files."""

    name: str
    content: bytes


async def make_export(parts: Parts, report: Report, website: Website, days: DayRange) -> ReportExport:
    """The export of the dashboards on these days, with a folder for each of several websites. Raises Unavailable."""
    websites = making.websites_of(parts[Directory], report, website)
    try:
        found = [await _sheets(parts, report, one, days) for one in websites]
    except UnansweredQuery as failed:
        raise Unavailable(str(failed)) from failed
    names = [one.domain or "website" for one in websites]
    whole = [
        sheet if len(websites) == 1 else replace(sheet, name=f"{number}-{name}/{sheet.name}")
        for number, (name, sheets) in enumerate(zip(names, found, strict=True), 1)
        for sheet in sheets
    ]
    try:
        content = await asyncio.to_thread(export.archive, whole, report.file_format)
    except OSError as failed:
        raise Unavailable(_("The files could not be written: {error}").format(error=failed)) from failed
    name = names[0] if len(websites) == 1 else "report"
    return ReportExport(f"{name}-{days.first}-{days.last}.zip", content)


async def _sheets(parts: Parts, report: Report, website: Website, days: DayRange) -> Sequence[export.ExportSheet]:
    """The tables of one website. Raises UnansweredQuery."""
    query = await making.query_of(parts, report, website, days)
    goals = await active_goals(parts.box_db, website.id)
    measured = await parts[Presence].kinds(website.site)
    names = (*parts_of(query.view, measured), *(("goals",) if goals else ()))
    own: export.Own = {"goals": partial(sheet, view=query.view, goals=goals)}
    return await export.sheets_of(query.asking, query.view, names, own)


def export_text(content: ReportContent, report: Report, made: ReportExport | None) -> str:
    """The line about the attached export, in the language of its report. `made` is None for a preview."""
    words = words_of(report.language)
    _, kind = words.text, FORMAT_LABELS[report.file_format]
    if made is None or len(made.content) <= MOST_ATTACHED:
        return _("The figures are attached as {kind} files.").format(kind=kind)
    path, _mark, days = content.url.partition("?")
    return _("The {kind} files are too large for an email ({size}). Download them: {url}").format(
        kind=kind, size=words.number(figures.size(len(made.content))), url=f"{path}/export/csv?{days}"
    )


async def upload(parts: Parts) -> None:
    """Put waiting exports into the storage. After a failure the others wait for the next run: all have one storage."""
    error = ""
    while not error:
        now = parts.clock.now()
        due = await parts.box_db.read(partial(rows.due_export, now=now))
        if due is None:
            return
        try:
            await asyncio.to_thread(_put, parts.settings, due.key, due.content)
        except BackupFailed as failed:
            error = str(failed)
            log.warning("export of report %s: %s", due.report_id, error)
        ended = parts.clock.now()
        before = ReceiverBackoff(due.attempts, due.created_at if due.attempts else None)
        again_at = SendOutcome(error).verdict(before, ended, created_at=due.created_at).again_at
        await parts.box_db.write(
            partial(rows.store_upload, run_id=due.run_id, again_at=again_at, now=ended, error=error)
        )


def _put(settings: Settings, key: str, content: bytes) -> None:
    """Raises BackupFailed."""
    if not settings.backup_to.startswith(S3):
        raise BackupFailed(_("No S3 storage is set up: backup_to is not s3://bucket/prefix"))
    with place_of(settings.backup_to, settings).writing(key) as sink:
        sink.write(content)
