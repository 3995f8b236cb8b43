"""Machines of a cluster in box.db. Every function takes a connection inside the caller's transaction."""

from msgspec import Struct

from analytics_box.store import records
from analytics_box.store.db import Connection


class Node(Struct, frozen=True):
    """An ingest machine that a primary knows: its number, and its box id. A retired one has ended for good. One may
    have rows in ClickHouse `alone`, which are nowhere else."""

    number: int
    box: str
    created_at: int
    retired_at: int | None
    alone: bool = False


class Has(Struct, frozen=True):
    """What an ingest machine has of a primary: the revision of its mirror, and the last order that was carried out;
    whether the primary knows that this machine may have rows in ClickHouse `alone`."""

    cluster: str
    revision: str
    done: int
    alone: bool


def nodes(db: Connection) -> list[Node]:
    """All machines, the retired ones too."""
    return records.all_of(
        db, Node, "-- cluster.nodes\nselect number, box, created_at, retired_at, alone from nodes order by number"
    )


def insert_node(db: Connection, number: int, box: str, now: int) -> None:
    """Know a new machine."""
    db.execute(
        "-- cluster.insert_node\ninsert into nodes (number, box, created_at) values (?, ?, ?)", (number, box, now)
    )


def note_alone(db: Connection, number: int, *, alone: bool) -> None:
    """Whether this machine may have rows in ClickHouse that are nowhere else."""
    db.execute("-- cluster.note_alone\nupdate nodes set alone = ? where number = ?", (alone, number))


def note_known_alone(db: Connection) -> None:
    """The primary knows that this ingest machine may have rows in ClickHouse that are nowhere else."""
    db.execute("-- cluster.note_known_alone\nupdate mirror set alone = 1")


def retire(db: Connection, number: int, now: int) -> bool:
    """A machine is gone for good; whether there was one with this number that was not yet."""
    db.execute(
        "-- cluster.retire\nupdate nodes set retired_at = ? where number = ? and retired_at is null", (now, number)
    )
    return db.changes() > 0


def box_id(db: Connection) -> str:
    """The id that this box has in both of its files."""
    return str(db.execute("-- cluster.box_id\nselect id from box").fetchall()[0][0])


def has(db: Connection) -> Has | None:
    """What this ingest machine has; None before its primary was heard of."""
    return records.one_of(db, Has, "-- cluster.has\nselect cluster, revision, done, alone from mirror")


def note_has(db: Connection, cluster: str, revision: str) -> None:
    """This ingest machine has this revision."""
    db.execute(
        """
        -- cluster.note_has
        insert into mirror (one, cluster, revision) values (1, ?, ?)
        on conflict (one) do update set revision = excluded.revision
        """,
        (cluster, revision),
    )


def note_done(db: Connection, done: int) -> None:
    """Orders up to this one have been carried out here."""
    db.execute("-- cluster.note_done\nupdate mirror set done = ?", (done,))


def insert_order(db: Connection, body: bytes, now: int) -> None:
    """What ingest machines have yet to do."""
    db.execute("-- cluster.insert_order\ninsert into node_orders (body, created_at) values (?, ?)", (body, now))


def orders(db: Connection) -> list[tuple[int, bytes]]:
    """Orders that not all machines have carried out, with their numbers, in their order."""
    found = db.execute("-- cluster.orders\nselect number, body from node_orders order by number").fetchall()
    return [(int(str(number)), body) for number, body in found if isinstance(body, bytes)]


def newest_order(db: Connection) -> int:
    """The number of the newest order that ever was."""
    found = db.execute("-- cluster.newest_order\nselect seq from sqlite_sequence where name = 'node_orders'").fetchall()
    return int(str(found[0][0])) if found else 0


def forget_order(db: Connection, number: int) -> None:
    """Nothing is left of what was to be removed."""
    db.execute("-- cluster.forget_order\ndelete from node_orders where number = ?", (number,))
