"""The tables of events.db, as one declaration.

What is derived from it: how rows are written, the column replica, exports, the erasure of a person and of a website,
and which strings no row uses. A test holds it equal to what the migrations make, so that no new table or
column can be forgotten here.
"""

from typing import Literal, NamedTuple

from msgspec import Struct

from analytics_box.base.store.strings import Combination

# A string is the number of one in the table `strings`, 0 the empty one; a text is stored itself.
Kind = Literal["string", "integer", "real", "text", "blob"]


class FactColumn(NamedTuple):
    """A column. Null, where it may be, is what nobody has measured or said; 0 is a measurement (semantics 22).

    A closed one has few values, whatever is sent, which are stored even for a website that has used up its budget.
    """

    name: str
    kind: Kind
    null: bool = False
    closed: bool = False


class FactTable(Struct, frozen=True):
    """A table, or the view of a table of facts. Its `columns` are all but an `id`.

    `personal` are the rows of what someone did: they are exported and removed with the person. `replicated` is what
    the column replica has. `appended` is a long table to which rows are added at its end, by growing ids.
    """

    name: str
    columns: tuple[FactColumn, ...]
    key: tuple[str, ...] = ("id",)
    personal: bool = False
    replicated: bool = False
    appended: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """Its columns by name."""
        return tuple(column.name for column in self.columns)

    @property
    def strings(self) -> tuple[str, ...]:
        """The columns that hold numbers of strings."""
        return tuple(column.name for column in self.columns if column.kind == "string")


def _integers(names: str) -> tuple[FactColumn, ...]:
    return tuple(FactColumn(name, "integer") for name in names.split())


def _measurement(names: str) -> tuple[FactColumn, ...]:
    return tuple(FactColumn(name, "integer", null=True) for name in names.split())


def _strings(names: str) -> tuple[FactColumn, ...]:
    return tuple(FactColumn(name, "string") for name in names.split())


def _closed_set(names: str) -> tuple[FactColumn, ...]:
    return tuple(FactColumn(name, "string", closed=True) for name in names.split())


def _texts(names: str) -> tuple[FactColumn, ...]:
    return tuple(FactColumn(name, "text") for name in names.split())


_CLIENT = (*_strings("browser browser_version system system_version"), *_closed_set("device"))
_CAMPAIGN = _strings("utm_source utm_medium utm_campaign utm_term utm_content")
_REFERRAL = (*_strings("referrer source"), *_closed_set("channel click_id"))
_PLACE = _closed_set("country region city")
_LOCALE = (*_strings("language"), *_closed_set("time_zone"))
_DISPLAY = (*_strings("viewport screen"), *_closed_set("connection"))
# What a session has from its first event on, and every row of it repeats.
_SESSION = (
    *_strings("entry"),
    *_REFERRAL,
    *_CAMPAIGN,
    *_PLACE,
    *_CLIENT,
    *_LOCALE,
    *_DISPLAY,
)
_WHO_AND_WHERE = (*_integers("site time visitor session"), *_strings("client_session profile path query_string"))

FACTS = (
    FactTable(
        "events",
        (
            *_integers("site time kind"),
            *_strings("name namespace"),
            *_integers("visitor session"),
            *_strings("profile path query_string title"),
            *_integers("engaged"),
            *_measurement("scroll interactions"),
            *_closed_set("bot"),
            *_strings("agent origin"),
            *_integers("session_started"),
            *_strings("client_session"),
            *_SESSION,
            FactColumn("properties", "text", null=True),
        ),
        personal=True,
        replicated=True,
        appended=True,
    ),
    FactTable(
        "vitals",
        (*_WHO_AND_WHERE, *_integers("metric"), FactColumn("value", "real"), *_strings("release"), *_SESSION),
        personal=True,
        replicated=True,
        appended=True,
    ),
    FactTable(
        "errors",
        (
            *_WHO_AND_WHERE,
            *_strings("type message filename"),
            *_integers("line position"),
            *_strings("stack release fingerprint"),
            *_SESSION,
        ),
        personal=True,
        replicated=True,
        appended=True,
    ),
    FactTable(
        "outgoing_links",
        (*_WHO_AND_WHERE, *_strings("href text domain"), *_SESSION),
        personal=True,
        replicated=True,
        appended=True,
    ),
    FactTable(
        "engagement",
        (
            *_WHO_AND_WHERE,
            *_integers("page_index"),
            *_closed_set("exit_type"),
            *_measurement("time_on_page active_time first_interaction scroll"),
            *_integers("scrolls clicks keys"),
            *_measurement("interactions"),
            *_integers("copies rage_clicks dead_clicks"),
            *_strings("rage_target dead_target"),
            *_integers("form_fields form_submits"),
            *_strings("last_field"),
            *_integers("errors"),
            *_SESSION,
        ),
        personal=True,
        replicated=True,
        appended=True,
    ),
    # What visitors were given by feature flags: a row for each event that says so.
    FactTable(
        "flag_exposures",
        (*_WHO_AND_WHERE, *_strings("flag variant"), *_SESSION),
        personal=True,
        replicated=True,
        appended=True,
    ),
    # Tool calls of MCP servers, which have no visitor. `duration` is in ms. `error` is empty for a call that succeeded;
    # calls that failed for the same reason have the same `error_group`.
    FactTable(
        "mcp_calls",
        (
            *_WHO_AND_WHERE,
            *_strings("tool"),
            *_measurement("duration output_chars"),
            *_strings("error error_group client_name client_version server_name server_version environment user_agent"),
            *_SESSION,
        ),
        personal=True,
        replicated=True,
        appended=True,
    ),
    # Payments, refunds, failed attempts, and changes of subscriptions, with the attributes of the session that brought
    # the money. Amounts are minor units of the currency.
    FactTable(
        "transactions",
        (
            *_WHO_AND_WHERE,
            *_closed_set("provider payment_type payment_status currency lifecycle attribution unmatched_reason"),
            *_integers("amount reference payment customer subscription verified pending"),
            *_strings("transaction_id product_id product_name failure_reason first_source"),
            *_closed_set("first_channel"),
            *_strings("first_campaign first_entry"),
            *_SESSION,
        ),
        personal=True,
        replicated=True,
        appended=True,
    ),
    # Requests of AI agents, which have no visitor. `known_address` is whether the request came from an address
    # that the operator publishes, null if it publishes none; `report` is who noticed the request.
    FactTable(
        "ai_requests",
        (
            *_WHO_AND_WHERE,
            *_closed_set("ai_agent product purpose format report"),
            *_measurement("status known_address"),
            *_strings("user_agent signature"),
            *_SESSION,
        ),
        personal=True,
        replicated=True,
        appended=True,
    ),
)
# Clicks on short links are nobody's by name.
LINK_CLICKS = FactTable(
    "link_clicks",
    (
        *_integers("link time kind visitor landing landing_visitor"),
        *_strings("variant rule referrer source country region city browser system device language agent"),
    ),
    replicated=True,
    appended=True,
)
# Checks of monitors, each `count` times: older ones are put together, by hour and then by day (monitors: storage).
# Durations are sums in microseconds, but for the fastest and the slowest; `bin` and `ttfb_bin` are their places in the
# histogram of facts.histogram.
CHECKS = FactTable(
    "checks",
    (
        *_integers("monitor time status kind http_code count"),
        *_measurement("total fastest slowest ttfb bin ttfb_bin dns connect tls first_byte transfer bytes"),
        *_integers("redirects attempt streak"),
        *_measurement("certificate_ends certificate_valid"),
        *_strings("error reason region address url"),
        FactColumn("data", "text", null=True),
    ),
    replicated=True,
    appended=True,
)
# How a monitor was, from when to when; an open span has the end 0. Spans never overlap and leave no gap.
MONITOR_SPANS = FactTable("monitor_spans", _integers("monitor state start until"), replicated=True, appended=True)
STRINGS = FactTable("strings", _texts("value"), replicated=True)

TABLES = (
    *FACTS,
    LINK_CLICKS,
    CHECKS,
    MONITOR_SPANS,
    FactTable("link_totals", _integers("link clicks last"), key=("link",)),
    FactTable(
        "link_orphans",
        (*_texts("domain"), *_integers("day kind"), *_texts("slug"), *_integers("count")),
        key=("domain", "day", "kind", "slug"),
    ),
    # People as a website names them, and which visitor was which of them from when on.
    FactTable(
        "profiles",
        (
            *_integers("site"),
            *_strings("profile"),
            *_integers("created_at updated_at"),
            FactColumn("traits", "blob", null=True),
            FactColumn("email", "blob", null=True),
        ),
        key=("site", "profile"),
    ),
    FactTable("visitor_profiles", (*_integers("site visitor time"), *_strings("profile")), replicated=True),
    # Erasures under way, and the numbers of strings and combinations that may have lost their last row by them.
    FactTable(
        "erasures",
        (
            *_integers("site"),
            *_texts("website_id organization_id actor"),
            *_strings("profile"),
            *_texts("visitors"),
            *_integers("removed created_at"),
        ),
    ),
    FactTable("erasure_numbers", (*_texts("erasure kind"), *_integers("number")), key=("erasure", "kind", "number")),
    # Such numbers that rows of a session had once, kept until the session goes.
    FactTable(
        "replaced",
        (*_integers("site session"), *_texts("kind"), *_integers("number")),
        key=("site", "session", "kind", "number"),
    ),
    FactTable(
        "drops",
        (*_integers("site day"), *_texts("reason"), *_integers("count")),
        key=("site", "day", "reason"),
    ),
    FactTable("event_ids_new", _integers("digest until")),
    FactTable("event_ids", _integers("digest until"), key=("digest",)),
    FactTable("session_numbers", _integers("next"), key=()),
    FactTable("box", (*_integers("one"), *_texts("id"), *_integers("last_site last_link last_monitor")), key=("one",)),
    # What of a monitor goes on from check to check, and until when the box has been watching.
    FactTable("monitor_states", (*_integers("monitor"), *_texts("state")), key=("monitor",)),
    FactTable("monitor_engine", _integers("one alive_at canaries_at hours_until days_until urls_masked"), key=("one",)),
    # What became of monitors, until it has been told (alert rules).
    FactTable("transitions", (*_integers("monitor time"), *_texts("what detail"), *_integers("told"))),
    # Of events also their websites, and the UTC days of their times and of the starts of their sessions.
    FactTable("changes", (*_texts("source"), *_integers("row"), *_measurement("of_site day began"))),
    FactTable("text_numbers", _integers("number")),
    # What was trimmed (facts.trimmed), and what is to be removed of it (facts.orders).
    FactTable("trimmed", (*_texts("source"), *_integers("until")), key=("source",)),
    FactTable(
        "trimmed_sites",
        (*_integers("site"), *_texts("source"), *_integers("count first last")),
        key=("site", "source"),
    ),
    # Totals of days that were imported, and the progress of imports, whose sessions have separate numbers.
    FactTable(
        "imported_days",
        (
            *_integers("site"),
            *_texts("roll"),
            *_integers("day"),
            *_texts("value second"),
            *_integers("import visitors visits pageviews bounces seconds events"),
        ),
        key=("site", "roll", "day", "value", "second"),
    ),
    FactTable(
        "import_progress",
        (
            *_texts("import_id"),
            *_integers("site first_session sessions cursor written first_day last_day"),
        ),
    ),
    FactTable("removal_orders", (*_integers("of_site"), *_texts("what"))),
    # What an ingest machine has for its primary, and how far the primary is with it (cluster.reports).
    FactTable("outbox", (*_integers("site"), FactColumn("said", "blob"))),
    FactTable("inbox", _integers("machine last"), key=("machine",)),
    FactTable("clients", _CLIENT),
    FactTable("campaigns", _CAMPAIGN),
    FactTable("referrals", _REFERRAL),
    FactTable("places", _PLACE),
    FactTable("locales", _LOCALE),
    FactTable("displays", _DISPLAY),
    STRINGS,
)
BY_NAME = {table.name: table for table in TABLES}
FACT_NAMES = tuple(table.name for table in FACTS)
PERSONAL = tuple(table.name for table in TABLES if table.personal)


def _names(columns: tuple[FactColumn, ...]) -> tuple[str, ...]:
    return tuple(column.name for column in columns)


ATTRIBUTES = _names(_SESSION)
SPAN_OWN = _names(_WHO_AND_WHERE)
OWN = tuple(name for name in BY_NAME["events"].names if name not in {*ATTRIBUTES, "properties"})
# Facts that are no events, by table: what each has beside SPAN_OWN and ATTRIBUTES.
SPANS = {table.name: table.names[len(SPAN_OWN) : -len(ATTRIBUTES)] for table in FACTS if table.name != "events"}
# The texts at the end of SPANS that earlier versions did not have: quarantined rows and older ingest nodes lack them.
ADDED = {"vitals": 1, "errors": 2}
CLOSED = frozenset(column.name for table in FACTS for column in table.columns if column.closed)


def with_added(table: str, own: tuple[int | float | str | None, ...]) -> tuple[int | float | str | None, ...]:
    """The columns of SPANS, with empty texts for those that an earlier version did not have."""
    missing = len(SPANS[table]) - len(own)
    return (*own, *("",) * missing) if 0 < missing <= ADDED.get(table, 0) else own


def _combination(table: str, column: str, parts: tuple[FactColumn, ...], folds: tuple[str, ...]) -> Combination:
    return Combination(table, column, _names(parts), folds, tuple(part.name for part in parts if part.closed))


# Attributes that are stored together, as one number.
COMBINATIONS = (
    _combination("clients", "client", _CLIENT, folds=("browser_version", "system_version")),
    _combination("campaigns", "campaign", _CAMPAIGN, folds=_names(_CAMPAIGN)),
    _combination("referrals", "referral", _REFERRAL, folds=("referrer", "source")),
    _combination("places", "place", _PLACE, folds=()),
    _combination("locales", "locale", _LOCALE, folds=("language",)),
    _combination("displays", "display", _DISPLAY, folds=("viewport", "screen")),
)
COMBINATION_OF = {part: one for one in COMBINATIONS for part in one.parts}
