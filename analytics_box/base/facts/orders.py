"""Orders to remove facts that are in ClickHouse only (facts.trimmed), where their ids are not known here.

An order is noted once the same is removed from events.db, and forgotten once it is carried out there: it says by
condition what goes, and up to which ids, for what arrives later is new.
"""

import json
from collections.abc import Collection, Iterable, Mapping

import msgspec
from msgspec import Struct

from analytics_box.base.clock import DAY
from analytics_box.base.facts import trimmed
from analytics_box.base.facts.tables import COMBINATIONS
from analytics_box.base.store.db import Connection

_STAYS = 500  # in one condition

# A visitor's id, and since when and until when it was someone (UTC ms).
Stay = tuple[int, int, int]


class OfSite(Struct, frozen=True, tag="site"):
    """Everything of a site."""

    site: int

    def conditions(self, _table: str) -> list[str]:
        """In the words of SQL, one after the other."""
        return [f"site = {self.site}"]


class Older(Struct, frozen=True, tag="older"):
    """Facts of a site from before this instant (UTC ms); an event goes with its session, by the session's start."""

    site: int
    before: int

    def conditions(self, table: str) -> list[str]:
        """In the words of SQL, one after the other."""
        if table != "events":
            return [f"site = {self.site} and time < {self.before}"]
        began = "if(session = 0, time, session_started)"
        return [f"site = {self.site} and time < {self.before + DAY} and {began} < {self.before}"]


class OfPerson(Struct, frozen=True, tag="person"):
    """Facts of a person on a site: as the profile with this number, or while they were one of these visitors. For a
    device,
    which is the profile 0, everything that these visitors did.
    """

    site: int
    profile: int
    stays: tuple[Stay, ...]
    erasure: str = ""
    noted: bool = False  # what it removes has been counted, and to what it refers

    def conditions(self, _table: str) -> list[str]:
        """In the words of SQL, one after the other; no row is meant by two of them."""
        found = [f"site = {self.site} and profile = {self.profile}"] if self.profile else []
        nobody = " and profile = 0" if self.profile else ""
        for first in range(0, len(self.stays), _STAYS):
            stays = " or ".join(
                f"(visitor = {visitor} and time >= {since} and time < {until})"
                for visitor, since, until in self.stays[first : first + _STAYS]
            )
            found.append(f"site = {self.site}{nobody} and ({stays})")
        return found


class OfSessions(Struct, frozen=True, tag="sessions"):
    """Events of a site, and imported requests of AI agents, in `count` sessions from the number `first` on."""

    site: int
    first: int
    count: int

    def conditions(self, table: str) -> list[str]:
        """In the words of SQL."""
        if table not in {"events", "ai_requests"}:
            return []
        return [f"site = {self.site} and session >= {self.first} and session < {self.first + self.count}"]


What = OfSite | Older | OfPerson | OfSessions


class ErasureOrder(Struct, frozen=True):
    """A removal order, and the highest id it concerns by table."""

    what: What
    until: Mapping[str, int]
    id: int = 0

    def conditions(self, table: str, first: int = 0) -> list[str]:
        """SQL conditions of the rows to remove from this table, one after the other. Ids begin at `first`."""
        if table not in self.until:
            return []
        ids = f"id >= {first} and id <= {first + self.until[table]}"
        return [f"{condition} and {ids}" for condition in self.what.conditions(table)]


def note(db: Connection, what: What) -> bool:
    """Note an order where the site has facts that are in ClickHouse only; whether it has."""
    if not trimmed.has_any(db, what.site):
        return False
    order = ErasureOrder(what, trimmed.floors(db))
    db.execute(
        "-- orders.note\ninsert into removal_orders (of_site, what) values (?, ?)",
        (what.site, msgspec.json.encode(order).decode()),
    )
    return True


def first(db: Connection) -> ErasureOrder | None:
    """The oldest order."""
    row = db.execute("-- orders.first\nselect id, what from removal_orders order by id limit 1").fetchone()
    if row is None:
        return None
    return msgspec.structs.replace(msgspec.json.decode(str(row[1]), type=ErasureOrder), id=int(str(row[0])))


def count(db: Connection) -> int:
    """The number of pending orders."""
    return int(str(db.execute("-- orders.count\nselect count(*) from removal_orders").fetchall()[0][0]))


def is_open(db: Connection, erasure: str) -> bool:
    """Whether an order of this erasure is to be carried out."""
    found = db.execute(
        "-- orders.is_open\nselect 1 from removal_orders where json_extract(what, '$.what.erasure') = ?", (erasure,)
    )
    return bool(found.fetchall())


def note_found(
    db: Connection, order: ErasureOrder, *, removed: int, strings: Collection[int], sessions: Collection[int]
) -> None:
    """Before the rows of someone go: how many they are, and to which strings they and their sessions referred."""
    if not isinstance(order.what, OfPerson):
        return
    erasure = order.what.erasure
    db.execute("-- orders.note_found\nupdate erasures set removed = removed + ? where id = ?", (removed, erasure))
    _note_numbers(db, erasure, (("strings", number) for number in strings))
    replaced = db.execute(
        """
        -- orders.note_found
        delete from replaced where site = ? and session in (select value from json_each(?)) returning kind, number
        """,
        (order.what.site, json.dumps(sorted(sessions))),
    ).fetchall()
    _note_numbers(db, erasure, ((str(kind), int(str(number))) for kind, number in replaced))
    for one in COMBINATIONS:
        listed = json.dumps([number for kind, number in replaced if kind == one.table])
        found = db.execute(
            f"-- orders.note_found\nselect {', '.join(one.parts)} from {one.table}"
            " where id in (select value from json_each(?))",
            (listed,),
        ).fetchall()
        _note_numbers(db, erasure, (("strings", int(str(number))) for row in found for number in row))
    noted = msgspec.structs.replace(order.what, noted=True)
    what = msgspec.json.encode(ErasureOrder(noted, order.until)).decode()
    db.execute("-- orders.note_found\nupdate removal_orders set what = ? where id = ?", (what, order.id))


def _note_numbers(db: Connection, erasure: str, numbers: Iterable[tuple[str, int]]) -> None:
    db.executemany(
        """
        -- orders.note_found
        insert or ignore into erasure_numbers (erasure, kind, number)
        select id, ?, ? from erasures where id = ?
        """,
        [(kind, number, erasure) for kind, number in numbers if number],
    )


def forget(db: Connection, order: ErasureOrder, left: Mapping[str, tuple[int, int, int]]) -> None:
    """The order is carried out; of its site so many rows are left of each table, from the first until the last
    (UTC ms)."""
    site = order.what.site
    known = db.execute("-- orders.forget\nselect source from trimmed_sites where site = ?", (site,)).fetchall()
    db.execute("-- orders.forget\ndelete from trimmed_sites where site = ?", (site,))
    db.executemany(
        "-- orders.forget\ninsert into trimmed_sites (site, source, count, first, last) values (?, ?, ?, ?, ?)",
        [(site, str(source), *left[str(source)]) for (source,) in known if left.get(str(source), (0,))[0]],
    )
    db.execute("-- orders.forget\ndelete from removal_orders where id = ?", (order.id,))
