"""The tables of goals, notes, segments and saved queries."""

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
