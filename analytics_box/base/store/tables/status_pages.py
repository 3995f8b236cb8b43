"""The tables of status pages, incidents and subscribers."""

STATUS_PAGES = (
    """
    create table status_pages (
      id               text    primary key check (length(id) between 8 and 64),
      organization_id  text    not null references organizations (id),
      slug             text    not null unique check (length(slug) between 1 and 100),
      name             text    not null check (length(name) between 1 and 120),
      description      text    not null default '' check (length(description) <= 500),
      logo             text    not null default '',
      logo_url         text    check (length(logo_url) <= 2048),
      favicon          text    not null default '',
      favicon_url      text    check (length(favicon_url) <= 2048),
      website_url      text    check (length(website_url) <= 2048),
      support_url      text    check (length(support_url) <= 2048),
      theme            text    check (theme in ('system', 'light', 'dark')),
      zone             text    not null default 'UTC' check (length(zone) between 1 and 64),
      domain           text    unique,
      password         text    not null default '',
      indexed          integer not null default 1 check (indexed in (0, 1)),
      subscribable     integer not null default 1 check (subscribable in (0, 1)),
      automatic        text    not null default 'off' check (automatic in ('off', 'draft', 'publish')),
      publish_after    integer not null default 5 check (publish_after between 0 and 1440),
      version          integer not null default 0,
      created_at       integer not null,
      updated_at       integer not null
    ) strict, without rowid
    """,
    "create index status_pages_of on status_pages (organization_id, created_at)",
    # The logo and favicon of a page as they are served, by digest.
    """
    create table status_page_files (
      page_id          text    not null references status_pages (id) on delete cascade,
      kind             text    not null check (kind in ('logo', 'favicon')),
      digest           text    not null,
      type             text    not null,
      image            blob    not null,
      created_at       integer not null,
      primary key (page_id, kind)
    ) strict, without rowid
    """,
    """
    create table status_page_groups (
      id               text    primary key check (length(id) between 8 and 64),
      page_id          text    not null references status_pages (id) on delete cascade,
      name             text    not null check (length(name) between 1 and 120),
      description      text    not null default '' check (length(description) <= 500),
      position         integer not null default 0,
      created_at       integer not null,
      updated_at       integer not null
    ) strict, without rowid
    """,
    "create index status_page_groups_of on status_page_groups (page_id)",
    # The status of a component without a monitor is set by users.
    """
    create table status_page_components (
      id               text    primary key check (length(id) between 8 and 64),
      page_id          text    not null references status_pages (id) on delete cascade,
      monitor_id       text    references monitors (id) on delete cascade,
      group_id         text    references status_page_groups (id) on delete set null,
      name             text    not null default '' check (length(name) <= 120),
      description      text    not null default '' check (length(description) <= 500),
      hide_url         integer not null default 0 check (hide_url in (0, 1)),
      hide_uptime      integer not null default 0 check (hide_uptime in (0, 1)),
      hide_latency     integer not null default 0 check (hide_latency in (0, 1)),
      only_if_degraded integer not null default 0 check (only_if_degraded in (0, 1)),
      status           text    not null default 'operational' check (status in
        ('operational', 'degraded_performance', 'partial_outage', 'major_outage', 'under_maintenance')),
      position         integer not null default 0,
      created_at       integer not null,
      updated_at       integer not null,
      unique (page_id, monitor_id)
    ) strict, without rowid
    """,
    "create index status_page_components_of on status_page_components (page_id, position)",
    "create index status_page_components_by_monitor on status_page_components (monitor_id)",
    # The states of components without a monitor, from `start` until `until` (UTC ms); 0 is now. `state` has the
    # values of monitor_spans in events.db.
    """
    create table component_spans (
      id               integer primary key,
      component_id     text    not null references status_page_components (id) on delete cascade,
      state            integer not null check (state between 1 and 6),
      start            integer not null,
      until            integer not null default 0 check (until = 0 or until >= start)
    ) strict
    """,
    "create index component_spans_by_time on component_spans (component_id, start)",
    # The results of finished days, in the page's time zone at that time. They never change.
    """
    create table component_days (
      component_id     text    not null references status_page_components (id) on delete cascade,
      day              text    not null check (length(day) = 10),
      figures          text    not null check (json_valid(figures)),
      primary key (component_id, day)
    ) strict, without rowid
    """,
    # Incidents and maintenance windows of status pages.
    """
    create table incidents (
      id               text    primary key check (length(id) between 8 and 64),
      page_id          text    not null references status_pages (id) on delete cascade,
      kind             text    not null check (kind in ('incident', 'maintenance')),
      title            text    not null check (length(title) between 1 and 200),
      status           text    not null check (status in
        ('investigating', 'identified', 'monitoring', 'resolved', 'postmortem', 'scheduled',
        'in_progress', 'verifying', 'completed')),
      severity         text    not null check (severity in ('minor', 'major', 'critical')),
      origin           text    not null default 'person' check (origin in ('person', 'monitor')),
      is_draft         integer not null default 0 check (is_draft in (0, 1)),
      publish_at       integer,
      scheduled_for    integer,
      scheduled_until  integer,
      started_at       integer not null,
      monitoring_at    integer,
      resolved_at      integer,
      created_at       integer not null,
      updated_at       integer not null,
      check ((kind = 'maintenance') = (scheduled_for is not null and scheduled_until is not null)),
      check (scheduled_until > scheduled_for)
    ) strict, without rowid
    """,
    "create index incidents_of on incidents (page_id, started_at)",
    "create index incidents_open on incidents (status, scheduled_for) where resolved_at is null",
    "create index incidents_to_publish on incidents (publish_at) where publish_at is not null",
    """
    create table incident_components (
      incident_id      text    not null references incidents (id) on delete cascade,
      position         integer not null,
      component_id     text    references status_page_components (id) on delete set null,
      name             text    not null,
      impact           text    not null check (impact in
        ('operational', 'degraded', 'partial', 'down', 'maintenance')),
      primary key (incident_id, position)
    ) strict, without rowid
    """,
    "create index incident_components_by_component on incident_components (component_id)",
    # `sent` counts the subscribers that an update has reached, because deliveries are deleted after 30 days.
    """
    create table incident_updates (
      number           integer primary key,
      id               text    not null unique check (length(id) between 8 and 64),
      incident_id      text    not null references incidents (id) on delete cascade,
      status           text    not null,
      message          text    not null check (length(message) <= 5000),
      at               integer not null,
      notified         integer not null check (notified in (0, 1)),
      affected         text    not null check (json_valid(affected)),
      author           text    not null,
      created_at       integer not null,
      updated_at       integer not null,
      sent             integer not null default 0 check (sent >= 0)
    ) strict
    """,
    "create index incident_updates_of on incident_updates (incident_id, at)",
    # Earlier texts of updates that were edited.
    """
    create table incident_update_texts (
      number           integer primary key,
      update_id        text    not null references incident_updates (id) on delete cascade,
      message          text    not null,
      author           text    not null,
      replaced_at      integer not null
    ) strict
    """,
    "create index incident_update_texts_of on incident_update_texts (update_id)",
    # The monitor transitions that a page has processed, so that none creates two incidents.
    """
    create table incident_transitions (
      page_id          text    not null references status_pages (id) on delete cascade,
      topic            text    not null,
      incident_id      text    references incidents (id) on delete set null,
      at               integer not null,
      primary key (page_id, topic)
    ) strict, without rowid
    """,
    "create index incident_transitions_by_incident on incident_transitions (incident_id)",
    """
    create table incident_templates (
      id               text    primary key check (length(id) between 8 and 64),
      page_id          text    not null references status_pages (id) on delete cascade,
      name             text    not null check (length(name) between 1 and 120),
      title            text    not null check (length(title) <= 200),
      severity         text    not null check (severity in ('minor', 'major', 'critical')),
      message          text    not null check (length(message) <= 5000),
      created_at       integer not null
    ) strict, without rowid
    """,
    "create index incident_templates_of on incident_templates (page_id)",
    # `components` is a JSON list of ids; [] is all. `digest` is that of the secret in their links. For `failures` see
    # channels.
    """
    create table subscribers (
      id               text    primary key check (length(id) between 8 and 64),
      page_id          text    not null references status_pages (id) on delete cascade,
      kind             text    not null check (kind in ('email', 'webhook')),
      address          text    not null check (length(address) between 3 and 2048),
      components       text    not null default '[]' check (json_valid(components)),
      digest           blob    not null unique,
      sealed           blob    not null,
      created_at       integer not null,
      confirmed_at     integer,
      asked_at         integer not null,
      failures         integer not null default 0 check (failures >= 0),
      failing_since    integer,
      not_before       integer not null default 0,
      unique (page_id, kind, address)
    ) strict, without rowid
    """,
    "create index subscribers_by_address on subscribers (address)",
    # Messages to subscribers, stored once for all of them and deleted with their update.
    """
    create table subscriber_messages (
      topic            text    primary key check (length(topic) between 1 and 200),
      update_id        text    references incident_updates (id) on delete cascade deferrable initially deferred,
      message          text    not null check (json_valid(message)),
      created_at       integer not null
    ) strict, without rowid
    """,
    "create index subscriber_messages_of on subscriber_messages (update_id)",
    # Deliveries of a message, one per subscriber.
    """
    create table subscriber_deliveries (
      number           integer primary key,
      subscriber_id    text    not null references subscribers (id) on delete cascade,
      topic            text    not null references subscriber_messages (topic) on delete cascade,
      created_at       integer not null,
      attempts         integer not null default 0,
      due_at           integer,
      ended_at         integer,
      error            text    not null default '',
      unique (subscriber_id, topic),
      check ((due_at is null) = (ended_at is not null))
    ) strict
    """,
    "create index subscriber_deliveries_of on subscriber_deliveries (topic)",
    """
    create index subscriber_deliveries_waiting on subscriber_deliveries (subscriber_id, number)
      where due_at is not null
    """,
    "create index subscriber_deliveries_due on subscriber_deliveries (due_at) where due_at is not null",
    "create index subscriber_deliveries_ended on subscriber_deliveries (ended_at) where ended_at is not null",
    # Upload URLs that were used, until they expire.
    """
    create table status_page_uploads (
      digest      blob    primary key check (length(digest) = 32),
      expires_at  integer not null
    ) strict, without rowid
    """,
)
