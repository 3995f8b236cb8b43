"""Links in box.db. Every function takes a connection inside the caller's transaction."""

from typing import Any, Final

import msgspec
from msgspec import Struct

from analytics_box.errors import Conflict, Detail
from analytics_box.links import slugs
from analytics_box.links.rules import Forwarding, Link, RedirectStatus, TargetRule, Utm, Variant
from analytics_box.store import records
from analytics_box.store.db import Connection, ConstraintError

_STORED: Final = (
    "id",
    "organization_id",
    "created_by",
    "domain",
    "slug",
    "name",
    "target_url",
    "target_domain",
    "created_at",
    "updated_at",
    "folder_id",
    "redirect_status",
    "query_forwarding",
    "expires_at",
    "expired_url",
    "max_clicks",
    "password",
    "og_title",
    "og_description",
    "og_image_url",
    "og_video_url",
    "ios_url",
    "android_url",
    "deep_link_app",
    "external_id",
    "source_type",
    "source_id",
    "source_owner_id",
    "rules",
    "variants",
    "utm",
)
_JSON: Final = frozenset(("rules", "variants", "utm"))
_INSERT = f"insert into links ({', '.join(_STORED)}) values ({', '.join(f':{name}' for name in _STORED)})"
_UPDATE = f"update links set {', '.join(f'{name} = :{name}' for name in _STORED)} where number = :number"
COLUMNS: Final = (
    f"number, {', '.join(_STORED)},"
    " (select json_group_array(tag) from link_tags where link = links.number order by tag) as tags"
)


class Row(Struct, frozen=True):
    """A row as it comes: rules, variants, campaign values and tags are JSON."""

    number: int
    id: str
    organization_id: str
    created_by: str
    domain: str
    slug: str
    name: str
    target_url: str
    target_domain: str
    created_at: int
    updated_at: int
    folder_id: str | None
    redirect_status: RedirectStatus
    query_forwarding: Forwarding
    expires_at: int | None
    expired_url: str | None
    max_clicks: int | None
    password: str | None
    og_title: str | None
    og_description: str | None
    og_image_url: str | None
    og_video_url: str | None
    ios_url: str | None
    android_url: str | None
    deep_link_app: str | None
    external_id: str | None
    source_type: str | None
    source_id: str | None
    source_owner_id: str | None
    rules: str
    variants: str
    utm: str
    tags: str


_RULES = msgspec.json.Decoder(tuple[TargetRule, ...])
_VARIANTS = msgspec.json.Decoder(tuple[Variant, ...])
_UTM = msgspec.json.Decoder(Utm)
_TAGS = msgspec.json.Decoder(tuple[str, ...])


def link_of(row: Row) -> Link:
    """The link in a row."""
    fields: dict[str, Any] = msgspec.structs.asdict(row)
    return Link(
        **fields
        | {
            "rules": _RULES.decode(row.rules),
            "variants": _VARIANTS.decode(row.variants),
            "utm": _UTM.decode(row.utm),
            "tags": tuple(sorted(_TAGS.decode(row.tags))),
        }
    )


def insert(db: Connection, link: Link) -> int:
    """The link's number. Raises Conflict when the slug is taken on that domain."""
    try:
        db.execute(f"-- links.insert\n{_INSERT}", _values(link))
    except ConstraintError as broken:
        raise _taken() from broken
    number = db.last_insert_rowid()
    _set_tags(db, number, link.tags)
    return number


def update(db: Connection, link: Link) -> None:
    """Store all that may change of a link. Raises Conflict when the slug is taken on that domain."""
    try:
        db.execute(f"-- links.update\n{_UPDATE}", _values(link) | {"number": link.number})
    except ConstraintError as broken:
        raise _taken() from broken
    db.execute("-- links.update\ndelete from link_tags where link = ?", (link.number,))
    _set_tags(db, link.number, link.tags)


def delete(db: Connection, number: int) -> None:
    db.execute("-- links.delete\ndelete from links where number = ?", (number,))


def is_taken(db: Connection, domain: str, slug: str) -> bool:
    """Whether a link has this slug on this domain."""
    return (
        db.execute("-- links.is_taken\nselect 1 from links where domain = ? and slug = ?", (domain, slug)).fetchone()
        is not None
    )


def find(db: Connection, link_id: str) -> Link | None:
    return _one(db, "id = ?", link_id)


def find_by_slug(db: Connection, domain: str, slug: str) -> Link | None:
    return _one(db, "domain = ? and slug = ?", domain, slug)


def find_by_external_id(db: Connection, organization_id: str, external_id: str) -> Link | None:
    """The oldest link that its maker knows by this id."""
    return _one(db, "organization_id = ? and external_id = ? order by number", organization_id, external_id)


def numbers_of(db: Connection, organization_id: str) -> list[int]:
    """The numbers of all links of an organization."""
    found = db.execute(
        "-- links.numbers_of\nselect number from links where organization_id = ?", (organization_id,)
    ).fetchall()
    return [int(str(number)) for (number,) in found]


def are_few(db: Connection, most: int) -> bool:
    """Whether there are at most so many links on the box, without counting more of them."""
    (found,) = db.execute(
        "-- links.are_few\nselect count(*) from (select 1 from links limit ?)", (most + 1,)
    ).fetchone() or (0,)
    return int(str(found)) <= most


def count(db: Connection) -> int:
    """How many links there are on the box."""
    (found,) = db.execute("-- links.count\nselect count(*) from links").fetchone() or (0,)
    return int(str(found))


def _one(db: Connection, condition: str, *values: str) -> Link | None:
    row = records.one_of(db, Row, f"-- links.find\nselect {COLUMNS} from links where {condition} limit 1", values)
    return link_of(row) if row is not None else None


def _set_tags(db: Connection, number: int, tags: tuple[str, ...]) -> None:
    if tags:
        db.executemany(
            "-- links.set_tags\ninsert into link_tags (link, tag) values (?, ?)", [(number, tag) for tag in tags]
        )


def _values(link: Link) -> dict[str, Any]:
    return {
        name: msgspec.json.encode(getattr(link, name)).decode() if name in _JSON else getattr(link, name)
        for name in _STORED
    }


def _taken() -> Conflict:
    return Conflict(slugs.TAKEN, details=(Detail("slug", slugs.TAKEN),))
