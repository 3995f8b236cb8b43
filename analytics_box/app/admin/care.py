"""The commands `prune` and `vacuum`, and how the box is doing, which `check` and `doctor` ask."""

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.app.admin.asking import command_line
from analytics_box.app.admin.given.care import NoOptions, Prune, Retire
from analytics_box.app.admin.websites import website_of
from analytics_box.app.watch import state as watch_state
from analytics_box.app.watch.state import BoxState, WatchedParts
from analytics_box.base import audit, errors
from analytics_box.base.clock import DAY, utc_day
from analytics_box.base.facts import erase
from analytics_box.base.log import RECENT, LogLine
from analytics_box.base.store import space
from analytics_box.base.store.db import Connection, Db
from analytics_box.base.store.space import VacuumNoRoom, VacuumResult
from analytics_box.ingest.cluster.primary import Machines
from analytics_box.products.links.clicks import retention
from analytics_box.products.people import unused
from analytics_box.products.people.erasure import Erasures
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.call import Parts


class PruneResult(Struct, frozen=True):
    """A website, or with empty ones the short links: from before which instant (UTC ms), and rows by table."""

    website: str
    domain: str
    before: int
    rows: dict[str, int]


class PruneDone(Struct, frozen=True):
    """The rows removed, or to be removed in a dry run. `texts` are strings that nothing referred to any more."""

    dryRun: bool
    removed: list[PruneResult]
    texts: int


async def prune(parts: Parts, given: Prune) -> PruneDone:
    """prune. Broken off it has removed a part; the next one removes the rest. Raises BadRequest or NotFound."""
    today = utc_day(parts.clock.now())
    if given.before is not None and given.before >= today:
        raise errors.BadRequest(
            "Only days that are over by a day can be removed: name yesterday (UTC) or a day before it"
        )
    events = parts[WatchedParts].databases[1]
    removed = []
    for website, before in _prune_targets(parts, given, today):
        removed.append(await _of_website(parts, events, website, before, dry=given.dry_run))
    if given.clicks and given.before is not None:
        before = given.before * DAY
        work = retention.count_older if given.dry_run else retention.erase_older
        removed.append(PruneResult("", "", before, {"link_clicks": await work(events, before)}))
    went = not given.dry_run and any(any(one.rows.values()) for one in removed)
    return PruneDone(given.dry_run, removed, await unused.sweep(parts[Erasures]) if went else 0)


def _prune_targets(parts: Parts, given: Prune, today: int) -> list[tuple[Website, int]]:
    """The websites, each with the instant before which its facts go."""
    websites = [website_of(parts, given.website)] if given.website is not None else parts[Directory].all()
    if not given.websites:
        return []
    found = []
    for website in sorted(websites, key=lambda website: website.domain):
        days = website.tracking.dataRetentionDays
        if given.before is not None:
            found.append((website, given.before * DAY))
        elif days is not None:
            found.append((website, (today - days) * DAY))
    return found


async def _of_website(parts: Parts, events: Db, website: Website, before: int, *, dry: bool) -> PruneResult:
    if dry:
        rows = await erase.count_before(events, website.site, instant=before)
    else:
        elsewhere = parts[Erasures].beyond.visitors
        rows = await erase.before(events, website.site, instant=before, elsewhere=elsewhere)
        if any(rows.values()):
            await parts.box_db.write(lambda db: _record(db, parts, website, before, rows))
    return PruneResult(website.id, website.domain, before, rows)


def _record(db: Connection, parts: Parts, website: Website, before: int, rows: dict[str, int]) -> None:
    detail = {"before": before, "rowsRemoved": sum(rows.values())}
    audit.record(db, command_line(parts), website.organization_id, "deleted", "events", website.id, detail)


async def vacuum(parts: Parts, given: NoOptions) -> list[VacuumResult]:
    """vacuum beside a running box: empty pages are given back in small writes. Raises Conflict for a full disk."""
    try:
        return [await space.give_back(db) for db in parts[WatchedParts].databases]
    except VacuumNoRoom as full:
        raise errors.Conflict(str(full)) from full


async def retire(parts: Parts, given: Retire) -> NoOptions:
    """retire: an ingest machine is gone for good. Raises NotFound."""
    if not await parts[Machines].retire(given.number):
        raise errors.NotFound(f"No ingest machine with the number {given.number} is known, or it is retired already")
    return NoOptions()


class DoctorReport(Struct, frozen=True):
    """The part of a support bundle that only a running box knows: nothing that people entered or sent."""

    state: BoxState
    log: tuple[LogLine, ...]


async def report(parts: Parts, given: NoOptions) -> DoctorReport:
    """The answer for `doctor`: the state of the box, and the latest lines of its log."""
    found = await watch_state.state(parts[WatchedParts])
    return DoctorReport(
        replace(
            found,
            jobs=[replace(job, error=_kind(job.error)) for job in found.jobs],
            # The code says which warning it is; its text may name addresses and channels.
            warnings=[replace(one, text="") for one in found.warnings],
        ),
        RECENT.lines,
    )


def _kind(error: str) -> str:
    """Of an error only its kind, which has no spaces."""
    kind = error.partition(":")[0]
    return kind if kind.isidentifier() else "…" if error else ""


async def state(parts: Parts, given: NoOptions) -> BoxState:
    """The state of the box."""
    return await watch_state.state(parts[WatchedParts])
