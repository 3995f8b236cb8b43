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


OVERVIEW = (
    # Goals of a website (wire 10.5).
    """
    create table goals (
      id               text    primary key check (length(id) between 8 and 64),
      website_id       text    not null references websites (id) on delete cascade,
      name             text    not null check (length(name) between 1 and 100),
      description      text    not null default '',
      definition       text    not null check (json_valid(definition)),
      is_active        integer not null default 1 check (is_active in (0, 1)),
      created_by       text    not null,
      created_at       integer not null,
      updated_at       integer not null
    ) strict
    """,
    "create index goals_of on goals (website_id)",
    # Notes on a website's charts, at an instant or until `until` (UTC ms).
    """
    create table annotations (
      id               text    primary key check (length(id) between 8 and 64),
      website_id       text    not null references websites (id) on delete cascade,
      at               integer not null,
      until            integer check (until >= at),
      content          text    not null check (json_valid(content)),
      created_by       text    not null,
      created_at       integer not null,
      updated_at       integer not null
    ) strict
    """,
    "create index annotations_of on annotations (website_id, at)",
    # Named filters: private to a user, or shared with the organization.
    """
    create table segments (
      id               text    primary key check (length(id) between 8 and 64),
      website_id       text    not null references websites (id) on delete cascade,
      user_id          text    not null,
      is_shared        integer not null default 0 check (is_shared in (0, 1)),
      name             text    not null check (length(name) between 1 and 100),
      filters          text    not null check (json_valid(filters)),
      created_at       integer not null,
      updated_at       integer not null
    ) strict
    """,
    "create index segments_of on segments (website_id)",
    # Named API queries.
    """
    create table saved_questions (
      id               text    primary key check (length(id) between 8 and 64),
      website_id       text    not null references websites (id) on delete cascade,
      user_id          text    not null,
      is_shared        integer not null default 0 check (is_shared in (0, 1)),
      name             text    not null check (length(name) between 1 and 100),
      question         text    not null check (json_valid(question)),
      created_at       integer not null,
      updated_at       integer not null
    ) strict
    """,
    "create index saved_questions_of on saved_questions (website_id)",
)
