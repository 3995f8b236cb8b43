"""The transitions of monitors that pages have processed, in box.db. Every function takes a connection inside the
caller's transaction.
"""

from analytics_box.base.store.db import Connection


def note(db: Connection, page_id: str, topic: str, at: int) -> bool:
    """Note that a page processes a transition. Return False if it has already."""
    db.execute(
        """
        -- automatic.note
        insert into incident_transitions (page_id, topic, at) values (?, ?, ?) on conflict do nothing
        """,
        (page_id, topic, at),
    )
    return db.changes() > 0


def set_incident(db: Connection, page_id: str, topic: str, incident_id: str) -> None:
    """The incident that a transition opened or joined."""
    db.execute(
        "-- automatic.set_incident\nupdate incident_transitions set incident_id = ? where page_id = ? and topic = ?",
        (incident_id, page_id, topic),
    )


def firsts(db: Connection, page_id: str) -> dict[str, int]:
    """The time when the first monitor of each automatic open incident of a page went down (UTC ms), by the incident's
    id.
    """
    found = db.execute(
        """
        -- automatic.firsts
        select incident_id, min(at) from incident_transitions
        where incident_id in (select id from incidents where page_id = ? and resolved_at is null)
        group by incident_id
        """,
        (page_id,),
    ).fetchall()
    return {str(incident_id): int(str(at)) for incident_id, at in found}


def forget(db: Connection, before: int) -> None:
    """Forget transitions before this instant (UTC ms) without an open incident; they are not reported again."""
    db.execute(
        """
        -- automatic.forget
        delete from incident_transitions
        where at < ? and (incident_id is null
          or incident_id in (select id from incidents where resolved_at is not null))
        """,
        (before,),
    )


def forget_drafts(db: Connection, before: int) -> None:
    """Delete automatic drafts that ended before this instant (UTC ms) and were not published."""
    db.execute(
        """
        -- automatic.forget_drafts
        delete from incidents where origin = 'monitor' and is_draft = 1 and resolved_at < ?
        """,
        (before,),
    )
