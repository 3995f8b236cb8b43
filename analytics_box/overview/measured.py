"""Which kinds of measurements a website has sent, so that its overview has panels for them and for no others."""

from analytics_box.store.db import Connection, Db


async def kinds_measured(events: Db, site: int) -> tuple[str, ...]:
    """Of "errors" and "vitals" those of which the website has any."""
    return await events.read(lambda db: _kinds(db, site), seconds=2)


def _kinds(db: Connection, site: int) -> tuple[str, ...]:
    ((errors, vitals),) = db.execute(
        """
        -- measured.kinds
        select
          exists (select 1 from errors where site = :site),
          exists (select 1 from vitals where site = :site and metric <= 6)
        """,
        {"site": site},
    ).fetchall()
    return (*(("errors",) if errors else ()), *(("vitals",) if vitals else ()))
