"""The steps of box.db for several machines that take events."""

# Rows in ClickHouse that are nowhere else: of a primary, which of its machines may have any; of an ingest machine,
# whether the primary knows that it may.
ALONE = (
    "0025_alone",
    (
        "alter table nodes add column alone integer not null default 0 check (alone in (0, 1))",
        "alter table mirror add column alone integer not null default 0 check (alone in (0, 1))",
    ),
)
CLUSTER = (
    "0024_cluster",
    (
        # Of a primary: the ingest machines that it knows, by their numbers, which are never given to another machine.
        """
        create table nodes (
          number       integer primary key check (number between 1 and 1023),
          box          text    not null,
          created_at   integer not null,
          retired_at   integer
        ) strict
        """,
        # Of a primary: people whom ingest machines have yet to remove. `body` is sealed.
        """
        create table node_orders (
          number       integer primary key autoincrement,
          body         blob    not null,
          created_at   integer not null
        ) strict
        """,
        # Of an ingest machine: which revision of the mirror it has, of which primary, and the last order that is done.
        """
        create table mirror (
          one          integer primary key check (one = 1),
          cluster      text    not null,
          revision     text    not null,
          done         integer not null default 0
        ) strict
        """,
    ),
)

PROMOTED = (
    "0026_promoted",
    (
        # When these files became those of the primary, in the place of a lost one (UTC ms).
        "create table promotions (at integer primary key) strict",
        # Of an ingest machine: the last one of the primary that it has followed; 0 for the first primary.
        "alter table mirror add column promoted_at integer not null default 0",
    ),
)
