"""Links in box.db. Every function takes a connection inside the caller's transaction."""

from typing import Final

from analytics_box.base.store.db import Connection
from analytics_box.products.links import slugs
from analytics_box.products.links.link import ShortLink
from analytics_box.resource.table import ChildList, Table

LINKS: Final = Table(
    "links",
    ShortLink,
    key="number",
    generated=True,
    lists={"tags": ChildList("link_tags", "link", "tag")},
    conflicts={"links.slug": ("slug", slugs.TAKEN)},
)


def find_by_slug(db: Connection, domain: str, slug: str) -> ShortLink | None:
    return LINKS.first(db, "domain = ? and slug = ?", domain, slug)


def find_by_external_id(db: Connection, organization_id: str, external_id: str) -> ShortLink | None:
    """The oldest link that its maker knows by this id."""
    return LINKS.first(db, "organization_id = ? and external_id = ? order by number", organization_id, external_id)


def are_few(db: Connection, most: int) -> bool:
    """Whether there are at most so many links on the box, without counting more of them."""
    statement = "-- links.are_few\nselect count(*) from (select 1 from links limit ?)"
    return int(str(db.execute(statement, (most + 1,)).fetchall()[0][0])) <= most
