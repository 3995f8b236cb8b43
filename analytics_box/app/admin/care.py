"""The commands `prune` and `vacuum`, and how the box is doing, which `check` and `doctor` ask."""

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.app.admin.asking import command_line
from analytics_box.app.admin.given.care import Nothing, Prune, Retire
from analytics_box.app.admin.websites import website_of
from analytics_box.app.watch import state as watch_state
from analytics_box.app.watch.state import State, Watched
from analytics_box.base import audit, errors
from analytics_box.base.clock import DAY, utc_day
from analytics_box.base.facts import erase
from analytics_box.base.log import RECENT, Line
from analytics_box.base.store import space
from analytics_box.base.store.db import Connection, Db
from analytics_box.base.store.space import NoRoom, Vacuumed
from analytics_box.ingest.cluster.primary import Machines
from analytics_box.products.links.clicks import retention
from analytics_box.products.people import unused
from analytics_box.products.people.erasure import Erasures
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.call import Parts


class Pruned(Struct, frozen=True):
    """A website, or with empty ones the short links: from before which instant (UTC ms), and rows by table."""

    website: str
    domain: str
    before: int
    rows: dict[str, int]


class PruneDone(Struct, frozen=True):
    """What was removed, or what would be. `texts` are the strings that nothing had any more."""

    dryRun: bool
    removed: list[Pruned]
    texts: int


async def prune(parts: Parts, given: Prune) -> PruneDone:
    """prune. Broken off it has removed a part; the next one removes the rest. Raises BadRequest or NotFound."""
    today = utc_day(parts.clock.now())
    if given.before is not None and given.before >= today:
        raise errors.BadRequest(
            "Only days that are over by a day can be removed: name yesterday (UTC) or a day before it"
        )
    events = parts[Watched].databases[1]
    removed = []
    for website, before in _wanted(parts, given, today):
        removed.append(await _of_website(parts, events, website, before, dry=given.dry_run))
    if given.clicks and given.before is not None:
        before = given.before * DAY
        work = retention.count_older if given.dry_run else retention.erase_older
        removed.append(Pruned("", "", before, {"link_clicks": await work(events, before)}))
    went = not given.dry_run and any(any(one.rows.values()) for one in removed)
    return PruneDone(given.dry_run, removed, await unused.sweep(parts[Erasures]) if went else 0)


def _wanted(parts: Parts, given: Prune, today: int) -> list[tuple[Website, int]]:
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


async def _of_website(parts: Parts, events: Db, website: Website, before: int, *, dry: bool) -> Pruned:
    if dry:
        rows = await erase.count_before(events, website.site, instant=before)
    else:
        elsewhere = parts[Erasures].beyond.visitors
        rows = await erase.before(events, website.site, instant=before, elsewhere=elsewhere)
        if any(rows.values()):
            await parts.box_db.write(lambda db: _record(db, parts, website, before, rows))
    return Pruned(website.id, website.domain, before, rows)


def _record(db: Connection, parts: Parts, website: Website, before: int, rows: dict[str, int]) -> None:
    detail = {"before": before, "rowsRemoved": sum(rows.values())}
    audit.record(db, command_line(parts), website.organization_id, "deleted", "events", website.id, detail)


async def vacuum(parts: Parts, given: Nothing) -> list[Vacuumed]:
    """vacuum beside a running box: empty pages are given back in small writes. Raises Conflict for a full disk."""
    try:
        return [await space.give_back(db) for db in parts[Watched].databases]
    except NoRoom as full:
        raise errors.Conflict(str(full)) from full


async def retire(parts: Parts, given: Retire) -> Nothing:
    """retire: an ingest machine is gone for good. Raises NotFound."""
    if not await parts[Machines].retire(given.number):
        raise errors.NotFound(f"No ingest machine with the number {given.number} is known, or it is retired already")
    return Nothing()


class Report(Struct, frozen=True):
    """What a report of a problem has from inside a running box: nothing that people chose or sent."""

    state: State
    log: tuple[Line, ...]


async def report(parts: Parts, given: Nothing) -> Report:
    """What `doctor` asks: how the box is doing, and the latest lines of its log."""
    found = await watch_state.state(parts[Watched])
    return Report(
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


async def state(parts: Parts, given: Nothing) -> State:
    """How the box is doing."""
    return await watch_state.state(parts[Watched])
