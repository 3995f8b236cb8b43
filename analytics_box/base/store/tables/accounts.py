"""The tables of accounts, organizations, websites, keys, domains and channels."""

ACCOUNTS = (
    # The numbers of websites in events.db, and of organizations for events without a website. They are never reused.
    """
    create table sites (
      number       integer primary key autoincrement,
      created_at   integer not null
    ) strict
    """,
    # A deleted organization can be restored until it is purged. Its row remains for the audit log. `time_zone` is the
    # default for new members; empty for UTC. `created_by` is kept because ownership can be transferred.
    """
    create table organizations (
      id               text    primary key check (length(id) between 8 and 64),
      name             text    not null check (length(name) between 1 and 100),
      slug             text    not null unique check (length(slug) between 1 and 50),
      plan             text    not null default 'hobby' check (plan in ('free', 'hobby')),
      site             integer not null unique references sites (number),
      created_at       integer not null,
      time_zone        text    not null default '' check (length(time_zone) <= 64),
      deleted_at       integer,
      purged_at        integer check (purged_at >= deleted_at),
      logo             text    not null default '' check (length(logo) in (0, 32)),
      metadata         text    not null default '{}' check (json_valid(metadata) and length(metadata) <= 4096),
      created_by       text    check (length(created_by) between 1 and 64)
    ) strict, without rowid
    """,
    # `is_unconfirmed` is 0 once the user has opened a link that was only sent by email, or an administrator has
    # confirmed the account.
    """
    create table users (
      id               text    primary key check (length(id) between 8 and 64),
      email            text    not null unique collate nocase check (length(email) between 3 and 254),
      password         text    not null,
      time_zone        text    not null default 'UTC',
      is_administrator integer not null default 0 check (is_administrator in (0, 1)),
      created_at       integer not null,
      zone_is_chosen   integer not null default 0 check (zone_is_chosen in (0, 1)),
      date_format      text    not null default 'D MMM YYYY' check (length(date_format) between 1 and 20),
      time_format      text    not null default 'HH:mm' check (length(time_format) between 1 and 20),
      theme            text    not null default 'system' check (theme in ('system', 'light', 'dark')),
      name             text    not null default '' check (length(name) <= 100),
      is_unconfirmed   integer not null default 0 check (is_unconfirmed in (0, 1))
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
    "create index members_by_user on members (user_id)",
    # `device` is a short description such as "Firefox on Linux". Addresses and whole user agents are not stored.
    """
    create table sessions (
      digest           blob    primary key check (length(digest) = 32),
      user_id          text    not null references users (id),
      organization_id  text    not null references organizations (id),
      created_at       integer not null,
      seen_at          integer not null,
      device           text    not null default '' check (length(device) <= 100)
    ) strict, without rowid
    """,
    "create index sessions_by_user on sessions (user_id)",
    """
    create table setup_tokens (
      digest           blob    primary key check (length(digest) = 32),
      created_at       integer not null
    ) strict, without rowid
    """,
    # `secret` is encrypted (store.seal). The second factor is required once `confirmed_at` is set. `step` is the
    # latest 30-second step whose code was used, so that no code works twice.
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
    # Links that were shown to another user (`by_mail` 0) do not confirm the account.
    """
    create table password_resets (
      digest           blob    primary key check (length(digest) = 32),
      user_id          text    not null references users (id),
      created_at       integer not null,
      expires_at       integer not null default 0,
      by_mail          integer not null default 0 check (by_mail in (0, 1))
    ) strict, without rowid
    """,
    "create index password_resets_by_user on password_resets (user_id)",
    "create index password_resets_by_end on password_resets (expires_at)",
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
      revoked_at       integer,
      by_mail          integer not null default 0 check (by_mail in (0, 1))
    ) strict, without rowid
    """,
    "create index invitations_by_organization on invitations (organization_id, created_at)",
    # `digest` is the start of the image's SHA-256 in hexadecimal. organizations.logo repeats it.
    """
    create table logos (
      organization_id  text    primary key references organizations (id),
      digest           text    not null check (length(digest) = 32),
      type             text    not null check (type in ('image/png', 'image/jpeg', 'image/webp')),
      image            blob    not null check (length(image) between 1 and 524288),
      created_at       integer not null
    ) strict
    """,
    # Defaults for an organization's new invitations and websites.
    """
    create table organization_defaults (
      organization_id  text    primary key references organizations (id),
      invitation_role  text    not null check (invitation_role in ('admin', 'member', 'viewer')),
      visitor_id_mode  text    not null check (visitor_id_mode in ('auto', 'cookieless')),
      data_retention_days integer check (data_retention_days between 1 and 3650)
    ) strict, without rowid
    """,
    # The private networks that an organization can reach: 'all' that the settings allow, or a list. Without a row,
    # none.
    """
    create table private_targets (
      organization_id  text    primary key references organizations (id),
      networks         text    not null check (length(networks) between 1 and 1000)
    ) strict, without rowid
    """,
    # Emails of the last day that people other than their recipient can trigger (notify.mail_limits). `receiver` is
    # the digest of a purpose with a mailbox or an account.
    """
    create table mails_sent (
      receiver  blob    not null check (length(receiver) = 32),
      at        integer not null
    ) strict
    """,
    "create index mails_sent_to on mails_sent (receiver, at)",
    "create index mails_sent_at on mails_sent (at)",
    # `public_values`: a public website shows event properties only if its owner enables this.
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
      deleted_at       integer,
      settings         text    not null default '{}' check (json_valid(settings)),
      public_values    integer not null default 0 check (public_values in (0, is_public))
    ) strict, without rowid
    """,
    """
    create unique index websites_by_domain on websites (organization_id, domain)
    where deleted_at is null
    """,
    # The ids that trackers send. The current id has no `ends_at`; an old id is accepted until then.
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
    # Senders whose events count for a website although they look like bots: the reason, and the user agent's name.
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
    # Optional bot checks of a website. Without a row they are off.
    """
    create table bot_options (
      website_id       text    primary key references websites (id) on delete cascade,
      data_centres     integer not null check (data_centres in (0, 1))
    ) strict, without rowid
    """,
    # Several organizations can claim a domain until one of them proves it (`proven_at`).
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
    # `resources` maps "global" or "website:<id>" to a list of scopes (wire 10.2). A global key has some under
    # "global".
    """
    create table api_keys (
      id               text    primary key check (length(id) between 8 and 64),
      organization_id  text    not null references organizations (id),
      name             text    not null check (length(name) between 1 and 100),
      start            text    not null check (length(start) = 8),
      digest           blob    not null unique check (length(digest) = 32),
      scopes           text    not null check (json_valid(scopes)),
      enabled          integer not null default 1 check (enabled in (0, 1)),
      created_at       integer not null,
      expires_at       integer,
      revoked_at       integer,
      type             text    not null default 'user' check (type in ('user', 'sdk', 'automation')),
      description      text    not null default '' check (length(description) <= 500),
      resources        text    not null default '{}' check (json_valid(resources)),
      tags             text    not null default '[]' check (json_valid(tags)),
      ratelimit        text    check (ratelimit is null or json_valid(ratelimit)),
      last_used_at     integer,
      updated_at       integer not null default 0
    ) strict, without rowid
    """,
    "create index api_keys_by_organization on api_keys (organization_id, created_at)",
    # Append-only.
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
    # `replace` deletes the old row without firing the delete trigger.
    """
    create trigger audit_never_replaced before insert on audit
    when exists (select 1 from audit where id = new.id)
    begin select raise(abort, 'the audit log is append-only'); end
    """,
    # `shown` is the destination without its secrets; `sealed` is all of it, encrypted (store.seal). `last_error` is
    # empty if the last attempt succeeded. `failures` counts failures in a row since `failing_since`; the next attempt
    # is not made before `not_before` (UTC ms).
    """
    create table channels (
      id               text    primary key check (length(id) between 8 and 64),
      organization_id  text    not null references organizations (id),
      kind             text    not null
                           check (kind in (
                             'email', 'webhook', 'slack', 'discord', 'teams', 'telegram', 'google_chat', 'mattermost',
                             'rocket_chat', 'matrix', 'ntfy', 'gotify', 'pushover', 'pushbullet', 'pagerduty',
                             'opsgenie', 'twilio', 'http'
                           )),
      name             text    not null check (length(name) between 1 and 100),
      enabled          integer not null default 1 check (enabled in (0, 1)),
      shown            text    not null check (length(shown) between 1 and 300),
      sealed           blob    not null check (length(sealed) between 40 and 32768),
      created_at       integer not null,
      updated_at       integer not null,
      last_at          integer,
      last_error       text    check (length(last_error) <= 300),
      failures         integer not null default 0 check (failures >= 0),
      failing_since    integer,
      not_before       integer not null default 0
    ) strict, without rowid
    """,
    "create index channels_by_organization on channels (organization_id, created_at)",
    # The outbox. A channel gets one message per `topic`. `due_at` is the next attempt, and null once the message was
    # sent or given up.
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
)
