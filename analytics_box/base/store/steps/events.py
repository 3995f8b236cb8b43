"""The schema of events.db, as an append-only list of steps."""

from collections.abc import Mapping

from analytics_box.base.store.steps.checks import null_allowed
from analytics_box.base.store.stored_facts import (
    CHANGED_DAYS,
    FLAG_EXPOSURES,
    KINDS_AS_A_RANGE,
    LASTING_IDS,
    MORE_COMBINATIONS,
    MORE_KINDS,
    NOT_MEASURED,
    SILENT_BELOW_FLOORS,
    STORED_FACTS,
)

_FACTS = ("vitals", "errors", "outgoing_links", "engagement")
_PEOPLE = ("visitor_profiles", "link_clicks", "erasures")

# Steps that change or remove rows, and in which tables (by their names before the step).
EVENTS_REWRITTEN: Mapping[str, tuple[str, ...]] = {
    "0003_people": ("visitor_profiles",),
    "0006_changes": ("visitor_profiles",),
    "0007_stored_facts": ("events", *_FACTS, *_PEOPLE, "erasure_strings"),
    "0008_not_measured": ("stored_engagement",),
    "0009_lasting_ids": ("stored_events", *(f"stored_{table}" for table in _FACTS), *_PEOPLE),
    "0041_more_combinations": ("stored_events", *(f"stored_{table}" for table in _FACTS), "stored_flag_exposures"),
}

EVENTS = (
    (
        "0001_events",
        (
            """
            create table strings (
              id               integer primary key,
              value            text    not null unique
            ) strict
            """,
            "insert into strings (id, value) values (0, '')",
            # One row per event, in the order of arrival. Numbers named after a string are ids in strings; 0 is none.
            # From session_started to utm_content a row repeats what its session had at its first event.
            """
            create table events (
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
            ) strict
            """,
            "create index events_by_time on events (site, time)",
        ),
    ),
    (
        "0002_places_spans_profiles",
        (
            # What else an event has of its own: who the site says it was, how often the page was used, and what a
            # program called itself.
            "alter table events add column profile integer not null default 0",
            "alter table events add column interactions integer not null default 0 check (interactions >= 0)",
            "alter table events add column agent integer not null default 0",
            # And what its session had at its first event.
            "alter table events add column channel integer not null default 0",
            "alter table events add column click_id integer not null default 0",
            "alter table events add column country integer not null default 0",
            "alter table events add column region integer not null default 0",
            "alter table events add column city integer not null default 0",
            "alter table events add column connection integer not null default 0",
            *(
                statement
                for table, own in (
                    # value: milliseconds, for CLS its score, for FPS frames a second
                    ("vitals", "metric integer not null, value real not null check (value >= 0)"),
                    (
                        "errors",
                        """
                        type integer not null, message integer not null, filename integer not null,
                        line integer not null check (line >= 0), position integer not null check (position >= 0),
                        stack integer not null
                        """,
                    ),
                    ("outgoing_links", "href integer not null, text integer not null, domain integer not null"),
                    # One visit of one page. Times are milliseconds, depth is percent.
                    (
                        "engagement",
                        """
                        page_index integer not null, exit_type integer not null, time_on_page integer not null,
                        active_time integer not null, first_interaction integer not null,
                        scroll integer not null check (scroll between 0 and 100), scrolls integer not null,
                        clicks integer not null, keys integer not null, interactions integer not null,
                        copies integer not null, rage_clicks integer not null, dead_clicks integer not null,
                        rage_target integer not null, dead_target integer not null,
                        form_fields integer not null, form_submits integer not null, last_field integer not null,
                        errors integer not null
                        """,
                    ),
                )
                for statement in (
                    f"""
                    create table {table} (
                      id               integer primary key,
                      site             integer not null,
                      time             integer not null,
                      visitor          integer not null,
                      session          integer not null,
                      client_session   integer not null,
                      profile          integer not null,
                      path             integer not null,
                      query_string     integer not null,
                      {own},
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
                    """,
                    f"create index {table}_by_time on {table} (site, time)",
                )
            ),
            # People as the site names them (identify). traits are sealed with secret.key.
            """
            create table profiles (
              site             integer not null,
              profile          integer not null,
              created_at       integer not null,
              updated_at       integer not null,
              traits           blob,
              primary key (site, profile)
            ) strict, without rowid
            """,
            # Which visitor was which person: a visitor's id of a day, and the person it turned out to be.
            """
            create table visitor_profiles (
              site             integer not null,
              visitor          integer not null,
              profile          integer not null,
              time             integer not null,
              primary key (site, visitor)
            ) strict, without rowid
            """,
            "create index visitor_profiles_by_profile on visitor_profiles (site, profile)",
            # Ids of events that came with one, so that none counts twice: the newest in the order of arrival, …
            """
            create table event_ids_new (
              id               integer primary key,
              digest           integer not null,
              until            integer not null
            ) strict
            """,
            # … and all others by themselves.
            """
            create table event_ids (
              digest           integer primary key,
              until            integer not null
            ) strict
            """,
            # What was not taken, or taken and not counted: how often, by UTC day and reason.
            """
            create table drops (
              site             integer not null,
              day              integer not null,
              reason           text    not null check (length(reason) between 1 and 64),
              count            integer not null check (count > 0),
              primary key (site, day, reason)
            ) strict, without rowid
            """,
        ),
    ),
    (
        "0003_people",
        (
            # Who a visitor was from `time` on: until somebody else was identified there. What a visitor did before the
            # first row here belongs to that row's person too. (The table of the step before was never written to.)
            "drop table visitor_profiles",
            """
            create table visitor_profiles (
              site             integer not null,
              visitor          integer not null,
              time             integer not null,
              profile          integer not null,
              primary key (site, visitor, time)
            ) strict, without rowid
            """,
            "create index visitor_profiles_by_profile on visitor_profiles (site, profile)",
            # A keyed hash of the e-mail address in the traits, to find a person by it; the address itself is sealed.
            "alter table profiles add column email blob check (email is null or length(email) = 16)",
            "create index profiles_by_email on profiles (site, email) where email is not null",
            "create index profiles_by_update on profiles (site, updated_at)",
            # A person that is being removed: who asked, and which visitors it was when. A row is there until the last
            # trace is gone, so that a restart goes on with it. visitors: [[visitor, from, until], ...], times in ms.
            """
            create table erasures (
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
            """,
            # Strings that removed rows had; those that no other row has go last.
            """
            create table erasure_strings (
              erasure          text    not null references erasures (id) on delete cascade,
              string           integer not null,
              primary key (erasure, string)
            ) strict, without rowid
            """,
        ),
    ),
    (
        "0004_flagged_events",
        # Events that are held for a program's: few beside all others, counted by name and removed after 30 days.
        ("create index events_flagged on events (site, bot, agent, time) where bot <> 0",),
    ),
    (
        "0005_link_clicks",
        (
            # What followed a short link, in the order of arrival. `link` is its number in box.db. `kind`: 1 a click of
            # a person, 2 a program, 3 a program that makes previews, 4 a prefetch, 5 a HEAD request. Numbers named
            # after a string are ids in strings; 0 is none. `variant` and `rule` name what chose the target. `visitor`
            # is made with the salt of the day; `landing_visitor` is who that will be on the website `landing`, where
            # the target is one of the box's own.
            """
            create table link_clicks (
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
            """,
            "create index link_clicks_by_time on link_clicks (link, time)",
            # Clicks of people on a link so far, however long its clicks are kept; links can end after so many.
            """
            create table link_totals (
              link             integer primary key,
              clicks           integer not null check (clicks > 0),
              last             integer not null
            ) strict
            """,
            # Short addresses that lead nowhere: how often, by UTC day, kind (as above) and slug; past the first ones of
            # a day the slug is empty. `domain` is empty on the box's own host.
            """
            create table link_orphans (
              domain           text    not null check (length(domain) <= 253),
              day              integer not null,
              kind             integer not null check (kind between 1 and 5),
              slug             text    not null check (length(slug) <= 50),
              count            integer not null check (count > 0),
              primary key (domain, day, kind, slug)
            ) strict, without rowid
            """,
        ),
    ),
    (
        "0006_changes",
        (
            # Who a visitor was, with ids in the order of arrival like every other table that has a column replica.
            "alter table visitor_profiles rename to visitor_profiles_before",
            "drop index visitor_profiles_by_profile",
            """
            create table visitor_profiles (
              id               integer primary key,
              site             integer not null,
              visitor          integer not null,
              time             integer not null,
              profile          integer not null,
              unique (site, visitor, time)
            ) strict
            """,
            """
            insert into visitor_profiles (site, visitor, time, profile)
            select site, visitor, time, profile from visitor_profiles_before
            """,
            "drop table visitor_profiles_before",
            "create index visitor_profiles_by_profile on visitor_profiles (site, profile)",
            # Rows that were removed or changed after they were added, for the column replica to follow. The numbers
            # never come twice. What the replica has, or is there without a replica, is removed again.
            """
            create table changes (
              id               integer primary key autoincrement,
              source           text    not null,
              row              integer not null
            ) strict
            """,
            *(
                f"""
                create trigger {table}_{event} after {event} on {table}
                begin insert into changes (source, row) values ('{table}', old.id); end
                """
                for table in (
                    *("events", "vitals", "errors", "outgoing_links", "engagement", "link_clicks"),
                    *("visitor_profiles", "strings"),
                )
                for event in ("delete", "update")
            ),
        ),
    ),
    ("0007_stored_facts", STORED_FACTS),
    ("0008_not_measured", NOT_MEASURED),
    ("0009_lasting_ids", LASTING_IDS),
    (
        "0010_replaced",
        (
            # What rows of a session had before something earlier arrived: numbers of strings (kind strings) and of
            # their combinations (clients, campaigns). Nothing may be left that refers to them but this.
            """
            create table replaced (
              site             integer not null,
              session          integer not null,
              kind             text    not null check (kind in ('strings', 'clients', 'campaigns')),
              number           integer not null check (number > 0),
              primary key (site, session, kind, number)
            ) strict, without rowid
            """,
        ),
    ),
    (
        "0011_box",
        (
            # Whose events these are, as box.db says, and the highest numbers that it has given to websites and links.
            """
            create table box (
              one              integer primary key check (one = 1),
              id               text    not null check (length(id) in (0, 32)),
              last_site        integer not null check (last_site >= 0),
              last_link        integer not null check (last_link >= 0)
            ) strict
            """,
            "insert into box (one, id, last_site, last_link) values (1, '', 0, 0)",
        ),
    ),
    (
        "0012_checks",
        (
            # Checks of monitors, in the order of arrival; `monitor` is its number in box.db. `status`: 1 up, 0 down,
            # 2 pending. `kind`: 1 http, 2 tcp, 3 dns, 4 tls, 5 ping, 6 push. A row stands for `count` checks: old ones
            # are put together, and their durations, in microseconds, are sums. Null is what was not measured.
            """
            create table checks (
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
              data             text    check (json_valid(data))
            ) strict
            """,
            "create index checks_by_time on checks (monitor, time)",
            # How a monitor was from `start` on (UTC ms) until `until`, 0 for now. `state`: 1 up, 2 degraded, 3 down,
            # 4 unknown, 5 maintenance, 6 paused.
            """
            create table monitor_spans (
              id               integer primary key,
              monitor          integer not null,
              state            integer not null check (state between 1 and 6),
              start            integer not null,
              until            integer not null check (until = 0 or until >= start)
            ) strict
            """,
            "create index monitor_spans_by_time on monitor_spans (monitor, start)",
            "create unique index monitor_spans_open on monitor_spans (monitor) where until = 0",
            # What goes on from check to check.
            """
            create table monitor_states (
              monitor          integer primary key,
              state            text    not null check (json_valid(state))
            ) strict
            """,
            # When the box last watched, and when a canary last answered (UTC ms). Older checks than these UTC days are
            # put together by hour, and by day.
            """
            create table monitor_engine (
              one              integer primary key check (one = 1),
              alive_at         integer not null,
              canaries_at      integer not null default 0,
              hours_until      integer not null default 0,
              days_until       integer not null default 0
            ) strict
            """,
            # What became of monitors, until it has been told; what was muted counts as told.
            """
            create table transitions (
              id               integer primary key autoincrement,
              monitor          integer not null,
              time             integer not null,
              what             text    not null check (length(what) between 1 and 40),
              detail           text    not null check (json_valid(detail)),
              told             integer not null default 0 check (told in (0, 1))
            ) strict
            """,
            "create index transitions_waiting on transitions (id) where told = 0",
            "alter table box add column last_monitor integer not null default 0 check (last_monitor >= 0)",
            *(
                f"""
                create trigger {table}_{event} after {event} on {table}
                begin insert into changes (source, row) values ('{table}', old.id); end
                """
                for table in ("checks", "monitor_spans")
                for event in ("delete", "update")
            ),
        ),
    ),
    ("0013_flag_exposures", FLAG_EXPOSURES),
    ("0014_changed_days", CHANGED_DAYS),
    (
        "0015_trimmed",
        (
            # Of which tables of facts the rows up to which id are in ClickHouse only. A row of no website stands in the
            # place of the last of them, so that no id comes again.
            """
            create table trimmed (
              source           text    primary key,
              until            integer not null check (until > 0)
            ) strict, without rowid
            """,
            # Of each website how many, and the times of the first and the last of them (UTC ms).
            """
            create table trimmed_sites (
              site             integer not null,
              source           text    not null,
              count            integer not null check (count > 0),
              first            integer not null,
              last             integer not null,
              primary key (site, source)
            ) strict, without rowid
            """,
            # What is to be removed of them: by condition, for their ids are known there only.
            """
            create table removal_orders (
              id               integer primary key autoincrement,
              of_site          integer not null,
              what             text    not null check (json_valid(what))
            ) strict
            """,
            *SILENT_BELOW_FLOORS,
        ),
    ),
    (
        "0016_text_numbers",
        (
            # Numbers of strings that are the same on several machines; empty where there is one.
            """
            create table text_numbers (
              id               integer primary key,
              number           integer not null
            ) strict
            """,
            """
            create trigger text_numbers_forget after delete on strings
            begin delete from text_numbers where id = old.id; end
            """,
        ),
    ),
    (
        "0017_outbox",
        (
            # Of an ingest machine: what it has for the primary, until that has written it down. `said` is sealed.
            """
            create table outbox (
              id               integer primary key autoincrement,
              site             integer not null,
              said             blob    not null
            ) strict
            """,
            # Of a primary: the last of these that it has written down, of each machine.
            """
            create table inbox (
              machine          integer primary key,
              last             integer not null
            ) strict
            """,
        ),
    ),
    ("0018_kinds_as_a_range", KINDS_AS_A_RANGE),
    ("0019_check_of_nothing", null_allowed("checks", "data")),
    ("0020_held_measurements", MORE_KINDS),
    (
        "0030_urls_masked",
        (
            # Whether URLs in checks of earlier versions are masked.
            "alter table monitor_engine add column urls_masked integer not null default 0"
            " check (urls_masked in (0, 1))",
        ),
    ),
    ("0041_more_combinations", MORE_COMBINATIONS),
)
