"""Links for other rooms: by id, for queries of their clicks, and for filters."""

import json
from collections.abc import Collection, Sequence
from functools import partial

from analytics_box.base.store.db import Connection, Db
from analytics_box.products.links.link import ShortLink
from analytics_box.products.links.rows import LINKS
from analytics_box.resource.reach import check, in_reach, reach
from analytics_box.tenants.websites.directory import Directory
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
