"""The tables, step by step. A released step never changes; a new wish is a new step at the end.

A step that changes rows which are there says so in REWRITES: a start makes a backup before it.

Times are UTC epoch milliseconds. The migrations run on the system's SQLite, so nothing newer than 3.37 stands here.
"""

from collections.abc import Mapping

from analytics_box.store.event_schema import EVENTS, EVENTS_REWRITTEN
from analytics_box.store.flag_schema import FLAGS
from analytics_box.store.overview_schema import OVERVIEW

__all__ = ["BOX", "BOX_FILE", "EVENTS", "EVENTS_FILE", "REWRITES"]

BOX_FILE = "box.db"
EVENTS_FILE = "events.db"

# Steps that change or remove rows, and in which tables (by their names before the step).
REWRITES: Mapping[str, tuple[str, ...]] = {
    "0002_keys_records": ("api_keys",),
    "0008_accounts_names_and_links": ("password_resets",),
    "0019_channel_kinds": ("channels", "deliveries"),
    **EVENTS_REWRITTEN,
}

BOX = (
    (
        "0001_accounts_keys_websites",
        (
            # Numbers under which events.db knows a website, or an organization for events without a website.
            # They are never given twice.
            """
            create table sites (
              number       integer primary key autoincrement,
              created_at   integer not null
            ) strict
            """,
            """
            create table organizations (
              id           text    primary key check (length(id) between 8 and 64),
              name         text    not null check (length(name) between 1 and 100),
              slug         text    not null unique check (length(slug) between 1 and 50),
              plan         text    not null default 'hobby' check (plan in ('free', 'hobby')),
              site         integer not null unique references sites (number),
              created_at   integer not null
            ) strict, without rowid
            """,
            """
            create table users (
              id               text    primary key check (length(id) between 8 and 64),
              email            text    not null unique collate nocase check (length(email) between 3 and 254),
              password         text    not null,
              time_zone        text    not null default 'UTC',
              is_administrator integer not null default 0 check (is_administrator in (0, 1)),
              created_at       integer not null
            ) strict, without rowid
            """,
            """
            create table members (
              organization_id  text    not null references organizations (id),
              user_id          text    not null references users (id),
              role             text    not null check (role in ('owner', 'admin', 'member', 'viewer')),
              created_at       integer not null,
              primary key (organization_id, user_id)
            ) strict, without rowid
            """,
            """
            create table sessions (
              digest           blob    primary key check (length(digest) = 32),
              user_id          text    not null references users (id),
              organization_id  text    not null references organizations (id),
              created_at       integer not null,
              seen_at          integer not null
            ) strict, without rowid
            """,
            "create index sessions_by_user on sessions (user_id)",
            """
            create table setup_tokens (
              digest           blob    primary key check (length(digest) = 32),
              created_at       integer not null
            ) strict, without rowid
            """,
            """
            create table websites (
              id               text    primary key check (length(id) between 8 and 64),
              organization_id  text    not null references organizations (id),
              site             integer not null unique references sites (number),
              name             text    not null check (length(name) between 1 and 100),
              domain           text    not null check (length(domain) between 1 and 253),
              status           text    not null default 'ACTIVE'
                               check (status in ('ACTIVE', 'HEALTHY', 'UNHEALTHY', 'INACTIVE', 'PENDING')),
              is_public        integer not null default 0 check (is_public in (0, 1)),
              created_at       integer not null,
              updated_at       integer not null,
              deleted_at       integer
            ) strict, without rowid
            """,
            """
            create unique index websites_by_domain on websites (organization_id, domain)
            where deleted_at is null
            """,
            """
            create table api_keys (
              id               text    primary key check (length(id) between 8 and 64),
              organization_id  text    not null references organizations (id),
              name             text    not null check (length(name) between 1 and 100),
              start            text    not null check (length(start) = 8),
              digest           blob    not null unique check (length(digest) = 32),
              scopes           text    not null check (json_valid(scopes)),
              websites         text    check (websites is null or json_valid(websites)),
              enabled          integer not null default 1 check (enabled in (0, 1)),
              created_at       integer not null,
              expires_at       integer,
              revoked_at       integer
            ) strict, without rowid
            """,
            """
            create table audit (
              id               integer primary key,
              time             integer not null,
              organization_id  text    references organizations (id),
              actor            text    not null,
              action           text    not null
                               check (action in ('created', 'updated', 'rotated', 'revoked', 'deleted')),
              subject          text    not null,
              subject_id       text    not null,
              detail           text    not null default '{}' check (json_valid(detail))
            ) strict
            """,
            "create index audit_by_organization on audit (organization_id, time)",
            """
            create trigger audit_never_changes before update on audit
            begin select raise(abort, 'the audit log is append-only'); end
            """,
            """
            create trigger audit_never_shrinks before delete on audit
            begin select raise(abort, 'the audit log is append-only'); end
            """,
        ),
    ),
    (
        "0002_keys_records",
        (
            """
            alter table api_keys add column type text not null default 'user'
              check (type in ('user', 'sdk', 'automation'))
            """,
            "alter table api_keys add column description text not null default '' check (length(description) <= 500)",
            # "global" or "website:<id>" to a list of scopes (wire 10.2). A global key has some under "global".
            "alter table api_keys add column resources text not null default '{}' check (json_valid(resources))",
            "alter table api_keys add column tags text not null default '[]' check (json_valid(tags))",
            "alter table api_keys add column ratelimit text check (ratelimit is null or json_valid(ratelimit))",
            "alter table api_keys add column last_used_at integer",
            "alter table api_keys add column updated_at integer not null default 0",
            """
            update api_keys
            set updated_at = coalesce(revoked_at, created_at),
                resources = case
                  when websites is null then json_object('global', json(scopes))
                  else (select json_group_object('website:' || value, json('[]')) from json_each(api_keys.websites))
                end
            """,
            "alter table api_keys drop column websites",
            "create index api_keys_by_organization on api_keys (organization_id, created_at)",
        ),
    ),
    (
        "0003_accounts_sign_in",
        (
            "alter table users add column zone_is_chosen integer not null default 0 check (zone_is_chosen in (0, 1))",
            """
            alter table users add column date_format text not null default 'D MMM YYYY'
            check (length(date_format) between 1 and 20)
            """,
            """
            alter table users add column time_format text not null default 'HH:mm'
            check (length(time_format) between 1 and 20)
            """,
            """
            alter table users add column theme text not null default 'system'
            check (theme in ('system', 'light', 'dark'))
            """,
            # In words, such as "Firefox on Linux": no address and no whole user agent is kept.
            "alter table sessions add column device text not null default '' check (length(device) <= 100)",
            # `secret` is sealed (store.seal). Until `confirmed_at` the second factor is not asked for.
            # `step` is the latest 30-second step whose code was used: no code works twice.
            """
            create table second_factors (
              user_id          text    primary key references users (id),
              secret           blob    not null check (length(secret) between 40 and 200),
              step             integer not null default 0,
              created_at       integer not null,
              confirmed_at     integer
            ) strict, without rowid
            """,
            """
            create table recovery_codes (
              digest           blob    primary key check (length(digest) = 32),
              user_id          text    not null references users (id),
              used_at          integer
            ) strict, without rowid
            """,
            "create index recovery_codes_by_user on recovery_codes (user_id)",
            """
            create table password_resets (
              digest           blob    primary key check (length(digest) = 32),
              user_id          text    not null references users (id),
              created_at       integer not null
            ) strict, without rowid
            """,
            "create index password_resets_by_user on password_resets (user_id)",
        ),
    ),
    (
        "0004_websites_settings",
        (
            "alter table websites add column settings text not null default '{}' check (json_valid(settings))",
            # Names under which trackers send. The current one has no end; an old one is accepted until its end.
            """
            create table client_ids (
              id               text    primary key check (length(id) between 8 and 64),
              website_id       text    not null references websites (id),
              created_at       integer not null,
              ends_at          integer,
              seen_at          integer
            ) strict, without rowid
            """,
            "create unique index client_ids_by_website on client_ids (website_id) where ends_at is null",
            "create index client_ids_of_website on client_ids (website_id)",
            "insert into client_ids (id, website_id, created_at) select id, id, created_at from websites",
        ),
    ),
    (
        "0005_organizations_invitations",
        (
            # Where new members start; empty for UTC.
            """
            alter table organizations add column time_zone text not null default ''
            check (length(time_zone) <= 64)
            """,
            "create index members_by_user on members (user_id)",
            """
            create table invitations (
              id               text    primary key check (length(id) between 8 and 64),
              organization_id  text    not null references organizations (id),
              email            text    not null collate nocase check (length(email) between 3 and 254),
              role             text    not null check (role in ('admin', 'member', 'viewer')),
              digest           blob    not null unique check (length(digest) = 32),
              invited_by       text    not null references users (id),
              created_at       integer not null,
              expires_at       integer not null,
              accepted_at      integer,
              revoked_at       integer
            ) strict, without rowid
            """,
            "create index invitations_by_organization on invitations (organization_id, created_at)",
        ),
    ),
    (
        "0006_audit_is_never_replaced",
        (
            # `replace` removes the old row without asking the trigger against deletions.
            """
            create trigger audit_never_replaced before insert on audit
            when exists (select 1 from audit where id = new.id)
            begin select raise(abort, 'the audit log is append-only'); end
            """,
        ),
    ),
    (
        "0007_organizations_end_and_logo",
        (
            # A deleted organization can be restored until the purge, which leaves a bare row for the audit log.
            "alter table organizations add column deleted_at integer",
            "alter table organizations add column purged_at integer check (purged_at >= deleted_at)",
            "alter table organizations add column logo text not null default '' check (length(logo) in (0, 32))",
            """
            alter table organizations add column metadata text not null default '{}'
            check (json_valid(metadata) and length(metadata) <= 4096)
            """,
            # `digest` is the start of the image's SHA-256 in hexadecimal, which organizations.logo repeats.
            """
            create table logos (
              organization_id  text    primary key references organizations (id),
              digest           text    not null check (length(digest) = 32),
              type             text    not null check (type in ('image/png', 'image/jpeg', 'image/webp')),
              image            blob    not null check (length(image) between 1 and 524288),
              created_at       integer not null
            ) strict
            """,
        ),
    ),
    (
        "0008_accounts_names_and_links",
        (
            "alter table users add column name text not null default '' check (length(name) <= 100)",
            # How long a link works depends on what it is for.
            "alter table password_resets add column expires_at integer not null default 0",
            "update password_resets set expires_at = created_at + 3600000",
            "create index password_resets_by_end on password_resets (expires_at)",
        ),
    ),
    (
        "0009_notify_channels",
        (
            # `shown` says where a channel leads without its secrets; `sealed` has all of it (store.seal).
            # `last_error` is empty where the last attempt succeeded.
            """
            create table channels (
              id               text    primary key check (length(id) between 8 and 64),
              organization_id  text    not null references organizations (id),
              kind             text    not null check (kind in
                               ('email', 'webhook', 'slack', 'discord', 'teams', 'telegram', 'google_chat')),
              name             text    not null check (length(name) between 1 and 100),
              enabled          integer not null default 1 check (enabled in (0, 1)),
              shown            text    not null check (length(shown) between 1 and 300),
              sealed           blob    not null check (length(sealed) between 40 and 8192),
              created_at       integer not null,
              updated_at       integer not null,
              last_at          integer,
              last_error       text    check (length(last_error) <= 300)
            ) strict, without rowid
            """,
            "create index channels_by_organization on channels (organization_id, created_at)",
            # The outbox. `topic` says what a message is about: no channel gets two about the same.
            # `due_at` is when it is tried next; none once it was sent or given up.
            """
            create table deliveries (
              number           integer primary key autoincrement,
              id               text    not null unique check (length(id) between 8 and 64),
              channel_id       text    not null references channels (id) on delete cascade,
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
            "create index deliveries_waiting on deliveries (channel_id, number) where due_at is not null",
            "create index deliveries_ended on deliveries (ended_at) where ended_at is not null",
        ),
    ),
    (
        "0010_configuration_domains_and_defaults",
        (
            # Until `proven_at` a domain is only claimed, and several organizations may claim it.
            """
            create table domains (
              id               text    primary key check (length(id) between 8 and 64),
              organization_id  text    not null references organizations (id),
              domain           text    not null check (length(domain) between 4 and 239),
              token            text    not null check (length(token) between 20 and 64),
              created_at       integer not null,
              checked_at       integer,
              check_error      text    check (length(check_error) <= 300),
              proven_at        integer,
              proven_by        text    check (proven_by in ('dns', 'administrator')),
              unique (organization_id, domain),
              check ((proven_at is null) = (proven_by is null))
            ) strict, without rowid
            """,
            "create unique index domains_proven on domains (domain) where proven_at is not null",
            # What new invitations and websites of an organization start with.
            """
            create table organization_defaults (
              organization_id  text    primary key references organizations (id),
              invitation_role  text    not null check (invitation_role in ('admin', 'member', 'viewer')),
              visitor_id_mode  text    not null check (visitor_id_mode in ('auto', 'cookieless')),
              data_retention_days integer check (data_retention_days between 1 and 3650)
            ) strict, without rowid
            """,
        ),
    ),
    (
        "0011_bots_rules",
        (
            # Whose events count for a website although they look like a program's: a reason, and what it calls itself.
            """
            create table people_rules (
              website_id       text    not null references websites (id) on delete cascade,
              reason           text    not null check (length(reason) between 1 and 64),
              agent            text    not null check (length(agent) <= 128),
              created_at       integer not null,
              created_by       text    not null check (length(created_by) between 1 and 100),
              primary key (website_id, reason, agent)
            ) strict, without rowid
            """,
            # What a website asks for beyond what is always looked at. No row is no.
            """
            create table bot_options (
              website_id       text    primary key references websites (id) on delete cascade,
              data_centres     integer not null check (data_centres in (0, 1))
            ) strict, without rowid
            """,
        ),
    ),
    (
        "0012_links",
        (
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
            # Proven domains on which short links live at the root. `home_url` is where the bare domain leads and
            # `missing_url` where unknown slugs do; without them the box shows a page of its own.
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
            # `number` is what events.db knows a link by, and is never given twice. `domain` is empty on the box's own
            # host. `rules`, `variants` and `utm` are JSON; `password` is an Argon2id hash.
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
        ),
    ),
    (
        "0013_link_tags_by_tag",
        # Lists of links ask which tags there are, and which links have one.
        ("create index link_tags_by_tag on link_tags (tag, link)",),
    ),
    (
        "0014_box",
        (
            # Which box this is: events.db carries the same id.
            """
            create table box (
              one              integer primary key check (one = 1),
              id               text    not null check (length(id) = 32)
            ) strict
            """,
            "insert into box (one, id) values (1, lower(hex(randomblob(16))))",
        ),
    ),
    (
        "0015_job_runs",
        (
            # When jobs ran last, so that a restart does not begin their intervals anew.
            """
            create table job_runs (
              name             text    primary key check (length(name) between 1 and 64),
              ran_at           integer not null
            ) strict, without rowid
            """,
            # What the clock last showed, and since when it is doubted because it jumped ahead.
            """
            create table clock (
              one              integer primary key check (one = 1),
              seen             integer not null,
              doubted_since    integer
            ) strict
            """,
        ),
    ),
    (
        "0016_public_values",
        # A public website shows figures and names; what events carried only if its owner says so.
        (
            """
            alter table websites
            add column public_values integer not null default 0 check (public_values in (0, is_public))
            """,
        ),
    ),
    (
        "0017_sizes",
        # How large the data was on each UTC day, in bytes, so that it can be said when the disk will be full.
        (
            """
            create table sizes (
              day              integer primary key,
              data             integer not null check (data >= 0)
            ) strict
            """,
        ),
    ),
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
    (
        "0021_status_pages",
        (
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
            # A page's logo and favicon as they are served: the picture with this digest.
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
            # A component without a monitor is kept by people.
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
            # How a component without a monitor was from `start` on (UTC ms) until `until`, 0 for now; `state` is that
            # of monitor_spans in events.db.
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
            # Days that are over, in the zone that the page had then, as they were found: they do not change any more.
            """
            create table component_days (
              component_id     text    not null references status_page_components (id) on delete cascade,
              day              text    not null check (length(day) = 10),
              figures          text    not null check (json_valid(figures)),
              primary key (component_id, day)
            ) strict, without rowid
            """,
            # Incidents and maintenances. `opened_by` are ids of the transitions that a monitor's incident came of.
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
              updated_at       integer not null
            ) strict
            """,
            "create index incident_updates_of on incident_updates (incident_id, at)",
            # What an update said before it was edited.
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
            # Which transitions of monitors a page has dealt with, so that none makes two incidents.
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
            # Who is told. `components` are ids as JSON, [] is all; `digest` is that of the secret in their links.
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
              unique (page_id, kind, address)
            ) strict, without rowid
            """,
            "create index subscribers_by_address on subscribers (address)",
            # What subscribers are told, once for all of them. It goes with the update that it is about.
            """
            create table subscriber_messages (
              topic            text    primary key check (length(topic) between 1 and 200),
              update_id        text    references incident_updates (id) on delete cascade deferrable initially deferred,
              message          text    not null check (json_valid(message)),
              created_at       integer not null
            ) strict, without rowid
            """,
            "create index subscriber_messages_of on subscriber_messages (update_id)",
            # Whom it reaches: each of them once.
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
        ),
    ),
    FLAGS,
    OVERVIEW,
)
