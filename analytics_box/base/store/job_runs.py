"""Times of the last run of each job, so that jobs with long intervals get their turn on a box that is
restarted often."""

from analytics_box.base.store.db import Connection


def last_runs(db: Connection, names: list[str], now: int) -> dict[str, int]:
    """The last runs of these jobs, in UTC ms; for one that never ran, the time since when the box knows it.

    A time in the future comes from a clock that was ahead: it counts as now, and is stored so, else it would count
    again
    after each restart and the interval never end.
    """
    for name in names:
        db.execute(
            "-- job_runs.last_runs\ninsert or ignore into job_runs (name, ran_at) values (?, ?)", (name, now)
        ).fetchall()
    db.execute("-- job_runs.last_runs\nupdate job_runs set ran_at = ?1 where ran_at > ?1", (now,)).fetchall()
    rows = db.execute("-- job_runs.last_runs\nselect name, ran_at from job_runs").fetchall()
    return {str(name): int(str(ran_at)) for name, ran_at in rows}


def note(db: Connection, name: str, now: int) -> None:
    """This job has just run."""
    db.execute("-- job_runs.note\ninsert or replace into job_runs (name, ran_at) values (?, ?)", (name, now)).fetchall()
