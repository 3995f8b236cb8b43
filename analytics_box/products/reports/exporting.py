"""The figures of a report as CSV files in one archive: attached to its mail, and put into the S3 storage of backups.

The archive is made once for a period. Its key in the storage is the period, so that a repeated upload replaces it.
"""

import asyncio
import logging
from functools import partial
from typing import Final

from msgspec import Struct

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
from analytics_box.products.reports.report import Report
from analytics_box.query.presence import Presence
from analytics_box.query.ranges import DayRange
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.call import Parts

log = logging.getLogger(__name__)

# Bytes. Mail servers often refuse larger mails.
MOST_ATTACHED: Final = 5_000_000


class ReportExport(Struct, frozen=True):
    """An archive of CSV files."""

    name: str
    content: bytes


async def make_export(parts: Parts, report: Report, website: Website, days: DayRange) -> ReportExport:
    """The export of the dashboard on these days. Raises Unavailable."""
    query = await making.query_of(parts, report, website, days)
    goals = await active_goals(parts.box_db, website.id)
    measured = await parts[Presence].kinds(website.site)
    names = (*parts_of(query.view, measured), *(("goals",) if goals else ()))
    own: export.Own = {"goals": partial(sheet, view=query.view, goals=goals)}
    try:
        sheets = await export.sheets_of(query.asking, query.view, names, own)
    except UnansweredQuery as failed:
        raise Unavailable(str(failed)) from failed
    content = await asyncio.to_thread(export.archive, sheets)
    return ReportExport(f"{website.domain or 'website'}-{days.first}-{days.last}.zip", content)


def export_text(content: ReportContent, made: ReportExport | None) -> str:
    """The line about the attached export. `made` is None for a preview."""
    if made is None or len(made.content) <= MOST_ATTACHED:
        return _("The figures are attached as CSV files.")
    path, _mark, days = content.url.partition("?")
    return _("The CSV files are too large for an email ({size}). Download them: {url}").format(
        size=figures.size(len(made.content)), url=f"{path}/export/csv?{days}"
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
