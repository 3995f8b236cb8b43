BEGIN TRANSACTION;
CREATE TABLE "_sqlite_migrations" (
   "id" INTEGER PRIMARY KEY,
   "migration_set" TEXT,
   "name" TEXT,
   "applied_at" TEXT
);
INSERT INTO "_sqlite_migrations" VALUES(1,'analytics_box','0001_events','2026-11-27 22:27:17.270205+00:00');
INSERT INTO "_sqlite_migrations" VALUES(2,'analytics_box','0002_places_spans_profiles','2026-11-27 22:27:17.287434+00:00');
INSERT INTO "_sqlite_migrations" VALUES(3,'analytics_box','0003_people','2026-11-27 22:27:17.309471+00:00');
INSERT INTO "_sqlite_migrations" VALUES(4,'analytics_box','0004_flagged_events','2026-11-27 22:27:17.332900+00:00');
INSERT INTO "_sqlite_migrations" VALUES(5,'analytics_box','0005_link_clicks','2026-11-27 22:27:17.357783+00:00');
INSERT INTO "_sqlite_migrations" VALUES(6,'analytics_box','0006_changes','2026-11-27 22:27:17.398605+00:00');
INSERT INTO "_sqlite_migrations" VALUES(7,'analytics_box','0007_stored_facts','2026-11-27 22:27:17.570824+00:00');
INSERT INTO "_sqlite_migrations" VALUES(8,'analytics_box','0008_not_measured','2026-11-27 22:27:17.806790+00:00');
INSERT INTO "_sqlite_migrations" VALUES(9,'analytics_box','0009_lasting_ids','2026-11-27 22:27:17.813108+00:00');
INSERT INTO "_sqlite_migrations" VALUES(10,'analytics_box','0010_replaced','2026-11-27 22:27:17.815252+00:00');
INSERT INTO "_sqlite_migrations" VALUES(11,'analytics_box','0011_box','2026-11-27 22:27:17.819321+00:00');
INSERT INTO "_sqlite_migrations" VALUES(12,'analytics_box','0012_checks','2026-11-27 22:27:17.824028+00:00');
INSERT INTO "_sqlite_migrations" VALUES(13,'analytics_box','0013_flag_exposures','2026-11-27 22:27:17.828048+00:00');
INSERT INTO "_sqlite_migrations" VALUES(14,'analytics_box','0014_changed_days','2026-11-27 22:27:17.838054+00:00');
INSERT INTO "_sqlite_migrations" VALUES(15,'analytics_box','0015_trimmed','2026-11-27 22:27:17.841710+00:00');
INSERT INTO "_sqlite_migrations" VALUES(16,'analytics_box','0016_text_numbers','2026-11-27 22:27:17.845351+00:00');
INSERT INTO "_sqlite_migrations" VALUES(17,'analytics_box','0017_outbox','2026-11-27 22:27:17.848653+00:00');
INSERT INTO "_sqlite_migrations" VALUES(18,'analytics_box','0018_kinds_as_a_range','2026-11-27 22:27:17.854484+00:00');
INSERT INTO "_sqlite_migrations" VALUES(19,'analytics_box','0019_check_of_nothing','2026-11-27 22:27:17.857153+00:00');
INSERT INTO "_sqlite_migrations" VALUES(20,'analytics_box','0020_held_measurements','2026-11-27 22:27:17.862769+00:00');
INSERT INTO "_sqlite_migrations" VALUES(21,'analytics_box','0030_urls_masked','2026-11-27 22:27:17.865376+00:00');
INSERT INTO "_sqlite_migrations" VALUES(22,'analytics_box','0041_more_combinations','2026-11-27 22:27:18.262817+00:00');
CREATE TABLE box (
              one              integer primary key check (one = 1),
              id               text    not null check (length(id) in (0, 32)),
              last_site        integer not null check (last_site >= 0),
              last_link        integer not null check (last_link >= 0)
            , last_monitor integer not null default 0 check (last_monitor >= 0)) strict
            ;
INSERT INTO "box" VALUES(1,'4dc668dbd7de8902b8734a2214d54a8f',7,0,0);
CREATE TABLE campaigns (id integer primary key autoincrement, utm_source integer not null, utm_medium integer not null, utm_campaign integer not null, utm_term integer not null, utm_content integer not null, unique (utm_source, utm_medium, utm_campaign, utm_term, utm_content)) strict;
INSERT INTO "campaigns" VALUES(0,0,0,0,0,0);
CREATE TABLE changes (
              id               integer primary key autoincrement,
              source           text    not null,
              row              integer not null
            , of_site integer, day integer, began integer) strict
            ;
INSERT INTO "changes" VALUES(1,'events',1,2,20621,20621);
INSERT INTO "changes" VALUES(2,'events',3,2,20621,20621);
CREATE TABLE checks (
              id               integer primary key,
              monitor          integer not null,
              time             integer not null,
              status           integer not null check (status in (0, 1, 2)),
              kind             integer not null check (kind between 1 and 6),
              http_code        integer not null check (http_code between 0 and 999),
              count            integer not null check (count > 0),
              total            integer check (total >= 0),
              fastest          integer check (fastest >= 0),
              slowest          integer check (slowest >= fastest),
              ttfb             integer check (ttfb >= 0),
              bin              integer check (bin >= 0),
              ttfb_bin         integer check (ttfb_bin >= 0),
              dns              integer check (dns >= 0),
              connect          integer check (connect >= 0),
              tls              integer check (tls >= 0),
              first_byte       integer check (first_byte >= 0),
              transfer         integer check (transfer >= 0),
              bytes            integer check (bytes >= 0),
              redirects        integer not null,
              attempt          integer not null,
              streak           integer not null,
              certificate_ends integer,
              certificate_valid integer check (certificate_valid in (0, 1)),
              error            integer not null,
              reason           integer not null,
              region           integer not null,
              address          integer not null,
              url              integer not null,
              data             text    check (data is null or json_valid(data))
            ) strict
            ;
INSERT INTO "checks" VALUES(1,1,1781697660000,1,1,1,1,1,1,900,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,'{}');
CREATE TABLE clients (id integer primary key autoincrement, browser integer not null, browser_version integer not null, system integer not null, system_version integer not null, device integer not null, unique (browser, browser_version, system, system_version, device)) strict;
INSERT INTO "clients" VALUES(0,0,0,0,0,0);
INSERT INTO "clients" VALUES(1,0,0,0,0,2);
CREATE TABLE displays (id integer primary key autoincrement, viewport integer not null, screen integer not null, connection integer not null, unique (viewport, screen, connection)) strict;
INSERT INTO "displays" VALUES(0,0,0,0);
CREATE TABLE drops (
              site             integer not null,
              day              integer not null,
              reason           text    not null check (length(reason) between 1 and 64),
              count            integer not null check (count > 0),
              primary key (site, day, reason)
            ) strict, without rowid
            ;
INSERT INTO "drops" VALUES(2,1,'drops-reason',1);
CREATE TABLE erasure_numbers (
      erasure          text    not null references erasures (id) on delete cascade,
      kind             text    not null,
      number           integer not null,
      primary key (erasure, kind, number)
    ) strict, without rowid
    ;
INSERT INTO "erasure_numbers" VALUES('erasures-id','erasure_nu-kind',1);
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
INSERT INTO "erasures" VALUES('erasures-id',2,'erasures-website_id','erasures-organizati','erasures-actor',1,'[[4,0,1]]',0,1781697660000);
CREATE TABLE event_ids (
              digest           integer primary key,
              until            integer not null
            ) strict
            ;
INSERT INTO "event_ids" VALUES(1,1781697660000);
CREATE TABLE event_ids_new (
              id               integer primary key,
              digest           integer not null,
              until            integer not null
            ) strict
            ;
INSERT INTO "event_ids_new" VALUES(1,1,1781697660000);
CREATE TABLE inbox (
              machine          integer primary key,
              last             integer not null
            ) strict
            ;
INSERT INTO "inbox" VALUES(1,1);
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
INSERT INTO "link_clicks" VALUES(1,1,1781697600000,1,110319461023754,2,119180101848680,0,0,0,1,0,0,0,9,10,2,0,0);
CREATE TABLE link_orphans (
              domain           text    not null check (length(domain) <= 253),
              day              integer not null,
              kind             integer not null check (kind between 1 and 5),
              slug             text    not null check (length(slug) <= 50),
              count            integer not null check (count > 0),
              primary key (domain, day, kind, slug)
            ) strict, without rowid
            ;
INSERT INTO "link_orphans" VALUES('link_orpha-domain',1,1,'gone',1);
CREATE TABLE link_totals (
              link             integer primary key,
              clicks           integer not null check (clicks > 0),
              last             integer not null
            ) strict
            ;
INSERT INTO "link_totals" VALUES(1,1,1781697600000);
CREATE TABLE locales (id integer primary key autoincrement, language integer not null, time_zone integer not null, unique (language, time_zone)) strict;
INSERT INTO "locales" VALUES(0,0,0);
CREATE TABLE monitor_engine (
              one              integer primary key check (one = 1),
              alive_at         integer not null,
              canaries_at      integer not null default 0,
              hours_until      integer not null default 0,
              days_until       integer not null default 0
            , urls_masked integer not null default 0 check (urls_masked in (0, 1))) strict
            ;
INSERT INTO "monitor_engine" VALUES(1,1781697660000,0,0,0,0);
CREATE TABLE monitor_spans (
              id               integer primary key,
              monitor          integer not null,
              state            integer not null check (state between 1 and 6),
              start            integer not null,
              until            integer not null check (until = 0 or until >= start)
            ) strict
            ;
INSERT INTO "monitor_spans" VALUES(1,1,1,1,1781697660000);
CREATE TABLE monitor_states (
              monitor          integer primary key,
              state            text    not null check (json_valid(state))
            ) strict
            ;
INSERT INTO "monitor_states" VALUES(1,'{}');
CREATE TABLE outbox (
              id               integer primary key autoincrement,
              site             integer not null,
              said             blob    not null
            ) strict
            ;
CREATE TABLE places (id integer primary key autoincrement, country integer not null, region integer not null, city integer not null, unique (country, region, city)) strict;
INSERT INTO "places" VALUES(0,0,0,0);
CREATE TABLE profiles (
              site             integer not null,
              profile          integer not null,
              created_at       integer not null,
              updated_at       integer not null,
              traits           blob, email blob check (email is null or length(email) = 16),
              primary key (site, profile)
            ) strict, without rowid
            ;
INSERT INTO "profiles" VALUES(2,1,1781697660000,1781697660000,X'0707070707070707070707070707070707070707070707070707070707070707',X'03030303030303030303030303030303');
CREATE TABLE referrals (id integer primary key autoincrement, referrer integer not null, source integer not null, channel integer not null, click_id integer not null, unique (referrer, source, channel, click_id)) strict;
INSERT INTO "referrals" VALUES(0,0,0,0,0);
INSERT INTO "referrals" VALUES(1,0,1,1,0);
CREATE TABLE removal_orders (
              id               integer primary key autoincrement,
              of_site          integer not null,
              what             text    not null check (json_valid(what))
            ) strict
            ;
INSERT INTO "removal_orders" VALUES(1,1,'{}');
CREATE TABLE replaced (
              site             integer not null,
              session          integer not null,
              kind             text    not null check (kind <> ''),
              number           integer not null check (number > 0),
              primary key (site, session, kind, number)
            ) strict, without rowid
            ;
INSERT INTO "replaced" VALUES(2,1,'replaced-kind',1);
CREATE TABLE session_numbers (next integer not null check (next > 0)) strict;
INSERT INTO "session_numbers" VALUES(1001);
CREATE TABLE stored_engagement (
  id integer primary key,
  site integer not null,
  time integer not null,
  visitor integer not null check (visitor between 0 and 0x7fffffffffff),
  session integer not null check (session >= 0),
  client_session integer not null,
  profile integer not null,
  path integer not null,
  query_string integer not null,
  page_index integer not null,
  exit_type integer not null,
  time_on_page integer,
  active_time integer,
  first_interaction integer,
  scroll integer check (scroll between 0 and 100),
  scrolls integer not null,
  clicks integer not null,
  keys integer not null,
  interactions integer check (interactions >= 0),
  copies integer not null,
  rage_clicks integer not null,
  dead_clicks integer not null,
  rage_target integer not null,
  dead_target integer not null,
  form_fields integer not null,
  form_submits integer not null,
  last_field integer not null,
  errors integer not null,
  entry integer not null,
  referral integer not null,
  campaign integer not null,
  place integer not null,
  client integer not null,
  locale integer not null,
  display integer not null
) strict;
INSERT INTO "stored_engagement" VALUES(1,2,1781697660000,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1);
CREATE TABLE stored_errors (
  id integer primary key,
  site integer not null,
  time integer not null,
  visitor integer not null check (visitor between 0 and 0x7fffffffffff),
  session integer not null check (session >= 0),
  client_session integer not null,
  profile integer not null,
  path integer not null,
  query_string integer not null,
  type integer not null,
  message integer not null,
  filename integer not null,
  line integer not null check (line >= 0),
  position integer not null check (position >= 0),
  stack integer not null,
  entry integer not null,
  referral integer not null,
  campaign integer not null,
  place integer not null,
  client integer not null,
  locale integer not null,
  display integer not null
) strict;
INSERT INTO "stored_errors" VALUES(1,2,1781697660000,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1);
CREATE TABLE stored_events (
  id integer primary key,
  site integer not null,
  time integer not null,
  kind integer not null check (kind between 1 and 4),
  name integer not null,
  namespace integer not null,
  visitor integer not null check (visitor between 0 and 0x7fffffffffff),
  session integer not null check (session >= 0),
  profile integer not null,
  path integer not null,
  query_string integer not null,
  title integer not null,
  engaged integer not null check (engaged >= 0),
  scroll integer check (scroll between 0 and 100),
  interactions integer check (interactions >= 0),
  bot integer not null,
  agent integer not null,
  origin integer not null,
  since_start integer not null,
  client_session integer not null,
  entry integer not null,
  referral integer not null,
  campaign integer not null,
  place integer not null,
  client integer not null,
  locale integer not null,
  display integer not null,
  properties text
) strict;
INSERT INTO "stored_events" VALUES(1,2,1781697600000,2,3,0,119100121745796,1,0,0,0,0,0,NULL,NULL,0,0,0,0,0,4,1,0,0,1,0,0,NULL);
INSERT INTO "stored_events" VALUES(2,2,1781697600000,1,5,0,119100121745796,1,0,4,0,0,0,NULL,NULL,0,0,0,0,0,4,1,0,0,1,0,0,NULL);
INSERT INTO "stored_events" VALUES(3,2,1781697660000,2,3,0,51701523971996,2,0,0,0,0,0,NULL,NULL,0,0,0,0,0,6,1,0,0,1,0,0,NULL);
INSERT INTO "stored_events" VALUES(4,2,1781697660000,1,5,0,51701523971996,2,0,6,0,0,0,NULL,NULL,0,0,0,0,0,6,1,0,0,1,0,0,NULL);
INSERT INTO "stored_events" VALUES(5,2,1781697720000,2,3,0,119100121745796,1,0,0,0,0,0,NULL,NULL,0,0,0,120000,0,4,1,0,0,1,0,0,NULL);
INSERT INTO "stored_events" VALUES(6,2,1781697720000,1,5,0,119100121745796,1,0,7,0,0,0,NULL,NULL,0,0,0,120000,0,4,1,0,0,1,0,0,NULL);
INSERT INTO "stored_events" VALUES(7,2,1781697780000,2,3,0,51701523971996,2,0,0,0,0,0,NULL,NULL,0,0,0,120000,0,6,1,0,0,1,0,0,NULL);
INSERT INTO "stored_events" VALUES(8,2,1781697780000,1,5,0,51701523971996,2,0,8,0,0,0,NULL,NULL,0,0,0,120000,0,6,1,0,0,1,0,0,NULL);
INSERT INTO "stored_events" VALUES(9,2,1781697840000,2,3,0,119100121745796,1,0,0,0,0,0,NULL,NULL,0,0,0,240000,0,4,1,0,0,1,0,0,NULL);
INSERT INTO "stored_events" VALUES(10,2,1781697840000,1,5,0,119100121745796,1,0,11,0,0,0,NULL,NULL,0,0,0,240000,0,4,1,0,0,1,0,0,NULL);
CREATE TABLE stored_flag_exposures (
  id integer primary key,
  site integer not null,
  time integer not null,
  visitor integer not null check (visitor between 0 and 0x7fffffffffff),
  session integer not null check (session >= 0),
  client_session integer not null,
  profile integer not null,
  path integer not null,
  query_string integer not null,
  flag integer not null,
  variant integer not null,
  entry integer not null,
  referral integer not null,
  campaign integer not null,
  place integer not null,
  client integer not null,
  locale integer not null,
  display integer not null
) strict;
INSERT INTO "stored_flag_exposures" VALUES(1,2,1781697660000,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1);
CREATE TABLE stored_outgoing_links (
  id integer primary key,
  site integer not null,
  time integer not null,
  visitor integer not null check (visitor between 0 and 0x7fffffffffff),
  session integer not null check (session >= 0),
  client_session integer not null,
  profile integer not null,
  path integer not null,
  query_string integer not null,
  href integer not null,
  text integer not null,
  domain integer not null,
  entry integer not null,
  referral integer not null,
  campaign integer not null,
  place integer not null,
  client integer not null,
  locale integer not null,
  display integer not null
) strict;
INSERT INTO "stored_outgoing_links" VALUES(1,2,1781697660000,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1);
CREATE TABLE stored_vitals (
  id integer primary key,
  site integer not null,
  time integer not null,
  visitor integer not null check (visitor between 0 and 0x7fffffffffff),
  session integer not null check (session >= 0),
  client_session integer not null,
  profile integer not null,
  path integer not null,
  query_string integer not null,
  metric integer not null,
  value real    not null check (value >= 0),
  entry integer not null,
  referral integer not null,
  campaign integer not null,
  place integer not null,
  client integer not null,
  locale integer not null,
  display integer not null
) strict;
INSERT INTO "stored_vitals" VALUES(1,2,1781697660000,1,1,1,1,1,1,1,1.5,1,1,1,1,1,1,1);
CREATE TABLE strings (
              id               integer primary key,
              value            text    not null unique
            ) strict
            ;
INSERT INTO "strings" VALUES(0,'');
INSERT INTO "strings" VALUES(1,'Direct');
INSERT INTO "strings" VALUES(2,'desktop');
INSERT INTO "strings" VALUES(3,'bought');
INSERT INTO "strings" VALUES(4,'/0');
INSERT INTO "strings" VALUES(5,'screen_view');
INSERT INTO "strings" VALUES(6,'/1');
INSERT INTO "strings" VALUES(7,'/2');
INSERT INTO "strings" VALUES(8,'/3');
INSERT INTO "strings" VALUES(9,'Firefox');
INSERT INTO "strings" VALUES(10,'Linux');
INSERT INTO "strings" VALUES(11,'/4');
CREATE TABLE text_numbers (
              id               integer primary key,
              number           integer not null
            ) strict
            ;
INSERT INTO "text_numbers" VALUES(1,1);
CREATE TABLE transitions (
              id               integer primary key autoincrement,
              monitor          integer not null,
              time             integer not null,
              what             text    not null check (length(what) between 1 and 40),
              detail           text    not null check (json_valid(detail)),
              told             integer not null default 0 check (told in (0, 1))
            ) strict
            ;
INSERT INTO "transitions" VALUES(1,1,1781697660000,'transition-what','{}',0);
CREATE TABLE trimmed (
              source           text    primary key,
              until            integer not null check (until > 0)
            ) strict, without rowid
            ;
INSERT INTO "trimmed" VALUES('trimmed-source',1781697660000);
CREATE TABLE trimmed_sites (
              site             integer not null,
              source           text    not null,
              count            integer not null check (count > 0),
              first            integer not null,
              last             integer not null,
              primary key (site, source)
            ) strict, without rowid
            ;
INSERT INTO "trimmed_sites" VALUES(2,'trimmed_si-source',1,1,1);
CREATE TABLE visitor_profiles (
              id               integer primary key,
              site             integer not null,
              visitor          integer not null,
              time             integer not null,
              profile          integer not null,
              unique (site, visitor, time)
            ) strict
            ;
INSERT INTO "visitor_profiles" VALUES(1,2,1,1781697660000,1);
CREATE UNIQUE INDEX "idx__sqlite_migrations_migration_set_name"
    ON "_sqlite_migrations" ("migration_set", "name");
CREATE INDEX profiles_by_email on profiles (site, email) where email is not null;
CREATE INDEX profiles_by_update on profiles (site, updated_at);
CREATE INDEX link_clicks_by_time on link_clicks (link, time);
CREATE INDEX visitor_profiles_by_profile on visitor_profiles (site, profile);
CREATE TRIGGER link_clicks_delete after delete on link_clicks
                begin insert into changes (source, row) values ('link_clicks', old.id); end;
CREATE TRIGGER visitor_profiles_delete after delete on visitor_profiles
                begin insert into changes (source, row) values ('visitor_profiles', old.id); end;
CREATE TRIGGER strings_delete after delete on strings
                begin insert into changes (source, row) values ('strings', old.id); end;
CREATE TRIGGER strings_update after update on strings
                begin insert into changes (source, row) values ('strings', old.id); end;
CREATE TRIGGER visitor_profiles_update after update on visitor_profiles begin insert into changes (source, row) values ('visitor_profiles', old.id); end;
CREATE TRIGGER link_clicks_update after update on link_clicks begin insert into changes (source, row) values ('link_clicks', old.id); end;
CREATE INDEX checks_by_time on checks (monitor, time);
CREATE INDEX monitor_spans_by_time on monitor_spans (monitor, start);
CREATE UNIQUE INDEX monitor_spans_open on monitor_spans (monitor) where until = 0;
CREATE INDEX transitions_waiting on transitions (id) where told = 0;
CREATE TRIGGER checks_delete after delete on checks
                begin insert into changes (source, row) values ('checks', old.id); end;
CREATE TRIGGER checks_update after update on checks
                begin insert into changes (source, row) values ('checks', old.id); end;
CREATE TRIGGER monitor_spans_delete after delete on monitor_spans
                begin insert into changes (source, row) values ('monitor_spans', old.id); end;
CREATE TRIGGER monitor_spans_update after update on monitor_spans
                begin insert into changes (source, row) values ('monitor_spans', old.id); end;
CREATE TRIGGER text_numbers_forget after delete on strings
            begin delete from text_numbers where id = old.id; end;
CREATE INDEX events_by_time on stored_events (site, time);
CREATE INDEX events_flagged on stored_events (site, bot, agent, time) where bot <> 0;
CREATE TRIGGER events_delete after delete on stored_events when old.id > coalesce((select until from trimmed where source = 'events'), -1) begin insert into changes (source, row, of_site, day, began) values ('events', old.id, old.site, old.time / 86400000, iif(old.session = 0, old.time, old.time - old.since_start) / 86400000); end;
CREATE TRIGGER events_update after update on stored_events when old.id > coalesce((select until from trimmed where source = 'events'), -1) begin insert into changes (source, row, of_site, day, began) values ('events', old.id, old.site, old.time / 86400000, iif(old.session = 0, old.time, old.time - old.since_start) / 86400000); end;
CREATE VIEW events as select id, site, time, kind, name, namespace, visitor, session, profile, path, query_string, title, engaged, scroll, interactions, bot, agent, origin, iif(session = 0, 0, time - since_start) as session_started, client_session, entry, coalesce((select referrer from referrals where id = stored.referral), 0) as referrer, coalesce((select source from referrals where id = stored.referral), 0) as source, coalesce((select channel from referrals where id = stored.referral), 0) as channel, coalesce((select click_id from referrals where id = stored.referral), 0) as click_id, coalesce((select utm_source from campaigns where id = stored.campaign), 0) as utm_source, coalesce((select utm_medium from campaigns where id = stored.campaign), 0) as utm_medium, coalesce((select utm_campaign from campaigns where id = stored.campaign), 0) as utm_campaign, coalesce((select utm_term from campaigns where id = stored.campaign), 0) as utm_term, coalesce((select utm_content from campaigns where id = stored.campaign), 0) as utm_content, coalesce((select country from places where id = stored.place), 0) as country, coalesce((select region from places where id = stored.place), 0) as region, coalesce((select city from places where id = stored.place), 0) as city, coalesce((select browser from clients where id = stored.client), 0) as browser, coalesce((select browser_version from clients where id = stored.client), 0) as browser_version, coalesce((select system from clients where id = stored.client), 0) as system, coalesce((select system_version from clients where id = stored.client), 0) as system_version, coalesce((select device from clients where id = stored.client), 0) as device, coalesce((select language from locales where id = stored.locale), 0) as language, coalesce((select time_zone from locales where id = stored.locale), 0) as time_zone, coalesce((select viewport from displays where id = stored.display), 0) as viewport, coalesce((select screen from displays where id = stored.display), 0) as screen, coalesce((select connection from displays where id = stored.display), 0) as connection, properties from stored_events as stored;
CREATE INDEX vitals_by_time on stored_vitals (site, time);
CREATE TRIGGER vitals_delete after delete on stored_vitals when old.id > coalesce((select until from trimmed where source = 'vitals'), -1) begin insert into changes (source, row) values ('vitals', old.id); end;
CREATE TRIGGER vitals_update after update on stored_vitals when old.id > coalesce((select until from trimmed where source = 'vitals'), -1) begin insert into changes (source, row) values ('vitals', old.id); end;
CREATE VIEW vitals as select id, site, time, visitor, session, client_session, profile, path, query_string, metric, value, entry, coalesce((select referrer from referrals where id = stored.referral), 0) as referrer, coalesce((select source from referrals where id = stored.referral), 0) as source, coalesce((select channel from referrals where id = stored.referral), 0) as channel, coalesce((select click_id from referrals where id = stored.referral), 0) as click_id, coalesce((select utm_source from campaigns where id = stored.campaign), 0) as utm_source, coalesce((select utm_medium from campaigns where id = stored.campaign), 0) as utm_medium, coalesce((select utm_campaign from campaigns where id = stored.campaign), 0) as utm_campaign, coalesce((select utm_term from campaigns where id = stored.campaign), 0) as utm_term, coalesce((select utm_content from campaigns where id = stored.campaign), 0) as utm_content, coalesce((select country from places where id = stored.place), 0) as country, coalesce((select region from places where id = stored.place), 0) as region, coalesce((select city from places where id = stored.place), 0) as city, coalesce((select browser from clients where id = stored.client), 0) as browser, coalesce((select browser_version from clients where id = stored.client), 0) as browser_version, coalesce((select system from clients where id = stored.client), 0) as system, coalesce((select system_version from clients where id = stored.client), 0) as system_version, coalesce((select device from clients where id = stored.client), 0) as device, coalesce((select language from locales where id = stored.locale), 0) as language, coalesce((select time_zone from locales where id = stored.locale), 0) as time_zone, coalesce((select viewport from displays where id = stored.display), 0) as viewport, coalesce((select screen from displays where id = stored.display), 0) as screen, coalesce((select connection from displays where id = stored.display), 0) as connection from stored_vitals as stored;
CREATE INDEX errors_by_time on stored_errors (site, time);
CREATE TRIGGER errors_delete after delete on stored_errors when old.id > coalesce((select until from trimmed where source = 'errors'), -1) begin insert into changes (source, row) values ('errors', old.id); end;
CREATE TRIGGER errors_update after update on stored_errors when old.id > coalesce((select until from trimmed where source = 'errors'), -1) begin insert into changes (source, row) values ('errors', old.id); end;
CREATE VIEW errors as select id, site, time, visitor, session, client_session, profile, path, query_string, type, message, filename, line, position, stack, entry, coalesce((select referrer from referrals where id = stored.referral), 0) as referrer, coalesce((select source from referrals where id = stored.referral), 0) as source, coalesce((select channel from referrals where id = stored.referral), 0) as channel, coalesce((select click_id from referrals where id = stored.referral), 0) as click_id, coalesce((select utm_source from campaigns where id = stored.campaign), 0) as utm_source, coalesce((select utm_medium from campaigns where id = stored.campaign), 0) as utm_medium, coalesce((select utm_campaign from campaigns where id = stored.campaign), 0) as utm_campaign, coalesce((select utm_term from campaigns where id = stored.campaign), 0) as utm_term, coalesce((select utm_content from campaigns where id = stored.campaign), 0) as utm_content, coalesce((select country from places where id = stored.place), 0) as country, coalesce((select region from places where id = stored.place), 0) as region, coalesce((select city from places where id = stored.place), 0) as city, coalesce((select browser from clients where id = stored.client), 0) as browser, coalesce((select browser_version from clients where id = stored.client), 0) as browser_version, coalesce((select system from clients where id = stored.client), 0) as system, coalesce((select system_version from clients where id = stored.client), 0) as system_version, coalesce((select device from clients where id = stored.client), 0) as device, coalesce((select language from locales where id = stored.locale), 0) as language, coalesce((select time_zone from locales where id = stored.locale), 0) as time_zone, coalesce((select viewport from displays where id = stored.display), 0) as viewport, coalesce((select screen from displays where id = stored.display), 0) as screen, coalesce((select connection from displays where id = stored.display), 0) as connection from stored_errors as stored;
CREATE INDEX outgoing_links_by_time on stored_outgoing_links (site, time);
CREATE TRIGGER outgoing_links_delete after delete on stored_outgoing_links when old.id > coalesce((select until from trimmed where source = 'outgoing_links'), -1) begin insert into changes (source, row) values ('outgoing_links', old.id); end;
CREATE TRIGGER outgoing_links_update after update on stored_outgoing_links when old.id > coalesce((select until from trimmed where source = 'outgoing_links'), -1) begin insert into changes (source, row) values ('outgoing_links', old.id); end;
CREATE VIEW outgoing_links as select id, site, time, visitor, session, client_session, profile, path, query_string, href, text, domain, entry, coalesce((select referrer from referrals where id = stored.referral), 0) as referrer, coalesce((select source from referrals where id = stored.referral), 0) as source, coalesce((select channel from referrals where id = stored.referral), 0) as channel, coalesce((select click_id from referrals where id = stored.referral), 0) as click_id, coalesce((select utm_source from campaigns where id = stored.campaign), 0) as utm_source, coalesce((select utm_medium from campaigns where id = stored.campaign), 0) as utm_medium, coalesce((select utm_campaign from campaigns where id = stored.campaign), 0) as utm_campaign, coalesce((select utm_term from campaigns where id = stored.campaign), 0) as utm_term, coalesce((select utm_content from campaigns where id = stored.campaign), 0) as utm_content, coalesce((select country from places where id = stored.place), 0) as country, coalesce((select region from places where id = stored.place), 0) as region, coalesce((select city from places where id = stored.place), 0) as city, coalesce((select browser from clients where id = stored.client), 0) as browser, coalesce((select browser_version from clients where id = stored.client), 0) as browser_version, coalesce((select system from clients where id = stored.client), 0) as system, coalesce((select system_version from clients where id = stored.client), 0) as system_version, coalesce((select device from clients where id = stored.client), 0) as device, coalesce((select language from locales where id = stored.locale), 0) as language, coalesce((select time_zone from locales where id = stored.locale), 0) as time_zone, coalesce((select viewport from displays where id = stored.display), 0) as viewport, coalesce((select screen from displays where id = stored.display), 0) as screen, coalesce((select connection from displays where id = stored.display), 0) as connection from stored_outgoing_links as stored;
CREATE INDEX engagement_by_time on stored_engagement (site, time);
CREATE TRIGGER engagement_delete after delete on stored_engagement when old.id > coalesce((select until from trimmed where source = 'engagement'), -1) begin insert into changes (source, row) values ('engagement', old.id); end;
CREATE TRIGGER engagement_update after update on stored_engagement when old.id > coalesce((select until from trimmed where source = 'engagement'), -1) begin insert into changes (source, row) values ('engagement', old.id); end;
CREATE VIEW engagement as select id, site, time, visitor, session, client_session, profile, path, query_string, page_index, exit_type, time_on_page, active_time, first_interaction, scroll, scrolls, clicks, keys, interactions, copies, rage_clicks, dead_clicks, rage_target, dead_target, form_fields, form_submits, last_field, errors, entry, coalesce((select referrer from referrals where id = stored.referral), 0) as referrer, coalesce((select source from referrals where id = stored.referral), 0) as source, coalesce((select channel from referrals where id = stored.referral), 0) as channel, coalesce((select click_id from referrals where id = stored.referral), 0) as click_id, coalesce((select utm_source from campaigns where id = stored.campaign), 0) as utm_source, coalesce((select utm_medium from campaigns where id = stored.campaign), 0) as utm_medium, coalesce((select utm_campaign from campaigns where id = stored.campaign), 0) as utm_campaign, coalesce((select utm_term from campaigns where id = stored.campaign), 0) as utm_term, coalesce((select utm_content from campaigns where id = stored.campaign), 0) as utm_content, coalesce((select country from places where id = stored.place), 0) as country, coalesce((select region from places where id = stored.place), 0) as region, coalesce((select city from places where id = stored.place), 0) as city, coalesce((select browser from clients where id = stored.client), 0) as browser, coalesce((select browser_version from clients where id = stored.client), 0) as browser_version, coalesce((select system from clients where id = stored.client), 0) as system, coalesce((select system_version from clients where id = stored.client), 0) as system_version, coalesce((select device from clients where id = stored.client), 0) as device, coalesce((select language from locales where id = stored.locale), 0) as language, coalesce((select time_zone from locales where id = stored.locale), 0) as time_zone, coalesce((select viewport from displays where id = stored.display), 0) as viewport, coalesce((select screen from displays where id = stored.display), 0) as screen, coalesce((select connection from displays where id = stored.display), 0) as connection from stored_engagement as stored;
CREATE INDEX flag_exposures_by_time on stored_flag_exposures (site, time);
CREATE TRIGGER flag_exposures_delete after delete on stored_flag_exposures when old.id > coalesce((select until from trimmed where source = 'flag_exposures'), -1) begin insert into changes (source, row) values ('flag_exposures', old.id); end;
CREATE TRIGGER flag_exposures_update after update on stored_flag_exposures when old.id > coalesce((select until from trimmed where source = 'flag_exposures'), -1) begin insert into changes (source, row) values ('flag_exposures', old.id); end;
CREATE VIEW flag_exposures as select id, site, time, visitor, session, client_session, profile, path, query_string, flag, variant, entry, coalesce((select referrer from referrals where id = stored.referral), 0) as referrer, coalesce((select source from referrals where id = stored.referral), 0) as source, coalesce((select channel from referrals where id = stored.referral), 0) as channel, coalesce((select click_id from referrals where id = stored.referral), 0) as click_id, coalesce((select utm_source from campaigns where id = stored.campaign), 0) as utm_source, coalesce((select utm_medium from campaigns where id = stored.campaign), 0) as utm_medium, coalesce((select utm_campaign from campaigns where id = stored.campaign), 0) as utm_campaign, coalesce((select utm_term from campaigns where id = stored.campaign), 0) as utm_term, coalesce((select utm_content from campaigns where id = stored.campaign), 0) as utm_content, coalesce((select country from places where id = stored.place), 0) as country, coalesce((select region from places where id = stored.place), 0) as region, coalesce((select city from places where id = stored.place), 0) as city, coalesce((select browser from clients where id = stored.client), 0) as browser, coalesce((select browser_version from clients where id = stored.client), 0) as browser_version, coalesce((select system from clients where id = stored.client), 0) as system, coalesce((select system_version from clients where id = stored.client), 0) as system_version, coalesce((select device from clients where id = stored.client), 0) as device, coalesce((select language from locales where id = stored.locale), 0) as language, coalesce((select time_zone from locales where id = stored.locale), 0) as time_zone, coalesce((select viewport from displays where id = stored.display), 0) as viewport, coalesce((select screen from displays where id = stored.display), 0) as screen, coalesce((select connection from displays where id = stored.display), 0) as connection from stored_flag_exposures as stored;
DELETE FROM sqlite_sequence;
INSERT INTO "sqlite_sequence" VALUES('clients',1);
INSERT INTO "sqlite_sequence" VALUES('campaigns',0);
INSERT INTO "sqlite_sequence" VALUES('changes',2);
INSERT INTO "sqlite_sequence" VALUES('referrals',1);
INSERT INTO "sqlite_sequence" VALUES('places',0);
INSERT INTO "sqlite_sequence" VALUES('locales',0);
INSERT INTO "sqlite_sequence" VALUES('displays',0);
INSERT INTO "sqlite_sequence" VALUES('transitions',1);
INSERT INTO "sqlite_sequence" VALUES('removal_orders',1);
COMMIT;
