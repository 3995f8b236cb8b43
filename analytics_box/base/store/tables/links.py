"""The tables of short links."""

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
