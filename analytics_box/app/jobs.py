"""Everything that happens on its own, as one literal table: description, interval, function."""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Literal, NamedTuple

from analytics_box.app import node_side, removals
from analytics_box.app.box import Box
from analytics_box.app.watch import disk, runs
from analytics_box.app.watch.runs import KnownJob, error_text
from analytics_box.base import memory
from analytics_box.base.backup.backups import Backups
from analytics_box.base.errors import Unavailable
from analytics_box.base.notify import mail_limits
from analytics_box.base.store import pairing, space
from analytics_box.base.store.db import Connection
from analytics_box.base.store.trouble import Seldom
from analytics_box.ingest import repeats
from analytics_box.ingest.cluster.primary import Machines
from analytics_box.products.alerts.due import Reminders
from analytics_box.products.alerts.traffic.day_figures import FigureWatch
from analytics_box.products.alerts.traffic.watch import TrafficWatch
from analytics_box.products.flags import saving as flag_saving
from analytics_box.products.flags.schedules import ticking as flag_schedules
from analytics_box.products.flags.usage.counts import FlagCounts
from analytics_box.products.imports import history_import
from analytics_box.products.imports.worker import HistoryImports
from analytics_box.products.links.clicks import waiting
from analytics_box.products.links.clicks.waiting import Clicks
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.domains import DomainWatch
from analytics_box.products.monitors.erasing import Erasing
from analytics_box.products.monitors.running import retention as check_retention
from analytics_box.products.people import unused
from analytics_box.products.reports import sending as reports
from analytics_box.products.reports.sending import ReportDeliveries
from analytics_box.products.revenue import attribution
from analytics_box.products.shares.served import SharedPages
from analytics_box.products.status_pages.automatic import windows
from analytics_box.products.status_pages.automatic.telling import AutomaticIncidents
from analytics_box.products.status_pages.directory import StatusPages
from analytics_box.products.status_pages.incidents import ticking
from analytics_box.products.status_pages.subscribers.deliveries import SubscriberDeliveries
from analytics_box.products.status_pages.view.snapshots import PageSnapshots
from analytics_box.products.status_pages.view.sources import store_days
from analytics_box.query.imported import ImportedDays
from analytics_box.tenants.accounts import users
from analytics_box.tenants.accounts.second_factor import SecondSteps
from analytics_box.tenants.members import invitations
from analytics_box.tenants.websites import change
from analytics_box.tenants.websites.change import Maintenance
from analytics_box.tenants.websites.directory import Directory

log = logging.getLogger(__name__)

LONG = 300  # seconds; what runs less often is remembered
FIRST = 10  # seconds after the start until the first of them that is overdue; the others follow one by one


class ScheduledJob(NamedTuple):
    """A job. `seconds` is the time between two runs. What `removes` what is old, or settles it for good, waits until
    the clock is trusted. `on` says which machines it runs on: all, those that take events alone (nodes), or not those
    (box)."""

    name: str
    seconds: int
    run: Callable[[Box], Awaitable[None]]
    removes: bool = False
    on: Literal["all", "nodes", "box"] = "box"


async def turn_salts(box: Box) -> None:
    """Replace the salts of visitor hashes after midnight (UTC), and destroy those of earlier days."""
    box.events.salts.current(box.clock.now())
    box.events.salts.save()


async def finish_erasures(box: Box) -> None:
    """Complete visitor deletions that a crash or a full disk interrupted."""
    await box.events.erasures.resume()


async def sweep_limits(box: Box) -> None:
    """Remove expired rate limit counters from memory."""
    box.limits.sweep()


async def sweep_accounts(box: Box) -> None:
    """Delete expired sessions, password links and invitations."""
    now = box.clock.now()

    def sweep(db: Connection) -> None:
        users.sweep(db, now)
        invitations.delete_old(db, ended_before=now - invitations.KEPT)
        mail_limits.sweep(db, now)

    await box.box_db.write(sweep)
    box.parts[SecondSteps].waiting.sweep()


async def purge_websites(box: Box) -> None:
    """Delete the data of websites that can no longer be restored."""
    await removals.purge_websites(box.parts, box.events.db, grace_days=box.settings.grace_days, now=box.clock.now())


async def retain_events(box: Box) -> None:
    """Delete events that are older than the retention of their website."""
    await change.retain(_maintenance(box))
    if (imported := box.parts.get(ImportedDays)) is not None:
        await imported.load()


async def remove_of_retired(box: Box) -> None:
    """Delete expired events, and those of deleted websites, that retired ingest machines have in ClickHouse."""
    websites = box.parts[Directory].all()
    await node_side.remove_of_retired(box.box_db, box.events.engines, websites, box.clock.now())


async def attribute_payments(box: Box) -> None:
    """Find the visits of payments of the last minutes."""
    await _attribute(box, box.clock.now() - attribution.NEW)


async def attribute_waiting_payments(box: Box) -> None:
    """Find the visits of payments whose visitor was not known when they arrived."""
    await _attribute(box)


async def _attribute(box: Box, since: int = 0) -> None:
    events, elsewhere = box.events, box.parts[Machines].are_wanted
    numbers = events.intake.ledger.numbers
    await attribution.attribute(events.db, numbers, box.clock.now(), since, elsewhere=elsewhere)


async def note_old_client_ids(box: Box) -> None:
    """Record when previous client IDs were last used."""
    await change.note_old_client_ids(_maintenance(box))


async def purge_organizations(box: Box) -> None:
    """Delete the data of organizations that can no longer be restored."""
    days, now = box.settings.organization_grace_days, box.clock.now()
    await removals.purge_organizations(box.parts, box.events.db, grace_days=days, now=now)


async def continue_imports(box: Box) -> None:
    """Continue imports of history that a restart interrupted, and those that wait for disk space."""
    if await box.box_db.read(history_import.is_any_waiting):
        await asyncio.to_thread(box.parts.complete)
        box.parts[HistoryImports].soon()


async def deliver_messages(box: Box) -> None:
    """Send waiting messages to alert channels."""
    await box.deliveries.run()


async def report_channel_outages(box: Box) -> None:
    """Report failing alert channels through the other channels of their organization."""
    if await box.deliveries.report_outages(box.settings.public_url):
        box.deliveries.soon()


async def tell_subscribers(box: Box) -> None:
    """Send waiting updates to status page subscribers."""
    await box.parts[SubscriberDeliveries].run()


async def sweep_subscribers(box: Box) -> None:
    """Delete unconfirmed subscribers, and old records of sent updates."""
    await box.parts[SubscriberDeliveries].sweep()


async def send_reports(box: Box) -> None:
    """Create the reports that are due and queue them for their recipients."""
    await reports.tick(box.parts)


async def upload_report_exports(box: Box) -> None:
    """Put the files of reports into the S3 storage. A storage that hangs delays no report."""
    await reports.upload_exports(box.parts)


async def deliver_reports(box: Box) -> None:
    """Send waiting reports to their recipients."""
    await box.parts[ReportDeliveries].run()


async def sweep_reports(box: Box) -> None:
    """Delete report recipients who have not confirmed, and old exports."""
    await box.parts[ReportDeliveries].sweep()


async def watch_monitors(box: Box) -> None:
    """Restart the scheduler of monitor checks if it has stopped, and record that the server is running."""
    await box.engine.tick()


async def watch_domains(box: Box) -> None:
    """Look up when monitored domains expire, for alert rules."""
    if await box.parts[DomainWatch].run():
        box.deliveries.soon()


async def sweep_deliveries(box: Box) -> None:
    """Delete old delivery records."""
    await box.deliveries.sweep()


async def remind(box: Box) -> None:
    """Send reminders, escalations, and alerts that quiet hours held back."""
    if await box.parts[Reminders].run():
        box.deliveries.soon()


async def watch_traffic(box: Box) -> None:
    """Compare website traffic with the usual traffic, for alert rules."""
    if await box.parts[TrafficWatch].run():
        box.deliveries.soon()


async def watch_figures(box: Box) -> None:
    """Judge goal rates, funnels, missing pages and loading times of the day before, for alert rules on them."""
    if await box.parts[FigureWatch].run(box.parts):
        box.deliveries.soon()


async def sweep_alert_rules(box: Box) -> None:
    """Delete old records of alerts."""
    await box.parts[Reminders].sweep()


def _maintenance(box: Box) -> Maintenance:
    elsewhere = box.events.engines.beyond.visitors
    return Maintenance(box.box_db, box.events.db, box.parts[Directory], box.settings, box.clock, elsewhere)


async def reload_geo(box: Box) -> None:
    """Reload the location database if its file has changed."""
    await asyncio.to_thread(box.events.geo.reload)


async def count_allowed_bots(box: Box) -> None:
    """Count the quarantined events of allowed bots that have not been counted yet."""
    await box.events.quarantine.count_all()


async def forget_quarantined(box: Box) -> None:
    """Remove events quarantined for more than 30 days."""
    await box.events.quarantine.forget()


async def note_key_use(box: Box) -> None:
    """Record when API keys were last used."""
    await box.note_key_use()


async def store_share_views(box: Box) -> None:
    """Store how often share links were opened."""
    await box.parts[SharedPages].store_views(box.box_db)


async def note_numbers(box: Box) -> None:
    """Copy the latest website, link and monitor numbers to events.db, so that no number is reused after a restore."""
    await pairing.note_numbers(box.box_db, box.events.db)


async def sort_event_ids(box: Box) -> None:
    """Move the IDs of new events from memory to their table."""
    await repeats.sort_in(box.events.db, box.events.event_ids)


async def forget_event_ids(box: Box) -> None:
    """Delete event IDs that are too old for deduplication."""
    await repeats.forget(box.events.db, box.clock.now())


async def write_drops(box: Box) -> None:
    """Store the counts of dropped events."""
    await box.events.dropped.write()


async def forget_drops(box: Box) -> None:
    """Delete counts of dropped events after 90 days."""
    await box.events.dropped.forget()


async def retain_clicks(box: Box) -> None:
    """Delete clicks on short links after their retention, and old counts of orphan clicks."""
    await waiting.retain(box.events.db, box.settings, box.clock.now())


async def sweep_clicks(box: Box) -> None:
    """Delete the clicks of deleted short links."""
    await waiting.sweep(box.parts[Clicks], box.box_db)


async def retain_checks(box: Box) -> None:
    """Summarize old monitor checks, and delete those after their retention."""
    await check_retention.retain(box.events.db, box.settings, box.clock.now())


async def sweep_checks(box: Box) -> None:
    """Delete the checks of deleted monitors. After an upgrade, mask URLs in old checks."""
    await check_retention.sweep(box.events.db, box.box_db, box.parts[Erasing])
    await check_retention.mask(box.events.db, box.events.strings, partial(unused.sweep, box.events.erasures))


async def follow_websites(box: Box) -> None:
    """Stop monitors of deleted websites and organizations, and resume those of restored ones."""
    box.parts[Monitors].follow()


async def store_status_days(box: Box) -> None:
    """Store the past days of status pages."""
    await store_days(box.parts[PageSnapshots].sources, box.parts[StatusPages])


async def turn_incidents(box: Box) -> None:
    """Start and end status page maintenance, and publish automatic incidents."""
    await ticking.tick(box.parts)
    await windows.announce(box.parts)


async def sweep_incidents(box: Box) -> None:
    """Delete old drafts of automatic incidents."""
    await box.parts[AutomaticIncidents].sweep()


async def turn_flags(box: Box) -> None:
    """Apply scheduled changes of feature flags."""
    await flag_schedules.tick(box.parts)


async def write_flag_counts(box: Box) -> None:
    """Store how often feature flags were evaluated."""
    await box.parts[FlagCounts].write()


async def forget_flag_counts(box: Box) -> None:
    """Delete evaluation counts of feature flags after 400 days."""
    await box.parts[FlagCounts].forget()


async def purge_flags(box: Box) -> None:
    """Delete feature flags that can no longer be restored."""
    await flag_saving.purge(box.parts)


async def optimize(box: Box) -> None:
    """Update the statistics of SQLite's query planner."""
    for db in (box.box_db, box.events.db):
        await db.write(lambda connection: connection.pragma("optimize"))


async def watch_clock(box: Box) -> None:
    """Detect when the system clock jumps ahead."""
    await box.clock_watch.is_trusted()


async def look_at_disk(box: Box) -> None:
    """Refuse events while disk space is low, accept them again once there is space, and maintain the reserve file."""
    await asyncio.to_thread(box.reserve.look)
    await asyncio.to_thread(box.reserve.keep)


async def look_at_files(box: Box) -> None:
    """Detect removed, replaced or damaged databases."""
    for check in box.file_checks:
        await asyncio.to_thread(check.run)


async def give_space_back(box: Box) -> None:
    """Return unused space to the disk if a tenth of a database is empty."""
    for db in (box.box_db, box.events.db):
        while await db.write(_shorten):
            pass


def _shorten(db: Connection) -> bool:
    """Take some empty pages off the file, if there are many; whether there may be more to take."""
    empty, pages = (int(str(db.pragma(name))) for name in ("freelist_count", "page_count"))
    return empty * 10 >= pages and space.shorten(db)


async def give_memory_back(_box: Box) -> None:
    """Return unused memory to the system."""
    await asyncio.to_thread(memory.give_back)


async def maintain_columns(box: Box) -> None:
    """Update the column replica, and create it once there are enough events."""
    if box.mirroring is not None and not box.mirroring.has_asked:
        return  # what it would send may have to be removed
    await box.events.engines.maintain()
    if box.events.engines.replaced_at:
        box.parts[Machines].replace(box.events.engines.replaced_at)


async def hear_from_primary(box: Box) -> None:
    """Get websites, keys, salts and orders from the primary."""
    if box.mirroring is not None:
        await box.mirroring.pull(box.node_memory)


async def back_up(box: Box) -> None:
    """Create a scheduled backup if it is due."""
    await box.parts[Backups].run_if_due()


async def note_sizes(box: Box) -> None:
    """Record the size of the data, for the disk forecast."""
    now = box.clock.now()
    today = await asyncio.to_thread(disk.measure_today, box.settings.data_dir, now)
    await box.box_db.write(lambda db: disk.note(db, today))


JOBS = (
    ScheduledJob("hear from the primary", 3, hear_from_primary, on="nodes"),
    ScheduledJob("turn salts", 60, turn_salts, on="all"),
    ScheduledJob("finish erasures", 10, finish_erasures, on="all"),
    ScheduledJob("sweep limits", 60, sweep_limits, on="all"),
    ScheduledJob("sweep accounts", 3_600, sweep_accounts),
    ScheduledJob("note old client ids", 300, note_old_client_ids),
    ScheduledJob("purge websites", 3_600, purge_websites, removes=True),
    ScheduledJob("purge organizations", 3_600, purge_organizations, removes=True),
    ScheduledJob("retain events", 21_600, retain_events, removes=True, on="all"),
    ScheduledJob("remove events of retired machines", 21_600, remove_of_retired, removes=True),
    ScheduledJob("continue imports", 10, continue_imports),
    ScheduledJob("attribute payments", 60, attribute_payments),
    ScheduledJob("attribute waiting payments", 3_600, attribute_waiting_payments, removes=True),
    ScheduledJob("deliver messages", 5, deliver_messages),
    ScheduledJob("report channel outages", 60, report_channel_outages),
    ScheduledJob("tell subscribers", 5, tell_subscribers),
    ScheduledJob("send reports", 60, send_reports, removes=True),
    ScheduledJob("upload report exports", 60, upload_report_exports),
    ScheduledJob("deliver reports", 5, deliver_reports),
    ScheduledJob("sweep reports", 3_600, sweep_reports, removes=True),
    ScheduledJob("watch monitors", 5, watch_monitors),
    ScheduledJob("watch domains", 3_600, watch_domains),
    ScheduledJob("sweep deliveries", 86_400, sweep_deliveries),
    ScheduledJob("sweep subscribers", 3_600, sweep_subscribers, removes=True),
    ScheduledJob("remind", 30, remind),
    ScheduledJob("watch traffic", 60, watch_traffic),
    ScheduledJob("watch figures", 600, watch_figures),
    ScheduledJob("sweep alarms", 86_400, sweep_alert_rules, removes=True),
    ScheduledJob("reload places", 60, reload_geo, on="all"),
    ScheduledJob("count people", 3_600, count_allowed_bots, on="all"),
    ScheduledJob("forget held events", 3_600, forget_quarantined, removes=True, on="all"),
    ScheduledJob("note key use", 60, note_key_use),
    ScheduledJob("store share views", 60, store_share_views),
    ScheduledJob("note numbers", 60, note_numbers, on="all"),
    ScheduledJob("sort event ids", 10, sort_event_ids, on="all"),
    ScheduledJob("forget event ids", 3_600, forget_event_ids, on="all"),
    ScheduledJob("tend columns", 5, maintain_columns, on="all"),
    ScheduledJob("write drops", 1, write_drops, on="all"),
    ScheduledJob("forget drops", 21_600, forget_drops, removes=True, on="all"),
    ScheduledJob("sweep clicks", 600, sweep_clicks),
    ScheduledJob("retain clicks", 21_600, retain_clicks, removes=True),
    ScheduledJob("follow websites", 10, follow_websites),
    ScheduledJob("sweep checks", 600, sweep_checks),
    ScheduledJob("retain checks", 21_600, retain_checks, removes=True),
    ScheduledJob("store status days", 3_600, store_status_days, removes=True),
    ScheduledJob("turn incidents", 10, turn_incidents),
    ScheduledJob("sweep incidents", 86_400, sweep_incidents, removes=True),
    ScheduledJob("turn flags", 10, turn_flags),
    ScheduledJob("write flag counts", 60, write_flag_counts),
    ScheduledJob("purge flags", 3_600, purge_flags, removes=True),
    ScheduledJob("forget flag counts", 86_400, forget_flag_counts, removes=True),
    ScheduledJob("back up", 60, back_up, on="all"),
    ScheduledJob("watch the clock", 600, watch_clock, on="all"),
    ScheduledJob("look at the disk", 5, look_at_disk, on="all"),
    ScheduledJob("look at files", 10, look_at_files, on="all"),
    ScheduledJob("note sizes", 21_600, note_sizes, on="all"),
    ScheduledJob("optimize", 86_400, optimize, on="all"),
    ScheduledJob("give space back", 3_600, give_space_back, on="all"),
    ScheduledJob("give memory back", 60, give_memory_back, on="all"),
)


def of(box: Box) -> tuple[ScheduledJob, ...]:
    """The jobs that this machine has."""
    other = "box" if box.mirroring is not None else "nodes"
    return tuple(job for job in JOBS if job.on != other)


def declare(box: Box, next_runs: Callable[[], Mapping[str, int]]) -> None:
    """Report the jobs and when each runs next (Unix ms) to the pages that show them."""
    box.runs.known = {job.name: KnownJob((job.run.__doc__ or "").partition("\n")[0], job.seconds) for job in of(box)}
    box.runs.next_runs = next_runs


def delays(box: Box) -> dict[str, float]:
    """Seconds from now to the first run of each job with a long interval: what is left of its interval."""
    now = box.clock.now()
    long = [job for job in of(box) if job.seconds >= LONG]
    ran = box.box_db.write_now(lambda db: runs.last_runs(db, [job.name for job in long], now))
    return {
        job.name: max(job.seconds - max(now - ran[job.name], 0) / 1000, FIRST + place) for place, job in enumerate(long)
    }


_may_complain: defaultdict[str, Seldom] = defaultdict(Seldom)  # of a process


async def run_job(job: ScheduledJob, box: Box) -> None:
    """Run one job; a failure is logged and does not stop the next run."""
    began, failed, error = box.clock.monotonic(), True, ""
    try:
        if job.removes and not await box.clock_watch.is_trusted():
            return
        await job.run(box)
        if job.seconds >= LONG:
            now = box.clock.now()
            await box.box_db.write(lambda db: runs.note(db, job.name, now))
        failed = False
    except Unavailable as refused:
        error = error_text(refused)
        if _may_complain[job.name]:
            log.warning("The job '%s' did not run and will be retried: %s", job.name, refused.message)
    except Exception as broken:
        error = error_text(broken)
        log.exception("The job '%s' failed", job.name)
    seconds = box.clock.monotonic() - began
    box.runs.note(job.name, box.clock.now(), seconds=seconds, failed=failed, error=error)
