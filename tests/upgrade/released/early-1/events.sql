BEGIN TRANSACTION;
CREATE TABLE "_sqlite_migrations" (
   "id" INTEGER PRIMARY KEY,
   "migration_set" TEXT,
   "name" TEXT,
   "applied_at" TEXT
);
INSERT INTO "_sqlite_migrations" VALUES(1,'analytics_box','0001_events','2026-11-22 22:25:57.482080+00:00');
INSERT INTO "_sqlite_migrations" VALUES(2,'analytics_box','0002_places_spans_profiles','2026-11-22 22:25:57.486788+00:00');
INSERT INTO "_sqlite_migrations" VALUES(3,'analytics_box','0003_people','2026-11-22 22:25:57.490074+00:00');
INSERT INTO "_sqlite_migrations" VALUES(4,'analytics_box','0004_flagged_events','2026-11-22 22:25:57.491995+00:00');
INSERT INTO "_sqlite_migrations" VALUES(5,'analytics_box','0005_link_clicks','2026-11-22 22:25:57.494021+00:00');
INSERT INTO "_sqlite_migrations" VALUES(6,'analytics_box','0006_changes','2026-11-22 22:25:57.499000+00:00');
CREATE TABLE changes (
              id               integer primary key autoincrement,
              source           text    not null,
              row              integer not null
            ) strict
            ;
CREATE TABLE drops (
              site             integer not null,
              day              integer not null,
              reason           text    not null check (length(reason) between 1 and 64),
              count            integer not null check (count > 0),
              primary key (site, day, reason)
            ) strict, without rowid
            ;
CREATE TABLE engagement (
                      id               integer primary key,
                      site             integer not null,
                      time             integer not null,
                      visitor          integer not null,
                      session          integer not null,
                      client_session   integer not null,
                      profile          integer not null,
                      path             integer not null,
                      query_string     integer not null,
                      
                        page_index integer not null, exit_type integer not null, time_on_page integer not null,
                        active_time integer not null, first_interaction integer not null,
                        scroll integer not null check (scroll between 0 and 100), scrolls integer not null,
                        clicks integer not null, keys integer not null, interactions integer not null,
                        copies integer not null, rage_clicks integer not null, dead_clicks integer not null,
                        rage_target integer not null, dead_target integer not null,
                        form_fields integer not null, form_submits integer not null, last_field integer not null,
                        errors integer not null
                        ,
                      entry            integer not null,
                      referrer         integer not null,
                      source           integer not null,
                      channel          integer not null,
                      click_id         integer not null,
                      utm_source       integer not null,
                      utm_medium       integer not null,
                      utm_campaign     integer not null,
                      utm_term         integer not null,
                      utm_content      integer not null,
                      country          integer not null,
                      region           integer not null,
                      city             integer not null,
                      browser          integer not null,
                      browser_version  integer not null,
                      system           integer not null,
                      system_version   integer not null,
                      device           integer not null,
                      language         integer not null,
                      time_zone        integer not null,
                      viewport         integer not null,
                      screen           integer not null,
                      connection       integer not null
                    ) strict
                    ;
CREATE TABLE erasure_strings (
              erasure          text    not null references erasures (id) on delete cascade,
              string           integer not null,
              primary key (erasure, string)
            ) strict, without rowid
            ;
CREATE TABLE erasures (
              id               text    primary key check (length(id) between 8 and 64),
              site             integer not null,
              website_id       text    not null,
              organization_id  text    not null,
              actor            text    not null,
              profile          integer not null,
              visitors         text    not null check (json_valid(visitors)),
              removed          integer not null default 0 check (removed >= 0),
              created_at       integer not null
            ) strict, without rowid
            ;
CREATE TABLE errors (
                      id               integer primary key,
                      site             integer not null,
                      time             integer not null,
                      visitor          integer not null,
                      session          integer not null,
                      client_session   integer not null,
                      profile          integer not null,
                      path             integer not null,
                      query_string     integer not null,
                      
                        type integer not null, message integer not null, filename integer not null,
                        line integer not null check (line >= 0), position integer not null check (position >= 0),
                        stack integer not null
                        ,
                      entry            integer not null,
                      referrer         integer not null,
                      source           integer not null,
                      channel          integer not null,
                      click_id         integer not null,
                      utm_source       integer not null,
                      utm_medium       integer not null,
                      utm_campaign     integer not null,
                      utm_term         integer not null,
                      utm_content      integer not null,
                      country          integer not null,
                      region           integer not null,
                      city             integer not null,
                      browser          integer not null,
                      browser_version  integer not null,
                      system           integer not null,
                      system_version   integer not null,
                      device           integer not null,
                      language         integer not null,
                      time_zone        integer not null,
                      viewport         integer not null,
                      screen           integer not null,
                      connection       integer not null
                    ) strict
                    ;
CREATE TABLE event_ids (
              digest           integer primary key,
              until            integer not null
            ) strict
            ;
CREATE TABLE event_ids_new (
              id               integer primary key,
              digest           integer not null,
              until            integer not null
            ) strict
            ;
CREATE TABLE events (
              id               integer primary key,
              site             integer not null,
              time             integer not null,
              kind             integer not null check (kind in (1, 2, 3)),
              name             integer not null,
              namespace        integer not null,
              visitor          integer not null,
              session          integer not null,
              path             integer not null,
              query_string     integer not null,
              title            integer not null,
              engaged          integer not null check (engaged >= 0),
              scroll           integer not null check (scroll between 0 and 100),
              bot              integer not null,
              origin           integer not null,
              session_started  integer not null,
              client_session   integer not null,
              entry            integer not null,
              referrer         integer not null,
              source           integer not null,
              utm_source       integer not null,
              utm_medium       integer not null,
              utm_campaign     integer not null,
              utm_term         integer not null,
              utm_content      integer not null,
              browser          integer not null,
              browser_version  integer not null,
              system           integer not null,
              system_version   integer not null,
              device           integer not null,
              language         integer not null,
              time_zone        integer not null,
              viewport         integer not null,
              screen           integer not null,
              properties       text
            , profile integer not null default 0, interactions integer not null default 0 check (interactions >= 0), agent integer not null default 0, channel integer not null default 0, click_id integer not null default 0, country integer not null default 0, region integer not null default 0, city integer not null default 0, connection integer not null default 0) strict
            ;
INSERT INTO "events" VALUES(1,2,1781697600000,2,1,0,65536000,327680000,2,0,0,0,0,0,0,1781697600000,0,2,12,13,0,0,15,0,0,5,6,7,0,8,9,10,14,0,'{"id": "0"}',0,0,0,0,0,11,0,0,0);
INSERT INTO "events" VALUES(2,2,1781697660000,1,0,0,65601536,327745536,3,0,0,0,0,0,0,1781697660000,0,2,12,13,0,0,15,0,0,5,6,7,0,8,9,10,14,0,NULL,0,0,0,0,0,11,0,0,0);
INSERT INTO "events" VALUES(3,2,1781697720000,2,1,0,65536000,327680000,4,0,0,0,0,0,0,1781697600000,0,2,12,13,0,0,15,0,0,5,6,7,0,8,9,10,14,0,'{"id": "2"}',0,0,0,0,0,11,0,0,0);
INSERT INTO "events" VALUES(4,2,1781697780000,1,0,0,65601536,327745536,2,0,0,0,0,0,0,1781697660000,0,2,12,13,0,0,15,0,0,5,6,7,0,8,9,10,14,0,NULL,0,0,0,0,0,11,0,0,0);
INSERT INTO "events" VALUES(5,2,1781697840000,2,1,0,65536000,327680000,3,0,0,0,0,0,0,1781697600000,0,2,12,13,0,0,15,0,0,5,6,7,0,8,9,10,14,0,'{"id": "4"}',0,0,0,0,0,11,0,0,0);
INSERT INTO "events" VALUES(6,2,1781697900000,1,0,0,65601536,327745536,4,0,0,0,0,0,0,1781697660000,0,2,12,13,0,0,15,0,0,5,6,7,0,8,9,10,14,0,NULL,0,0,0,0,0,11,0,0,0);
INSERT INTO "events" VALUES(7,2,1781697960000,2,1,0,65536000,327680000,2,0,0,0,0,0,0,1781697600000,0,2,12,13,0,0,15,0,0,5,6,7,0,8,9,10,14,0,'{"id": "6"}',0,0,0,0,0,11,0,0,0);
INSERT INTO "events" VALUES(8,2,1781698020000,1,0,0,65601536,327745536,3,0,0,0,0,0,0,1781697660000,0,2,12,13,0,0,15,0,0,5,6,7,0,8,9,10,14,0,NULL,0,0,0,0,0,11,0,0,0);
INSERT INTO "events" VALUES(9,2,1781698080000,2,1,0,65536000,327680000,4,0,0,0,0,0,0,1781697600000,0,2,12,13,0,0,15,0,0,5,6,7,0,8,9,10,14,0,'{"id": "8"}',0,0,0,0,0,11,0,0,0);
INSERT INTO "events" VALUES(10,2,1781698140000,1,0,0,65601536,327745536,2,0,0,0,0,0,0,1781697660000,0,2,12,13,0,0,15,0,0,5,6,7,0,8,9,10,14,0,NULL,0,0,0,0,0,11,0,0,0);
CREATE TABLE link_clicks (
              id               integer primary key,
              link             integer not null,
              time             integer not null,
              kind             integer not null check (kind between 1 and 5),
              visitor          integer not null,
              landing          integer not null,
              landing_visitor  integer not null,
              variant          integer not null,
              rule             integer not null,
              referrer         integer not null,
              source           integer not null,
              country          integer not null,
              region           integer not null,
              city             integer not null,
              browser          integer not null,
              system           integer not null,
              device           integer not null,
              language         integer not null,
              agent            integer not null
            ) strict
            ;
INSERT INTO "link_clicks" VALUES(1,1,1781697600000,1,65732608,0,0,0,0,0,0,11,0,0,5,7,8,9,0);
CREATE TABLE link_orphans (
              domain           text    not null check (length(domain) <= 253),
              day              integer not null,
              kind             integer not null check (kind between 1 and 5),
              slug             text    not null check (length(slug) <= 50),
              count            integer not null check (count > 0),
              primary key (domain, day, kind, slug)
            ) strict, without rowid
            ;
CREATE TABLE link_totals (
              link             integer primary key,
              clicks           integer not null check (clicks > 0),
              last             integer not null
            ) strict
            ;
INSERT INTO "link_totals" VALUES(1,1,1781697600000);
CREATE TABLE outgoing_links (
                      id               integer primary key,
                      site             integer not null,
                      time             integer not null,
                      visitor          integer not null,
                      session          integer not null,
                      client_session   integer not null,
                      profile          integer not null,
                      path             integer not null,
                      query_string     integer not null,
                      href integer not null, text integer not null, domain integer not null,
                      entry            integer not null,
                      referrer         integer not null,
                      source           integer not null,
                      channel          integer not null,
                      click_id         integer not null,
                      utm_source       integer not null,
                      utm_medium       integer not null,
                      utm_campaign     integer not null,
                      utm_term         integer not null,
                      utm_content      integer not null,
                      country          integer not null,
                      region           integer not null,
                      city             integer not null,
                      browser          integer not null,
                      browser_version  integer not null,
                      system           integer not null,
                      system_version   integer not null,
                      device           integer not null,
                      language         integer not null,
                      time_zone        integer not null,
                      viewport         integer not null,
                      screen           integer not null,
                      connection       integer not null
                    ) strict
                    ;
INSERT INTO "outgoing_links" VALUES(1,2,1781697600000,65536000,327680000,0,0,2,0,12,1,13,0,0,0,0,0,0,0,0,0,0,0,0,0,5,0,0,0,0,0,0,0,0,0);
CREATE TABLE profiles (
              site             integer not null,
              profile          integer not null,
              created_at       integer not null,
              updated_at       integer not null,
              traits           blob, email blob check (email is null or length(email) = 16),
              primary key (site, profile)
            ) strict, without rowid
            ;
CREATE TABLE strings (
              id               integer primary key,
              value            text    not null unique
            ) strict
            ;
INSERT INTO "strings" VALUES(0,'');
INSERT INTO "strings" VALUES(1,'bought');
INSERT INTO "strings" VALUES(2,'/0');
INSERT INTO "strings" VALUES(3,'/1');
INSERT INTO "strings" VALUES(4,'/2');
INSERT INTO "strings" VALUES(5,'Firefox');
INSERT INTO "strings" VALUES(6,'140');
INSERT INTO "strings" VALUES(7,'Linux');
INSERT INTO "strings" VALUES(8,'desktop');
INSERT INTO "strings" VALUES(9,'en');
INSERT INTO "strings" VALUES(10,'Europe/Berlin');
INSERT INTO "strings" VALUES(11,'DE');
INSERT INTO "strings" VALUES(12,'https://news.example');
INSERT INTO "strings" VALUES(13,'news.example');
INSERT INTO "strings" VALUES(14,'1280x720');
INSERT INTO "strings" VALUES(15,'spring');
INSERT INTO "strings" VALUES(16,'direct');
CREATE TABLE visitor_profiles (
              id               integer primary key,
              site             integer not null,
              visitor          integer not null,
              time             integer not null,
              profile          integer not null,
              unique (site, visitor, time)
            ) strict
            ;
CREATE TABLE vitals (
                      id               integer primary key,
                      site             integer not null,
                      time             integer not null,
                      visitor          integer not null,
                      session          integer not null,
                      client_session   integer not null,
                      profile          integer not null,
                      path             integer not null,
                      query_string     integer not null,
                      metric integer not null, value real not null check (value >= 0),
                      entry            integer not null,
                      referrer         integer not null,
                      source           integer not null,
                      channel          integer not null,
                      click_id         integer not null,
                      utm_source       integer not null,
                      utm_medium       integer not null,
                      utm_campaign     integer not null,
                      utm_term         integer not null,
                      utm_content      integer not null,
                      country          integer not null,
                      region           integer not null,
                      city             integer not null,
                      browser          integer not null,
                      browser_version  integer not null,
                      system           integer not null,
                      system_version   integer not null,
                      device           integer not null,
                      language         integer not null,
                      time_zone        integer not null,
                      viewport         integer not null,
                      screen           integer not null,
                      connection       integer not null
                    ) strict
                    ;
INSERT INTO "vitals" VALUES(1,2,1781697600000,65536000,327680000,0,0,2,0,16,1.5,0,0,0,0,0,0,0,0,0,0,0,0,0,5,0,0,0,0,0,0,0,0,0);
CREATE UNIQUE INDEX "idx__sqlite_migrations_migration_set_name"
    ON "_sqlite_migrations" ("migration_set", "name");
CREATE INDEX events_by_time on events (site, time);
CREATE INDEX vitals_by_time on vitals (site, time);
CREATE INDEX errors_by_time on errors (site, time);
CREATE INDEX outgoing_links_by_time on outgoing_links (site, time);
CREATE INDEX engagement_by_time on engagement (site, time);
CREATE INDEX profiles_by_email on profiles (site, email) where email is not null;
CREATE INDEX profiles_by_update on profiles (site, updated_at);
CREATE INDEX events_flagged on events (site, bot, agent, time) where bot <> 0;
CREATE INDEX link_clicks_by_time on link_clicks (link, time);
CREATE INDEX visitor_profiles_by_profile on visitor_profiles (site, profile);
CREATE TRIGGER events_delete after delete on events
                begin insert into changes (source, row) values ('events', old.id); end;
CREATE TRIGGER events_update after update on events
                begin insert into changes (source, row) values ('events', old.id); end;
CREATE TRIGGER vitals_delete after delete on vitals
                begin insert into changes (source, row) values ('vitals', old.id); end;
CREATE TRIGGER vitals_update after update on vitals
                begin insert into changes (source, row) values ('vitals', old.id); end;
CREATE TRIGGER errors_delete after delete on errors
                begin insert into changes (source, row) values ('errors', old.id); end;
CREATE TRIGGER errors_update after update on errors
                begin insert into changes (source, row) values ('errors', old.id); end;
CREATE TRIGGER outgoing_links_delete after delete on outgoing_links
                begin insert into changes (source, row) values ('outgoing_links', old.id); end;
CREATE TRIGGER outgoing_links_update after update on outgoing_links
                begin insert into changes (source, row) values ('outgoing_links', old.id); end;
CREATE TRIGGER engagement_delete after delete on engagement
                begin insert into changes (source, row) values ('engagement', old.id); end;
CREATE TRIGGER engagement_update after update on engagement
                begin insert into changes (source, row) values ('engagement', old.id); end;
CREATE TRIGGER link_clicks_delete after delete on link_clicks
                begin insert into changes (source, row) values ('link_clicks', old.id); end;
CREATE TRIGGER link_clicks_update after update on link_clicks
                begin insert into changes (source, row) values ('link_clicks', old.id); end;
CREATE TRIGGER visitor_profiles_delete after delete on visitor_profiles
                begin insert into changes (source, row) values ('visitor_profiles', old.id); end;
CREATE TRIGGER visitor_profiles_update after update on visitor_profiles
                begin insert into changes (source, row) values ('visitor_profiles', old.id); end;
CREATE TRIGGER strings_delete after delete on strings
                begin insert into changes (source, row) values ('strings', old.id); end;
CREATE TRIGGER strings_update after update on strings
                begin insert into changes (source, row) values ('strings', old.id); end;
COMMIT;
