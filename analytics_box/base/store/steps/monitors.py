"""Steps of box.db: monitors, more kinds of channels, alarms."""

from analytics_box.base.store.steps.checks import null_allowed

MONITORS = (
    (
        "0018_monitors",
        (
            # `number` is what events.db knows a monitor by, and is never given twice. `options` is JSON; `sealed` are
            # the headers, body and credentials of its checks, or the token of a push. Times are UTC ms, `interval` is
            # seconds, `timeout` ms.
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
            # One monitor for a URL; those of DNS differ in what they ask for, too.
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
            # When nobody is told of monitors: once from `starts_at` until `ends_at`, or again and again as `repeat`
            # says. `covers` says which monitors. Both are JSON.
            """
            create table maintenance_windows (
              id               text    primary key check (length(id) between 8 and 64),
              organization_id  text    not null references organizations (id),
              name             text    not null check (length(name) between 1 and 255),
              covers           text    not null check (json_valid(covers)),
              starts_at        integer not null,
              ends_at          integer not null,
              repeat           text    check (json_valid(repeat)),
              ended_at         integer not null check (ended_at >= 0),
              created_at       integer not null,
              updated_at       integer not null,
              check ((repeat is null and ends_at > starts_at) or (repeat is not null and ends_at = 0))
            ) strict, without rowid
            """,
            "create index maintenance_windows_by_organization on maintenance_windows (organization_id, created_at)",
        ),
    ),
    (
        "0019_channel_kinds",
        # More kinds of channels (notify/kinds/table.py). A check changes only with its table; deliveries go with their
        # channels, so they are kept beside the old ones until these are gone.
        (
            """
            create table wider_channels (
              id               text    primary key check (length(id) between 8 and 64),
              organization_id  text    not null references organizations (id),
              kind             text    not null check (kind in
                               ('email', 'webhook', 'slack', 'discord', 'teams', 'telegram', 'google_chat',
                                'mattermost', 'rocket_chat', 'matrix', 'ntfy', 'gotify', 'pushover', 'pushbullet',
                                'pagerduty', 'opsgenie', 'twilio', 'http')),
              name             text    not null check (length(name) between 1 and 100),
              enabled          integer not null default 1 check (enabled in (0, 1)),
              shown            text    not null check (length(shown) between 1 and 300),
              sealed           blob    not null check (length(sealed) between 40 and 32768),
              created_at       integer not null,
              updated_at       integer not null,
              last_at          integer,
              last_error       text    check (length(last_error) <= 300)
            ) strict, without rowid
            """,
            """
            insert into wider_channels
            select id, organization_id, kind, name, enabled, shown, sealed, created_at, updated_at, last_at, last_error
            from channels
            """,
            """
            create table kept_deliveries (
              number           integer primary key autoincrement,
              id               text    not null unique check (length(id) between 8 and 64),
              channel_id       text    not null references wider_channels (id) on delete cascade,
              topic            text    not null check (length(topic) between 1 and 200),
              message          text    not null check (json_valid(message)),
              attempts         integer not null default 0 check (attempts >= 0),
              created_at       integer not null,
              due_at           integer,
              ended_at         integer,
              error            text    check (length(error) <= 300),
              unique (channel_id, topic),
              check ((due_at is null) = (ended_at is not null))
            ) strict
            """,
            """
            insert into kept_deliveries
            select number, id, channel_id, topic, message, attempts, created_at, due_at, ended_at, error from deliveries
            """,
            "drop table deliveries",
            "drop table channels",
            "alter table wider_channels rename to channels",
            "alter table kept_deliveries rename to deliveries",
            "create index channels_by_organization on channels (organization_id, created_at)",
            "create index deliveries_waiting on deliveries (channel_id, number) where due_at is not null",
            "create index deliveries_ended on deliveries (ended_at) where ended_at is not null",
        ),
    ),
    (
        "0020_alarms",
        (
            # What people want to be told of. `conditions` is JSON (alarms/alarm.py).
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
            # Where to: at once, or as the escalation.
            """
            create table alarm_channels (
              alarm_id         text    not null references alarms (id) on delete cascade,
              channel_id       text    not null references channels (id) on delete cascade,
              escalation       integer not null check (escalation in (0, 1)),
              primary key (alarm_id, channel_id)
            ) strict, without rowid
            """,
            "create index alarm_channels_by_channel on alarm_channels (channel_id)",
            # What alarms have dealt with, so that nothing is told twice.
            """
            create table alarm_topics (
              alarm_id         text    not null references alarms (id) on delete cascade,
              topic            text    not null check (length(topic) between 1 and 300),
              at               integer not null,
              primary key (alarm_id, topic)
            ) strict, without rowid
            """,
            "create index alarm_topics_by_time on alarm_topics (at)",
            # What lasts, one row for an alarm and its subject; it goes when it is over. `occurrence` is JSON.
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
            # What quiet hours hold back until they end. What `lasts` may be over before.
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
            # Since when traffic has been watched without a gap, and until when.
            """
            create table traffic_watch (
              one              integer primary key check (one = 1),
              since            integer not null,
              seen_at          integer not null
            ) strict
            """,
            # When the monitor of a website was last seen down, so that its traffic is not taken for a drop.
            """
            create table traffic_outages (
              website_id       text    primary key references websites (id) on delete cascade,
              seen_at          integer not null
            ) strict, without rowid
            """,
        ),
    ),
)

# A window without a repetition.
CHECK_OF_NOTHING = ("0034_check_of_nothing", null_allowed("maintenance_windows", "repeat"))
