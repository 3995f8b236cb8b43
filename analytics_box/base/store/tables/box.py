"""The tables of the box itself."""

THIS_BOX = (
    # The id of this box. events.db has the same.
    """
    create table box (
      one              integer primary key check (one = 1),
      id               text    not null check (length(id) = 32)
    ) strict
    """,
    "insert into box (one, id) values (1, lower(hex(randomblob(16))))",
    # The last run of each job, so that a restart does not restart its interval.
    """
    create table job_runs (
      name             text    primary key check (length(name) between 1 and 64),
      ran_at           integer not null
    ) strict, without rowid
    """,
    # The last time that was read, and since when the clock is doubted because it jumped ahead.
    """
    create table clock (
      one              integer primary key check (one = 1),
      seen             integer not null,
      doubted_since    integer
    ) strict
    """,
    # The bytes of data on each UTC day, to forecast when the disk is full.
    """
    create table sizes (
      day              integer primary key,
      data             integer not null check (data >= 0)
    ) strict
    """,
)
