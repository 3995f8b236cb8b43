BEGIN TRANSACTION;
CREATE TABLE "_sqlite_migrations" (
   "id" INTEGER PRIMARY KEY,
   "migration_set" TEXT,
   "name" TEXT,
   "applied_at" TEXT
);
INSERT INTO "_sqlite_migrations" VALUES(1,'analytics_box','0001_accounts_keys_websites','2026-11-23 18:05:23.943139+00:00');
INSERT INTO "_sqlite_migrations" VALUES(2,'analytics_box','0002_keys_records','2026-11-23 18:05:23.956568+00:00');
INSERT INTO "_sqlite_migrations" VALUES(3,'analytics_box','0003_accounts_sign_in','2026-11-23 18:05:23.976059+00:00');
INSERT INTO "_sqlite_migrations" VALUES(4,'analytics_box','0004_websites_settings','2026-11-23 18:05:23.979232+00:00');
INSERT INTO "_sqlite_migrations" VALUES(5,'analytics_box','0005_organizations_invitations','2026-11-23 18:05:23.981583+00:00');
INSERT INTO "_sqlite_migrations" VALUES(6,'analytics_box','0006_audit_is_never_replaced','2026-11-23 18:05:23.985004+00:00');
INSERT INTO "_sqlite_migrations" VALUES(7,'analytics_box','0007_organizations_end_and_logo','2026-11-23 18:05:24.001533+00:00');
INSERT INTO "_sqlite_migrations" VALUES(8,'analytics_box','0008_accounts_names_and_links','2026-11-23 18:05:24.032924+00:00');
INSERT INTO "_sqlite_migrations" VALUES(9,'analytics_box','0009_notify_channels','2026-11-23 18:05:24.046201+00:00');
INSERT INTO "_sqlite_migrations" VALUES(10,'analytics_box','0010_configuration_domains_and_defaults','2026-11-23 18:05:24.063829+00:00');
INSERT INTO "_sqlite_migrations" VALUES(11,'analytics_box','0011_bots_rules','2026-11-23 18:05:24.074414+00:00');
INSERT INTO "_sqlite_migrations" VALUES(12,'analytics_box','0012_links','2026-11-23 18:05:24.095835+00:00');
INSERT INTO "_sqlite_migrations" VALUES(13,'analytics_box','0013_link_tags_by_tag','2026-11-23 18:05:24.105890+00:00');
INSERT INTO "_sqlite_migrations" VALUES(14,'analytics_box','0014_box','2026-11-23 18:05:24.115952+00:00');
INSERT INTO "_sqlite_migrations" VALUES(15,'analytics_box','0015_job_runs','2026-11-23 18:05:24.124692+00:00');
INSERT INTO "_sqlite_migrations" VALUES(16,'analytics_box','0016_public_values','2026-11-23 18:05:24.151011+00:00');
INSERT INTO "_sqlite_migrations" VALUES(17,'analytics_box','0017_sizes','2026-11-23 18:05:24.187390+00:00');
INSERT INTO "_sqlite_migrations" VALUES(18,'analytics_box','0018_monitors','2026-11-23 18:05:24.199086+00:00');
INSERT INTO "_sqlite_migrations" VALUES(19,'analytics_box','0019_channel_kinds','2026-11-23 18:05:24.260448+00:00');
INSERT INTO "_sqlite_migrations" VALUES(20,'analytics_box','0020_alarms','2026-11-23 18:05:24.281605+00:00');
INSERT INTO "_sqlite_migrations" VALUES(21,'analytics_box','0021_status_pages','2026-11-23 18:05:24.299955+00:00');
INSERT INTO "_sqlite_migrations" VALUES(22,'analytics_box','0022_flags','2026-11-23 18:05:24.325869+00:00');
INSERT INTO "_sqlite_migrations" VALUES(23,'analytics_box','0023_overview','2026-11-23 18:05:24.349018+00:00');
CREATE TABLE alarm_channels (
              alarm_id         text    not null references alarms (id) on delete cascade,
              channel_id       text    not null references channels (id) on delete cascade,
              escalation       integer not null check (escalation in (0, 1)),
              primary key (alarm_id, channel_id)
            ) strict, without rowid
            ;
CREATE TABLE alarm_episodes (
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
            ;
CREATE TABLE alarm_held (
              id               integer primary key autoincrement,
              alarm_id         text    not null references alarms (id) on delete cascade,
              subject          text    not null check (length(subject) between 1 and 100),
              until            integer not null,
              occurrence       text    not null check (json_valid(occurrence)),
              lasts            integer not null check (lasts in (0, 1)),
              over             integer
            ) strict
            ;
CREATE TABLE alarm_topics (
              alarm_id         text    not null references alarms (id) on delete cascade,
              topic            text    not null check (length(topic) between 1 and 300),
              at               integer not null,
              primary key (alarm_id, topic)
            ) strict, without rowid
            ;
CREATE TABLE alarms (
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
            ;
CREATE TABLE annotations (
          id               text    primary key check (length(id) between 8 and 64),
          website_id       text    not null references websites (id) on delete cascade,
          at               integer not null,
          until            integer check (until >= at),
          content          text    not null check (json_valid(content)),
          created_by       text    not null,
          created_at       integer not null,
          updated_at       integer not null
        ) strict
        ;
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
INSERT INTO "api_keys" VALUES('3iaY41h3dQU8o3BmGIv7','mjzIzWM2fFSpgHsWM27b','Key','svc_vaCW',X'B16FD36FA0098E392784690D32C019E4F20D21784FF3076BCC5A3C45D5D667AD','["manage:config", "manage:flags", "manage:websites", "read:data", "read:links", "read:monitors", "read:status_pages", "track:events", "write:links", "write:monitors", "write:status_pages"]',1,1781697600000,1781697600000,NULL,'user','','{"global": ["manage:config", "manage:flags", "manage:websites", "read:data", "read:links", "read:monitors", "read:status_pages", "track:events", "write:links", "write:monitors", "write:status_pages"]}','[]',NULL,NULL,1781697600000);
INSERT INTO "api_keys" VALUES('NzCxhXbuM5s3A9FOUvHQ','mjzIzWM2fFSpgHsWM27b','Key','svc_Hnmg',X'AE41EB770B90BC856D6C9CABDC7BB956F558BC736F390E865326740181D821F1','["manage:config", "manage:flags", "manage:websites", "read:data", "read:links", "read:monitors", "read:status_pages", "track:events", "write:links", "write:monitors", "write:status_pages"]',1,1781697600000,NULL,1781697600000,'user','','{"global": ["manage:config", "manage:flags", "manage:websites", "read:data", "read:links", "read:monitors", "read:status_pages", "track:events", "write:links", "write:monitors", "write:status_pages"]}','[]',NULL,NULL,1781697600000);
INSERT INTO "api_keys" VALUES('PJYIxFnfzJMQWYgsEJZO','mjzIzWM2fFSpgHsWM27b','Key','svc_51xk',X'66BDE4D3984906D3354D494C588DC6B30A827235701D9FA09B50A6204966284D','["read:links", "write:links"]',1,1781697600000,NULL,NULL,'user','','{"global": ["read:links", "write:links"]}','[]',NULL,NULL,1781697600000);
INSERT INTO "api_keys" VALUES('WdIyDUbGWkegNQoTCT5E','mjzIzWM2fFSpgHsWM27b','Key','svc_9eRS',X'801CB8E3DB8C0EBBC8F8B3628F67FE7B93EFB65FDF58360CBB083CDAF36AF855','["read:data", "track:events"]',1,1781697600000,NULL,NULL,'user','','{"website:YlR8R5I9YWlixRPMch6l": []}','[]',NULL,NULL,1781697600000);
INSERT INTO "api_keys" VALUES('XOPwHrCaiUlQZ8IvJBS9','mjzIzWM2fFSpgHsWM27b','Key','svc_kFb5',X'7E627FE025B9D3B9CC17E2457FD6B6E938859D0E8B738815CDCD6F4E704A2319','["read:data", "track:events"]',1,1781697600000,NULL,NULL,'user','','{"website:aPxRfdPKAYmWUr8HF6YS": []}','[]',NULL,NULL,1781697600000);
INSERT INTO "api_keys" VALUES('m0VHhrWGUd3HQorSJVsh','mjzIzWM2fFSpgHsWM27b','Key','svc_dc57',X'A650BCBAA0A58D01CAC9938C45AF18296D315A4AE75CB1A39EA154C8E794A0E5','["read:data"]',1,1781697600000,NULL,NULL,'user','','{"global": ["read:data"]}','[]',NULL,NULL,1781697600000);
INSERT INTO "api_keys" VALUES('qXdW7Q83cngiyH9ocnp3','mjzIzWM2fFSpgHsWM27b','First key','svc_SeLa',X'C39E973FEF84F38446FE9C563372E65533EA7B663671E6EF2C7C25159C0FE6B9','["manage:config", "manage:flags", "manage:websites", "read:data", "read:links", "read:monitors", "read:status_pages", "track:events", "write:links", "write:monitors", "write:status_pages"]',1,1781697600000,NULL,NULL,'user','','{"global": ["manage:config", "manage:flags", "manage:websites", "read:data", "read:links", "read:monitors", "read:status_pages", "track:events", "write:links", "write:monitors", "write:status_pages"]}','[]',NULL,NULL,1781697600000);
INSERT INTO "api_keys" VALUES('tp5JM4I7BEbiqupn4kBl','mjzIzWM2fFSpgHsWM27b','Key','svc_BnvO',X'F9D05BF9803B3F35744AFCCBEDE4AC7383BBB33EE7E75E0C164578F26A5E0833','["track:events"]',1,1781697600000,NULL,NULL,'user','','{"global": ["track:events"]}','[]',NULL,NULL,1781697600000);
INSERT INTO "api_keys" VALUES('urFnb1BoxLuxwFN22FS7','zcuMsGGlUsFOaETkZTe2','Key','svc_lgXP',X'B41B8B47A2061A6505A707031A9B13E735807C34ECF97B89790577CAA0688277','["manage:config", "manage:flags", "manage:websites", "read:data", "read:links", "read:monitors", "read:status_pages", "track:events", "write:links", "write:monitors", "write:status_pages"]',1,1781697600000,NULL,NULL,'user','','{"global": ["manage:config", "manage:flags", "manage:websites", "read:data", "read:links", "read:monitors", "read:status_pages", "track:events", "write:links", "write:monitors", "write:status_pages"]}','[]',NULL,NULL,1781697600000);
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
INSERT INTO "audit" VALUES(1,1781697600000,'mjzIzWM2fFSpgHsWM27b','test','created','organization','mjzIzWM2fFSpgHsWM27b','{}');
INSERT INTO "audit" VALUES(2,1781697600000,'mjzIzWM2fFSpgHsWM27b','test','created','user','9Gmpe16yb9frNeuhg3eY','{}');
INSERT INTO "audit" VALUES(3,1781697600000,'mjzIzWM2fFSpgHsWM27b','test','created','website','aPxRfdPKAYmWUr8HF6YS','{"name": "Shop", "domain": "shop.example"}');
INSERT INTO "audit" VALUES(4,1781697600000,'mjzIzWM2fFSpgHsWM27b','test','created','api_key','qXdW7Q83cngiyH9ocnp3','{"name": "First key", "start": "svc_SeLa", "scopes": ["manage:config", "manage:flags", "manage:websites", "read:data", "read:links", "read:monitors", "read:status_pages", "track:events", "write:links", "write:monitors", "write:status_pages"], "resources": {"global": ["manage:config", "manage:flags", "manage:websites", "read:data", "read:links", "read:monitors", "read:status_pages", "track:events", "write:links", "write:monitors", "write:status_pages"]}, "expires_at": null}');
INSERT INTO "audit" VALUES(5,1781697600001,'mjzIzWM2fFSpgHsWM27b','test','created','website','UXSCQ44sP8y5Vaolj84q','{"name": "Blog", "domain": "blog.example"}');
INSERT INTO "audit" VALUES(6,1781697600001,'mjzIzWM2fFSpgHsWM27b','test','created','website','rqZ2DxHd1Glee4WpSwek','{"name": "Idle", "domain": "idle.example"}');
INSERT INTO "audit" VALUES(7,1781697600001,'mjzIzWM2fFSpgHsWM27b','test','created','website','YlR8R5I9YWlixRPMch6l','{"name": "Local", "domain": "localhost"}');
INSERT INTO "audit" VALUES(8,1781697600001,'zcuMsGGlUsFOaETkZTe2','test','created','website','ahZ0ESXOqvoiAz0DsPyc','{"name": "Foreign", "domain": "foreign.example"}');
INSERT INTO "audit" VALUES(9,1781697600000,'mjzIzWM2fFSpgHsWM27b','test','created','api_key','m0VHhrWGUd3HQorSJVsh','{"name": "Key", "start": "svc_dc57", "scopes": ["read:data"], "resources": {"global": ["read:data"]}, "expires_at": null}');
INSERT INTO "audit" VALUES(10,1781697600000,'mjzIzWM2fFSpgHsWM27b','test','created','api_key','tp5JM4I7BEbiqupn4kBl','{"name": "Key", "start": "svc_BnvO", "scopes": ["track:events"], "resources": {"global": ["track:events"]}, "expires_at": null}');
INSERT INTO "audit" VALUES(11,1781697600000,'mjzIzWM2fFSpgHsWM27b','test','created','api_key','PJYIxFnfzJMQWYgsEJZO','{"name": "Key", "start": "svc_51xk", "scopes": ["read:links", "write:links"], "resources": {"global": ["read:links", "write:links"]}, "expires_at": null}');
INSERT INTO "audit" VALUES(12,1781697600000,'mjzIzWM2fFSpgHsWM27b','test','created','api_key','XOPwHrCaiUlQZ8IvJBS9','{"name": "Key", "start": "svc_kFb5", "scopes": ["read:data", "track:events"], "resources": {"website:aPxRfdPKAYmWUr8HF6YS": []}, "expires_at": null}');
INSERT INTO "audit" VALUES(13,1781697600000,'mjzIzWM2fFSpgHsWM27b','test','created','api_key','WdIyDUbGWkegNQoTCT5E','{"name": "Key", "start": "svc_9eRS", "scopes": ["read:data", "track:events"], "resources": {"website:YlR8R5I9YWlixRPMch6l": []}, "expires_at": null}');
INSERT INTO "audit" VALUES(14,1781697600000,'zcuMsGGlUsFOaETkZTe2','test','created','api_key','urFnb1BoxLuxwFN22FS7','{"name": "Key", "start": "svc_lgXP", "scopes": ["manage:config", "manage:flags", "manage:websites", "read:data", "read:links", "read:monitors", "read:status_pages", "track:events", "write:links", "write:monitors", "write:status_pages"], "resources": {"global": ["manage:config", "manage:flags", "manage:websites", "read:data", "read:links", "read:monitors", "read:status_pages", "track:events", "write:links", "write:monitors", "write:status_pages"]}, "expires_at": null}');
INSERT INTO "audit" VALUES(15,1781697600000,'mjzIzWM2fFSpgHsWM27b','test','created','api_key','NzCxhXbuM5s3A9FOUvHQ','{"name": "Key", "start": "svc_Hnmg", "scopes": ["manage:config", "manage:flags", "manage:websites", "read:data", "read:links", "read:monitors", "read:status_pages", "track:events", "write:links", "write:monitors", "write:status_pages"], "resources": {"global": ["manage:config", "manage:flags", "manage:websites", "read:data", "read:links", "read:monitors", "read:status_pages", "track:events", "write:links", "write:monitors", "write:status_pages"]}, "expires_at": null}');
INSERT INTO "audit" VALUES(16,1781697600000,'mjzIzWM2fFSpgHsWM27b','test','created','api_key','3iaY41h3dQU8o3BmGIv7','{"name": "Key", "start": "svc_vaCW", "scopes": ["manage:config", "manage:flags", "manage:websites", "read:data", "read:links", "read:monitors", "read:status_pages", "track:events", "write:links", "write:monitors", "write:status_pages"], "resources": {"global": ["manage:config", "manage:flags", "manage:websites", "read:data", "read:links", "read:monitors", "read:status_pages", "track:events", "write:links", "write:monitors", "write:status_pages"]}, "expires_at": null}');
INSERT INTO "audit" VALUES(17,1781697600000,'mjzIzWM2fFSpgHsWM27b','apikey:PJYIxFnfzJMQWYgsEJZO','created','link','OomSEiHAWkbHbGEvYzzr','{"slug": "abc", "domain": "", "targetUrl": "https://shop.example/", "name": "L"}');
CREATE TABLE bot_options (
              website_id       text    primary key references websites (id) on delete cascade,
              data_centres     integer not null check (data_centres in (0, 1))
            ) strict, without rowid
            ;
CREATE TABLE box (
              one              integer primary key check (one = 1),
              id               text    not null check (length(id) = 32)
            ) strict
            ;
INSERT INTO "box" VALUES(1,'2d0902cb2f8a58174c1f5e66d8e99248');
CREATE TABLE "channels" (
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
            ;
CREATE TABLE client_ids (
              id               text    primary key check (length(id) between 8 and 64),
              website_id       text    not null references websites (id),
              created_at       integer not null,
              ends_at          integer,
              seen_at          integer
            ) strict, without rowid
            ;
INSERT INTO "client_ids" VALUES('UXSCQ44sP8y5Vaolj84q','UXSCQ44sP8y5Vaolj84q',1781697600001,NULL,NULL);
INSERT INTO "client_ids" VALUES('YlR8R5I9YWlixRPMch6l','YlR8R5I9YWlixRPMch6l',1781697600001,NULL,NULL);
INSERT INTO "client_ids" VALUES('aPxRfdPKAYmWUr8HF6YS','aPxRfdPKAYmWUr8HF6YS',1781697600000,NULL,NULL);
INSERT INTO "client_ids" VALUES('ahZ0ESXOqvoiAz0DsPyc','ahZ0ESXOqvoiAz0DsPyc',1781697600001,NULL,NULL);
INSERT INTO "client_ids" VALUES('rqZ2DxHd1Glee4WpSwek','rqZ2DxHd1Glee4WpSwek',1781697600001,NULL,NULL);
CREATE TABLE clock (
              one              integer primary key check (one = 1),
              seen             integer not null,
              doubted_since    integer
            ) strict
            ;
CREATE TABLE component_days (
              component_id     text    not null references status_page_components (id) on delete cascade,
              day              text    not null check (length(day) = 10),
              figures          text    not null check (json_valid(figures)),
              primary key (component_id, day)
            ) strict, without rowid
            ;
CREATE TABLE component_spans (
              id               integer primary key,
              component_id     text    not null references status_page_components (id) on delete cascade,
              state            integer not null check (state between 1 and 6),
              start            integer not null,
              until            integer not null default 0 check (until = 0 or until >= start)
            ) strict
            ;
CREATE TABLE "deliveries" (
              number           integer primary key autoincrement,
              id               text    not null unique check (length(id) between 8 and 64),
              channel_id       text    not null references "channels" (id) on delete cascade,
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
CREATE TABLE flag_counts (
          flag_id          text    not null references flags (id) on delete cascade,
          day              integer not null,
          gave             text    not null check (length(gave) between 1 and 128),
          count            integer not null,
          primary key (flag_id, day, gave)
        ) strict, without rowid
        ;
CREATE TABLE flag_last_given (
          flag_id          text    not null references flags (id) on delete cascade,
          gave             text    not null check (length(gave) between 1 and 128),
          at               integer not null,
          primary key (flag_id, gave)
        ) strict, without rowid
        ;
CREATE TABLE flag_schedules (
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
        ;
CREATE TABLE flag_scopes (
          id               text    primary key check (id = coalesce(website_id, organization_id)),
          organization_id  text    references organizations (id),
          website_id       text    references websites (id) on delete cascade,
          revision         integer not null,
          updated_at       integer not null,
          check ((organization_id is null) <> (website_id is null))
        ) strict, without rowid
        ;
CREATE TABLE flag_versions (
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
        ;
CREATE TABLE flags (
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
        ;
CREATE TABLE goals (
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
        ;
CREATE TABLE incident_components (
              incident_id      text    not null references incidents (id) on delete cascade,
              position         integer not null,
              component_id     text    references status_page_components (id) on delete set null,
              name             text    not null,
              impact           text    not null check (impact in
                ('operational', 'degraded', 'partial', 'down', 'maintenance')),
              primary key (incident_id, position)
            ) strict, without rowid
            ;
CREATE TABLE incident_templates (
              id               text    primary key check (length(id) between 8 and 64),
              page_id          text    not null references status_pages (id) on delete cascade,
              name             text    not null check (length(name) between 1 and 120),
              title            text    not null check (length(title) <= 200),
              severity         text    not null check (severity in ('minor', 'major', 'critical')),
              message          text    not null check (length(message) <= 5000),
              created_at       integer not null
            ) strict, without rowid
            ;
CREATE TABLE incident_transitions (
              page_id          text    not null references status_pages (id) on delete cascade,
              topic            text    not null,
              incident_id      text    references incidents (id) on delete set null,
              at               integer not null,
              primary key (page_id, topic)
            ) strict, without rowid
            ;
CREATE TABLE incident_update_texts (
              number           integer primary key,
              update_id        text    not null references incident_updates (id) on delete cascade,
              message          text    not null,
              author           text    not null,
              replaced_at      integer not null
            ) strict
            ;
CREATE TABLE incident_updates (
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
            ;
CREATE TABLE incidents (
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
CREATE TABLE job_runs (
              name             text    primary key check (length(name) between 1 and 64),
              ran_at           integer not null
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
INSERT INTO "links" VALUES(1,'OomSEiHAWkbHbGEvYzzr','mjzIzWM2fFSpgHsWM27b','apikey:PJYIxFnfzJMQWYgsEJZO','','abc','L','https://shop.example/','shop.example',NULL,302,'none',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'[]','[]','{}',1781697600000,1781697600000);
CREATE TABLE logos (
              organization_id  text    primary key references organizations (id),
              digest           text    not null check (length(digest) = 32),
              type             text    not null check (type in ('image/png', 'image/jpeg', 'image/webp')),
              image            blob    not null check (length(image) between 1 and 524288),
              created_at       integer not null
            ) strict
            ;
CREATE TABLE maintenance_windows (
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
            ;
CREATE TABLE members (
              organization_id  text    not null references organizations (id),
              user_id          text    not null references users (id),
              role             text    not null check (role in ('owner', 'admin', 'member', 'viewer')),
              created_at       integer not null,
              primary key (organization_id, user_id)
            ) strict, without rowid
            ;
INSERT INTO "members" VALUES('mjzIzWM2fFSpgHsWM27b','9Gmpe16yb9frNeuhg3eY','owner',1781697600000);
CREATE TABLE monitor_tags (
              monitor          integer not null references monitors (number) on delete cascade,
              tag              text    not null check (length(tag) between 1 and 50),
              primary key (monitor, tag)
            ) strict, without rowid
            ;
CREATE TABLE monitors (
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
            ;
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
INSERT INTO "organizations" VALUES('mjzIzWM2fFSpgHsWM27b','Ada','ada','hobby',1,1781697600000,'',NULL,NULL,'','{}');
INSERT INTO "organizations" VALUES('zcuMsGGlUsFOaETkZTe2','Eve','eve','hobby',3,1781697600000,'',NULL,NULL,'','{}');
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
CREATE TABLE saved_questions (
          id               text    primary key check (length(id) between 8 and 64),
          website_id       text    not null references websites (id) on delete cascade,
          user_id          text    not null,
          is_shared        integer not null default 0 check (is_shared in (0, 1)),
          name             text    not null check (length(name) between 1 and 100),
          question         text    not null check (json_valid(question)),
          created_at       integer not null,
          updated_at       integer not null
        ) strict
        ;
CREATE TABLE second_factors (
              user_id          text    primary key references users (id),
              secret           blob    not null check (length(secret) between 40 and 200),
              step             integer not null default 0,
              created_at       integer not null,
              confirmed_at     integer
            ) strict, without rowid
            ;
CREATE TABLE segments (
          id               text    primary key check (length(id) between 8 and 64),
          website_id       text    not null references websites (id) on delete cascade,
          user_id          text    not null,
          is_shared        integer not null default 0 check (is_shared in (0, 1)),
          name             text    not null check (length(name) between 1 and 100),
          filters          text    not null check (json_valid(filters)),
          created_at       integer not null,
          updated_at       integer not null
        ) strict
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
INSERT INTO "sites" VALUES(3,1781697600000);
INSERT INTO "sites" VALUES(4,1781697600001);
INSERT INTO "sites" VALUES(5,1781697600001);
INSERT INTO "sites" VALUES(6,1781697600001);
INSERT INTO "sites" VALUES(7,1781697600001);
CREATE TABLE sizes (
              day              integer primary key,
              data             integer not null check (data >= 0)
            ) strict
            ;
CREATE TABLE status_page_components (
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
            ;
CREATE TABLE status_page_files (
              page_id          text    not null references status_pages (id) on delete cascade,
              kind             text    not null check (kind in ('logo', 'favicon')),
              digest           text    not null,
              type             text    not null,
              image            blob    not null,
              created_at       integer not null,
              primary key (page_id, kind)
            ) strict, without rowid
            ;
CREATE TABLE status_page_groups (
              id               text    primary key check (length(id) between 8 and 64),
              page_id          text    not null references status_pages (id) on delete cascade,
              name             text    not null check (length(name) between 1 and 120),
              description      text    not null default '' check (length(description) <= 500),
              position         integer not null default 0,
              created_at       integer not null,
              updated_at       integer not null
            ) strict, without rowid
            ;
CREATE TABLE status_pages (
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
            ;
CREATE TABLE subscriber_deliveries (
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
            ;
CREATE TABLE subscriber_messages (
              topic            text    primary key check (length(topic) between 1 and 200),
              update_id        text    references incident_updates (id) on delete cascade deferrable initially deferred,
              message          text    not null check (json_valid(message)),
              created_at       integer not null
            ) strict, without rowid
            ;
CREATE TABLE subscribers (
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
            ;
CREATE TABLE target_groups (
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
        ;
CREATE TABLE traffic_outages (
              website_id       text    primary key references websites (id) on delete cascade,
              seen_at          integer not null
            ) strict, without rowid
            ;
CREATE TABLE traffic_watch (
              one              integer primary key check (one = 1),
              since            integer not null,
              seen_at          integer not null
            ) strict
            ;
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
INSERT INTO "users" VALUES('9Gmpe16yb9frNeuhg3eY','ada@example.com','$argon2id$v=19$m=19456,t=2,p=1$FEzf7G9A3gGi0peCLhZSWA$QNN8lo6BaZfJEJY0PgV2rS1GEp8Dn8a/qwmlT80GrDc','UTC',1,1781697600000,0,'D MMM YYYY','HH:mm','system','');
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
            , settings text not null default '{}' check (json_valid(settings)), public_values integer not null default 0 check (public_values in (0, is_public))) strict, without rowid
            ;
INSERT INTO "websites" VALUES('UXSCQ44sP8y5Vaolj84q','mjzIzWM2fFSpgHsWM27b',4,'Blog','blog.example','ACTIVE',1,1781697600001,1781697600001,NULL,'{"allowedOrigins":[],"allowedIps":[],"ignoredIps":[],"ignoredPaths":[],"ignoredTrackingOrigins":[],"visitorIdMode":"auto","dataRetentionDays":null,"hourlyTexts":null,"hourlyMegabytes":null}',0);
INSERT INTO "websites" VALUES('YlR8R5I9YWlixRPMch6l','mjzIzWM2fFSpgHsWM27b',6,'Local','localhost','ACTIVE',0,1781697600001,1781697600001,NULL,'{"allowedOrigins":[],"allowedIps":[],"ignoredIps":[],"ignoredPaths":[],"ignoredTrackingOrigins":[],"visitorIdMode":"auto","dataRetentionDays":null,"hourlyTexts":null,"hourlyMegabytes":null}',0);
INSERT INTO "websites" VALUES('aPxRfdPKAYmWUr8HF6YS','mjzIzWM2fFSpgHsWM27b',2,'Shop','shop.example','ACTIVE',0,1781697600000,1781697600000,NULL,'{"allowedOrigins":[],"allowedIps":[],"ignoredIps":[],"ignoredPaths":[],"ignoredTrackingOrigins":[],"visitorIdMode":"auto","dataRetentionDays":null,"hourlyTexts":null,"hourlyMegabytes":null}',0);
INSERT INTO "websites" VALUES('ahZ0ESXOqvoiAz0DsPyc','zcuMsGGlUsFOaETkZTe2',7,'Foreign','foreign.example','ACTIVE',0,1781697600001,1781697600001,NULL,'{"allowedOrigins":[],"allowedIps":[],"ignoredIps":[],"ignoredPaths":[],"ignoredTrackingOrigins":[],"visitorIdMode":"auto","dataRetentionDays":null,"hourlyTexts":null,"hourlyMegabytes":null}',0);
INSERT INTO "websites" VALUES('rqZ2DxHd1Glee4WpSwek','mjzIzWM2fFSpgHsWM27b',5,'Idle','idle.example','INACTIVE',0,1781697600001,1781697600001,NULL,'{"allowedOrigins":[],"allowedIps":[],"ignoredIps":[],"ignoredPaths":[],"ignoredTrackingOrigins":[],"visitorIdMode":"auto","dataRetentionDays":null,"hourlyTexts":null,"hourlyMegabytes":null}',0);
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
CREATE UNIQUE INDEX domains_proven on domains (domain) where proven_at is not null;
CREATE UNIQUE INDEX links_by_slug on links (domain, slug);
CREATE INDEX links_by_organization on links (organization_id, number);
CREATE INDEX links_by_external_id on links (organization_id, external_id) where external_id is not null;
CREATE INDEX links_by_folder on links (folder_id) where folder_id is not null;
CREATE INDEX link_tags_by_tag on link_tags (tag, link);
CREATE UNIQUE INDEX monitors_by_url
            on monitors (organization_id, url, coalesce(json_extract(options, '$.record'), ''))
            ;
CREATE UNIQUE INDEX monitors_by_website on monitors (website_id) where website_id is not null;
CREATE INDEX monitors_by_parent on monitors (parent_id) where parent_id is not null;
CREATE INDEX maintenance_windows_by_organization on maintenance_windows (organization_id, created_at);
CREATE INDEX channels_by_organization on channels (organization_id, created_at);
CREATE INDEX deliveries_waiting on deliveries (channel_id, number) where due_at is not null;
CREATE INDEX deliveries_ended on deliveries (ended_at) where ended_at is not null;
CREATE INDEX alarms_by_organization on alarms (organization_id);
CREATE INDEX alarms_by_website on alarms (website_id) where website_id is not null;
CREATE INDEX alarm_channels_by_channel on alarm_channels (channel_id);
CREATE INDEX alarm_topics_by_time on alarm_topics (at);
CREATE INDEX alarm_episodes_due on alarm_episodes (due_at) where due_at is not null;
CREATE INDEX alarm_held_by_alarm on alarm_held (alarm_id);
CREATE INDEX alarm_held_due on alarm_held (until);
CREATE INDEX status_pages_of on status_pages (organization_id, created_at);
CREATE INDEX status_page_groups_of on status_page_groups (page_id);
CREATE INDEX status_page_components_of on status_page_components (page_id, position);
CREATE INDEX status_page_components_by_monitor on status_page_components (monitor_id);
CREATE INDEX component_spans_by_time on component_spans (component_id, start);
CREATE INDEX incidents_of on incidents (page_id, started_at);
CREATE INDEX incidents_open on incidents (status, scheduled_for) where resolved_at is null;
CREATE INDEX incidents_to_publish on incidents (publish_at) where publish_at is not null;
CREATE INDEX incident_components_by_component on incident_components (component_id);
CREATE INDEX incident_updates_of on incident_updates (incident_id, at);
CREATE INDEX incident_update_texts_of on incident_update_texts (update_id);
CREATE INDEX incident_transitions_by_incident on incident_transitions (incident_id);
CREATE INDEX incident_templates_of on incident_templates (page_id);
CREATE INDEX subscribers_by_address on subscribers (address);
CREATE INDEX subscriber_messages_of on subscriber_messages (update_id);
CREATE INDEX subscriber_deliveries_of on subscriber_deliveries (topic);
CREATE INDEX subscriber_deliveries_waiting on subscriber_deliveries (subscriber_id, number)
              where due_at is not null
            ;
CREATE INDEX subscriber_deliveries_due on subscriber_deliveries (due_at) where due_at is not null;
CREATE INDEX subscriber_deliveries_ended on subscriber_deliveries (ended_at) where ended_at is not null;
CREATE INDEX flag_scopes_of on flag_scopes (organization_id);
CREATE INDEX flag_scopes_by_website on flag_scopes (website_id);
CREATE UNIQUE INDEX flags_by_key on flags (scope, key, coalesce(environment, ''), coalesce(user_id, ''))
          where deleted_at is null
        ;
CREATE INDEX flags_of on flags (organization_id);
CREATE INDEX flags_by_website on flags (website_id);
CREATE UNIQUE INDEX target_groups_by_name on target_groups (scope, name);
CREATE INDEX target_groups_of on target_groups (organization_id);
CREATE INDEX target_groups_by_website on target_groups (website_id);
CREATE INDEX flag_schedules_of on flag_schedules (flag_id);
CREATE INDEX flag_schedules_due on flag_schedules (next_at) where next_at is not null;
CREATE INDEX flag_counts_by_day on flag_counts (day);
CREATE INDEX goals_of on goals (website_id);
CREATE INDEX annotations_of on annotations (website_id, at);
CREATE INDEX segments_of on segments (website_id);
CREATE INDEX saved_questions_of on saved_questions (website_id);
DELETE FROM sqlite_sequence;
INSERT INTO "sqlite_sequence" VALUES('deliveries',0);
INSERT INTO "sqlite_sequence" VALUES('sites',7);
INSERT INTO "sqlite_sequence" VALUES('links',1);
COMMIT;
