"""The tables of monitors and alert rules."""

MONITORS = (
    # `number` identifies a monitor in events.db and is never reused. `options` is JSON; `sealed` is the headers, body
    # and credentials of its checks or the token of a push monitor, encrypted. `interval` is in seconds, `timeout` in
    # ms.
    """
    create table monitors (
      number           integer primary key autoincrement,
      id               text    not null unique check (length(id) between 8 and 64),
      organization_id  text    not null references organizations (id),
      website_id       text    references websites (id),
      kind             text    not null check (kind in ('http', 'tcp', 'dns', 'tls', 'ping', 'push')),
      url              text    not null check (length(url) between 5 and 2048),
      name             text    check (length(name) between 1 and 255),
      interval         integer not null check (interval between 1 and 86400),
      timeout          integer check (timeout between 1000 and 120000),
      cache_bust       integer not null check (cache_bust in (0, 1)),
      is_paused        integer not null check (is_paused in (0, 1)),
      options          text    not null check (json_valid(options)),
      sealed           blob,
      failures_to_down integer not null check (failures_to_down between 1 and 10),
      successes_to_up  integer not null check (successes_to_up between 1 and 10),
      parent_id        text    references monitors (id) on delete set null check (parent_id <> id),
      "group"          text    not null check (length("group") <= 80),
      created_at       integer not null,
      updated_at       integer not null
    ) strict
    """,
    # One monitor per URL. DNS monitors of different record types can share one.
    """
    create unique index monitors_by_url
    on monitors (organization_id, url, coalesce(json_extract(options, '$.record'), ''))
    """,
    "create unique index monitors_by_website on monitors (website_id) where website_id is not null",
    "create index monitors_by_parent on monitors (parent_id) where parent_id is not null",
    """
    create table monitor_tags (
      monitor          integer not null references monitors (number) on delete cascade,
      tag              text    not null check (length(tag) between 1 and 50),
      primary key (monitor, tag)
    ) strict, without rowid
    """,
    # Monitor alerts are muted once from `starts_at` until `ends_at`, or repeatedly by `repeat`. `covers` selects
    # monitors. Both are JSON.
    """
    create table maintenance_windows (
      id               text    primary key check (length(id) between 8 and 64),
      organization_id  text    not null references organizations (id),
      name             text    not null check (length(name) between 1 and 255),
      covers           text    not null check (json_valid(covers)),
      starts_at        integer not null,
      ends_at          integer not null,
      repeat           text    check (repeat is null or json_valid(repeat)),
      ended_at         integer not null check (ended_at >= 0),
      created_at       integer not null,
      updated_at       integer not null,
      check ((repeat is null and ends_at > starts_at) or (repeat is not null and ends_at = 0))
    ) strict, without rowid
    """,
    "create index maintenance_windows_by_organization on maintenance_windows (organization_id, created_at)",
    # Alert rules. `conditions` is JSON (AlertRule).
    """
    create table alarms (
      id               text    primary key check (length(id) between 8 and 64),
      organization_id  text    not null references organizations (id),
      website_id       text    references websites (id),
      name             text    not null check (length(name) between 1 and 100),
      description      text    not null check (length(description) <= 500),
      enabled          integer not null check (enabled in (0, 1)),
      trigger_type     text    not null check (trigger_type in
                         ('uptime', 'traffic_spike', 'traffic_drop', 'error_rate', 'first_event')),
      conditions       text    not null check (json_valid(conditions)),
      told_at          integer,
      created_at       integer not null,
      updated_at       integer not null
    ) strict, without rowid
    """,
    "create index alarms_by_organization on alarms (organization_id)",
    "create index alarms_by_website on alarms (website_id) where website_id is not null",
    # The channels of an alert rule: immediate, or for escalation.
    """
    create table alarm_channels (
      alarm_id         text    not null references alarms (id) on delete cascade,
      channel_id       text    not null references channels (id) on delete cascade,
      escalation       integer not null check (escalation in (0, 1)),
      primary key (alarm_id, channel_id)
    ) strict, without rowid
    """,
    "create index alarm_channels_by_channel on alarm_channels (channel_id)",
    # The occurrences that alert rules have processed, so that none notifies twice.
    """
    create table alarm_topics (
      alarm_id         text    not null references alarms (id) on delete cascade,
      topic            text    not null check (length(topic) between 1 and 300),
      at               integer not null,
      primary key (alarm_id, topic)
    ) strict, without rowid
    """,
    "create index alarm_topics_by_time on alarm_topics (at)",
    # Ongoing occurrences, one row per alert rule and subject, deleted at their end. `occurrence` is JSON.
    """
    create table alarm_episodes (
      alarm_id         text    not null references alarms (id) on delete cascade,
      subject          text    not null check (length(subject) between 1 and 100),
      what             text    not null check (length(what) between 1 and 40),
      occurrence       text    not null check (json_valid(occurrence)),
      began            integer not null,
      told             integer not null check (told in (0, 1)),
      reminded_at      integer not null,
      escalates_at     integer,
      escalated        integer not null check (escalated in (0, 1)),
      due_at           integer,
      acknowledged_at  integer,
      acknowledged_by  text    check (length(acknowledged_by) between 1 and 100),
      primary key (alarm_id, subject)
    ) strict, without rowid
    """,
    "create index alarm_episodes_due on alarm_episodes (due_at) where due_at is not null",
    # Alerts that are held until quiet hours end. An occurrence that `lasts` can be over by then.
    """
    create table alarm_held (
      id               integer primary key autoincrement,
      alarm_id         text    not null references alarms (id) on delete cascade,
      subject          text    not null check (length(subject) between 1 and 100),
      until            integer not null,
      occurrence       text    not null check (json_valid(occurrence)),
      lasts            integer not null check (lasts in (0, 1)),
      over             integer
    ) strict
    """,
    "create index alarm_held_by_alarm on alarm_held (alarm_id)",
    "create index alarm_held_due on alarm_held (until)",
    # The time span in which traffic was watched without a gap.
    """
    create table traffic_watch (
      one              integer primary key check (one = 1),
      since            integer not null,
      seen_at          integer not null
    ) strict
    """,
    # When a website's monitor was last down, so that its outage is not taken for a drop in traffic.
    """
    create table traffic_outages (
      website_id       text    primary key references websites (id) on delete cascade,
      seen_at          integer not null
    ) strict, without rowid
    """,
)
