BEGIN TRANSACTION;
CREATE TABLE "_sqlite_migrations" (
   "id" INTEGER PRIMARY KEY,
   "migration_set" TEXT,
   "name" TEXT,
   "applied_at" TEXT
);
INSERT INTO "_sqlite_migrations" VALUES(1,'analytics_box','0001_accounts_keys_websites','2026-11-22 22:25:57.429725+00:00');
INSERT INTO "_sqlite_migrations" VALUES(2,'analytics_box','0002_keys_records','2026-11-22 22:25:57.436374+00:00');
INSERT INTO "_sqlite_migrations" VALUES(3,'analytics_box','0003_accounts_sign_in','2026-11-22 22:25:57.440382+00:00');
INSERT INTO "_sqlite_migrations" VALUES(4,'analytics_box','0004_websites_settings','2026-11-22 22:25:57.445745+00:00');
INSERT INTO "_sqlite_migrations" VALUES(5,'analytics_box','0005_organizations_invitations','2026-11-22 22:25:57.448617+00:00');
INSERT INTO "_sqlite_migrations" VALUES(6,'analytics_box','0006_audit_is_never_replaced','2026-11-22 22:25:57.451044+00:00');
INSERT INTO "_sqlite_migrations" VALUES(7,'analytics_box','0007_organizations_end_and_logo','2026-11-22 22:25:57.455033+00:00');
INSERT INTO "_sqlite_migrations" VALUES(8,'analytics_box','0008_accounts_names_and_links','2026-11-22 22:25:57.458292+00:00');
INSERT INTO "_sqlite_migrations" VALUES(9,'analytics_box','0009_notify_channels','2026-11-22 22:25:57.460736+00:00');
INSERT INTO "_sqlite_migrations" VALUES(10,'analytics_box','0010_configuration_domains_and_defaults','2026-11-22 22:25:57.464937+00:00');
INSERT INTO "_sqlite_migrations" VALUES(11,'analytics_box','0011_bots_rules','2026-11-22 22:25:57.467331+00:00');
INSERT INTO "_sqlite_migrations" VALUES(12,'analytics_box','0012_links','2026-11-22 22:25:57.469873+00:00');
INSERT INTO "_sqlite_migrations" VALUES(13,'analytics_box','0013_link_tags_by_tag','2026-11-22 22:25:57.527040+00:00');
CREATE TABLE api_keys (
              id               text    primary key check (length(id) between 8 and 64),
              organization_id  text    not null references organizations (id),
              name             text    not null check (length(name) between 1 and 100),
              start            text    not null check (length(start) = 8),
              digest           blob    not null unique check (length(digest) = 32),
              scopes           text    not null check (json_valid(scopes)),
              enabled          integer not null default 1 check (enabled in (0, 1)),
              created_at       integer not null,
              expires_at       integer,
              revoked_at       integer
            , type text not null default 'user'
              check (type in ('user', 'sdk', 'automation')), description text not null default '' check (length(description) <= 500), resources text not null default '{}' check (json_valid(resources)), tags text not null default '[]' check (json_valid(tags)), ratelimit text check (ratelimit is null or json_valid(ratelimit)), last_used_at integer, updated_at integer not null default 0) strict, without rowid
            ;
CREATE TABLE audit (
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
            ;
INSERT INTO "audit" VALUES(1,1781697600000,'organization1','user:user000001','created','website','website0001','{}');
CREATE TABLE bot_options (
              website_id       text    primary key references websites (id) on delete cascade,
              data_centres     integer not null check (data_centres in (0, 1))
            ) strict, without rowid
            ;
CREATE TABLE channels (
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
            ;
CREATE TABLE client_ids (
              id               text    primary key check (length(id) between 8 and 64),
              website_id       text    not null references websites (id),
              created_at       integer not null,
              ends_at          integer,
              seen_at          integer
            ) strict, without rowid
            ;
INSERT INTO "client_ids" VALUES('website0001','website0001',1781697600000,NULL,NULL);
CREATE TABLE deliveries (
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
            ;
CREATE TABLE domains (
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
            ;
CREATE TABLE invitations (
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
            ;
CREATE TABLE link_domains (
              domain           text    primary key check (length(domain) between 4 and 239),
              domain_id        text    not null unique references domains (id),
              organization_id  text    not null references organizations (id),
              home_url         text    check (length(home_url) between 1 and 2048),
              missing_url      text    check (length(missing_url) between 1 and 2048),
              created_at       integer not null
            ) strict, without rowid
            ;
CREATE TABLE link_folders (
              id               text    primary key check (length(id) between 8 and 64),
              organization_id  text    not null references organizations (id),
              name             text    not null check (length(name) between 1 and 80),
              slug             text    not null check (length(slug) between 1 and 90),
              created_at       integer not null,
              updated_at       integer not null,
              unique (organization_id, slug)
            ) strict, without rowid
            ;
CREATE TABLE link_tags (
              link             integer not null references links (number) on delete cascade,
              tag              text    not null check (length(tag) between 1 and 50),
              primary key (link, tag)
            ) strict, without rowid
            ;
CREATE TABLE links (
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
            ;
INSERT INTO "links" VALUES(1,'link000001','organization1','user:user000001','','abc','L','https://shop.example','shop.example',NULL,302,'none',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'[]','[]','{}',1781697600000,1781697600000);
CREATE TABLE logos (
              organization_id  text    primary key references organizations (id),
              digest           text    not null check (length(digest) = 32),
              type             text    not null check (type in ('image/png', 'image/jpeg', 'image/webp')),
              image            blob    not null check (length(image) between 1 and 524288),
              created_at       integer not null
            ) strict
            ;
CREATE TABLE members (
              organization_id  text    not null references organizations (id),
              user_id          text    not null references users (id),
              role             text    not null check (role in ('owner', 'admin', 'member', 'viewer')),
              created_at       integer not null,
              primary key (organization_id, user_id)
            ) strict, without rowid
            ;
INSERT INTO "members" VALUES('organization1','user000001','owner',1781697600000);
CREATE TABLE organization_defaults (
              organization_id  text    primary key references organizations (id),
              invitation_role  text    not null check (invitation_role in ('admin', 'member', 'viewer')),
              visitor_id_mode  text    not null check (visitor_id_mode in ('auto', 'cookieless')),
              data_retention_days integer check (data_retention_days between 1 and 3650)
            ) strict, without rowid
            ;
CREATE TABLE organizations (
              id           text    primary key check (length(id) between 8 and 64),
              name         text    not null check (length(name) between 1 and 100),
              slug         text    not null unique check (length(slug) between 1 and 50),
              plan         text    not null default 'hobby' check (plan in ('free', 'hobby')),
              site         integer not null unique references sites (number),
              created_at   integer not null
            , time_zone text not null default ''
            check (length(time_zone) <= 64), deleted_at integer, purged_at integer check (purged_at >= deleted_at), logo text not null default '' check (length(logo) in (0, 32)), metadata text not null default '{}'
            check (json_valid(metadata) and length(metadata) <= 4096)) strict, without rowid
            ;
INSERT INTO "organizations" VALUES('organization1','Early','early','hobby',1,1781697600000,'',NULL,NULL,'','{}');
CREATE TABLE password_resets (
              digest           blob    primary key check (length(digest) = 32),
              user_id          text    not null references users (id),
              created_at       integer not null
            , expires_at integer not null default 0) strict, without rowid
            ;
CREATE TABLE people_rules (
              website_id       text    not null references websites (id) on delete cascade,
              reason           text    not null check (length(reason) between 1 and 64),
              agent            text    not null check (length(agent) <= 128),
              created_at       integer not null,
              created_by       text    not null check (length(created_by) between 1 and 100),
              primary key (website_id, reason, agent)
            ) strict, without rowid
            ;
CREATE TABLE recovery_codes (
              digest           blob    primary key check (length(digest) = 32),
              user_id          text    not null references users (id),
              used_at          integer
            ) strict, without rowid
            ;
CREATE TABLE second_factors (
              user_id          text    primary key references users (id),
              secret           blob    not null check (length(secret) between 40 and 200),
              step             integer not null default 0,
              created_at       integer not null,
              confirmed_at     integer
            ) strict, without rowid
            ;
CREATE TABLE sessions (
              digest           blob    primary key check (length(digest) = 32),
              user_id          text    not null references users (id),
              organization_id  text    not null references organizations (id),
              created_at       integer not null,
              seen_at          integer not null
            , device text not null default '' check (length(device) <= 100)) strict, without rowid
            ;
CREATE TABLE setup_tokens (
              digest           blob    primary key check (length(digest) = 32),
              created_at       integer not null
            ) strict, without rowid
            ;
CREATE TABLE sites (
              number       integer primary key autoincrement,
              created_at   integer not null
            ) strict
            ;
INSERT INTO "sites" VALUES(1,1781697600000);
INSERT INTO "sites" VALUES(2,1781697600000);
CREATE TABLE users (
              id               text    primary key check (length(id) between 8 and 64),
              email            text    not null unique collate nocase check (length(email) between 3 and 254),
              password         text    not null,
              time_zone        text    not null default 'UTC',
              is_administrator integer not null default 0 check (is_administrator in (0, 1)),
              created_at       integer not null
            , zone_is_chosen integer not null default 0 check (zone_is_chosen in (0, 1)), date_format text not null default 'D MMM YYYY'
            check (length(date_format) between 1 and 20), time_format text not null default 'HH:mm'
            check (length(time_format) between 1 and 20), theme text not null default 'system'
            check (theme in ('system', 'light', 'dark')), name text not null default '' check (length(name) <= 100)) strict, without rowid
            ;
INSERT INTO "users" VALUES('user000001','early@example.com','x','UTC',1,1781697600000,0,'D MMM YYYY','HH:mm','system','');
CREATE TABLE websites (
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
            , settings text not null default '{}' check (json_valid(settings))) strict, without rowid
            ;
INSERT INTO "websites" VALUES('website0001','organization1',2,'Shop','shop.example','ACTIVE',0,1781697600000,1781697600000,NULL,'{}');
CREATE UNIQUE INDEX "idx__sqlite_migrations_migration_set_name"
    ON "_sqlite_migrations" ("migration_set", "name");
CREATE INDEX sessions_by_user on sessions (user_id);
CREATE UNIQUE INDEX websites_by_domain on websites (organization_id, domain)
            where deleted_at is null
            ;
CREATE INDEX audit_by_organization on audit (organization_id, time);
CREATE TRIGGER audit_never_changes before update on audit
            begin select raise(abort, 'the audit log is append-only'); end;
CREATE TRIGGER audit_never_shrinks before delete on audit
            begin select raise(abort, 'the audit log is append-only'); end;
CREATE INDEX api_keys_by_organization on api_keys (organization_id, created_at);
CREATE INDEX recovery_codes_by_user on recovery_codes (user_id);
CREATE INDEX password_resets_by_user on password_resets (user_id);
CREATE UNIQUE INDEX client_ids_by_website on client_ids (website_id) where ends_at is null;
CREATE INDEX client_ids_of_website on client_ids (website_id);
CREATE INDEX members_by_user on members (user_id);
CREATE INDEX invitations_by_organization on invitations (organization_id, created_at);
CREATE TRIGGER audit_never_replaced before insert on audit
            when exists (select 1 from audit where id = new.id)
            begin select raise(abort, 'the audit log is append-only'); end;
CREATE INDEX password_resets_by_end on password_resets (expires_at);
CREATE INDEX channels_by_organization on channels (organization_id, created_at);
CREATE INDEX deliveries_waiting on deliveries (channel_id, number) where due_at is not null;
CREATE INDEX deliveries_ended on deliveries (ended_at) where ended_at is not null;
CREATE UNIQUE INDEX domains_proven on domains (domain) where proven_at is not null;
CREATE UNIQUE INDEX links_by_slug on links (domain, slug);
CREATE INDEX links_by_organization on links (organization_id, number);
CREATE INDEX links_by_external_id on links (organization_id, external_id) where external_id is not null;
CREATE INDEX links_by_folder on links (folder_id) where folder_id is not null;
CREATE INDEX link_tags_by_tag on link_tags (tag, link);
DELETE FROM sqlite_sequence;
INSERT INTO "sqlite_sequence" VALUES('sites',2);
INSERT INTO "sqlite_sequence" VALUES('links',1);
COMMIT;
