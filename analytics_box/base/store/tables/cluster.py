"""The tables of boxes that consist of several machines."""

CLUSTER = (
    # Primary only: the known ingest nodes, by numbers that are never reused. `alone` is 1 if ClickHouse can have rows
    # of a node that no other place has.
    """
    create table nodes (
      number           integer primary key check (number between 1 and 1023),
      box              text    not null,
      created_at       integer not null,
      retired_at       integer,
      alone            integer not null default 0 check (alone in (0, 1))
    ) strict
    """,
    # Primary only: people that ingest nodes have yet to erase. `body` is encrypted.
    """
    create table node_orders (
      number       integer primary key autoincrement,
      body         blob    not null,
      created_at   integer not null
    ) strict
    """,
    # Ingest node only: the primary and revision of its mirror, and the last order that is done. `alone` is 1 if the
    # primary knows that rows are only in ClickHouse. `promoted_at` is the last promotion that it has followed; 0 is
    # the first primary.
    """
    create table mirror (
      one              integer primary key check (one = 1),
      cluster          text    not null,
      revision         text    not null,
      done             integer not null default 0,
      alone            integer not null default 0 check (alone in (0, 1)),
      promoted_at      integer not null default 0
    ) strict
    """,
    # When these files replaced those of a lost primary (UTC ms).
    "create table promotions (at integer primary key) strict",
)
