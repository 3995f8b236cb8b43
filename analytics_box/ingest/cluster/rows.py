"""Machines of a cluster in box.db. Every function takes a connection inside the caller's transaction."""

from msgspec import Struct

from analytics_box.base.store import records
from analytics_box.base.store.db import Connection

SKIPPED = 10_000  # numbers of each kind that are given to nobody where a primary is promoted


class IngestNode(Struct, frozen=True):
    """An ingest machine that a primary knows: its number, and its box id. A retired one has ended for good. One may
    have rows in ClickHouse `alone`, which are nowhere else."""

    number: int
    box: str
    created_at: int
    retired_at: int | None
    alone: bool = False


class Has(Struct, frozen=True):
    """The state that an ingest machine has from a primary: the revision of its mirror, and the last order carried out;
    whether
    the primary knows that this machine may have rows in ClickHouse `alone`; when that primary was promoted.
    """

    cluster: str
    revision: str
    done: int
    alone: bool
    promoted_at: int


def nodes(db: Connection) -> list[IngestNode]:
    """All machines, the retired ones too."""
    return records.all_of(
        db, IngestNode, "-- cluster.nodes\nselect number, box, created_at, retired_at, alone from nodes order by number"
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


def promoted_at(db: Connection) -> int:
    """The time when this machine replaced another one as the primary (UTC ms); 0 for the first primary."""
    return int(str(db.execute("-- cluster.promoted_at\nselect coalesce(max(at), 0) from promotions").fetchall()[0][0]))


def last_site(db: Connection) -> int:
    """The highest number of a site that this machine knows."""
    found = db.execute("-- cluster.last_site\nselect coalesce(max(number), 0) from sites").fetchall()
    return int(str(found[0][0]))


def last_given(db: Connection, table: str) -> int:
    """The highest number of this table that this primary has assigned or must not assign."""
    found = db.execute("-- cluster.last_given\nselect seq from sqlite_sequence where name = ?", (table,)).fetchall()
    return int(str(found[0][0])) if found else 0


def promote(db: Connection, now: int) -> None:
    """Make this box.db the primary's from now on. Numbers that the lost one may have given are not given again."""
    db.execute("-- cluster.promote\ninsert into promotions (at) values (?)", (max(now, promoted_at(db) + 1),))
    db.execute(
        """
        -- cluster.promote
        insert into sqlite_sequence (name, seq)
        select name, 0 from sqlite_schema
        where type = 'table' and sql like '%primary key autoincrement%'
          and name not in (select name from sqlite_sequence)
        """
    )
    db.execute("-- cluster.promote\nupdate sqlite_sequence set seq = seq + ?", (SKIPPED,))
    db.execute("-- cluster.promote\nupdate nodes set alone = 1")  # until they say that it is not so


def has(db: Connection) -> Has | None:
    """The state of this ingest machine; None before the first contact with its primary."""
    return records.one_of(db, Has, "-- cluster.has\nselect cluster, revision, done, alone, promoted_at from mirror")


def note_has(db: Connection, cluster: str, revision: str, promoted_at: int) -> None:
    """This ingest machine has this revision, of the primary that was promoted then."""
    db.execute(
        """
        -- cluster.note_has
        insert into mirror (one, cluster, revision, promoted_at) values (1, ?, ?, ?)
        on conflict (one) do update set revision = excluded.revision, promoted_at = excluded.promoted_at
        """,
        (cluster, revision, promoted_at),
    )


def note_done(db: Connection, done: int) -> None:
    """Orders up to this one have been carried out here."""
    db.execute("-- cluster.note_done\nupdate mirror set done = ?", (done,))


def insert_order(db: Connection, body: bytes, now: int) -> None:
    """Insert an order for ingest machines."""
    db.execute("-- cluster.insert_order\ninsert into node_orders (body, created_at) values (?, ?)", (body, now))


def orders(db: Connection) -> list[tuple[int, bytes]]:
    """Orders that not all machines have carried out, with their numbers, in their order."""
    found = db.execute("-- cluster.orders\nselect number, body from node_orders order by number").fetchall()
    return [(int(str(number)), body) for number, body in found if isinstance(body, bytes)]


def newest_order(db: Connection) -> int:
    """The number of the newest order that not all machines have carried out; 0 for none."""
    found = db.execute("-- cluster.newest_order\nselect coalesce(max(number), 0) from node_orders").fetchall()
    return int(str(found[0][0]))


def sites_in_use(db: Connection) -> list[int]:
    """The sites of the websites that are there."""
    found = db.execute("-- cluster.sites_in_use\nselect site from websites").fetchall()
    return [int(str(site)) for (site,) in found]


def keep(db: Connection, site: int, said: bytes, now: int) -> None:
    """Keep something for the primary, under a number above all earlier ones, also where an earlier events.db was put
    back."""
    db.execute(
        """
        -- cluster.keep
        insert into outbox (id, site, said)
        select max(1000 * :now, coalesce((select seq from sqlite_sequence where name = 'outbox'), 0) + 1),
          :site, :said
        """,
        {"now": now, "site": site, "said": said},
    )


def newest_waiting(db: Connection) -> int:
    """The last that waits for the primary; 0 for none."""
    found = db.execute("-- cluster.newest_waiting\nselect coalesce(max(id), 0) from outbox").fetchall()
    return int(str(found[0][0]))


def count_waiting(db: Connection) -> dict[int, int]:
    """The number of reports waiting for the primary, by site."""
    found = db.execute("-- cluster.count_waiting\nselect site, count(*) from outbox group by site").fetchall()
    return {int(str(site)): int(str(count)) for site, count in found}


def waiting(db: Connection, *, most: int, site: int | None = None, after: int = 0) -> list[tuple[int, int, bytes]]:
    """Reports waiting for the primary, of one site or of all, after a number: number, site, content."""
    found = db.execute(
        """
        -- cluster.waiting
        select id, site, said from outbox where id > :after and (:site is null or site = :site)
        order by id limit :most
        """,
        {"most": most, "site": site, "after": after},
    ).fetchall()
    return [(int(str(number)), int(str(of)), said) for number, of, said in found if isinstance(said, bytes)]


def forget_waiting_until(db: Connection, *, last: int) -> None:
    """The primary has these."""
    db.execute("-- cluster.forget_waiting_until\ndelete from outbox where id <= ?", (last,))


def forget_waiting(db: Connection, number: int) -> None:
    """Delete a waiting report."""
    db.execute("-- cluster.forget_waiting\ndelete from outbox where id = ?", (number,))


def change_waiting(db: Connection, number: int, said: bytes) -> None:
    """Something else of it is to be known."""
    db.execute("-- cluster.change_waiting\nupdate outbox set said = ? where id = ?", (said, number))


def last_told(db: Connection, machine: int) -> int:
    """The last that a machine has told and is written down; 0 for none."""
    found = db.execute("-- cluster.last_told\nselect last from inbox where machine = ?", (machine,)).fetchall()
    return int(str(found[0][0])) if found else 0


def note_told(db: Connection, machine: int, last: int) -> None:
    """All that a machine has told up to this one is written down."""
    db.execute(
        """
        -- cluster.note_told
        insert into inbox (machine, last) values (?, ?)
        on conflict (machine) do update set last = excluded.last
        """,
        (machine, last),
    )


def forget_order(db: Connection, number: int) -> None:
    """Nothing is left of what was to be removed."""
    db.execute("-- cluster.forget_order\ndelete from node_orders where number = ?", (number,))
