"""Clicks, their totals and orphans in events.db. Writing runs in the writer thread, inside the caller's transaction."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from msgspec import Struct

from analytics_box.base.facts.event import CLICK
from analytics_box.base.facts.layout import INSERT
from analytics_box.base.store import records
from analytics_box.base.store.db import Connection
from analytics_box.base.store.strings import Strings


class LinkClick(NamedTuple):
    """A visit of a link, in the order of its columns. Texts are interned when they are written."""

    link: int
    time: int
    kind: int
    visitor: int
    landing: int
    landing_visitor: int
    variant: str
    rule: str
    referrer: str
    source: str
    country: str
    region: str
    city: str
    browser: str
    system: str
    device: str
    language: str
    agent: str


_NUMBERS: Final = 6  # columns before the texts


class Orphan(NamedTuple):
    """Orphan clicks: their domain, UTC day, kind of visit and slug."""

    domain: str
    day: int
    kind: int
    slug: str


class ClickTotal(Struct, frozen=True):
    """The number of a link's clicks by people, and the time of the last (UTC ms)."""

    link: int
    clicks: int
    last: int


class OrphanCount(Struct, frozen=True):
    """The number of orphan clicks. `day` is the number of a UTC day."""

    domain: str
    day: int
    kind: int
    slug: str
    count: int


def append(db: Connection, *, strings: Strings, clicks: Sequence[LinkClick], orphans: Mapping[Orphan, int]) -> None:
    """Write clicks with their totals, and add up orphans."""
    number = strings.number
    rows = [(*click[:_NUMBERS], *[number(db, text) for text in click[_NUMBERS:]]) for click in clicks]
    db.executemany(INSERT["link_clicks"], rows)
    counts = Counter(click.link for click in clicks if click.kind == CLICK)
    if counts:
        last = max(click.time for click in clicks)
        db.executemany(
            """
            -- links.clicks.append
            insert into link_totals (link, clicks, last) values (?, ?, ?)
            on conflict (link) do update set clicks = clicks + excluded.clicks, last = max(last, excluded.last)
            """,
            [(link, count, last) for link, count in counts.items()],
        )
    if orphans:
        db.executemany(
            """
            -- links.clicks.append
            insert into link_orphans (domain, day, kind, slug, count) values (?, ?, ?, ?, ?)
            on conflict (domain, day, kind, slug) do update set count = count + excluded.count
            """,
            [(*orphan, count) for orphan, count in orphans.items()],
        )


def append_missing(db: Connection, *, strings: Strings, clicks: Sequence[LinkClick]) -> int:
    """Write clicks of one link unless it has one at the same time, which was imported before; return their number."""
    times = json.dumps([click.time for click in clicks])
    link = clicks[0].link
    stored = db.execute(
        """
        -- links.clicks.append_missing
        select time from link_clicks where link = ? and time in (select value from json_each(?))
        """,
        (link, times),
    ).fetchall()
    known = {int(str(time)) for (time,) in stored}
    missing = [click for click in clicks if click.time not in known]
    append(db, strings=strings, clicks=missing, orphans={})
    return len(missing)


def totals(db: Connection, links: Sequence[int]) -> dict[int, ClickTotal]:
    """The totals of these links by their numbers; links without clicks are left out."""
    found = records.all_of(
        db,
        ClickTotal,
        """
        -- links.clicks.totals
        select link, clicks, last from link_totals where link in (select value from json_each(?))
        """,
        (json.dumps(list(links)),),
    )
    return {total.link: total for total in found}


def by_country(db: Connection, links: Sequence[int], since: int) -> list[tuple[str, int, int]]:
    """The clicks on these links since this instant (UTC ms) as (country code, link, clicks), the most clicked first."""
    rows = db.execute(
        """
        -- links.clicks.by_country
        select strings.value, link, count(*) as clicks from link_clicks
        left join strings on strings.id = link_clicks.country
        where link in (select value from json_each(?)) and time >= ? and kind = ?
        group by link_clicks.country, link
        order by clicks desc, link desc
        """,
        (json.dumps(list(links)), since, CLICK),
    ).fetchall()
    return [(str(country or ""), int(str(link)), int(str(clicks))) for country, link, clicks in rows]


def orphans_since(db: Connection, domains: Sequence[str], day: int, limit: int) -> list[OrphanCount]:
    """The visits of unknown slugs on these domains from this UTC day on, the most visited first."""
    return records.all_of(
        db,
        OrphanCount,
        """
        -- links.clicks.orphans_since
        select domain, max(day), kind, slug, sum(count) as total from link_orphans
        where domain in (select value from json_each(?)) and day >= ?
        group by domain, kind, slug
        order by total desc, domain, slug, kind
        limit ?
        """,
        (json.dumps(list(domains)), day, limit),
    )


def forget_orphans(db: Connection, day: int) -> None:
    """Forget unknown slugs before this UTC day."""
    db.execute("-- links.clicks.forget_orphans\ndelete from link_orphans where day < ?", (day,))


def numbers_with_clicks(db: Connection) -> list[int]:
    """The numbers of all links that have clicks or a total, by leaps through the index."""
    found = db.execute(
        """
        -- links.clicks.clicked
        with recursive leap(link) as (
          select min(link) from link_clicks
          union all
          select (select min(link) from link_clicks where link_clicks.link > leap.link) from leap where link is not null
        )
        select link from leap where link is not null union select link from link_totals
        """
    ).fetchall()
    return [int(str(link)) for (link,) in found]


def remove(db: Connection, links: Sequence[int], limit: int) -> int:
    """Remove up to `limit` clicks of these links, and return their number. The totals go with the last ones."""
    numbers = json.dumps(list(links))
    db.execute(
        """
        -- links.clicks.remove
        delete from link_clicks where id in (
          select id from link_clicks where link in (select value from json_each(?)) limit ?)
        """,
        (numbers, limit),
    )
    removed = db.changes()
    if removed < limit:
        db.execute(
            "-- links.clicks.remove\ndelete from link_totals where link in (select value from json_each(?))",
            (numbers,),
        )
    return removed


def count_older(db: Connection, before: int) -> int:
    """The number of clicks from before this instant."""
    rows = db.execute("-- links.clicks.count_older\nselect count(*) from link_clicks where time < ?", (before,))
    return int(str(rows.fetchall()[0][0]))


def older_ids(db: Connection, before: int, limit: int) -> list[int]:
    """Up to `limit` ids of clicks from before this instant. It reads all: imported clicks follow newer ones."""
    rows = db.execute("-- links.clicks.older_ids\nselect id from link_clicks where time < ? limit ?", (before, limit))
    return [int(str(row[0])) for row in rows.fetchall()]


def remove_ids(db: Connection, ids: Sequence[int]) -> int:
    """Remove these clicks and return their number."""
    db.execute(
        "-- links.clicks.remove_ids\ndelete from link_clicks where id in (select value from json_each(?))",
        (json.dumps(list(ids)),),
    )
    return db.changes()


def remove_older(db: Connection, before: int, limit: int) -> int:
    """Remove up to `limit` clicks from before this instant, and return their number. Imported ones are in no order."""
    db.execute(
        """
        -- links.clicks.remove_older
        delete from link_clicks where id in (
          select id from link_clicks
          where id < coalesce((select id from link_clicks where time >= ? order by id limit 1), 9223372036854775807)
          order by id limit ?)
        """,
        (before, limit),
    )
    return db.changes()
