"""The tables of events.db: events and other facts, people, clicks, checks, and records for other machines.

A fact table is stored as `stored_NAME`. NAME is a view of it with a column for each attribute. Attributes that occur
in few combinations, such as a browser with its system and device, are stored once per combination, and rows have its
number: each column takes a byte of each row's header in addition to its value. Columns named after a string hold ids of
`strings`; 0 is none. Null was not measured.
"""

# The numbers that visitors and sessions have in every fact table. Visitor ids have 47 bits, which SQLite stores in six
# bytes, and are odd if they last and even otherwise (ingest/visitors). Sessions are numbered in their order.
_VISIT = """
  id               integer primary key,
  site             integer not null,
  time             integer not null,
  visitor          integer not null check (visitor between 0 and 0x7fffffffffff),
  session          integer not null check (session >= 0),
  client_session   integer not null,
  profile          integer not null,
  path             integer not null,
  query_string     integer not null"""

_VISIT_READ = "id, site, time, visitor, session, client_session, profile, path, query_string"

# The attributes of a session at its first event.
_SESSION = """
  entry            integer not null,
  referral         integer not null,
  campaign         integer not null,
  place            integer not null,
  client           integer not null,
  locale           integer not null,
  display          integer not null"""

# Table and columns of each combination, by the column that refers to it.
_COMBINATIONS = {
    "referral": ("referrals", ("referrer", "source", "channel", "click_id")),
    "campaign": ("campaigns", ("utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content")),
    "place": ("places", ("country", "region", "city")),
    "client": ("clients", ("browser", "browser_version", "system", "system_version", "device")),
    "locale": ("locales", ("language", "time_zone")),
    "display": ("displays", ("viewport", "screen", "connection")),
}

_SESSION_READ = "entry,\n  " + ",\n  ".join(
    f"coalesce((select {name} from {table} where id = stored.{column}), 0) as {name}"
    for column, (table, names) in _COMBINATIONS.items()
    for name in names
)


def _combination(table: str, names: tuple[str, ...]) -> tuple[str, ...]:
    columns = "".join(f"\n  {name:16} integer not null," for name in names)
    return (
        f"create table {table} (\n  id               integer primary key autoincrement,{columns}"
        f"\n  unique ({', '.join(names)})\n) strict",
        f"insert into {table} values (0, {', '.join('0' * len(names))})",
    )


def _changes(table: str, stored: str = "", condition: str = "", columns: str = "", values: str = "") -> tuple[str, ...]:
    """Triggers that record deleted and updated rows for the column replica."""
    return tuple(
        f"create trigger {table}_{event} after {event} on {stored or table}{condition}"
        f"\nbegin insert into changes (source, row{columns}) values ('{table}', old.id{values}); end"
        for event in ("delete", "update")
    )


def _facts(table: str, own: str, *, days: bool = False) -> tuple[str, ...]:
    """A fact table of `own` columns, with its index and triggers.

    Rows that were trimmed are in ClickHouse, so their deletion is no change. With `days` a change also records the UTC
    days of the event, by its time and by the start of its session: they must be rolled up again.
    """
    began = "old.time / 86400000, iif(old.session = 0, old.time, old.time - old.since_start) / 86400000"
    return (
        f"create table stored_{table} ({own}\n) strict",
        f"create index {table}_by_time on stored_{table} (site, time)",
        *_changes(
            table,
            f"stored_{table}",
            f"\nwhen old.id > coalesce((select until from trimmed where source = '{table}'), -1)",
            ", of_site, day, began" if days else "",
            f", old.site, {began}" if days else "",
        ),
    )


# The columns of each view of facts.
_VIEWS = {
    "events": (
        "id, site, time, kind, name, namespace, visitor, session, profile, path, query_string, title, engaged, scroll,"
        "\n  interactions, bot, agent, origin, iif(session = 0, 0, time - since_start) as session_started,"
        f"\n  client_session, {_SESSION_READ},\n  properties"
    ),
    "vitals": f"{_VISIT_READ}, metric, value, {_SESSION_READ}",
    "errors": f"{_VISIT_READ}, type, message, filename, line, position, stack, {_SESSION_READ}",
    "outgoing_links": f"{_VISIT_READ}, href, text, domain, {_SESSION_READ}",
    "engagement": (
        f"{_VISIT_READ},\n  page_index, exit_type, time_on_page, active_time, first_interaction, scroll, scrolls,"
        "\n  clicks, keys, interactions, copies, rage_clicks, dead_clicks, rage_target, dead_target, form_fields,"
        f"\n  form_submits, last_field, errors, {_SESSION_READ}"
    ),
    "flag_exposures": f"{_VISIT_READ}, flag, variant, {_SESSION_READ}",
}


_NUMBERS = f",\n  {', '.join(_COMBINATIONS)}"


def _view(table: str, more: str = "") -> str:
    return f"create view {table} as\nselect\n  {_VIEWS[table]}{more}\nfrom stored_{table} as stored"


EVENTS = (
    """
    create table strings (
      id               integer primary key,
      value            text    not null unique
    ) strict
    """,
    "insert into strings (id, value) values (0, '')",
    # Ids of strings that are the same on several machines; empty on a single machine.
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
    # Deleted and updated rows, for the column replica. Ids are never reused. Changes that the replica has, or that are
    # recorded without a replica, are deleted.
    """
    create table changes (
      id               integer primary key autoincrement,
      source           text    not null,
      row              integer not null,
      of_site          integer,
      day              integer,
      began            integer
    ) strict
    """,
    *_changes("strings"),
    *(statement for table, names in _COMBINATIONS.values() for statement in _combination(table, names)),
    # Fact tables whose rows up to `until` are in ClickHouse only. A row without a website takes the place of the last
    # of them, so that no id is reused.
    """
    create table trimmed (
      source           text    primary key,
      until            integer not null check (until > 0)
    ) strict, without rowid
    """,
    # The number of rows that were trimmed, by website, and the times of the first and the last (UTC ms).
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
    # Removals of trimmed rows. They are selected by conditions, because only ClickHouse knows their ids.
    """
    create table removal_orders (
      id               integer primary key autoincrement,
      of_site          integer not null,
      what             text    not null check (json_valid(what))
    ) strict
    """,
    # One row per event, in the order of arrival. `kind`: 1 page view, 2 custom event, 3 page exit, 4 measurement of a
    # bot. A range check is faster than a list, which SQLite turns into a table for every row that is written.
    *_facts(
        "events",
        f"""
  id               integer primary key,
  site             integer not null,
  time             integer not null,
  kind             integer not null check (kind between 1 and 4),
  name             integer not null,
  namespace        integer not null,
  visitor          integer not null check (visitor between 0 and 0x7fffffffffff),
  session          integer not null check (session >= 0),
  profile          integer not null,
  path             integer not null,
  query_string     integer not null,
  title            integer not null,
  engaged          integer not null check (engaged >= 0),
  scroll           integer check (scroll between 0 and 100),
  interactions     integer check (interactions >= 0),
  bot              integer not null,
  agent            integer not null,
  origin           integer not null,
  since_start      integer not null,
  client_session   integer not null,{_SESSION},
  properties       text""",
        days=True,
    ),
    # Quarantined events are few. They are counted by name and deleted after 30 days.
    "create index events_flagged on stored_events (site, bot, agent, time) where bot <> 0",
    _view("events"),
    # `value` is in milliseconds; for CLS it is the score, and for FPS frames per second.
    *_facts(
        "vitals",
        f"""{_VISIT},
  metric           integer not null,
  value            real    not null check (value >= 0),{_SESSION}""",
    ),
    _view("vitals"),
    *_facts(
        "errors",
        f"""{_VISIT},
  type             integer not null,
  message          integer not null,
  filename         integer not null,
  line             integer not null check (line >= 0),
  position         integer not null check (position >= 0),
  stack            integer not null,{_SESSION}""",
    ),
    _view("errors"),
    *_facts(
        "outgoing_links",
        f"""{_VISIT},
  href             integer not null,
  text             integer not null,
  domain           integer not null,{_SESSION}""",
    ),
    _view("outgoing_links"),
    # One visit of one page. Times are in milliseconds, depths in percent.
    *_facts(
        "engagement",
        f"""{_VISIT},
  page_index       integer not null,
  exit_type        integer not null,
  time_on_page     integer,
  active_time      integer,
  first_interaction integer,
  scroll           integer check (scroll between 0 and 100),
  scrolls          integer not null,
  clicks           integer not null,
  keys             integer not null,
  interactions     integer check (interactions >= 0),
  copies           integer not null,
  rage_clicks      integer not null,
  dead_clicks      integer not null,
  rage_target      integer not null,
  dead_target      integer not null,
  form_fields      integer not null,
  form_submits     integer not null,
  last_field       integer not null,
  errors           integer not null,{_SESSION}""",
    ),
    _view("engagement"),
    # The flag variants that visitors were given.
    *_facts(
        "flag_exposures",
        f"""{_VISIT},
  flag             integer not null,
  variant          integer not null,{_SESSION}""",
    ),
    _view("flag_exposures"),
    # The number of the next session.
    "create table session_numbers (next integer not null check (next > 0)) strict",
    "insert into session_numbers values (1)",
    # Numbers of strings and of combinations that rows of a session had before an earlier event arrived. Nothing else
    # may refer to them.
    """
    create table replaced (
      site             integer not null,
      session          integer not null,
      kind             text    not null check (kind <> ''),
      number           integer not null check (number > 0),
      primary key (site, session, kind, number)
    ) strict, without rowid
    """,
    # Ids of events that came with one, so that none counts twice: the newest in the order of arrival ...
    """
    create table event_ids_new (
      id               integer primary key,
      digest           integer not null,
      until            integer not null
    ) strict
    """,
    # ... and all earlier ones.
    """
    create table event_ids (
      digest           integer primary key,
      until            integer not null
    ) strict
    """,
    # Dropped events and the reasons, by UTC day.
    """
    create table drops (
      site             integer not null,
      day              integer not null,
      reason           text    not null check (length(reason) between 1 and 64),
      count            integer not null check (count > 0),
      primary key (site, day, reason)
    ) strict, without rowid
    """,
    # People as the website identifies them. `traits` are encrypted with secret.key. `email` is a keyed hash of the
    # address in the traits, to find a person by it.
    """
    create table profiles (
      site             integer not null,
      profile          integer not null,
      created_at       integer not null,
      updated_at       integer not null,
      traits           blob,
      email            blob    check (email is null or length(email) = 16),
      primary key (site, profile)
    ) strict, without rowid
    """,
    "create index profiles_by_email on profiles (site, email) where email is not null",
    "create index profiles_by_update on profiles (site, updated_at)",
    # The person that a visitor is from `time` on. What a visitor did before the first row also belongs to that person.
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
    "create index visitor_profiles_by_profile on visitor_profiles (site, profile)",
    *_changes("visitor_profiles"),
    # Erasures of people in progress. A row remains until the last trace is gone, so that a restart continues it.
    # `visitors` is [[visitor, from, until], ...], with times in UTC ms.
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
    # Numbers of strings and of combinations that erased rows had. Those that no other row has are deleted last.
    """
    create table erasure_numbers (
      erasure          text    not null references erasures (id) on delete cascade,
      kind             text    not null,
      number           integer not null,
      primary key (erasure, kind, number)
    ) strict, without rowid
    """,
    # Clicks on short links, in the order of arrival. `link` is its number in box.db. `kind`: 1 a visitor, 2 a bot, 3 a
    # bot that creates previews, 4 a prefetch, 5 a HEAD request. `variant` and `rule` name what selected the
    # destination. `visitor` uses the salt of the day; `landing_visitor` is the visitor's id on the website `landing`,
    # if the destination is a website of this box.
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
    *_changes("link_clicks"),
    # Clicks of visitors on a link so far, whatever the retention of clicks is, because links can expire by clicks.
    """
    create table link_totals (
      link             integer primary key,
      clicks           integer not null check (clicks > 0),
      last             integer not null
    ) strict
    """,
    # Visits of unknown short links, by UTC day, kind (as above) and slug. The slug is empty after the first ones of a
    # day. `domain` is empty on the box's host.
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
    # Checks of monitors, in the order of arrival. `monitor` is its number in box.db. `status`: 1 up, 0 down, 2 pending.
    # `kind`: 1 http, 2 tcp, 3 dns, 4 tls, 5 ping, 6 push. A row is the sum of `count` checks, because old ones are
    # combined. Durations are in microseconds.
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
      data             text    check (data is null or json_valid(data))
    ) strict
    """,
    "create index checks_by_time on checks (monitor, time)",
    *_changes("checks"),
    # The state of a monitor from `start` until `until` (UTC ms); 0 is now. `state`: 1 up, 2 degraded, 3 down, 4
    # unknown, 5 maintenance, 6 paused.
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
    *_changes("monitor_spans"),
    # State that monitors carry from one check to the next.
    """
    create table monitor_states (
      monitor          integer primary key,
      state            text    not null check (json_valid(state))
    ) strict
    """,
    # When the box last ran checks, and when a canary last answered (UTC ms). Checks before these UTC days are combined
    # by hour and by day. `urls_masked`: whether URLs in stored checks are masked.
    """
    create table monitor_engine (
      one              integer primary key check (one = 1),
      alive_at         integer not null,
      canaries_at      integer not null default 0,
      hours_until      integer not null default 0,
      days_until       integer not null default 0,
      urls_masked      integer not null default 0 check (urls_masked in (0, 1))
    ) strict
    """,
    # Monitor transitions, until alerts have processed them. Muted transitions count as processed.
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
    # The id of the box, as in box.db, and the highest numbers that it has given to websites, links and monitors.
    """
    create table box (
      one              integer primary key check (one = 1),
      id               text    not null check (length(id) in (0, 32)),
      last_site        integer not null check (last_site >= 0),
      last_link        integer not null check (last_link >= 0),
      last_monitor     integer not null default 0 check (last_monitor >= 0)
    ) strict
    """,
    "insert into box (one, id, last_site, last_link) values (1, '', 0, 0)",
    # Ingest node only: records for the primary, until it has stored them. `said` is encrypted.
    """
    create table outbox (
      id               integer primary key autoincrement,
      site             integer not null,
      said             blob    not null
    ) strict
    """,
    # Primary only: the last record that it has stored, by ingest node.
    """
    create table inbox (
      machine          integer primary key,
      last             integer not null
    ) strict
    """,
)

# Views that also have the numbers of combinations, so that SQLite need not look up the attributes of each row for a
# filter.
VIEWS_WITH_COMBINATIONS = tuple(
    statement for table in _VIEWS for statement in (f"drop view {table}", _view(table, _NUMBERS))
)
# Finds the errors of a group, by the expression of the view. Without it, a look at one group reads all errors of the
# range.
ERRORS_BY_GROUP = (
    "create index errors_by_group on stored_errors (iif(error_group = 0, message, error_group), site, time)"
)
# Errors without a group, which earlier versions stored, are grouped by their message.
ERROR_GROUPS = (
    *(
        f"alter table stored_{table} add column {column} integer not null default 0"
        for table, column in (("vitals", "release"), ("errors", "release"), ("errors", "error_group"))
    ),
    *("drop view vitals", "drop view errors"),
    _view("vitals", _NUMBERS).replace("value, ", "value, release, ", 1),
    _view("errors", _NUMBERS).replace(
        "stack, ", "stack, release,\n  iif(error_group = 0, message, error_group) as fingerprint, ", 1
    ),
)
# Tool calls of MCP servers.
MCP_CALLS = (
    *_facts(
        "mcp_calls",
        f"""{_VISIT},
  tool             integer not null,
  duration         integer check (duration >= 0),
  output_chars     integer check (output_chars >= 0),
  error            integer not null,
  error_group      integer not null,
  client_name      integer not null,
  client_version   integer not null,
  server_name      integer not null,
  server_version   integer not null,
  environment      integer not null,
  user_agent       integer not null,{_SESSION}""",
    ),
    f"create view mcp_calls as\nselect\n  {_VISIT_READ},\n  tool, duration, output_chars, error, error_group,"
    f" client_name, client_version,\n  server_name, server_version, environment, user_agent, {_SESSION_READ}{_NUMBERS}"
    "\nfrom stored_mcp_calls as stored",
)

_MONEY_READ = """
  provider, payment_type, payment_status, currency, lifecycle, attribution, unmatched_reason, amount, reference,
  payment, customer, subscription, verified, pending, transaction_id, product_id, product_name, failure_reason,
  first_source, first_channel, first_campaign, first_entry"""
# Payments, refunds, failed attempts, and what becomes of subscriptions. `amount` is in minor units of the currency and
# negative for refunds. `reference` is a digest of the id of the transaction, which a website has once; `payment`,
# `customer` and `subscription` are digests of the ids of these, 0 for none. `verified`: whether a key or a signature
# came with it. `pending`: whether its visitor or the first touch of the visitor is still looked for.
TRANSACTIONS = (
    *_facts(
        "transactions",
        f"""{_VISIT},
  provider         integer not null,
  payment_type     integer not null,
  payment_status   integer not null,
  currency         integer not null,
  lifecycle        integer not null,
  attribution      integer not null,
  unmatched_reason integer not null,
  amount           integer not null,
  reference        integer not null check (reference >= 0),
  payment          integer not null check (payment >= 0),
  customer         integer not null check (customer >= 0),
  subscription     integer not null check (subscription >= 0),
  verified         integer not null check (verified in (0, 1)),
  pending          integer not null check (pending in (0, 1)),
  transaction_id   integer not null,
  product_id       integer not null,
  product_name     integer not null,
  failure_reason   integer not null,
  first_source     integer not null,
  first_channel    integer not null,
  first_campaign   integer not null,
  first_entry      integer not null,{_SESSION}""",
    ),
    f"create view transactions as\nselect\n  {_VISIT_READ},{_MONEY_READ}, {_SESSION_READ}{_NUMBERS}"
    "\nfrom stored_transactions as stored",
    "create unique index transactions_by_reference on stored_transactions (site, reference) where reference <> 0",
    "create index transactions_by_payment on stored_transactions (site, payment) where payment <> 0",
    "create index transactions_by_customer on stored_transactions (site, customer, time) where customer <> 0",
    "create index transactions_pending on stored_transactions (site, id) where pending <> 0",
)
# Requests of AI agents.
_AI_REQUEST_READ = f"""{_VISIT_READ},
  ai_agent, product, purpose, format, report, status, known_address, user_agent, signature"""
AI_REQUESTS = (
    *_facts(
        "ai_requests",
        f"""{_VISIT},
  ai_agent         integer not null,
  product          integer not null,
  purpose          integer not null,
  format           integer not null,
  report           integer not null,
  status           integer check (status between 0 and 999),
  known_address    integer check (known_address in (0, 1)),
  user_agent       integer not null,
  signature        integer not null,{_SESSION}""",
    ),
    f"create view ai_requests as\nselect\n  {_AI_REQUEST_READ}, {_SESSION_READ}{_NUMBERS}\n"
    "from stored_ai_requests as stored",
)
