"""Progress of watching traffic, in box.db. Every function takes a connection inside the caller's transaction."""

from msgspec import Struct

from analytics_box.base.store import records
from analytics_box.base.store.db import Connection


class WatchedPeriod(Struct, frozen=True):
    """Since when traffic has been watched without a gap, and until when. UTC ms."""

    since: int
    seen_at: int


class SeenOutage(Struct, frozen=True):
    """The last time that a website's monitor was seen down. UTC ms."""

    website_id: str
    seen_at: int


def span(db: Connection) -> WatchedPeriod | None:
    return records.one_of(db, WatchedPeriod, "-- alarms.traffic.span\nselect since, seen_at from traffic_watch")


def put_span(db: Connection, span: WatchedPeriod) -> None:
    """Store how long traffic has been watched."""
    db.execute(
        """
        -- alarms.traffic.put_span
        insert into traffic_watch (one, since, seen_at) values (1, ?, ?)
        on conflict (one) do update set since = excluded.since, seen_at = excluded.seen_at
        """,
        (span.since, span.seen_at),
    )


def outages(db: Connection) -> dict[str, int]:
    """The last times that the monitors of websites were seen down, by the website's id."""
    found = records.all_of(db, SeenOutage, "-- alarms.traffic.outages\nselect website_id, seen_at from traffic_outages")
    return {outage.website_id: outage.seen_at for outage in found}


def note_outage(db: Connection, website_id: str, now: int) -> None:
    """The monitor of this website is down."""
    db.execute(
        """
        -- alarms.traffic.note_outage
        insert into traffic_outages (website_id, seen_at)
        select id, ? from websites where id = ?
        on conflict (website_id) do update set seen_at = excluded.seen_at
        """,
        (now, website_id),
    )


def decided_groups(db: Connection, website_id: str, state: str) -> dict[str, int]:
    """The error groups of a website in a state, and when that was decided (UTC ms)."""
    found = db.execute(
        """
        -- alarms.traffic.decided_groups
        select fingerprint, decided_at from error_groups where website_id = ? and state = ?
        """,
        (website_id, state),
    )
    return {str(fingerprint): int(str(decided_at)) for fingerprint, decided_at in found}


def forget_outages(db: Connection, before: int) -> None:
    """Forget those that no window reaches back to."""
    db.execute("-- alarms.traffic.forget_outages\ndelete from traffic_outages where seen_at < ?", (before,))
