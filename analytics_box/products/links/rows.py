"""Links in box.db and the lists of them. Every function takes a connection inside the caller's transaction."""

import json
from collections.abc import Sequence, Set
from typing import Any, Final, Literal

from msgspec import UNSET, Struct, UnsetType

from analytics_box.base.store.db import Connection
from analytics_box.products.links import slugs
from analytics_box.products.links.link import ShortLink, Tag
from analytics_box.products.links.messages import Id, Short
from analytics_box.resource.table import ChildList, Table
from analytics_box.tenants.tenancy.messages import Text

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


def are_few(db: Connection, most: int) -> bool:
    """Whether there are at most so many links on the box, without counting more of them."""
    statement = "-- links.are_few\nselect count(*) from (select 1 from links limit ?)"
    return int(str(db.execute(statement, (most + 1,)).fetchall()[0][0])) <= most


Order = Literal["newest", "oldest", "name-asc", "name-desc"]

_ORDER: Final[dict[Order, str]] = {
    "newest": "number desc",
    "oldest": "number",
    "name-asc": "name collate nocase, number",
    "name-desc": "name collate nocase desc, number desc",
}


class LinkFilters(Struct, frozen=True, kw_only=True, rename="camel"):
    """Filters of a list of links; None is any. `folder_id` None means links in no folder, UNSET any. An empty `domain`
    means
    links on the box's own host. Messages have these fields by their names in camel case.
    """

    organization_id: Id | None = None
    external_id: Text | None = None
    folder_id: Id | UnsetType | None = UNSET
    source_type: Short | None = None
    source_id: Text | None = None
    source_owner_id: Text | None = None
    target_domain: Text | None = None
    domain: Text | None = None
    tag: Tag | None = None


class LinkSelection(LinkFilters, frozen=True):
    """A selection of an organization's links; with `among`, of those with these ids."""

    organization_id: str
    search: str | None = None
    deep: bool | None = None
    sort: Order = "newest"
    limit: int = 1_000
    offset: int = 0
    after: int = 0  # only links that are newer than the one with this number
    among: Set[str] | None = None


def links(db: Connection, selection: LinkSelection) -> list[ShortLink]:
    """The links that this asks for."""
    where, values = _where(selection)
    return LINKS.select(
        db,
        f"""
        -- links.rows.links
        select {LINKS.columns} from links where {where} order by {_ORDER[selection.sort]} limit :limit offset :offset
        """,
        values | {"limit": selection.limit, "offset": selection.offset},
    )


def numbers(
    db: Connection,
    selection: LinkSelection,
    *,
    limit: int,
    older_than: int | None = None,
    among: Sequence[int] | None = None,
) -> list[int]:
    """The numbers of so many of the links that this asks for, the newest first, whatever its page and its order."""
    where, values = _where(selection)
    if older_than is not None:
        where += " and number < :older_than"
        values["older_than"] = older_than
    if among is not None:
        where += " and number in (select value from json_each(:among))"
        values["among"] = json.dumps(among)
    found = db.execute(
        f"-- links.rows.numbers\nselect number from links where {where} order by number desc limit :limit",
        values | {"limit": limit},
    ).fetchall()
    return [int(str(number)) for (number,) in found]


def in_order(db: Connection, numbers: Sequence[int]) -> list[ShortLink]:
    """The links with these numbers, as they are named. Those that are gone are left out."""
    found = LINKS.select(
        db,
        f"""
        -- links.rows.in_order
        select {LINKS.columns} from links where number in (select value from json_each(?))
        """,
        (json.dumps(numbers),),
    )
    links = {link.number: link for link in found}
    return [links[number] for number in numbers if number in links]


def count(db: Connection, selection: LinkSelection) -> int:
    """The number of selected links on all pages."""
    where, values = _where(selection)
    (found,) = db.execute(f"-- links.rows.count\nselect count(*) from links where {where}", values).fetchone() or (0,)
    return int(str(found))


def count_by_folder(db: Connection, organization_id: str) -> dict[str, int]:
    """The number of links in each folder of an organization, without empty folders."""
    found = db.execute(
        """
        -- links.rows.count_by_folder
        select folder_id, count(*) from links where organization_id = ? and folder_id is not null group by folder_id
        """,
        (organization_id,),
    ).fetchall()
    return {str(folder): int(str(number)) for folder, number in found}


def tags(db: Connection, organization_id: str) -> list[tuple[str, int]]:
    """The tags of an organization's links, each with how many have it."""
    found = db.execute(
        """
        -- links.rows.tags
        select tag, count(*) from links join link_tags on link_tags.link = links.number
        where organization_id = ? group by tag order by tag collate nocase, tag
        """,
        (organization_id,),
    ).fetchall()
    return [(str(tag), int(str(number))) for tag, number in found]


def tag_names(db: Connection, organization_id: str, limit: int) -> list[str]:
    """Up to `limit` tags of an organization's links, by leaps from tag to tag: fast for any number of links."""
    found = db.execute(
        """
        -- links.rows.tag_names
        with recursive leap(tag) as (
          select min(tag) from link_tags
          union all
          select (select min(tag) from link_tags where link_tags.tag > leap.tag) from leap where tag is not null
        )
        select tag from leap where tag is not null and exists (
          select 1 from link_tags cross join links on links.number = link_tags.link
          where link_tags.tag = leap.tag and organization_id = ?)
        limit ?
        """,
        (organization_id, limit),
    ).fetchall()
    return sorted((str(tag) for (tag,) in found), key=str.casefold)


def _where(selection: LinkSelection) -> tuple[str, dict[str, Any]]:
    parts = ["organization_id = :organization_id"]
    values: dict[str, Any] = {"organization_id": selection.organization_id}
    for name in ("external_id", "source_type", "source_id", "source_owner_id", "target_domain", "domain"):
        value = getattr(selection, name)
        if value is not None:
            parts.append(f"{name} = :{name}")
            values[name] = value
    if selection.among is not None:
        parts.append("id in (select value from json_each(:ids))")
        values["ids"] = json.dumps([*selection.among])
    if selection.after:
        parts.append("number > :after")
        values["after"] = selection.after
    if selection.folder_id is None:
        parts.append("folder_id is null")
    elif isinstance(selection.folder_id, str):
        parts.append("folder_id = :folder_id")
        values["folder_id"] = selection.folder_id
    if selection.tag is not None:
        parts.append("+number in (select link from link_tags where tag = :tag)")  # + : no product of two lists
        values["tag"] = selection.tag
    if selection.deep is not None:
        parts.append(f"deep_link_app is {'not ' if selection.deep else ''}null")
    if selection.search:
        texts = ("name", "slug", "target_url", "external_id")
        parts.append(f"({' or '.join(f'instr(lower({text}), :search) > 0' for text in texts)})")
        values["search"] = selection.search.lower()
    return " and ".join(parts), values
