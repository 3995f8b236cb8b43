"""Links for other rooms: by id, for queries of their clicks, and for filters."""

import json
from bisect import bisect_left
from collections.abc import Collection, Sequence
from functools import partial

from msgspec import Struct

from analytics_box.base.errors import DeadlineExceeded, Forbidden
from analytics_box.base.facts.event import CLICK
from analytics_box.base.store.db import Connection, Db
from analytics_box.figures.related import FollowedLink, FollowedLinks
from analytics_box.products.links.link import ShortLink
from analytics_box.products.links.rows import LINKS, in_order
from analytics_box.query.plan import SOON
from analytics_box.query.ranges import TimeWindow
from analytics_box.resource.reach import check, in_reach, reach
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.call import Call


async def find_link(call: Call, link_id: str, organization_id: str | None = None) -> ShortLink:
    """A link that someone may see. Raises Forbidden or NotFound."""
    own = reach(call, organization_id)

    def read(db: Connection) -> ShortLink:
        check(db, own, "viewer")
        return in_reach(own, LINKS.find(db, link_id), "link", link_id)

    return await call.read(read)


def known_link(db: Connection, link_id: str) -> tuple[int, str] | None:
    """Its number among the clicks and its organization; None for an unknown link."""
    found = db.execute("-- links.lookup\nselect number, organization_id from links where id = ?", (link_id,)).fetchone()
    return (int(str(found[0])), str(found[1])) if found else None


def links_named(db: Connection, link_id: str, domain: str | None, slug: str) -> list[tuple[str, str]]:
    """The links that may be meant, each with its organization: the one with this id, else those with this slug on this
    domain, or with None on any."""
    found = db.execute(
        """
        -- links.lookup
        select id, organization_id from links
        where id = :id or (slug = :slug and (:domain is null or domain = :domain)) order by id <> :id
        """,
        {"id": link_id, "slug": slug, "domain": domain},
    ).fetchall()
    named = [(str(one), str(organization_id)) for one, organization_id in found]
    return named[:1] if named and named[0][0] == link_id else named


def numbers_called(db: Connection, organizations: Sequence[str], called: Sequence[str]) -> tuple[int, ...]:
    """The numbers among the clicks of all links of these organizations with one of these ids or slugs."""
    found = db.execute(
        """
        -- links.lookup
        select number from links
        where organization_id in (select value from json_each(:organizations))
          and (id in (select value from json_each(:called)) or slug in (select value from json_each(:called)))
        order by number
        """,
        {"organizations": json.dumps(organizations), "called": json.dumps(called)},
    ).fetchall()
    return tuple(int(str(number)) for (number,) in found)


def link_numbers(db: Connection, organization_id: str) -> list[int]:
    """The numbers of all links of an organization among the clicks."""
    return LINKS.keys(db, "organization_id = ?", organization_id)


def without_link(db: Connection, numbers: Sequence[int]) -> list[int]:
    """The numbers that no longer belong to a link."""
    found = db.execute(
        """
        -- links.lookup
        select value from json_each(?) where value not in (select number from links)
        """,
        (json.dumps(list(numbers)),),
    ).fetchall()
    return [int(str(number)) for (number,) in found]


class NamedLinks:
    """The links of box.db."""

    def __init__(self, db: Db, websites: Directory) -> None:
        self._db = db
        self._websites = websites

    async def numbers(self, sites: Collection[int], called: tuple[str, ...]) -> tuple[int, ...]:
        """The numbers among the clicks of those with these ids or slugs, of the organizations of these websites."""
        owners = {one.organization_id for one in self._websites.all() if one.site in sites}
        return await self._db.read(partial(numbers_called, organizations=tuple(owners), called=called))


MOST_CLICKS = 100
# A page does not wait longer for the name of a link.
_SECONDS = 2.0


def followed_links(events: Db) -> FollowedLinks:
    """The question of a session's page about the link it came from. `events` is events.db."""

    async def find(call: Call, website: Website, visitor: int, views: Sequence[int]) -> FollowedLink | None:
        if not views:
            return None
        look = partial(_clicks, site=website.site, visitor=visitor, after=views[0] - SOON, until=views[-1])
        try:
            own = reach(call, website.organization_id)
            clicks = await events.read(look, seconds=_SECONDS, long=True)
        except (DeadlineExceeded, Forbidden):
            return None
        numbers = [number for time, number in clicks if views[bisect_left(views, time)] < time + SOON]
        link = await call.read(lambda db: LINKS.first(db, "number = ?", numbers[0])) if numbers else None
        return (
            FollowedLink(link.name or link.slug, f"/links/{link.id}") if link is not None and own.covers(link) else None
        )

    return FollowedLinks(find)


def _clicks(db: Connection, *, site: int, visitor: int, after: int, until: int) -> list[tuple[int, int]]:
    """The first clicks of a website's visitor, each with its time (UTC ms) and the number of its link. Only links that
    were clicked since are looked at, by their index."""
    found = db.execute(
        """
        -- links.lookup.clicks
        select click.time, click.link
        from link_totals as total
        cross join link_clicks as click on click.link = total.link and click.time > :after and click.time <= :until
        where total.last > :after and click.kind = :kind and click.landing = :site and click.landing_visitor = :visitor
        order by click.time, click.id limit :most
        """,
        {"after": after, "until": until, "kind": CLICK, "site": site, "visitor": visitor, "most": MOST_CLICKS},
    ).fetchall()
    return [(int(str(time)), int(str(link))) for time, link in found]


class ClickedLink(Struct, frozen=True):
    """A short link whose visitors came to a website: its name, and their clicks in a period and in the one before."""

    name: str
    clicks: int
    before: int


async def clicked_links(
    box_db: Db, events: Db, website: Website, window: TimeWindow, earlier: TimeWindow | None, most: int
) -> list[ClickedLink]:
    """The links of a website's organization that led most visitors to it. Raises DeadlineExceeded."""
    numbers = await box_db.read(lambda db: link_numbers(db, website.organization_id))
    count = partial(_landings, numbers=numbers, site=website.site)
    now = await events.read(partial(count, window=window), long=True)
    before = {} if earlier is None else await events.read(partial(count, window=earlier), long=True)
    best = sorted(now, key=lambda number: (-now[number], number))[:most]
    links = {one.number: one for one in await box_db.read(lambda db: in_order(db, best))}
    return [
        ClickedLink(links[number].name or links[number].slug, now[number], before.get(number, 0))
        for number in best
        if number in links
    ]


def _landings(db: Connection, *, numbers: Sequence[int], site: int, window: TimeWindow) -> dict[int, int]:
    """The clicks of visitors by link that led to a website. Only links that were clicked since are looked at."""
    found = db.execute(
        """
        -- links.lookup.landings
        select click.link, count(*)
        from link_totals as total
        cross join link_clicks as click on click.link = total.link and click.time >= :start and click.time < :end
        where total.link in (select value from json_each(:links)) and total.last >= :start
          and click.kind = :kind and click.landing = :site
        group by click.link
        """,
        {"links": json.dumps(numbers), "start": window.start, "end": window.end, "kind": CLICK, "site": site},
    ).fetchall()
    return {int(str(link)): int(str(clicks)) for link, clicks in found}
