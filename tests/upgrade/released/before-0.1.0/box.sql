BEGIN TRANSACTION;
CREATE TABLE "_sqlite_migrations" (
   "id" INTEGER PRIMARY KEY,
   "migration_set" TEXT,
   "name" TEXT,
   "applied_at" TEXT
);
INSERT INTO "_sqlite_migrations" VALUES(1,'analytics_box','0001_accounts_keys_websites','2026-11-27 22:27:16.726143+00:00');
INSERT INTO "_sqlite_migrations" VALUES(2,'analytics_box','0002_keys_records','2026-11-27 22:27:16.737640+00:00');
INSERT INTO "_sqlite_migrations" VALUES(3,'analytics_box','0003_accounts_sign_in','2026-11-27 22:27:16.747946+00:00');
INSERT INTO "_sqlite_migrations" VALUES(4,'analytics_box','0004_websites_settings','2026-11-27 22:27:16.763800+00:00');
INSERT INTO "_sqlite_migrations" VALUES(5,'analytics_box','0005_organizations_invitations','2026-11-27 22:27:16.777312+00:00');
INSERT INTO "_sqlite_migrations" VALUES(6,'analytics_box','0006_audit_is_never_replaced','2026-11-27 22:27:16.787190+00:00');
INSERT INTO "_sqlite_migrations" VALUES(7,'analytics_box','0007_organizations_end_and_logo','2026-11-27 22:27:16.798678+00:00');
INSERT INTO "_sqlite_migrations" VALUES(8,'analytics_box','0008_accounts_names_and_links','2026-11-27 22:27:16.806129+00:00');
INSERT INTO "_sqlite_migrations" VALUES(9,'analytics_box','0009_notify_channels','2026-11-27 22:27:16.810527+00:00');
INSERT INTO "_sqlite_migrations" VALUES(10,'analytics_box','0010_configuration_domains_and_defaults','2026-11-27 22:27:16.818369+00:00');
INSERT INTO "_sqlite_migrations" VALUES(11,'analytics_box','0011_bots_rules','2026-11-27 22:27:16.827881+00:00');
INSERT INTO "_sqlite_migrations" VALUES(12,'analytics_box','0012_links','2026-11-27 22:27:16.842412+00:00');
INSERT INTO "_sqlite_migrations" VALUES(13,'analytics_box','0013_link_tags_by_tag','2026-11-27 22:27:16.860839+00:00');
INSERT INTO "_sqlite_migrations" VALUES(14,'analytics_box','0014_box','2026-11-27 22:27:16.881170+00:00');
INSERT INTO "_sqlite_migrations" VALUES(15,'analytics_box','0015_job_runs','2026-11-27 22:27:16.892259+00:00');
INSERT INTO "_sqlite_migrations" VALUES(16,'analytics_box','0016_public_values','2026-11-27 22:27:16.913517+00:00');
INSERT INTO "_sqlite_migrations" VALUES(17,'analytics_box','0017_sizes','2026-11-27 22:27:16.924827+00:00');
INSERT INTO "_sqlite_migrations" VALUES(18,'analytics_box','0018_monitors','2026-11-27 22:27:16.935840+00:00');
INSERT INTO "_sqlite_migrations" VALUES(19,'analytics_box','0019_channel_kinds','2026-11-27 22:27:16.961641+00:00');
INSERT INTO "_sqlite_migrations" VALUES(20,'analytics_box','0020_alarms','2026-11-27 22:27:16.981491+00:00');
INSERT INTO "_sqlite_migrations" VALUES(21,'analytics_box','0021_status_pages','2026-11-27 22:27:16.998358+00:00');
INSERT INTO "_sqlite_migrations" VALUES(22,'analytics_box','0022_flags','2026-11-27 22:27:17.015583+00:00');
INSERT INTO "_sqlite_migrations" VALUES(23,'analytics_box','0023_overview','2026-11-27 22:27:17.036093+00:00');
INSERT INTO "_sqlite_migrations" VALUES(24,'analytics_box','0024_cluster','2026-11-27 22:27:17.061053+00:00');
INSERT INTO "_sqlite_migrations" VALUES(25,'analytics_box','0025_alone','2026-11-27 22:27:17.065731+00:00');
INSERT INTO "_sqlite_migrations" VALUES(26,'analytics_box','0026_promoted','2026-11-27 22:27:17.082141+00:00');
INSERT INTO "_sqlite_migrations" VALUES(27,'analytics_box','0027_private_targets','2026-11-27 22:27:17.096957+00:00');
INSERT INTO "_sqlite_migrations" VALUES(28,'analytics_box','0028_mail_and_accounts','2026-11-27 22:27:17.108954+00:00');
INSERT INTO "_sqlite_migrations" VALUES(29,'analytics_box','0029_confirmed_accounts','2026-11-27 22:27:17.133640+00:00');
INSERT INTO "_sqlite_migrations" VALUES(30,'analytics_box','0033_receivers_back_off','2026-11-27 22:27:17.162868+00:00');
INSERT INTO "_sqlite_migrations" VALUES(31,'analytics_box','0034_check_of_nothing','2026-11-27 22:27:17.178122+00:00');
INSERT INTO "_sqlite_migrations" VALUES(32,'analytics_box','0042_updates_sent','2026-11-27 22:27:17.194130+00:00');
CREATE TABLE alarm_channels (
              alarm_id         text    not null references alarms (id) on delete cascade,
              channel_id       text    not null references channels (id) on delete cascade,
              escalation       integer not null check (escalation in (0, 1)),
              primary key (alarm_id, channel_id)
            ) strict, without rowid
            ;
INSERT INTO "alarm_channels" VALUES('alarms-id','channels-id',1);
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
INSERT INTO "alarm_episodes" VALUES('alarms-id','alarm_epis-subject','alarm_epis-what','{}',1,1,1781697660000,1781697660000,1,1781697660000,1781697660000,'alarm_epis-acknowledg');
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
INSERT INTO "alarm_held" VALUES(1,'alarms-id','alarm_held-subject',1781697660000,'{}',1,1);
CREATE TABLE alarm_topics (
              alarm_id         text    not null references alarms (id) on delete cascade,
              topic            text    not null check (length(topic) between 1 and 300),
              at               integer not null,
              primary key (alarm_id, topic)
            ) strict, without rowid
            ;
INSERT INTO "alarm_topics" VALUES('alarms-id','alarm_topi-topic',1781697660000);
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
INSERT INTO "alarms" VALUES('alarms-id','KtgZ5U52FQ4F5MOq2kcE','16k2Ql7EpRBEwBbmZy23','alarms-name','alarms-descriptio',1,'uptime','{}',1781697660000,1781697660000,1781697660000);
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
INSERT INTO "annotations" VALUES('annotation-id','16k2Ql7EpRBEwBbmZy23',1781697660000,1781697660000,'{}','annotation-created_by',1781697660000,1781697660000);
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
INSERT INTO "api_keys" VALUES('BBNa6ItE6T0YoDNt0QrI','MkoDOaXTSdSNwgDfpvr0','Key','svc_g14F',X'5CE4BB34F32F11228680B5DD36103214BACC9C2C1695C3C78CC7AEAFBC040CEA','["read:links", "write:links"]',1,1781697600000,NULL,NULL,'user','','{"global": ["read:links", "write:links"]}','[]',NULL,NULL,1781697600000);
INSERT INTO "api_keys" VALUES('GpVUHiB5cHACdCfFEyAU','MkoDOaXTSdSNwgDfpvr0','Key','svc_AjZm',X'3165E0BF504E54F4E6A0DDD69E318FA865D6FC89E0458CA6587785726CD18D9F','["read:data", "track:events"]',1,1781697600000,NULL,NULL,'user','','{"website:yr2ZTOeIh6PzQY7D3R5i": []}','[]',NULL,NULL,1781697600000);
INSERT INTO "api_keys" VALUES('Sf6YSXhTSmWzjKRxdnvC','MkoDOaXTSdSNwgDfpvr0','Key','svc_rdoT',X'2E21248FB4C7BCBDBF563B165B2C9FEEB1B336BE65D77144AB69B868E009BE13','["manage:config", "manage:flags", "manage:websites", "read:data", "read:links", "read:monitors", "read:status_pages", "track:events", "write:links", "write:monitors", "write:status_pages"]',1,1781697600000,1781697600000,NULL,'user','','{"global": ["manage:config", "manage:flags", "manage:websites", "read:data", "read:links", "read:monitors", "read:status_pages", "track:events", "write:links", "write:monitors", "write:status_pages"]}','[]',NULL,NULL,1781697600000);
INSERT INTO "api_keys" VALUES('ZUzsFnkvkhHH4UbKyqRk','MkoDOaXTSdSNwgDfpvr0','Key','svc_25p7',X'B204BA7B8A08748C3FBD43FE3A30EC7F6C65A18CB09CC0F117669D1AC690D412','["track:events"]',1,1781697600000,NULL,NULL,'user','','{"global": ["track:events"]}','[]',NULL,NULL,1781697600000);
INSERT INTO "api_keys" VALUES('fDGZ7u0cPRlyFguyJw32','MkoDOaXTSdSNwgDfpvr0','Key','svc_FTzC',X'C01F0C99E2949CB5B181880FB4C65309F6D32CC68C11CDCFBDE899C90C986D2F','["read:data", "track:events"]',1,1781697600000,NULL,NULL,'user','','{"website:a0vKkk8aP2bZfvU9BcQo": []}','[]',NULL,NULL,1781697600000);
INSERT INTO "api_keys" VALUES('kFZwT55bmgZUORpkaPu9','KtgZ5U52FQ4F5MOq2kcE','Key','svc_q6Op',X'156684EBAC5C66D0BACE552AC48578078775C34411280FA52E2ADCE29003AB31','["manage:config", "manage:flags", "manage:websites", "read:data", "read:links", "read:monitors", "read:status_pages", "track:events", "write:links", "write:monitors", "write:status_pages"]',1,1781697600000,NULL,NULL,'user','','{"global": ["manage:config", "manage:flags", "manage:websites", "read:data", "read:links", "read:monitors", "read:status_pages", "track:events", "write:links", "write:monitors", "write:status_pages"]}','[]',NULL,NULL,1781697600000);
INSERT INTO "api_keys" VALUES('puFz1wweqkgOauA19T6F','MkoDOaXTSdSNwgDfpvr0','Key','svc_xGMX',X'D28A66DA4F47C8671A5BC329E8B1487C60DEE1796EE6C11B715A88945F67E8F8','["manage:config", "manage:flags", "manage:websites", "read:data", "read:links", "read:monitors", "read:status_pages", "track:events", "write:links", "write:monitors", "write:status_pages"]',1,1781697600000,NULL,1781697600000,'user','','{"global": ["manage:config", "manage:flags", "manage:websites", "read:data", "read:links", "read:monitors", "read:status_pages", "track:events", "write:links", "write:monitors", "write:status_pages"]}','[]',NULL,NULL,1781697600000);
INSERT INTO "api_keys" VALUES('tkHAswuTUzElorcsplaP','MkoDOaXTSdSNwgDfpvr0','First key','svc_MbQm',X'223601DEA9A7CA0B5954E77BD8E823C130ED0BCB873ADF3782DE6F52F9EDD1B4','["manage:config", "manage:flags", "manage:websites", "read:data", "read:links", "read:monitors", "read:status_pages", "track:events", "write:links", "write:monitors", "write:status_pages"]',1,1781697600000,NULL,NULL,'user','','{"global": ["manage:config", "manage:flags", "manage:websites", "read:data", "read:links", "read:monitors", "read:status_pages", "track:events", "write:links", "write:monitors", "write:status_pages"]}','[]',NULL,NULL,1781697600000);
INSERT INTO "api_keys" VALUES('zWwkEcxzqaLM3epNZVaO','MkoDOaXTSdSNwgDfpvr0','Key','svc_8spj',X'EF6AA482293CA6F44B6A49F27F5FAF18890EB702125A5B41A8ADAF1A55A2CCE5','["read:data"]',1,1781697600000,NULL,NULL,'user','','{"global": ["read:data"]}','[]',NULL,NULL,1781697600000);
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
INSERT INTO "audit" VALUES(1,1781697600000,'MkoDOaXTSdSNwgDfpvr0','test','created','organization','MkoDOaXTSdSNwgDfpvr0','{}');
INSERT INTO "audit" VALUES(2,1781697600000,'MkoDOaXTSdSNwgDfpvr0','test','created','user','N6mO3VlxioS9QE3O76Ml','{}');
INSERT INTO "audit" VALUES(3,1781697600000,'MkoDOaXTSdSNwgDfpvr0','test','created','website','a0vKkk8aP2bZfvU9BcQo','{"name": "Shop", "domain": "shop.example"}');
INSERT INTO "audit" VALUES(4,1781697600000,'MkoDOaXTSdSNwgDfpvr0','test','created','api_key','tkHAswuTUzElorcsplaP','{"name": "First key", "start": "svc_MbQm", "scopes": ["manage:config", "manage:flags", "manage:websites", "read:data", "read:links", "read:monitors", "read:status_pages", "track:events", "write:links", "write:monitors", "write:status_pages"], "resources": {"global": ["manage:config", "manage:flags", "manage:websites", "read:data", "read:links", "read:monitors", "read:status_pages", "track:events", "write:links", "write:monitors", "write:status_pages"]}, "expires_at": null}');
INSERT INTO "audit" VALUES(5,1781697600001,'MkoDOaXTSdSNwgDfpvr0','test','created','website','jabtSWFFMxSmtaF3wTWS','{"name": "Blog", "domain": "blog.example"}');
INSERT INTO "audit" VALUES(6,1781697600001,'MkoDOaXTSdSNwgDfpvr0','test','created','website','dTvi8V5BkYZ2AFqb2Fu4','{"name": "Idle", "domain": "idle.example"}');
INSERT INTO "audit" VALUES(7,1781697600001,'MkoDOaXTSdSNwgDfpvr0','test','created','website','yr2ZTOeIh6PzQY7D3R5i','{"name": "Local", "domain": "localhost"}');
INSERT INTO "audit" VALUES(8,1781697600001,'KtgZ5U52FQ4F5MOq2kcE','test','created','website','16k2Ql7EpRBEwBbmZy23','{"name": "Foreign", "domain": "foreign.example"}');
INSERT INTO "audit" VALUES(9,1781697600000,'MkoDOaXTSdSNwgDfpvr0','test','created','api_key','zWwkEcxzqaLM3epNZVaO','{"name": "Key", "start": "svc_8spj", "scopes": ["read:data"], "resources": {"global": ["read:data"]}, "expires_at": null}');
INSERT INTO "audit" VALUES(10,1781697600000,'MkoDOaXTSdSNwgDfpvr0','test','created','api_key','ZUzsFnkvkhHH4UbKyqRk','{"name": "Key", "start": "svc_25p7", "scopes": ["track:events"], "resources": {"global": ["track:events"]}, "expires_at": null}');
INSERT INTO "audit" VALUES(11,1781697600000,'MkoDOaXTSdSNwgDfpvr0','test','created','api_key','BBNa6ItE6T0YoDNt0QrI','{"name": "Key", "start": "svc_g14F", "scopes": ["read:links", "write:links"], "resources": {"global": ["read:links", "write:links"]}, "expires_at": null}');
INSERT INTO "audit" VALUES(12,1781697600000,'MkoDOaXTSdSNwgDfpvr0','test','created','api_key','fDGZ7u0cPRlyFguyJw32','{"name": "Key", "start": "svc_FTzC", "scopes": ["read:data", "track:events"], "resources": {"website:a0vKkk8aP2bZfvU9BcQo": []}, "expires_at": null}');
INSERT INTO "audit" VALUES(13,1781697600000,'MkoDOaXTSdSNwgDfpvr0','test','created','api_key','GpVUHiB5cHACdCfFEyAU','{"name": "Key", "start": "svc_AjZm", "scopes": ["read:data", "track:events"], "resources": {"website:yr2ZTOeIh6PzQY7D3R5i": []}, "expires_at": null}');
INSERT INTO "audit" VALUES(14,1781697600000,'KtgZ5U52FQ4F5MOq2kcE','test','created','api_key','kFZwT55bmgZUORpkaPu9','{"name": "Key", "start": "svc_q6Op", "scopes": ["manage:config", "manage:flags", "manage:websites", "read:data", "read:links", "read:monitors", "read:status_pages", "track:events", "write:links", "write:monitors", "write:status_pages"], "resources": {"global": ["manage:config", "manage:flags", "manage:websites", "read:data", "read:links", "read:monitors", "read:status_pages", "track:events", "write:links", "write:monitors", "write:status_pages"]}, "expires_at": null}');
INSERT INTO "audit" VALUES(15,1781697600000,'MkoDOaXTSdSNwgDfpvr0','test','created','api_key','puFz1wweqkgOauA19T6F','{"name": "Key", "start": "svc_xGMX", "scopes": ["manage:config", "manage:flags", "manage:websites", "read:data", "read:links", "read:monitors", "read:status_pages", "track:events", "write:links", "write:monitors", "write:status_pages"], "resources": {"global": ["manage:config", "manage:flags", "manage:websites", "read:data", "read:links", "read:monitors", "read:status_pages", "track:events", "write:links", "write:monitors", "write:status_pages"]}, "expires_at": null}');
INSERT INTO "audit" VALUES(16,1781697600000,'MkoDOaXTSdSNwgDfpvr0','test','created','api_key','Sf6YSXhTSmWzjKRxdnvC','{"name": "Key", "start": "svc_rdoT", "scopes": ["manage:config", "manage:flags", "manage:websites", "read:data", "read:links", "read:monitors", "read:status_pages", "track:events", "write:links", "write:monitors", "write:status_pages"], "resources": {"global": ["manage:config", "manage:flags", "manage:websites", "read:data", "read:links", "read:monitors", "read:status_pages", "track:events", "write:links", "write:monitors", "write:status_pages"]}, "expires_at": null}');
INSERT INTO "audit" VALUES(17,1781697600000,'MkoDOaXTSdSNwgDfpvr0','apikey:BBNa6ItE6T0YoDNt0QrI','created','link','bTYGr2gmVD8BD82JEAyQ','{"slug": "abc", "domain": "", "targetUrl": "https://shop.example/", "name": "L"}');
CREATE TABLE bot_options (
              website_id       text    primary key references websites (id) on delete cascade,
              data_centres     integer not null check (data_centres in (0, 1))
            ) strict, without rowid
            ;
INSERT INTO "bot_options" VALUES('16k2Ql7EpRBEwBbmZy23',1);
CREATE TABLE box (
              one              integer primary key check (one = 1),
              id               text    not null check (length(id) = 32)
            ) strict
            ;
INSERT INTO "box" VALUES(1,'4dc668dbd7de8902b8734a2214d54a8f');
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
            , failures integer not null default 0 check (failures >= 0), failing_since integer, not_before integer not null default 0) strict, without rowid
            ;
INSERT INTO "channels" VALUES('channels-id','KtgZ5U52FQ4F5MOq2kcE','webhook','channels-name',1,'channels-shown',X'010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101',1781697660000,1781697660000,1781697660000,'channels-last_error',0,1,0);
CREATE TABLE client_ids (
              id               text    primary key check (length(id) between 8 and 64),
              website_id       text    not null references websites (id),
              created_at       integer not null,
              ends_at          integer,
              seen_at          integer
            ) strict, without rowid
            ;
INSERT INTO "client_ids" VALUES('16k2Ql7EpRBEwBbmZy23','16k2Ql7EpRBEwBbmZy23',1781697600001,NULL,NULL);
INSERT INTO "client_ids" VALUES('a0vKkk8aP2bZfvU9BcQo','a0vKkk8aP2bZfvU9BcQo',1781697600000,NULL,NULL);
INSERT INTO "client_ids" VALUES('dTvi8V5BkYZ2AFqb2Fu4','dTvi8V5BkYZ2AFqb2Fu4',1781697600001,NULL,NULL);
INSERT INTO "client_ids" VALUES('jabtSWFFMxSmtaF3wTWS','jabtSWFFMxSmtaF3wTWS',1781697600001,NULL,NULL);
INSERT INTO "client_ids" VALUES('yr2ZTOeIh6PzQY7D3R5i','yr2ZTOeIh6PzQY7D3R5i',1781697600001,NULL,NULL);
CREATE TABLE clock (
              one              integer primary key check (one = 1),
              seen             integer not null,
              doubted_since    integer
            ) strict
            ;
INSERT INTO "clock" VALUES(1,1,1);
CREATE TABLE component_days (
              component_id     text    not null references status_page_components (id) on delete cascade,
              day              text    not null check (length(day) = 10),
              figures          text    not null check (json_valid(figures)),
              primary key (component_id, day)
            ) strict, without rowid
            ;
INSERT INTO "component_days" VALUES('status_pag-id','2026-10-01','{}');
CREATE TABLE component_spans (
              id               integer primary key,
              component_id     text    not null references status_page_components (id) on delete cascade,
              state            integer not null check (state between 1 and 6),
              start            integer not null,
              until            integer not null default 0 check (until = 0 or until >= start)
            ) strict
            ;
INSERT INTO "component_spans" VALUES(1,'status_pag-id',1,1,0);
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
INSERT INTO "deliveries" VALUES(1,'deliveries-id','channels-id','deliveries-topic','{}',0,1781697660000,NULL,1781697660000,'deliveries-error');
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
INSERT INTO "domains" VALUES('domains-id','KtgZ5U52FQ4F5MOq2kcE','go.shop.example','tttttttttttttttttttttttt',1781697660000,1781697660000,'domains-check_erro',1781697660000,'dns');
CREATE TABLE flag_counts (
          flag_id          text    not null references flags (id) on delete cascade,
          day              integer not null,
          gave             text    not null check (length(gave) between 1 and 128),
          count            integer not null,
          primary key (flag_id, day, gave)
        ) strict, without rowid
        ;
INSERT INTO "flag_counts" VALUES('flags-id',1,'flag_count-gave',1);
CREATE TABLE flag_last_given (
          flag_id          text    not null references flags (id) on delete cascade,
          gave             text    not null check (length(gave) between 1 and 128),
          at               integer not null,
          primary key (flag_id, gave)
        ) strict, without rowid
        ;
INSERT INTO "flag_last_given" VALUES('flags-id','flag_last_-gave',1781697660000);
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
INSERT INTO "flag_schedules" VALUES('flag_sched-id','flags-id','enable',1781697660000,'[]',NULL,1781697660000,'','flag_sched-created_by',1781697660000,50.0,'inactive');
CREATE TABLE flag_scopes (
          id               text    primary key check (id = coalesce(website_id, organization_id)),
          organization_id  text    references organizations (id),
          website_id       text    references websites (id) on delete cascade,
          revision         integer not null,
          updated_at       integer not null,
          check ((organization_id is null) <> (website_id is null))
        ) strict, without rowid
        ;
INSERT INTO "flag_scopes" VALUES('16k2Ql7EpRBEwBbmZy23',NULL,'16k2Ql7EpRBEwBbmZy23',1,1781697660000);
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
INSERT INTO "flag_versions" VALUES(1,'flags-id',1,'flag_versi-key','flag_versi-environmen','{}','flag_versi-action','flag_versi-actor','',1781697660000);
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
INSERT INTO "flags" VALUES('flags-id',NULL,'16k2Ql7EpRBEwBbmZy23','flags-key','flags-environmen',NULL,'{}',1,'flags-created_by',1781697660000,1781697660000,1781697660000);
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
INSERT INTO "goals" VALUES('goals-id','16k2Ql7EpRBEwBbmZy23','goals-name','','{}',1,'goals-created_by',1781697660000,1781697660000);
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
INSERT INTO "incident_components" VALUES('incidents-id',1,'status_pag-id','incident_c-name','down');
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
INSERT INTO "incident_templates" VALUES('incident_t-id','status_pag-id','incident_t-name','incident_t-title','minor','incident_t-message',1781697660000);
CREATE TABLE incident_transitions (
              page_id          text    not null references status_pages (id) on delete cascade,
              topic            text    not null,
              incident_id      text    references incidents (id) on delete set null,
              at               integer not null,
              primary key (page_id, topic)
            ) strict, without rowid
            ;
INSERT INTO "incident_transitions" VALUES('status_pag-id','incident_t-topic','incidents-id',1781697660000);
CREATE TABLE incident_update_texts (
              number           integer primary key,
              update_id        text    not null references incident_updates (id) on delete cascade,
              message          text    not null,
              author           text    not null,
              replaced_at      integer not null
            ) strict
            ;
INSERT INTO "incident_update_texts" VALUES(1,'incident_u-id','incident_u-message','incident_u-author',1781697660000);
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
            , sent integer not null default 0 check (sent >= 0)) strict
            ;
INSERT INTO "incident_updates" VALUES(1,'incident_u-id','incidents-id','scheduled','incident_u-message',1781697660000,1,'[]','incident_u-author',1781697660000,1781697660000,0);
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
INSERT INTO "incidents" VALUES('incidents-id','status_pag-id','maintenance','incidents-title','scheduled','minor','person',0,1781697660000,1781697660000,1781697660001,1781697660000,1781697660000,1781697660000,1781697660000,1781697660000);
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
            , by_mail integer not null default 0 check (by_mail in (0, 1))) strict, without rowid
            ;
INSERT INTO "invitations" VALUES('invitation-id','KtgZ5U52FQ4F5MOq2kcE','guest@shop.example','admin',X'0707070707070707070707070707070707070707070707070707070707070707','N6mO3VlxioS9QE3O76Ml',1781697660000,1781697660000,1781697660000,1781697660000,0);
CREATE TABLE job_runs (
              name             text    primary key check (length(name) between 1 and 64),
              ran_at           integer not null
            ) strict, without rowid
            ;
INSERT INTO "job_runs" VALUES('job_runs-name',1781697660000);
CREATE TABLE link_domains (
              domain           text    primary key check (length(domain) between 4 and 239),
              domain_id        text    not null unique references domains (id),
              organization_id  text    not null references organizations (id),
              home_url         text    check (length(home_url) between 1 and 2048),
              missing_url      text    check (length(missing_url) between 1 and 2048),
              created_at       integer not null
            ) strict, without rowid
            ;
INSERT INTO "link_domains" VALUES('go.shop.example','domains-id','KtgZ5U52FQ4F5MOq2kcE','https://shop.example/','https://shop.example/404',1781697660000);
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
INSERT INTO "link_folders" VALUES('link_folde-id','KtgZ5U52FQ4F5MOq2kcE','link_folde-name','link_folde-slug',1781697660000,1781697660000);
CREATE TABLE link_tags (
              link             integer not null references links (number) on delete cascade,
              tag              text    not null check (length(tag) between 1 and 50),
              primary key (link, tag)
            ) strict, without rowid
            ;
INSERT INTO "link_tags" VALUES(1,'link_tags-tag');
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
INSERT INTO "links" VALUES(1,'bTYGr2gmVD8BD82JEAyQ','MkoDOaXTSdSNwgDfpvr0','apikey:BBNa6ItE6T0YoDNt0QrI','','abc','L','https://shop.example/','shop.example',NULL,302,'none',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'[]','[]','{}',1781697600000,1781697600000);
CREATE TABLE logos (
              organization_id  text    primary key references organizations (id),
              digest           text    not null check (length(digest) = 32),
              type             text    not null check (type in ('image/png', 'image/jpeg', 'image/webp')),
              image            blob    not null check (length(image) between 1 and 524288),
              created_at       integer not null
            ) strict
            ;
INSERT INTO "logos" VALUES('KtgZ5U52FQ4F5MOq2kcE','dddddddddddddddddddddddddddddddd','image/png',X'0707070707070707070707070707070707070707070707070707070707070707',1781697660000);
CREATE TABLE mails_sent (
              receiver  blob    not null check (length(receiver) = 32),
              at        integer not null
            ) strict
            ;
INSERT INTO "mails_sent" VALUES(X'0707070707070707070707070707070707070707070707070707070707070707',1781697660000);
CREATE TABLE maintenance_windows (
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
            ;
INSERT INTO "maintenance_windows" VALUES('maintenanc-id','KtgZ5U52FQ4F5MOq2kcE','maintenanc-name','{}',1781697660000,1781697660001,NULL,1781697660000,1781697660000,1781697660000);
CREATE TABLE members (
              organization_id  text    not null references organizations (id),
              user_id          text    not null references users (id),
              role             text    not null check (role in ('owner', 'admin', 'member', 'viewer')),
              created_at       integer not null,
              primary key (organization_id, user_id)
            ) strict, without rowid
            ;
INSERT INTO "members" VALUES('MkoDOaXTSdSNwgDfpvr0','N6mO3VlxioS9QE3O76Ml','owner',1781697600000);
CREATE TABLE mirror (
          one          integer primary key check (one = 1),
          cluster      text    not null,
          revision     text    not null,
          done         integer not null default 0
        , alone integer not null default 0 check (alone in (0, 1)), promoted_at integer not null default 0) strict
        ;
CREATE TABLE monitor_tags (
              monitor          integer not null references monitors (number) on delete cascade,
              tag              text    not null check (length(tag) between 1 and 50),
              primary key (monitor, tag)
            ) strict, without rowid
            ;
INSERT INTO "monitor_tags" VALUES(1,'monitor_ta-tag');
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
INSERT INTO "monitors" VALUES(1,'monitor-shop','KtgZ5U52FQ4F5MOq2kcE','16k2Ql7EpRBEwBbmZy23','http','https://shop.example/health','monitors-name',60,5000,1,1,'{}',X'0707070707070707070707070707070707070707070707070707070707070707',2,2,NULL,'Shop',1781697660000,1781697660000);
CREATE TABLE node_orders (
          number       integer primary key autoincrement,
          body         blob    not null,
          created_at   integer not null
        ) strict
        ;
INSERT INTO "node_orders" VALUES(1,X'0707070707070707070707070707070707070707070707070707070707070707',1781697660000);
CREATE TABLE nodes (
          number       integer primary key check (number between 1 and 1023),
          box          text    not null,
          created_at   integer not null,
          retired_at   integer
        , alone integer not null default 0 check (alone in (0, 1))) strict
        ;
INSERT INTO "nodes" VALUES(1,'nodes-box',1781697660000,1781697660000,0);
CREATE TABLE organization_defaults (
              organization_id  text    primary key references organizations (id),
              invitation_role  text    not null check (invitation_role in ('admin', 'member', 'viewer')),
              visitor_id_mode  text    not null check (visitor_id_mode in ('auto', 'cookieless')),
              data_retention_days integer check (data_retention_days between 1 and 3650)
            ) strict, without rowid
            ;
INSERT INTO "organization_defaults" VALUES('KtgZ5U52FQ4F5MOq2kcE','viewer','auto',400);
CREATE TABLE organizations (
              id           text    primary key check (length(id) between 8 and 64),
              name         text    not null check (length(name) between 1 and 100),
              slug         text    not null unique check (length(slug) between 1 and 50),
              plan         text    not null default 'hobby' check (plan in ('free', 'hobby')),
              site         integer not null unique references sites (number),
              created_at   integer not null
            , time_zone text not null default ''
            check (length(time_zone) <= 64), deleted_at integer, purged_at integer check (purged_at >= deleted_at), logo text not null default '' check (length(logo) in (0, 32)), metadata text not null default '{}'
            check (json_valid(metadata) and length(metadata) <= 4096), created_by text check (length(created_by) between 1 and 64)) strict, without rowid
            ;
INSERT INTO "organizations" VALUES('KtgZ5U52FQ4F5MOq2kcE','Eve','eve','hobby',3,1781697600000,'',NULL,NULL,'','{}',NULL);
INSERT INTO "organizations" VALUES('MkoDOaXTSdSNwgDfpvr0','Ada','ada','hobby',1,1781697600000,'',NULL,NULL,'','{}','N6mO3VlxioS9QE3O76Ml');
CREATE TABLE password_resets (
              digest           blob    primary key check (length(digest) = 32),
              user_id          text    not null references users (id),
              created_at       integer not null
            , expires_at integer not null default 0, by_mail integer not null default 0 check (by_mail in (0, 1))) strict, without rowid
            ;
INSERT INTO "password_resets" VALUES(X'0707070707070707070707070707070707070707070707070707070707070707','N6mO3VlxioS9QE3O76Ml',1781697660000,0,0);
CREATE TABLE people_rules (
              website_id       text    not null references websites (id) on delete cascade,
              reason           text    not null check (length(reason) between 1 and 64),
              agent            text    not null check (length(agent) <= 128),
              created_at       integer not null,
              created_by       text    not null check (length(created_by) between 1 and 100),
              primary key (website_id, reason, agent)
            ) strict, without rowid
            ;
INSERT INTO "people_rules" VALUES('16k2Ql7EpRBEwBbmZy23','people_rul-reason','people_rul-agent',1781697660000,'people_rul-created_by');
CREATE TABLE private_targets (
              organization_id  text    primary key references organizations (id),
              networks         text    not null check (length(networks) between 1 and 1000)
            ) strict, without rowid
            ;
INSERT INTO "private_targets" VALUES('MkoDOaXTSdSNwgDfpvr0','all');
CREATE TABLE promotions (at integer primary key) strict;
INSERT INTO "promotions" VALUES(1781697660000);
CREATE TABLE recovery_codes (
              digest           blob    primary key check (length(digest) = 32),
              user_id          text    not null references users (id),
              used_at          integer
            ) strict, without rowid
            ;
INSERT INTO "recovery_codes" VALUES(X'0707070707070707070707070707070707070707070707070707070707070707','N6mO3VlxioS9QE3O76Ml',1781697660000);
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
INSERT INTO "saved_questions" VALUES('saved_ques-id','16k2Ql7EpRBEwBbmZy23','saved_ques-user_id',0,'saved_ques-name','{}',1781697660000,1781697660000);
CREATE TABLE second_factors (
              user_id          text    primary key references users (id),
              secret           blob    not null check (length(secret) between 40 and 200),
              step             integer not null default 0,
              created_at       integer not null,
              confirmed_at     integer
            ) strict, without rowid
            ;
INSERT INTO "second_factors" VALUES('N6mO3VlxioS9QE3O76Ml',X'020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202',0,1781697660000,1781697660000);
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
INSERT INTO "segments" VALUES('segments-id','16k2Ql7EpRBEwBbmZy23','segments-user_id',0,'segments-name','[]',1781697660000,1781697660000);
CREATE TABLE sessions (
              digest           blob    primary key check (length(digest) = 32),
              user_id          text    not null references users (id),
              organization_id  text    not null references organizations (id),
              created_at       integer not null,
              seen_at          integer not null
            , device text not null default '' check (length(device) <= 100)) strict, without rowid
            ;
INSERT INTO "sessions" VALUES(X'0707070707070707070707070707070707070707070707070707070707070707','N6mO3VlxioS9QE3O76Ml','KtgZ5U52FQ4F5MOq2kcE',1781697660000,1781697660000,'');
CREATE TABLE setup_tokens (
              digest           blob    primary key check (length(digest) = 32),
              created_at       integer not null
            ) strict, without rowid
            ;
INSERT INTO "setup_tokens" VALUES(X'0707070707070707070707070707070707070707070707070707070707070707',1781697660000);
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
INSERT INTO "sizes" VALUES(1,1);
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
INSERT INTO "status_page_components" VALUES('status_pag-id','status_pag-id','monitor-shop','status_pag-id','','',0,0,0,0,'operational',0,1781697660000,1781697660000);
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
INSERT INTO "status_page_files" VALUES('status_pag-id','logo','status_pag-digest','status_pag-type',X'0707070707070707070707070707070707070707070707070707070707070707',1781697660000);
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
INSERT INTO "status_page_groups" VALUES('status_pag-id','status_pag-id','status_pag-name','',0,1781697660000,1781697660000);
CREATE TABLE status_page_uploads (
              digest      blob    primary key check (length(digest) = 32),
              expires_at  integer not null
            ) strict, without rowid
            ;
INSERT INTO "status_page_uploads" VALUES(X'0707070707070707070707070707070707070707070707070707070707070707',1781697660000);
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
INSERT INTO "status_pages" VALUES('status_pag-id','KtgZ5U52FQ4F5MOq2kcE','shop','status_pag-name','','','status_pag-logo_url','','status_pag-favicon_ur','status_pag-website_ur','status_pag-support_ur','dark','UTC',NULL,'',1,1,'draft',5,0,1781697660000,1781697660000);
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
INSERT INTO "subscriber_deliveries" VALUES(1,'subscriber-id','subscriber-topic',1781697660000,0,NULL,1781697660000,'');
CREATE TABLE subscriber_messages (
              topic            text    primary key check (length(topic) between 1 and 200),
              update_id        text    references incident_updates (id) on delete cascade deferrable initially deferred,
              message          text    not null check (json_valid(message)),
              created_at       integer not null
            ) strict, without rowid
            ;
INSERT INTO "subscriber_messages" VALUES('subscriber-topic','incident_u-id','{}',1781697660000);
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
              asked_at         integer not null, failures integer not null default 0 check (failures >= 0), failing_since integer, not_before integer not null default 0,
              unique (page_id, kind, address)
            ) strict, without rowid
            ;
INSERT INTO "subscribers" VALUES('subscriber-id','status_pag-id','email','reader@shop.example','[]',X'0707070707070707070707070707070707070707070707070707070707070707',X'0707070707070707070707070707070707070707070707070707070707070707',1781697660000,1781697660000,1781697660000,0,1,0);
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
INSERT INTO "target_groups" VALUES('target_gro-id',NULL,'16k2Ql7EpRBEwBbmZy23','target_gro-name','','','[]','target_gro-created_by',1781697660000,1781697660000);
CREATE TABLE traffic_outages (
              website_id       text    primary key references websites (id) on delete cascade,
              seen_at          integer not null
            ) strict, without rowid
            ;
INSERT INTO "traffic_outages" VALUES('16k2Ql7EpRBEwBbmZy23',1781697660000);
CREATE TABLE traffic_watch (
              one              integer primary key check (one = 1),
              since            integer not null,
              seen_at          integer not null
            ) strict
            ;
INSERT INTO "traffic_watch" VALUES(1,1,1781697660000);
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
            check (theme in ('system', 'light', 'dark')), name text not null default '' check (length(name) <= 100), is_unconfirmed integer not null default 0 check (is_unconfirmed in (0, 1))) strict, without rowid
            ;
INSERT INTO "users" VALUES('N6mO3VlxioS9QE3O76Ml','ada@example.com','$argon2id$v=19$m=8,t=1,p=1$m4tqiNQoMzz0iK2yrSTe9Q$i6gj6qkBxw1PXPpFkplDwnPtT9KdrAGL71cgnm61V7s','UTC',1,1781697600000,0,'D MMM YYYY','HH:mm','system','',0);
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
INSERT INTO "websites" VALUES('16k2Ql7EpRBEwBbmZy23','KtgZ5U52FQ4F5MOq2kcE',7,'Foreign','foreign.example','ACTIVE',0,1781697600001,1781697600001,NULL,'{"allowedOrigins":[],"allowedIps":[],"ignoredIps":[],"ignoredPaths":[],"ignoredTrackingOrigins":[],"visitorIdMode":"auto","dataRetentionDays":null,"hourlyTexts":null,"hourlyMegabytes":null}',0);
INSERT INTO "websites" VALUES('a0vKkk8aP2bZfvU9BcQo','MkoDOaXTSdSNwgDfpvr0',2,'Shop','shop.example','ACTIVE',0,1781697600000,1781697600000,NULL,'{"allowedOrigins":[],"allowedIps":[],"ignoredIps":[],"ignoredPaths":[],"ignoredTrackingOrigins":[],"visitorIdMode":"auto","dataRetentionDays":null,"hourlyTexts":null,"hourlyMegabytes":null}',0);
INSERT INTO "websites" VALUES('dTvi8V5BkYZ2AFqb2Fu4','MkoDOaXTSdSNwgDfpvr0',5,'Idle','idle.example','INACTIVE',0,1781697600001,1781697600001,NULL,'{"allowedOrigins":[],"allowedIps":[],"ignoredIps":[],"ignoredPaths":[],"ignoredTrackingOrigins":[],"visitorIdMode":"auto","dataRetentionDays":null,"hourlyTexts":null,"hourlyMegabytes":null}',0);
INSERT INTO "websites" VALUES('jabtSWFFMxSmtaF3wTWS','MkoDOaXTSdSNwgDfpvr0',4,'Blog','blog.example','ACTIVE',1,1781697600001,1781697600001,NULL,'{"allowedOrigins":[],"allowedIps":[],"ignoredIps":[],"ignoredPaths":[],"ignoredTrackingOrigins":[],"visitorIdMode":"auto","dataRetentionDays":null,"hourlyTexts":null,"hourlyMegabytes":null}',0);
INSERT INTO "websites" VALUES('yr2ZTOeIh6PzQY7D3R5i','MkoDOaXTSdSNwgDfpvr0',6,'Local','localhost','ACTIVE',0,1781697600001,1781697600001,NULL,'{"allowedOrigins":[],"allowedIps":[],"ignoredIps":[],"ignoredPaths":[],"ignoredTrackingOrigins":[],"visitorIdMode":"auto","dataRetentionDays":null,"hourlyTexts":null,"hourlyMegabytes":null}',0);
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
CREATE INDEX mails_sent_to on mails_sent (receiver, at);
CREATE INDEX mails_sent_at on mails_sent (at);
DELETE FROM sqlite_sequence;
INSERT INTO "sqlite_sequence" VALUES('deliveries',1);
INSERT INTO "sqlite_sequence" VALUES('sites',7);
INSERT INTO "sqlite_sequence" VALUES('links',1);
INSERT INTO "sqlite_sequence" VALUES('monitors',1);
INSERT INTO "sqlite_sequence" VALUES('alarm_held',1);
INSERT INTO "sqlite_sequence" VALUES('node_orders',1);
COMMIT;
