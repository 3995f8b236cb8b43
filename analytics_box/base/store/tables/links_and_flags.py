"""The tables of links and feature flags."""

LINKS = (
    """
    create table link_folders (
      id               text    primary key check (length(id) between 8 and 64),
      organization_id  text    not null references organizations (id),
      name             text    not null check (length(name) between 1 and 80),
      slug             text    not null check (length(slug) between 1 and 90),
      created_at       integer not null,
      updated_at       integer not null,
      unique (organization_id, slug)
    ) strict, without rowid
    """,
    # Proven domains that serve short links at the root. `home_url` is the destination of the bare domain and
    # `missing_url` that of unknown slugs; if they are null, the box answers with its own page.
    """
    create table link_domains (
      domain           text    primary key check (length(domain) between 4 and 239),
      domain_id        text    not null unique references domains (id),
      organization_id  text    not null references organizations (id),
      home_url         text    check (length(home_url) between 1 and 2048),
      missing_url      text    check (length(missing_url) between 1 and 2048),
      created_at       integer not null
    ) strict, without rowid
    """,
    # `number` identifies a link in events.db and is never reused. `domain` is empty on the box's host. `rules`,
    # `variants` and `utm` are JSON; `password` is an Argon2id hash.
    """
    create table links (
      number           integer primary key autoincrement,
      id               text    not null unique check (length(id) between 8 and 64),
      organization_id  text    not null references organizations (id),
      created_by       text    not null check (length(created_by) between 1 and 100),
      domain           text    not null check (length(domain) <= 239),
      slug             text    not null check (length(slug) between 3 and 50),
      name             text    not null check (length(name) between 1 and 255),
      target_url       text    not null check (length(target_url) between 8 and 2048),
      target_domain    text    not null check (length(target_domain) <= 255),
      folder_id        text    references link_folders (id) on delete set null,
      redirect_status  integer not null check (redirect_status in (301, 302, 307, 308)),
      query_forwarding text    not null check (query_forwarding in ('none', 'keep', 'override')),
      expires_at       integer,
      expired_url      text    check (length(expired_url) <= 2048),
      max_clicks       integer check (max_clicks > 0),
      password         text    check (length(password) between 20 and 300),
      og_title         text    check (length(og_title) <= 200),
      og_description   text    check (length(og_description) <= 500),
      og_image_url     text    check (length(og_image_url) <= 2048),
      og_video_url     text    check (length(og_video_url) <= 2048),
      ios_url          text    check (length(ios_url) <= 2048),
      android_url      text    check (length(android_url) <= 2048),
      deep_link_app    text    check (length(deep_link_app) <= 64),
      external_id      text    check (length(external_id) <= 255),
      source_type      text    check (length(source_type) <= 64),
      source_id        text    check (length(source_id) <= 255),
      source_owner_id  text    check (length(source_owner_id) <= 255),
      rules            text    not null default '[]' check (json_valid(rules)),
      variants         text    not null default '[]' check (json_valid(variants)),
      utm              text    not null default '{}' check (json_valid(utm)),
      created_at       integer not null,
      updated_at       integer not null
    ) strict
    """,
    "create unique index links_by_slug on links (domain, slug)",
    "create index links_by_organization on links (organization_id, number)",
    "create index links_by_external_id on links (organization_id, external_id) where external_id is not null",
    "create index links_by_folder on links (folder_id) where folder_id is not null",
    """
    create table link_tags (
      link             integer not null references links (number) on delete cascade,
      tag              text    not null check (length(tag) between 1 and 50),
      primary key (link, tag)
    ) strict, without rowid
    """,
    # Lists of links show all tags, and filter by them.
    "create index link_tags_by_tag on link_tags (tag, link)",
)


FLAGS = (
    # The websites and organizations that have flags. A website keeps its flags when it moves to another organization.
    # Each change of a flag increments the revision.
    """
    create table flag_scopes (
      id               text    primary key check (id = coalesce(website_id, organization_id)),
      organization_id  text    references organizations (id),
      website_id       text    references websites (id) on delete cascade,
      revision         integer not null,
      updated_at       integer not null,
      check ((organization_id is null) <> (website_id is null))
    ) strict, without rowid
    """,
    "create index flag_scopes_of on flag_scopes (organization_id)",
    "create index flag_scopes_by_website on flag_scopes (website_id)",
    """
    create table flags (
      id               text    primary key check (length(id) between 8 and 64),
      organization_id  text    references organizations (id),
      website_id       text    references websites (id) on delete cascade,
      scope            text    generated always as (coalesce(website_id, organization_id)) stored,
      key              text    not null check (length(key) between 1 and 128),
      environment      text    check (length(environment) between 1 and 64),
      user_id          text    check (length(user_id) between 1 and 255),
      definition       text    not null check (json_valid(definition)),
      version          integer not null default 1,
      created_by       text    not null,
      created_at       integer not null,
      updated_at       integer not null,
      deleted_at       integer,
      check ((organization_id is null) <> (website_id is null))
    ) strict
    """,
    """
    create unique index flags_by_key on flags (scope, key, coalesce(environment, ''), coalesce(user_id, ''))
      where deleted_at is null
    """,
    "create index flags_of on flags (organization_id)",
    "create index flags_by_website on flags (website_id)",
    # The history of a flag: each version, with its author and note.
    """
    create table flag_versions (
      number           integer primary key,
      flag_id          text    not null references flags (id) on delete cascade,
      version          integer not null,
      key              text    not null,
      environment      text,
      definition       text    not null check (json_valid(definition)),
      action           text    not null,
      actor            text    not null,
      note             text    not null default '' check (length(note) <= 500),
      at               integer not null,
      unique (flag_id, version)
    ) strict
    """,
    """
    create table target_groups (
      id               text    primary key check (length(id) between 8 and 64),
      organization_id  text    references organizations (id),
      website_id       text    references websites (id) on delete cascade,
      scope            text    generated always as (coalesce(website_id, organization_id)) stored,
      name             text    not null check (length(name) between 1 and 100),
      description      text    not null default '' check (length(description) <= 500),
      color            text    not null default '' check (length(color) <= 32),
      rules            text    not null check (json_valid(rules)),
      created_by       text    not null,
      created_at       integer not null,
      updated_at       integer not null,
      check ((organization_id is null) <> (website_id is null))
    ) strict, without rowid
    """,
    "create unique index target_groups_by_name on target_groups (scope, name)",
    "create index target_groups_of on target_groups (organization_id)",
    "create index target_groups_by_website on target_groups (website_id)",
    # Scheduled changes of a flag: [{"at": UTC ms, "percentage": 0–100, "doneAt": UTC ms, "skipped": whether a later
    # step was also due}]; the last two once a step is done. `flag_…` is the flag's state when the schedule was
    # created or its last step was done.
    """
    create table flag_schedules (
      id               text    primary key check (length(id) between 8 and 64),
      flag_id          text    not null references flags (id) on delete cascade,
      type             text    not null check (type in ('enable', 'disable', 'update_rollout')),
      scheduled_at     integer not null,
      steps            text    not null default '[]' check (json_valid(steps)),
      next_at          integer,
      ended_at         integer,
      error            text    not null default '',
      created_by       text    not null,
      created_at       integer not null,
      flag_percentage  real    not null,
      flag_status      text    not null check (flag_status in ('active', 'inactive', 'archived')),
      check ((next_at is null) = (ended_at is not null))
    ) strict, without rowid
    """,
    "create index flag_schedules_of on flag_schedules (flag_id)",
    "create index flag_schedules_due on flag_schedules (next_at) where next_at is not null",
    # The number of evaluations by result: `gave` is a variant, true or false. Days are UTC, counted from 1970.
    """
    create table flag_counts (
      flag_id          text    not null references flags (id) on delete cascade,
      day              integer not null,
      gave             text    not null check (length(gave) between 1 and 128),
      count            integer not null,
      primary key (flag_id, day, gave)
    ) strict, without rowid
    """,
    "create index flag_counts_by_day on flag_counts (day)",
    # The latest evaluation by result (UTC ms).
    """
    create table flag_last_given (
      flag_id          text    not null references flags (id) on delete cascade,
      gave             text    not null check (length(gave) between 1 and 128),
      at               integer not null,
      primary key (flag_id, gave)
    ) strict, without rowid
    """,
)
