"""Erasures that are under way, in events.db. Every function takes a connection inside the caller's transaction."""

import json
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from analytics_box.base.store.db import Connection
from analytics_box.products.people.rules import Stay
from analytics_box.products.people.traces import TraceSubject


class Erasure(Struct, frozen=True):
    """A person or a device that is being removed, on whose behalf, and how many rows are gone so far."""

    id: str
    subject: TraceSubject
    website_id: str
    organization_id: str
    actor: str
    removed: int = 0


def insert(db: Connection, erasure: Erasure, now: int) -> None:
    """From now on this erasure will be done, whatever happens to the box."""
    subject = erasure.subject
    db.execute(
        """
        -- erasures.insert
        insert into erasures (id, site, website_id, organization_id, actor, profile, visitors, created_at)
        values (?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (
            erasure.id,
            subject.site,
            erasure.website_id,
            erasure.organization_id,
            erasure.actor,
            subject.profile,
            json.dumps(subject.stays),
            now,
        ),
    )


def find(db: Connection, erasure_id: str) -> Erasure | None:
    """The erasure with this id, as long as it is under way."""
    row = db.execute(
        """
        -- erasures.find
        select site, profile, visitors, website_id, organization_id, actor, removed from erasures where id = ?
        """,
        (erasure_id,),
    ).fetchone()
    if row is None:
        return None
    site, profile, visitors, website_id, organization_id, actor, removed = row
    stays = tuple(Stay(*stay) for stay in json.loads(str(visitors)))
    subject = TraceSubject(int(str(site)), int(str(profile)), stays)
    return Erasure(erasure_id, subject, str(website_id), str(organization_id), str(actor), int(str(removed)))


def under_way(db: Connection) -> list[str]:
    """The ids of all erasures under way, oldest first."""
    rows = db.execute("-- erasures.under_way\nselect id from erasures order by created_at, id")
    return [str(row[0]) for row in rows.fetchall()]


def widen(db: Connection, erasure_id: str, stays: Sequence[Stay]) -> None:
    """The subject turned out to have been in more visitors."""
    db.execute("-- erasures.widen\nupdate erasures set visitors = ? where id = ?", (json.dumps(stays), erasure_id))


def note(db: Connection, erasure_id: str, removed: int, numbers: Mapping[str, Iterable[int]]) -> None:
    """Record removed rows, and numbers, by kind, that may have lost their last use."""
    db.execute("-- erasures.note\nupdate erasures set removed = removed + ? where id = ?", (removed, erasure_id))
    db.executemany(
        "-- erasures.note\ninsert or ignore into erasure_numbers (erasure, kind, number) values (?, ?, ?)",
        [(erasure_id, kind, number) for kind, found in numbers.items() for number in found],
    )


def numbers(db: Connection, erasure_id: str, kind: str) -> set[int]:
    """The strings, or combinations of this kind, that may have lost their last use."""
    rows = db.execute(
        "-- erasures.numbers\nselect number from erasure_numbers where erasure = ? and kind = ?", (erasure_id, kind)
    )
    return {int(str(row[0])) for row in rows.fetchall()}


def forget(db: Connection, erasure_id: str, kind: str) -> None:
    """Forget numbers that have been checked. Removed ones may soon belong to others."""
    db.execute("-- erasures.forget\ndelete from erasure_numbers where erasure = ? and kind = ?", (erasure_id, kind))


def mark_emptied(db: Connection, erasure_id: str) -> None:
    """Nothing is left to be found, and the numbers of its visitors may soon be those of others."""
    db.execute("-- erasures.emptied\nupdate erasures set profile = 0, visitors = '[]' where id = ?", (erasure_id,))


def finish(db: Connection, erasure_id: str) -> None:
    """Nothing is left to do."""
    db.execute("-- erasures.finish\ndelete from erasures where id = ?", (erasure_id,))
