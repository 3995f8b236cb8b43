"""Sending of reports: what is due is made, queued with the claim of its period in one transaction, and delivered.

A period is claimed by its row, so it is never sent twice: not after a restart, and not after a clock was set back. Of
periods that ended while the box was off only the newest is sent. A mail that was handed over while the box was killed
may be sent again, under the same id.
"""

import hmac
import logging
from collections.abc import Collection
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Final, Literal

import msgspec
from msgspec.structs import replace

from analytics_box.base import ids
from analytics_box.base.clock import DAY, MINUTE, Clock
from analytics_box.base.errors import BoxError
from analytics_box.base.later import Later
from analytics_box.base.notify.deliveries import ChannelDeliveries, queue_deliveries
from analytics_box.base.notify.html_mail import Render
from analytics_box.base.notify.lanes import ROUND
from analytics_box.base.notify.mail import MailFile
from analytics_box.base.notify.outbox import MessageOutbox
from analytics_box.base.notify.send import ChannelSender, SendOutcome
from analytics_box.base.settings import Settings
from analytics_box.base.store.db import Connection, Db
from analytics_box.base.store.seal import Seal
from analytics_box.base.translation import _
from analytics_box.products.reports import rows, schedule
from analytics_box.products.reports.report import REPORTS, Report
from analytics_box.products.reports.rows import RECEIVERS, RUNS, ReportDelivery, ReportRun
from analytics_box.products.reports.schedule import DuePeriod
from analytics_box.query.ranges import DayRange
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.call import Parts
from analytics_box.web.page.dates import Formats

if TYPE_CHECKING:
    from analytics_box.products.reports import content as contents
    from analytics_box.products.reports import exporting, language, making, wording
else:  # A box without reports does not load figures and their pages for them.
    contents = Later("analytics_box.products.reports.content")
    exporting = Later("analytics_box.products.reports.exporting")
    language = Later("analytics_box.products.reports.language")
    making = Later("analytics_box.products.reports.making")
    wording = Later("analytics_box.products.reports.wording")

log = logging.getLogger(__name__)

UNCONFIRMED_FOR: Final = 7 * DAY
# Before a report is made again whose figures could not be had in time.
_MAKE_AGAIN: Final = 5 * MINUTE
# Deliveries are retried for a day, and links to files expire.
EXPORTS_KEPT: Final = 2 * DAY
# Characters of a link, next to the recipient's id.
_MAC: Final = 24


LinkPurpose = Literal["recipient", "files"]


class ReportLinkKeys:
    """The links in mails and messages: the id of a recipient or of an export with a code that only this box's key
    gives."""

    def __init__(self, seal: Seal) -> None:
        self._seal = seal

    def token(self, id: str, about: LinkPurpose = "recipient") -> str:
        """The part of an address that proves that this box made it. Raises SealBroken."""
        key = self._seal.derive("links of reports" if about == "recipient" else "files of reports")
        return f"{id}.{hmac.digest(key, id.encode(), sha256).hex()[:_MAC]}"

    def id_in(self, token: str, about: LinkPurpose = "recipient") -> str | None:
        """The id in a token, None for a forged one. Raises SealBroken."""
        id, dot, _mac = token.partition(".")
        return id if dot and hmac.compare_digest(self.token(id, about).encode(), token.encode()) else None


class ReportDeliveries(MessageOutbox[ReportDelivery]):
    """The outbox of reports."""

    def __init__(
        self, db: Db, seal: Seal, sender: ChannelSender, clock: Clock, settings: Settings, render: Render
    ) -> None:
        super().__init__(db, sender, clock, RECEIVERS, (self._due,))
        self.links = ReportLinkKeys(seal)
        self._settings = settings
        self.render = render
        # The times (UTC ms) until which reports that could not be made wait, by their ids.
        self.postponed: dict[str, int] = {}

    async def sweep(self) -> None:
        """Delete recipients who have not confirmed, and exports that no delivery needs any longer."""
        now = self._clock.now()
        await self._db.write(lambda db: rows.sweep(db, now - UNCONFIRMED_FOR, now - EXPORTS_KEPT))

    async def _due(self, recipients: Collection[str], organizations: Collection[str]) -> list[ReportDelivery]:
        now = self._clock.now()
        return await self._db.read(lambda db: rows.due(db, now, ROUND, without=recipients, organizations=organizations))

    async def _try(self, delivery: ReportDelivery) -> None:
        if not await self._db.read(lambda db: rows.waits(db, delivery.number)):
            return
        outcome = await self._send(delivery)
        label = f"report {delivery.report_id} to recipient {delivery.recipient_id}"
        await self.settle(delivery, outcome, partial(rows.store_attempt, number=delivery.number), label=label)

    async def _send(self, delivery: ReportDelivery) -> SendOutcome:
        url, token = self._settings.public_url, self.links.token(delivery.recipient_id)
        links = wording.ReportLinks(
            f"{url}/sites/{delivery.website_id}/reports/{delivery.report_id}" if delivery.is_member else "",
            f"{url}/reports/unsubscribe/{token}",
            url,
        )
        words = language.words_of(delivery.language)
        named = {"to": delivery.email, "report_id": delivery.report_id, "id": delivery.id}
        if delivery.content is None:
            confirm = f"{url}/reports/confirm/{token}"
            asked = delivery.report, delivery.website
            mail = wording.request_of(*asked, links, self.render, words, confirm=confirm, **named)
            return await self._sender.mail(mail)
        whole = msgspec.json.decode(delivery.content, type=contents.ReportContent)
        resources = None if delivery.resources is None else msgspec.json.decode(delivery.resources, type=set[str])
        content = contents.in_reach(whole, resources)
        if content is None:
            return SendOutcome(_("The recipient can no longer access these websites"), final=True)
        content = language.for_reader(content, Formats(delivery.date_format, delivery.time_format), words)
        mail = wording.mail_of(content, links, self.render, words, **named)
        run_id = delivery.run_id
        found = await self._db.read(lambda db: rows.export_of(db, run_id)) if content.export and run_id else None
        if found is not None and len(found[1]) <= exporting.MOST_ATTACHED:
            mail = replace(mail, files=(MailFile(found[0], "application/zip", found[1]),))
        return await self._sender.mail(mail)


async def upload_exports(parts: Parts) -> None:
    """Put exports that are due into the S3 storage."""
    now = parts.clock.now()
    if await parts.box_db.read(lambda db: rows.has_due_export(db, now)):
        await exporting.upload(parts)


async def tick(parts: Parts) -> None:
    """Make and queue the reports that are due. One that cannot be made does not stop the others."""
    now, deliveries = parts.clock.now(), parts[ReportDeliveries]
    due = await parts.box_db.read(lambda db: _due_reports(db, now))
    deliveries.postponed = {
        report.id: until for report, _period in due if (until := deliveries.postponed.get(report.id, 0)) > now
    }
    for report, period in due:
        website = parts[Directory].find(report.website_id)
        if website is None or report.id in deliveries.postponed:
            continue
        try:
            await send(parts, report, website, period.days)
        except BoxError as failed:
            deliveries.postponed[report.id] = now + _MAKE_AGAIN
            log.warning("The report %s could not be made and will be retried: %s", report.id, failed.message)


async def send(parts: Parts, report: Report, website: Website, days: DayRange, *, manual: bool = False) -> bool:
    """Make a report and queue it for its recipients and channels. Return whether it was queued: not if its period was
    sent before, or if the report was changed while its figures were made. Raises Unavailable."""
    content = await making.make(parts, report, website, days)
    export = await exporting.make_export(parts, report, website, days) if report.exports else None
    if "email" in report.exports:
        content = replace(content, export=exporting.export_text(content, report, export))
    stored, now = msgspec.json.encode(content).decode(), parts.clock.now()
    run = ReportRun(ids.new_id(), report.id, days.first.isoformat(), days.last.isoformat(), manual, stored, now)

    files = None
    if export is not None and "webhook" in report.exports:
        url = f"{parts.settings.public_url}/reports/files/{parts[ReportDeliveries].links.token(run.id, 'files')}"
        files = contents.ExportLink(url, export.name, len(export.content), now + EXPORTS_KEPT)

    def claim(db: Connection) -> bool:
        current = REPORTS.find(db, report.id)
        if current is None or current.updated_at != report.updated_at:
            return False
        if not manual and rows.has_run(db, report.id, run.first_day):
            return False
        RUNS.insert(db, run)
        rows.queue(db, run)
        if export is not None:
            rows.put_export(db, run, export.name, export.content, uploads="storage" in report.exports)
        words = language.words_of(report.language)
        shown = language.for_reader(content, rows.formats_of(db, report.id), words)
        message = wording.message_of(shown, words, now, files)
        topic, organization_id = f"report:{run.id}", website.organization_id
        queue_deliveries(db, organization_id, message, topic=topic, now=now, only=report.channels)
        rows.forget_old_runs(db, report.id)
        return True

    queued = await parts.box_db.write(claim)
    if queued:
        parts[ReportDeliveries].soon()
        parts[ChannelDeliveries].soon()
    return queued


def _due_reports(db: Connection, now: int) -> list[tuple[Report, DuePeriod]]:
    """The active reports that have not been sent for their newest period."""
    found = [(report, schedule.latest(report, now)) for report in REPORTS.all(db, "is_active = 1 order by id")]
    return [
        (report, period)
        for report, period in found
        if schedule.is_due(report, period, now) and not rows.has_run(db, report.id, period.days.first.isoformat())
    ]
