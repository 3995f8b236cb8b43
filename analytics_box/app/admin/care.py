"""Commands that maintain the data directory: pruning, compacting, backups, and the state of a running box."""

from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from analytics_box.app.admin.lookup import website_of
from analytics_box.app.watch import state as watch_state
from analytics_box.app.watch.state import BoxState, WatchedParts
from analytics_box.base import audit, errors
from analytics_box.base.backup.backups import Backups
from analytics_box.base.backup.record import BackupEntry
from analytics_box.base.backup.take import PairCopy
from analytics_box.base.clock import DAY, utc_day
from analytics_box.base.facts import erase
from analytics_box.base.log import RECENT, LogLine
from analytics_box.base.store import space
from analytics_box.base.store.db import Connection, Db
from analytics_box.base.store.space import VacuumNoRoom, VacuumResult
from analytics_box.base.translation import _
from analytics_box.ingest.cluster.primary import Machines
from analytics_box.products.links.clicks import waiting
from analytics_box.products.people import unused
from analytics_box.products.people.erasure import Erasures
from analytics_box.tenants.tenancy.messages import Success
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.call import Call, Parts

_Text = Annotated[str, Meta(min_length=1, max_length=255)]


class Prune(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of `prune`: facts from before the UTC day with this number, or for None those older than each website's
    retention. `clicks` are those on short links.
    """

    before: Annotated[int, Meta(ge=0)] | None = None
    website: _Text | None = None
    websites: bool = True
    clicks: bool = False
    dryRun: bool = False


class PruneResult(Struct, frozen=True):
    """The rows removed by table, from before an instant (UTC ms). `website` is empty for clicks on short links."""

    website: str
    domain: str
    before: int
    rows: dict[str, int]


class PruneDone(Struct, frozen=True):
    """The rows removed, or to be removed in a dry run. `texts` are strings without references."""

    dryRun: bool
    removed: list[PruneResult]
    texts: int


async def prune(call: Call, given: Prune) -> PruneDone:
    """prune. If it is interrupted, the next run removes the rest. Raises BadRequest or NotFound."""
    today, parts = utc_day(call.now), call.parts
    if given.before is not None and given.before >= today:
        raise errors.BadRequest(_("Only complete days can be removed. Enter yesterday (UTC) or an earlier day"))
    events = parts[WatchedParts].databases[1]
    removed = [
        await _of_website(call, events, website, before, dry=given.dryRun)
        for website, before in _prune_targets(parts, given, today)
    ]
    if given.clicks and given.before is not None:
        before = given.before * DAY
        work = waiting.count_older if given.dryRun else waiting.erase_older
        removed.append(PruneResult("", "", before, {"link_clicks": await work(events, before)}))
    went = not given.dryRun and any(any(one.rows.values()) for one in removed)
    return PruneDone(given.dryRun, removed, await unused.sweep(parts[Erasures]) if went else 0)


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


async def _of_website(call: Call, events: Db, website: Website, before: int, *, dry: bool) -> PruneResult:
    if dry:
        rows = await erase.count_before(events, website.site, instant=before)
    else:
        elsewhere = call.parts[Erasures].beyond.visitors
        rows = await erase.before(events, website.site, instant=before, elsewhere=elsewhere)
        if any(rows.values()):
            await call.write(lambda db: _record(db, call, website, before, rows))
    return PruneResult(website.id, website.domain, before, rows)


def _record(db: Connection, call: Call, website: Website, before: int, rows: dict[str, int]) -> None:
    detail = {"before": before, "rowsRemoved": sum(rows.values())}
    audit.record(db, call.by, website.organization_id, "deleted", "events", website.id, detail)


async def vacuum(call: Call) -> list[VacuumResult]:
    """vacuum in a running box: free empty pages in small writes. Raises Conflict for a full disk."""
    try:
        return [await space.give_back(db) for db in call.parts[WatchedParts].databases]
    except VacuumNoRoom as full:
        raise errors.Conflict(str(full)) from full


class RetireNode(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of `retire`: the number of an ingest node."""

    number: Annotated[int, Meta(ge=1, le=1023)]


async def retire(call: Call, given: RetireNode) -> Success:
    """retire: remove an ingest node permanently. Raises NotFound."""
    if not await call.parts[Machines].retire(given.number):
        raise errors.NotFound(_("There is no active ingest node {number}").format(number=given.number))
    return Success()


class DoctorReport(Struct, frozen=True):
    """The part of a support bundle that only a running box has: no texts of users or visitors."""

    state: BoxState
    log: tuple[LogLine, ...]


async def report(call: Call) -> DoctorReport:
    """The answer for `doctor`: the state of the box, and the latest lines of its log."""
    found = await watch_state.state(call.parts[WatchedParts])
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
    """The kind of an error, without its text."""
    kind = error.partition(":")[0]
    return kind if kind.isidentifier() else "…" if error else ""


async def state(call: Call) -> BoxState:
    """The state of the box."""
    return await watch_state.state(call.parts[WatchedParts])


async def backup_copy(call: Call) -> PairCopy:
    """backup copy: a copy of both files as they are at one moment. Raises Conflict."""
    return await call.parts[Backups].copy()


async def backup_note(call: Call, given: BackupEntry) -> Success:
    """backup note: record the result of a backup."""
    await call.parts[Backups].note(given)
    return Success()
