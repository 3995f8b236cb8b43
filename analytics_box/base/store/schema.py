"""The schemas of box.db and events.db, as append-only lists of steps. The first step is the schema of 0.1.0.

A released step never changes. To change the schema, add a step at the end of a list. A step that changes or removes
rows is listed in REWRITES: the start creates a backup before it.

Times are UTC epoch milliseconds. Steps run on the system's SQLite, so they use nothing newer than 3.37.
"""

from collections.abc import Mapping
from typing import NamedTuple

from analytics_box.base.store.tables.accounts import ACCOUNTS
from analytics_box.base.store.tables.box import CLUSTER, OVERVIEW, THIS_BOX
from analytics_box.base.store.tables.events import (
    AI_REQUESTS,
    ERROR_GROUPS,
    ERRORS_BY_GROUP,
    MCP_CALLS,
    TRANSACTIONS,
    VIEWS_WITH_COMBINATIONS,
)
from analytics_box.base.store.tables.events import EVENTS as EVENT_TABLES
from analytics_box.base.store.tables.links_and_flags import FLAGS, LINKS
from analytics_box.base.store.tables.monitors import MONITORS
from analytics_box.base.store.tables.status_pages import STATUS_PAGES

Step = tuple[str, tuple[str, ...]]  # name, statements

BOX_FILE = "box.db"
EVENTS_FILE = "events.db"

FIRST = "0001_schema"

BOX: tuple[Step, ...] = (
    (
        FIRST,
        (*THIS_BOX, *ACCOUNTS, *LINKS, *MONITORS, *STATUS_PAGES, *FLAGS, *OVERVIEW, *CLUSTER),
    ),
    (
        "0002_status_page_drafts",
        ("alter table status_pages add column published integer not null default 1 check (published in (0, 1))",),
    ),
    (
        "0003_announced_maintenance",
        (
            """
            alter table maintenance_windows
            add column announced integer not null default 0 check (announced in (0, 1))
            """,
        ),
    ),
    # Several monitors can check one URL. Calls that do not allow it still answer a conflict.
    (
        "0004_monitors_share_urls",
        (
            "drop index monitors_by_url",
            """
            create index monitors_by_url
            on monitors (organization_id, url, coalesce(json_extract(options, '$.record'), ''))
            """,
        ),
    ),
    # The event that counts as a success of a flag, for the page with its results.
    (
        "0005_flag_metrics",
        (
            """
            create table flag_metrics (
              flag_id  text primary key references flags (id) on delete cascade,
              event    text not null check (length(event) between 1 and 256)
            ) strict, without rowid
            """,
        ),
    ),
    # The last message to subscribers of a page about an announced maintenance window. The window may be gone.
    (
        "0006_window_messages",
        (
            """
            create table status_page_windows (
              page_id    text not null references status_pages (id) on delete cascade,
              window_id  text not null check (length(window_id) between 8 and 64),
              news       text not null check (json_valid(news)),
              primary key (page_id, window_id)
            ) strict, without rowid
            """,
        ),
    ),
    # Settings that administrators changed in the settings area: JSON by name, encrypted if it is a secret. And until
    # when an administrator has dismissed a notice.
    (
        "0007_stored_settings",
        (
            """
            create table settings (
              name   text primary key check (length(name) between 1 and 64),
              value  blob not null check (length(value) <= 32768)
            ) strict, without rowid
            """,
            """
            create table dismissed_notices (
              user_id  text not null references users (id) on delete cascade,
              code     text not null check (length(code) between 1 and 64),
              until    integer not null,
              primary key (user_id, code)
            ) strict, without rowid
            """,
        ),
    ),
    # The day on which weeks begin on a user's pages. Presets of the API always begin on Sunday.
    (
        "0008_week_start",
        (
            """
            alter table users
            add column week_start text not null default 'sunday' check (week_start in ('sunday', 'monday'))
            """,
        ),
    ),
    # Funnels of a website (wire 10.5).
    (
        "0009_funnels",
        (
            """
            create table funnels (
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
            """,
            "create index funnels_of on funnels (website_id)",
        ),
    ),
    # What members have decided about groups of JavaScript errors.
    (
        "0010_error_groups",
        (
            """
            create table error_groups (
              id               text    primary key check (length(id) between 8 and 64),
              website_id       text    not null references websites (id) on delete cascade,
              fingerprint      text    not null check (length(fingerprint) between 1 and 2048),
              state            text    not null check (state in ('open', 'resolved', 'ignored')),
              in_next_release  integer not null default 0 check (in_next_release in (0, 1)),
              decided_at       integer not null,
              created_by       text    not null,
              created_at       integer not null,
              updated_at       integer not null,
              unique (website_id, fingerprint)
            ) strict
            """,
        ),
    ),
    # Share links of a website.
    (
        "0011_shares",
        (
            """
            create table shares (
              id               text    primary key check (length(id) between 8 and 64),
              website_id       text    not null references websites (id) on delete cascade,
              slug             text    not null unique check (length(slug) between 16 and 64),
              name             text    not null check (length(name) between 1 and 255),
              expires_at       integer,
              password         text,
              filters          text    not null check (json_valid(filters)),
              time_zone        text    not null,
              created_by       text    not null,
              created_at       integer not null,
              updated_at       integer not null
            ) strict
            """,
            "create index shares_of on shares (website_id)",
        ),
    ),
    # What a share link shows, how it looks, where it is embedded, and how often it was opened.
    (
        "0012_share_options",
        (
            """
            create table new_shares (
              id               text    primary key check (length(id) between 8 and 64),
              website_id       text    not null references websites (id) on delete cascade,
              slug             text    not null unique check (length(slug) between 3 and 64),
              name             text    not null check (length(name) between 1 and 255),
              title            text    check (length(title) between 1 and 255),
              panels           text    not null check (json_valid(panels)),
              earliest_date    text    check (length(earliest_date) = 10),
              accent           text    check (length(accent) = 7),
              shows_logo       integer not null check (shows_logo in (0, 1)),
              is_indexed       integer not null check (is_indexed in (0, 1)),
              embed_hosts      text    not null check (json_valid(embed_hosts)),
              has_badge        integer not null check (has_badge in (0, 1)),
              expires_at       integer,
              password         text,
              filters          text    not null check (json_valid(filters)),
              time_zone        text    not null,
              views            integer not null check (views >= 0),
              viewed_at        integer,
              created_by       text    not null,
              created_at       integer not null,
              updated_at       integer not null
            ) strict
            """,
            """
            insert into new_shares
              (id, website_id, slug, name, panels, shows_logo, is_indexed, embed_hosts, has_badge, expires_at,
               password, filters, time_zone, views, created_by, created_at, updated_at)
            select id, website_id, slug, name, '["sources","pages","places","devices"]', 0, 0, '[]', 0, expires_at,
                   password, filters, time_zone, 0, created_by, created_at, updated_at
            from shares
            """,
            "drop table shares",
            "alter table new_shares rename to shares",
            "create index shares_of on shares (website_id)",
        ),
    ),
    # Reports of a website, their recipients, and the outbox of their mails. A run is a report on a period; at most one
    # of the schedule per period.
    (
        "0013_reports",
        (
            """
            create table reports (
              id            text    primary key check (length(id) between 8 and 64),
              website_id    text    not null references websites (id) on delete cascade,
              name          text    not null check (length(name) between 1 and 100),
              frequency     text    not null check (frequency in ('daily', 'weekly', 'monthly', 'weekdays')),
              weekdays      text    not null check (json_valid(weekdays)),
              hour          integer not null check (hour between 0 and 23),
              time_zone     text    not null,
              sections      text    not null check (json_valid(sections)),
              is_active     integer not null check (is_active in (0, 1)),
              filters       text    not null check (json_valid(filters)),
              active_since  integer not null,
              created_by    text    not null,
              created_at    integer not null,
              updated_at    integer not null
            ) strict
            """,
            "create index reports_of on reports (website_id)",
            """
            create table report_channels (
              report_id   text not null references reports (id) on delete cascade,
              channel_id  text not null references channels (id) on delete cascade,
              primary key (report_id, channel_id)
            ) strict, without rowid
            """,
            "create index report_channels_by_channel on report_channels (channel_id)",
            """
            create table report_recipients (
              id             text    primary key check (length(id) between 8 and 64),
              report_id      text    not null references reports (id) on delete cascade,
              email          text    not null check (length(email) between 3 and 254),
              kind           text    not null default 'email' check (kind = 'email'),
              user_id        text    references users (id) on delete cascade,
              confirmed_at   integer,
              asked_at       integer not null,
              created_at     integer not null,
              failures       integer not null default 0,
              failing_since  integer,
              not_before     integer not null default 0,
              unique (report_id, email)
            ) strict
            """,
            "create index report_recipients_by_user on report_recipients (user_id)",
            """
            create table report_runs (
              id          text    primary key check (length(id) between 8 and 64),
              report_id   text    not null references reports (id) on delete cascade,
              first_day   text    not null,
              last_day    text    not null,
              manual      integer not null check (manual in (0, 1)),
              content     text    not null check (json_valid(content)),
              created_at  integer not null
            ) strict
            """,
            "create unique index report_runs_by_period on report_runs (report_id, first_day) where manual = 0",
            "create index report_runs_of on report_runs (report_id)",
            """
            create table report_deliveries (
              number        integer primary key,
              recipient_id  text    not null references report_recipients (id) on delete cascade,
              run_id        text    references report_runs (id) on delete cascade,
              created_at    integer not null,
              due_at        integer,
              attempts      integer not null default 0,
              ended_at      integer,
              error         text    not null default '',
              unique (recipient_id, run_id)
            ) strict
            """,
            "create index report_deliveries_of on report_deliveries (run_id)",
            "create index report_deliveries_due on report_deliveries (due_at) where due_at is not null",
        ),
    ),
    # Source maps of a website's scripts. Their contents are apart, so that lists do not read them.
    (
        "0014_source_maps",
        (
            """
            create table source_maps (
              id               text    primary key check (length(id) between 8 and 64),
              website_id       text    not null references websites (id) on delete cascade,
              release          text    not null check (length(release) <= 64),
              script           text    not null check (length(script) between 1 and 512),
              size             integer not null check (size > 0),
              created_by       text    not null,
              created_at       integer not null,
              unique (website_id, script, release)
            ) strict
            """,
            """
            create table source_map_contents (
              id       text primary key references source_maps (id) on delete cascade,
              content  blob not null
            ) strict
            """,
        ),
    ),
    # The ids of the websites, links, monitors, status pages and flags that a member can access; null for all.
    (
        "0015_member_resources",
        (
            "alter table members add column resources text check (resources is null or json_valid(resources))",
            "alter table invitations add column resources text check (resources is null or json_valid(resources))",
        ),
    ),
    # The domain at whose root a share link is served.
    (
        "0016_share_domains",
        (
            "alter table shares add column domain text",
            "create unique index shares_at_domain on shares (domain) where domain is not null",
        ),
    ),
    # CSV files of reports. Their content is deleted once no delivery needs it.
    (
        "0017_report_exports",
        (
            "alter table reports add column exports text not null default '[]' check (json_valid(exports))",
            """
            create table report_exports (
              run_id      text    primary key references report_runs (id) on delete cascade,
              name        text    not null,
              content     blob,
              created_at  integer not null,
              due_at      integer,
              attempts    integer not null default 0,
              ended_at    integer,
              error       text    not null default ''
            ) strict
            """,
            "create index report_exports_due on report_exports (due_at) where due_at is not null",
        ),
    ),
    # Imports of history into a website. The report says what an import brings and what it leaves out.
    (
        "0018_history_imports",
        (
            """
            create table history_imports (
              id          text    primary key check (length(id) between 8 and 64),
              website_id  text    not null references websites (id) on delete cascade,
              provider    text    not null,
              version     text    not null,
              kind        text    not null check (kind in ('', 'events', 'totals')),
              file_name   text    not null check (length(file_name) <= 255),
              size        integer not null check (size >= 0),
              digest      text    not null,
              state       text    not null check (state in ('created', 'uploaded', 'checking', 'checked', 'running',
                                                            'done', 'failed', 'undoing', 'undone')),
              error       text    not null,
              report      text    not null check (json_valid(report)),
              created_by  text    not null,
              created_at  integer not null,
              updated_at  integer not null
            ) strict
            """,
            "create index history_imports_of on history_imports (website_id)",
        ),
    ),
    # Further websites of a report, or all of its organization, and the format of its files.
    (
        "0019_report_websites",
        (
            "alter table reports add column all_websites integer not null default 0 check (all_websites in (0, 1))",
            """
            alter table reports add column file_format text not null default 'csv'
              check (file_format in ('csv', 'parquet'))
            """,
            """
            create table report_websites (
              report_id   text not null references reports (id) on delete cascade,
              website_id  text not null references websites (id) on delete cascade,
              primary key (report_id, website_id)
            ) strict, without rowid
            """,
        ),
    ),
    # The logo of a share link; `logo` is the digest of its picture, empty for none.
    (
        "0020_share_logos",
        (
            "alter table shares add column logo text not null default ''",
            """
            create table share_logos (
              share_id  text primary key references shares (id) on delete cascade,
              type      text not null,
              image     blob not null
            ) strict
            """,
        ),
    ),
    # A website that moves to another organization takes its reports along, but not the other websites of them: outside
    # recipients would receive the figures of another organization.
    (
        "0021_reports_of_moved_websites",
        (
            """
            create trigger reports_of_moved_websites after update of organization_id on websites
            when new.organization_id <> old.organization_id
            begin
              update reports set all_websites = 0, updated_at = updated_at + 1
              where website_id = new.id and all_websites = 1;
              delete from report_websites
              where website_id = new.id or report_id in (select id from reports where website_id = new.id);
            end
            """,
        ),
    ),
    # The language of a report.
    (
        "0022_report_languages",
        (
            """
            alter table reports add column language text not null default 'en'
            check (language in ('en', 'de', 'es', 'fr', 'it', 'nl', 'pt'))
            """,
        ),
    ),
    # Payment providers of a website, which report to an address with this hash. `secret` is encrypted.
    (
        "0023_revenue_providers",
        (
            """
            create table revenue_providers (
              id               text    primary key check (length(id) between 8 and 64),
              website_id       text    not null references websites (id) on delete cascade,
              provider         text    not null check (provider in ('stripe', 'paddle')),
              hash             text    not null unique check (length(hash) between 20 and 64),
              secret           blob    not null,
              deliveries       integer not null check (deliveries >= 0),
              ignored          integer not null check (ignored >= 0),
              failures         integer not null check (failures >= 0),
              delivered_at     integer,
              failed_at        integer,
              last_event       text    not null check (length(last_event) <= 100),
              last_failure     text    not null check (length(last_failure) <= 100),
              created_by       text    not null,
              created_at       integer not null,
              updated_at       integer not null
            ) strict
            """,
            "create index revenue_providers_of on revenue_providers (website_id)",
            """
            create table currency_rates (
              organization_id  text    not null references organizations (id) on delete cascade,
              currency         text    not null check (length(currency) = 3),
              target           text    not null check (length(target) = 3 and target <> currency),
              day              text    not null check (length(day) = 10),
              rate             text    not null check (length(rate) between 1 and 40),
              primary key (organization_id, currency, target, day)
            ) strict, without rowid
            """,
        ),
    ),
)
# Imported history: the progress of each import, and totals of days, by the names of the roll-ups that they add to.
_IMPORTED = (
    """
    create table imported_days (
      site       integer not null,
      roll       text    not null check (length(roll) between 1 and 64),
      day        integer not null,
      value      text    not null,
      second     text    not null,
      import     integer not null,
      visitors   integer not null check (visitors >= 0),
      visits     integer not null check (visits >= 0),
      pageviews  integer not null check (pageviews >= 0),
      bounces    integer not null check (bounces >= 0),
      seconds    integer not null check (seconds >= 0),
      events     integer not null check (events >= 0),
      primary key (site, roll, day, value, second)
    ) strict, without rowid
    """,
    """
    create table import_progress (
      id             integer primary key autoincrement,
      import_id      text    not null unique check (length(import_id) between 8 and 64),
      site           integer not null,
      first_session  integer not null check (first_session > 0),
      sessions       integer not null check (sessions >= 0),
      cursor         integer not null check (cursor >= 0),
      written        integer not null check (written >= 0),
      first_day      integer not null,
      last_day       integer not null
    ) strict
    """,
)
EVENTS: tuple[Step, ...] = (
    (FIRST, EVENT_TABLES),
    ("0002_combinations_in_views", VIEWS_WITH_COMBINATIONS),
    # The release of the website with which errors and vitals happened, and the group of an error.
    ("0003_error_groups", ERROR_GROUPS),
    ("0004_errors_by_group", (ERRORS_BY_GROUP,)),
    ("0005_imported_history", _IMPORTED),
    ("0006_mcp_calls", MCP_CALLS),
    ("0007_transactions", TRANSACTIONS),
    ("0008_ai_requests", AI_REQUESTS),
)

# Steps of events.db that change or remove rows, and the tables that they change (by their names before the step).
EVENTS_REWRITTEN: Mapping[str, tuple[str, ...]] = {}

# The same for both files.
REWRITES: Mapping[str, tuple[str, ...]] = {**EVENTS_REWRITTEN, "0012_share_options": ("shares",)}


class Development(NamedTuple):
    """The steps of the last development version before 0.1.0: the name of the last one, and how many there are."""

    last: str
    length: int


# Files with these steps have the schema of FIRST.
DEVELOPMENT: Mapping[str, Development] = {
    BOX_FILE: Development("0042_updates_sent", 32),
    EVENTS_FILE: Development("0041_more_combinations", 22),
}
