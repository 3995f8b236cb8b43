"""Links in box.db. Every function takes a connection inside the caller's transaction."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from analytics_box.base.errors import Conflict
from analytics_box.base.store.db import Connection, ConstraintError
from analytics_box.products.links import slugs
from analytics_box.products.links.link import ShortLink, Utm
from analytics_box.products.links.targeting.rules import TargetRule, TargetVariant

_STORED: Final = tuple(name for name in ShortLink.__struct_fields__ if name not in {"number", "tags"})
_JSON: Final = frozenset(("rules", "variants", "utm"))
_INSERT = f"insert into links ({', '.join(_STORED)}) values ({', '.join(f':{name}' for name in _STORED)})"
_UPDATE = f"update links set {', '.join(f'{name} = :{name}' for name in _STORED)} where number = :number"
COLUMNS: Final = (
    f"number, {', '.join(_STORED)},"
    " (select json_group_array(tag) from link_tags where link = links.number order by tag) as tags"
)
_NAMES: Final = ("number", *_STORED, "tags")  # of these columns, as a link has them
_TAGS = msgspec.json.Decoder(tuple[str, ...])
_DECODE: Final[dict[str, Callable[[str], object]]] = {
    "rules": msgspec.json.Decoder(tuple[TargetRule, ...]).decode,
    "variants": msgspec.json.Decoder(tuple[TargetVariant, ...]).decode,
    "utm": msgspec.json.Decoder(Utm).decode,
    "tags": lambda tags: tuple(sorted(_TAGS.decode(tags))),
}


def links_of(db: Connection, statement: str, values: Any = ()) -> list[ShortLink]:
    """The links that a statement finds; it selects COLUMNS."""
    return [_link(row) for row in db.execute(statement, values).fetchall()]


def _link(row: Sequence[Any]) -> ShortLink:
    fields = dict(zip(_NAMES, row, strict=True))
    return ShortLink(**fields | {name: decode(fields[name]) for name, decode in _DECODE.items()})


def insert(db: Connection, link: ShortLink) -> int:
    """The link's number. Raises Conflict when the slug is taken on that domain."""
    try:
        db.execute(f"-- links.insert\n{_INSERT}", _values(link))
    except ConstraintError as broken:
        _check_slug(broken)
        raise
    number = db.last_insert_rowid()
    _set_tags(db, number, link.tags)
    return number


def update(db: Connection, link: ShortLink) -> None:
    """Store all that may change of a link. Raises Conflict when the slug is taken on that domain."""
    try:
        db.execute(f"-- links.update\n{_UPDATE}", _values(link) | {"number": link.number})
    except ConstraintError as broken:
        _check_slug(broken)
        raise
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


def find(db: Connection, link_id: str) -> ShortLink | None:
    return _one(db, "id = ?", link_id)


def find_by_slug(db: Connection, domain: str, slug: str) -> ShortLink | None:
    return _one(db, "domain = ? and slug = ?", domain, slug)


def find_by_external_id(db: Connection, organization_id: str, external_id: str) -> ShortLink | None:
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
    """The number of links on the box."""
    (found,) = db.execute("-- links.count\nselect count(*) from links").fetchone() or (0,)
    return int(str(found))


def _one(db: Connection, condition: str, *values: str) -> ShortLink | None:
    found = links_of(db, f"-- links.find\nselect {COLUMNS} from links where {condition} limit 1", values)
    return found[0] if found else None


def _set_tags(db: Connection, number: int, tags: tuple[str, ...]) -> None:
    if tags:
        db.executemany(
            "-- links.set_tags\ninsert into link_tags (link, tag) values (?, ?)", [(number, tag) for tag in tags]
        )


def _values(link: ShortLink) -> dict[str, Any]:
    return {
        name: msgspec.json.encode(getattr(link, name)).decode() if name in _JSON else getattr(link, name)
        for name in _STORED
    }


def _check_slug(broken: ConstraintError) -> None:
    """Raises Conflict when it was for its slug that a row was refused."""
    if "links.slug" in str(broken):
        raise Conflict.about("slug", slugs.TAKEN) from broken
