"""Monitors in box.db. Every function takes a connection inside the caller's transaction.

What is secret about a monitor is not opened here: a row has it sealed, and its URL masked (monitors.sealing).
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from analytics_box.base.errors import Conflict
from analytics_box.base.store.db import Connection, ConstraintError
from analytics_box.products.monitors.monitor import Monitor, Options

TAKEN: Final = "Monitor already exists for this URL in this organization"  # wire 8.1
TAKEN_WEBSITE: Final = "This website already has a monitor"  # wire 8.1

_STORED: Final = tuple(name for name in Monitor.__struct_fields__ if name not in {"number", "tags", "secrets"})
_NAMED: Final = ", ".join(f'"{name}"' for name in _STORED)
_INSERT: Final = (
    f"insert into monitors ({_NAMED}, sealed) values ({', '.join(f':{name}' for name in _STORED)}, :sealed)"
)
_SET: Final = ", ".join(f'"{name}" = :{name}' for name in _STORED)
_UPDATE: Final = f"update monitors set {_SET}, sealed = :sealed where number = :number"
_COLUMNS: Final = (
    f"number, {_NAMED}, sealed,"
    " (select json_group_array(tag) from monitor_tags where monitor = monitors.number order by tag) as tags"
)
_NAMES: Final = ("number", *_STORED, "sealed", "tags")  # of these columns
_TAGS = msgspec.json.Decoder(tuple[str, ...])
_DECODE: Final[dict[str, Callable[[Any], object]]] = {
    "options": msgspec.json.Decoder(Options).decode,
    "tags": lambda tags: tuple(sorted(_TAGS.decode(tags))),
    "cache_bust": bool,
    "is_paused": bool,
}


class StoredMonitor(NamedTuple):
    """A monitor as it is stored, without its secrets. `sealed` holds them encrypted; None if there are none.

    `url` is the column: the URL that viewers may see and, if parts of it are encrypted, a space and a digest of the
    whole URL, by which monitors of the same URL are found.
    """

    monitor: Monitor
    sealed: bytes | None
    url: str

    @property
    def organization_id(self) -> str:
        """The owner of the monitor."""
        return self.monitor.organization_id

    @property
    def website_id(self) -> str | None:
        """The website of the monitor."""
        return self.monitor.website_id

    @property
    def hides_url(self) -> bool:
        """Return whether parts of the URL are sealed."""
        return " " in self.url


def everything(db: Connection) -> list[StoredMonitor]:
    """All monitors of the box, the oldest first."""
    return _query_monitors(db, f"-- monitors.everything\nselect {_COLUMNS} from monitors order by number")


def find(db: Connection, monitor_id: str) -> StoredMonitor | None:
    found = _query_monitors(db, f"-- monitors.find\nselect {_COLUMNS} from monitors where id = ?", monitor_id)
    return found[0] if found else None


def count_of(db: Connection, organization_id: str) -> int:
    """The number of monitors of an organization."""
    ((found,),) = db.execute(
        "-- monitors.count_of\nselect count(*) from monitors where organization_id = ?", (organization_id,)
    ).fetchall()
    return int(str(found))


def insert(db: Connection, stored: StoredMonitor, *, shares_url: bool = False) -> int:
    """Store a new monitor and return its number. Raises Conflict for a website that has a monitor, and for a URL that
    has one unless it is shared.
    """
    values = _values(stored)
    if not shares_url:
        _check_url(db, values | {"number": 0})
    _execute(db, f"-- monitors.insert\n{_INSERT}", values)
    number = db.last_insert_rowid()
    _set_tags(db, number, stored.monitor.tags)
    return number


def update(db: Connection, stored: StoredMonitor, *, shares_url: bool = False) -> None:
    """Store a changed monitor. Raises Conflict for a website that has a monitor, and for a new URL that has one unless
    it is shared.
    """
    monitor = stored.monitor
    values = _values(stored) | {"number": monitor.number}
    if not shares_url:
        _check_url(db, values)
    _execute(db, f"-- monitors.update\n{_UPDATE}", values)
    db.execute("-- monitors.update\ndelete from monitor_tags where monitor = ?", (monitor.number,))
    _set_tags(db, monitor.number, monitor.tags)


def delete(db: Connection, number: int) -> None:
    """Delete a monitor with its tags; its child monitors no longer have a parent."""
    db.execute("-- monitors.delete\ndelete from monitors where number = ?", (number,))


def parent_of(db: Connection, monitor_id: str) -> str | None:
    """The id of the monitor above this one."""
    found = db.execute("-- monitors.parent_of\nselect parent_id from monitors where id = ?", (monitor_id,)).fetchone()
    return str(found[0]) if found is not None and found[0] is not None else None


def orphan(db: Connection, monitor_id: str) -> None:
    """No monitor is below this one any more."""
    db.execute("-- monitors.orphan\nupdate monitors set parent_id = null where parent_id = ?", (monitor_id,))


def release_website(db: Connection, website_id: str, organization_id: str) -> None:
    """A website belongs to this organization: a monitor that another one left it with is nobody's in particular."""
    db.execute(
        """
        -- monitors.release_website
        update monitors set website_id = null where website_id = ? and organization_id <> ?
        """,
        (website_id, organization_id),
    )


def numbers_of(db: Connection, organization_id: str) -> list[int]:
    """The numbers of all monitors of an organization."""
    return _numbers(db, "organization_id", organization_id)


def numbers_of_website(db: Connection, website_id: str) -> list[int]:
    """The number of a website's monitor, if it has one."""
    return _numbers(db, "website_id", website_id)


def _numbers(db: Connection, column: str, value: str) -> list[int]:
    found = db.execute(f"-- monitors.numbers\nselect number from monitors where {column} = ?", (value,)).fetchall()
    return [int(str(number)) for (number,) in found]


def _query_monitors(db: Connection, statement: str, *values: Any) -> list[StoredMonitor]:
    return [_stored_monitor(row) for row in db.execute(statement, values).fetchall()]


def _stored_monitor(row: Sequence[Any]) -> StoredMonitor:
    fields = dict(zip(_NAMES, row, strict=True))
    sealed, url = fields.pop("sealed"), str(fields["url"])
    fields["url"] = url.partition(" ")[0]
    monitor = Monitor(**fields | {name: decode(fields[name]) for name, decode in _DECODE.items()})
    return StoredMonitor(monitor, sealed, url)


def _values(stored: StoredMonitor) -> dict[str, Any]:
    values = {name: getattr(stored.monitor, name) for name in _STORED}
    options = msgspec.json.encode(stored.monitor.options).decode()
    return values | {"options": options, "sealed": stored.sealed, "url": stored.url}


def _set_tags(db: Connection, number: int, tags: tuple[str, ...]) -> None:
    if tags:
        db.executemany(
            "-- monitors.set_tags\ninsert into monitor_tags (monitor, tag) values (?, ?)",
            [(number, tag) for tag in tags],
        )


def _check_url(db: Connection, values: dict[str, Any]) -> None:
    """Raise Conflict if the URL of a monitor is new to it and another monitor of its organization has it.

    DNS monitors of different record types have different URLs here.
    """
    holders = db.execute(
        """
        -- monitors.check_url
        select number from monitors
        where organization_id = :organization_id and url = :url
          and coalesce(json_extract(options, '$.record'), '') = coalesce(json_extract(:options, '$.record'), '')
        """,
        {name: values[name] for name in ("organization_id", "url", "options")},
    ).fetchall()
    if holders and (values["number"],) not in holders:
        raise Conflict.about("url", TAKEN)


def _execute(db: Connection, statement: str, values: dict[str, Any]) -> None:
    """Run a statement. Raises Conflict if the website of the row has a monitor."""
    try:
        db.execute(statement, values)
    except ConstraintError as broken:
        if "website_id" in str(broken):
            raise Conflict.about("websiteId", TAKEN_WEBSITE) from broken
        raise
