"""Steps of box.db: accounts, organizations, websites, keys, channels, domains and bots."""

ACCOUNTS = (
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
)

# At the end of the steps of box.db, because earlier ones are released.
ACCESS = (
    (
        "0027_private_targets",
        (
            # The private networks that an organization may reach: 'all' that the settings open, or a list. No row is
            # none. Until now every organization reached all of them: that stays so where no user but the administrators
            # of the box can make use of it, and where there is only one organization, which the setting was made for.
            """
            create table private_targets (
              organization_id  text    primary key references organizations (id),
              networks         text    not null check (length(networks) between 1 and 1000)
            ) strict, without rowid
            """,
            """
            insert into private_targets (organization_id, networks)
            select id, 'all' from organizations
            where purged_at is null and (
              (select count(*) from organizations where purged_at is null) = 1
              or (
                exists (select 1 from members where members.organization_id = organizations.id)
                and not exists (
                  select 1 from members join users on users.id = members.user_id
                  where members.organization_id = organizations.id and users.is_administrator = 0
                )
              )
            )
            """,
        ),
    ),
    (
        "0028_mail_and_accounts",
        (
            # Mails of the last day that people other than their receiver can trigger (notify.mail_limits).
            # `receiver` is the digest of a purpose with a mailbox or an account.
            """
            create table mails_sent (
              receiver  blob    not null check (length(receiver) = 32),
              at        integer not null
            ) strict
            """,
            "create index mails_sent_to on mails_sent (receiver, at)",
            "create index mails_sent_at on mails_sent (at)",
        ),
    ),
    (
        "0029_confirmed_accounts",
        (
            # An account is unconfirmed until its owner has opened a link that was only mailed, or an administrator has
            # confirmed it. Links that were shown to another user (`by_mail` 0) prove nothing.
            """
            alter table users add column is_unconfirmed integer not null default 0 check (is_unconfirmed in (0, 1))
            """,
            "alter table invitations add column by_mail integer not null default 0 check (by_mail in (0, 1))",
            "alter table password_resets add column by_mail integer not null default 0 check (by_mail in (0, 1))",
            # The user who created it, because ownership can be handed over; null for those of before.
            "alter table organizations add column created_by text check (length(created_by) between 1 and 64)",
            # Upload URLs that were used, until they expire anyway.
            """
            create table status_page_uploads (
              digest      blob    primary key check (length(digest) = 32),
              expires_at  integer not null
            ) strict, without rowid
            """,
        ),
    ),
)
