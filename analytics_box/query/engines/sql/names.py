"""The names of plans in SQL: dimensions, columns of single rows, and measures of each source.

In the words that the engines share: integers divide to integers, `least` is the lesser of two, and dialects know the
rest by other names.
"""

from itertools import pairwise

from analytics_box.base.clock import DAY
from analytics_box.base.facts.event import EXPOSURE, LASTS, METRICS, VISITOR_BITS, VITAL_LIMITS
from analytics_box.base.facts.tables import ATTRIBUTES, TABLES
from analytics_box.query.filters import OF_AI_REQUESTS
from analytics_box.query.plan import BUCKET, MOST_STEPS, SESSION_AFTER, SESSION_BEFORE, TIME_EDGES, Source
from analytics_box.web.recognition.ai_agents import PURPOSES

# What comes out of a statement as the number of a string: columns, and dimensions that are made of them.
INTERNED = frozenset(
    (
        *(name for table in TABLES if table.replicated for name in table.strings),
        "to_path",
        "event",
        "profile_of",
        "ai_product",
        "node",
        "to_node",
    )
)
# The order of facts as one number: by time, equal ones as they arrived. Measures called latest_NAME are the column NAME
# of a group's last row; a statement with one of them has no other maximum or minimum, so that SQLite can take them.
PLACE = "time * 1048576 + (id & 1048575)"

# Who a visitor was at the time of a fact: whom the fact itself names, else the newest link before it, else the first
# one after it (semantics 7). Facts are called `fact` in every statement.
_LINKS = "select link.profile from visitor_profiles as link where link.site = fact.site and link.visitor = fact.visitor"
WHO = (
    f"case when profile <> 0 then profile else coalesce(({_LINKS} and link.time <= fact.time order by link.time desc"
    f" limit 1), ({_LINKS} order by link.time limit 1), 0) end"
)
# A session's visitor is the id of its start (semantics 11); where that row was erased, that of the first UTC day that
# is left, leave beacons last. The least of these numbers has it in its lowest bits; a double holds all of it.
STARTER = (
    f"case when time = session_started then visitor else visitor + {1 << VISITOR_BITS}"
    " * (2 + time / 86400000 - session_started / 86400000 + kind / 3 * 4) end"
)
LASTING = f"(visitor & {LASTS}) = {LASTS}"
ID_OF_STARTER = f"% {1 << VISITOR_BITS}"
# Dimensions that are no columns.
DIMENSIONS: dict[str, str] = {
    "minute": "time / 60000",
    "profile_of": WHO,
    "visitor_of": f"case when {WHO} = 0 then visitor else 0 end",
    "attributed": "case when attribution in (select id from strings where value = 'unmatched') then 0 else 1 end",
    "ai_product": "case when channel in (select id from strings where value = 'AI Assistant') then source else 0 end",
    "depth_range": "case when scroll >= 100 then 4 else scroll / 25 end",
    "duration_range": "case when duration < 30000 then 0 when duration < 60000 then 1 when duration < 300000 then 2"
    " when duration < 900000 then 3 when duration < 3600000 then 4 else 5 end",
}

# Visitors and sessions come of page views and custom events; measurements alone start neither (semantics 13).
SITES = "site in (select value from numbers_in(:sites))"
_LONGEST = SESSION_BEFORE + SESSION_AFTER
VISITED = (
    f"visitor in (select visitor from events where {SITES} and time >= :start and time < :end and bot = 0"
    " and kind <> 3 and visitor <> 0)"
)
BEGUN = (
    f"session in (select session from events where {SITES}"
    f" and time >= :start - {_LONGEST} and time < :end + {_LONGEST} and bot = 0 and session <> 0)"
)

EVENTS = {
    "pageviews": "count(case when kind = 1 then 1 end)",
    "visitors": "count(distinct case when kind <> 3 then nullif(visitor, 0) end)",
    "total_events": "count(case when kind <> 3 then 1 end)",
    "count": "count(*)",
    "unique_users": "count(distinct nullif(visitor, 0))",
    "unique_sessions": "count(distinct nullif(session, 0))",
    "unique_pages": "count(distinct nullif(path, 0))",
    "unique_names": "count(distinct name)",
    "first": "min(time)",
    "first_place": f"min({PLACE})",
    "last": "max(time)",
    "with_properties": "count(properties)",
    "median_engaged": "median(engaged)",
    "scroll_total": "sum(case when kind = 3 then scroll end)",
    "scroll_rows": "count(case when kind = 3 then scroll end)",
    **{f"reach_{reach}": f"count(case when kind = 3 and scroll >= {reach} then 1 end)" for reach in range(10, 101, 10)},
    "custom": "count(case when kind = 2 then 1 end)",
    "visitors_of_exits": f"count(distinct case when {VISITED} then visitor end)",
    "pages": "count(distinct case when kind = 1 then path end)",
    "names": "count(distinct case when kind <> 3 then name end)",
    "lasting_visitors": f"count(distinct case when kind <> 3 and {LASTING} then visitor end)",
}

# What a visitor did beside looking at pages: that a flag gave them something is said by the page (semantics 12).
DID = f"kind = 2 and name not in (select id from strings where value = '{EXPOSURE}')"
# That, unless the sender marked it as non-interactive: it ends no bounce.
ACTED = f"{DID} and coalesce(interactions, 1) <> 0"
# Sessions: one row per session, of which a plan takes what it needs (semantics 12 and 13).
PER_SESSION = {
    "first": "min(time)",
    "last": "max(time)",
    "views": "count(case when kind = 1 then 1 end)",
    "others": "count(case when kind = 2 then 1 end)",
    "deeds": f"count(case when {ACTED} then 1 end)",
    "events": "count(case when kind <> 3 then 1 end)",
    "pages": "count(distinct case when kind = 1 then path end)",
    "engaged": "sum(engaged)",
    "touched": "sum(case when kind = 3 then interactions end)",
    "duration": "max(time) - min(time)",
    "person": f"min({STARTER}) {ID_OF_STARTER}",
    "score": "least(count(case when kind = 1 then 1 end), 20) + 3 * least(count(case when kind = 2 then 1 end), 10)"
    " + least((max(time) - min(time)) / 60000, 30)",
}
BOUNCED = "views = 1 and engaged < 10 and deeds = 0"
SESSIONS = {
    "sessions": "count(*)",
    "visitors": "count(distinct person)",
    "bounces": f"count(case when {BOUNCED} then 1 end)",
    "median_duration": "median(duration)",
    "duration_total": "sum(duration)",
    "total_events": "sum(events)",
    "touches": "sum(touched)",
    "touch_rows": "count(touched)",
    "interactive": "count(case when touched > 0 then 1 end)",
}

_ENTRIES = {
    "sessions": "count(*)",
    "visitors": "count(distinct visitor)",
}

_SPANS = {
    "count": "count(*)",
    "users": f"count(distinct case when {VISITED} then visitor end)",
    "sessions": f"count(distinct case when {BEGUN} then session end)",
    "first": "min(time)",
    "last": "max(time)",
}


def _percentiles(name: str, metric: int | None) -> dict[str, str]:
    """Counted in millionths, because integers have the same sum in any order; what comes of them in PARTS_OF_ONE."""
    value = "cast(floor(value * 1000000 + 0.5) as bigint)"
    if metric is not None:
        value = f"case when metric = {metric} then {value} end"
    prefix = f"{name}_" if name else ""
    return {f"{prefix}avg": _mean(value), f"{prefix}samples": f"count({value})"} | {
        f"{prefix}p{rank}": f"cast(floor(percentile({value}, {rank}) * 100 + 0.5) as bigint)"
        for rank in (50, 75, 90, 95, 99)
    }


def _mean(number: str) -> str:
    """A mean of integers in hundredths, rounded half up."""
    return f"(200 * sum({number}) + count({number})) / nullif(2 * count({number}), 0)"


VITALS = _SPANS | _percentiles("", None)
for _metric, _number in METRICS.items():
    VITALS |= _percentiles(_metric.lower(), _number)


def _limit_of(place: int) -> str:
    limits = " ".join(f"when {METRICS[name]} then {limits[place]}" for name, limits in VITAL_LIMITS.items())
    return f"case metric {limits} end"


VITALS |= {
    "good": f"sum(case when value <= {_limit_of(0)} then 1 else 0 end)",
    "poor": f"sum(case when value > {_limit_of(1)} then 1 else 0 end)",
    "poor_users": f"count(distinct case when {VISITED} and value > {_limit_of(1)} then visitor end)",
}
ERRORS = _SPANS | {
    "types": "count(distinct type)",
    "messages": "count(distinct message)",
    "users_known": f"count(distinct case when {WHO} <> 0 and {VISITED} then visitor end)",
    "profiles": f"count(distinct nullif({WHO}, 0))",
}
# Sessions that met an error and those that did not (relations._exposures).
EXPOSURES = {
    "exposed": "count(case when exposed = 1 then 1 end)",
    "control": "count(case when exposed = 0 then 1 end)",
    "exposed_matched": "count(case when exposed = 1 and matched = 1 then 1 end)",
    "control_matched": "count(case when exposed = 0 and matched = 1 then 1 end)",
    "exposed_continued": "count(case when exposed = 1 and matched = 1 and continued = 1 then 1 end)",
    "control_continued": "count(case when exposed = 0 and matched = 1 and continued = 1 then 1 end)",
}
# Sessions of which an event or an error is in the range (relations._met).
MET = {"all_sessions": "count(distinct session)"}


# Transactions. Amounts of refunds are negative; failed payments have the amount that was attempted.
def _is(name: str, *values: str) -> str:
    listed = "', '".join(values)
    return f"{name} in (select id from strings where value in ('{listed}'))"


_PAYMENT = _is("payment_type", "sale", "subscription")
_SUBSCRIBED = _is("payment_type", "subscription")
_REFUND = _is("payment_type", "refund")
_PAID = f"{_is('payment_status', 'completed')} and {_PAYMENT}"
_FAILED = f"{_is('payment_status', 'failed')} and not {_is('payment_type', 'subscription_event')}"
_CANCELED = f"{_is('payment_status', 'canceled')} and not {_is('payment_type', 'subscription_event')}"
_UNSUCCESSFUL = f"{_is('payment_status', 'failed', 'canceled')} and not {_is('payment_type', 'subscription_event')}"
_ATTRIBUTED = f"not {_is('attribution', 'unmatched')}"
_RECOVERED = (
    f"payment <> 0 and payment in (select payment from transactions where {SITES} and payment <> 0 and {_PAID})"
)


def _sum_of(what: str, sign: str = "") -> str:
    return f"coalesce(sum(case when {what} then {sign}amount end), 0)"


TRANSACTIONS = {
    "count": "count(*)",
    "amount": "coalesce(sum(amount), 0)",
    "revenue": _sum_of(_PAID),
    "transactions": f"count(case when {_PAID} then 1 end)",
    "customers": f"count(distinct case when {_PAID} then nullif(customer, 0) end)",
    "refund_amount": _sum_of(_REFUND, sign="-"),
    "refunds": f"count(case when {_REFUND} and amount < 0 then 1 end)",
    "subscription_revenue": _sum_of(f"{_PAID} and {_SUBSCRIBED}"),
    "subscriptions": f"count(case when {_PAID} and {_SUBSCRIBED} then 1 end)",
    "sale_revenue": _sum_of(f"{_PAID} and {_is('payment_type', 'sale')}"),
    "sales": f"count(case when {_PAID} and {_is('payment_type', 'sale')} then 1 end)",
    "attributed_transactions": f"count(case when {_PAID} and {_ATTRIBUTED} then 1 end)",
    "attributed_revenue": _sum_of(f"{_PAID} and {_ATTRIBUTED}"),
    "verified_revenue": _sum_of(f"{_PAID} and verified = 1"),
    "failed": f"count(case when {_FAILED} then 1 end)",
    "failed_amount": _sum_of(_FAILED),
    "canceled": f"count(case when {_CANCELED} then 1 end)",
    "recovered": f"count(case when {_FAILED} and {_RECOVERED} then 1 end)",
    "failure_kinds": f"count(distinct case when {_UNSUCCESSFUL} then payment_status end)",
    "from_providers": f"count(case when {_PAID} and {_is('provider', 'stripe', 'paddle')} then 1 end)",
    "started": f"count(case when {_PAID} and {_is('lifecycle', 'new')} then 1 end)",
    "renewed": f"count(case when {_PAID} and {_is('lifecycle', 'renewal')} then 1 end)",
    "churned": f"count(case when {_is('lifecycle', 'churn')} then 1 end)",
    "trials": f"count(case when {_is('lifecycle', 'trial')} then 1 end)",
}
FLAG_EXPOSURES = {
    "count": "count(*)",
    "visitors": "count(distinct nullif(visitor, 0))",
    "first": "min(time)",
    "last": "max(time)",
}
# The visitors of a flag (relations._experiments): `converted` is null where no conversion was asked for.
EXPERIMENTS = {
    "visitors": "count(case when mixed = 0 then 1 end)",
    "mixed": "count(case when mixed = 1 then 1 end)",
    "conversions": "sum(converted * (1 - mixed))",
}
MCP_CALLS = {
    "count": "count(*)",
    "failures": "count(nullif(error, 0))",
    **{f"duration_p{rank}": f"cast(floor(percentile(duration, {rank}) * 100 + 0.5) as bigint)" for rank in (50, 95)},
    "output_total": "sum(output_chars)",
    "output_rows": "count(output_chars)",
    "tools": "count(distinct tool)",
    "clients": "count(distinct nullif(client_name, 0))",
    "sessions": "count(distinct nullif(client_session, 0))",
    "first": "min(time)",
    "last": "max(time)",
}
OUTGOING = _SPANS | {"hrefs": "count(distinct href)"}
_ABANDONED = "form_fields > 0 and form_submits = 0"
ENGAGEMENT = _SPANS | {
    "time_total": "sum(time_on_page)",
    "time_rows": "count(time_on_page)",
    "active_total": "sum(active_time)",
    "active_rows": "count(active_time)",
    "scroll_total": "sum(scroll)",
    "scroll_rows": "count(scroll)",
    "interactions_total": "sum(interactions)",
    "interactions_rows": "count(interactions)",
    "attention_active": "sum(case when time_on_page is not null then active_time end)",
    "attention_time": "sum(case when active_time is not null then time_on_page end)",
    "median_first_interaction": "median(first_interaction)",
    "with_rage": "count(case when rage_clicks > 0 then 1 end)",
    "with_dead": "count(case when dead_clicks > 0 then 1 end)",
    "with_errors": "count(case when errors > 0 then 1 end)",
    "rage_clicks": "sum(rage_clicks)",
    "dead_clicks": "sum(dead_clicks)",
    "form_starts": "count(case when form_fields > 0 or form_submits > 0 then 1 end)",
    "form_submits": "count(case when form_submits > 0 then 1 end)",
    "abandoned": f"count(case when {_ABANDONED} then 1 end)",
    # Visitors with something that these measures count.
    **{
        f"users_of_{name}": f"count(distinct case when {met} and {VISITED} then visitor end)"
        for name, met in (
            ("rage_clicks", "rage_clicks > 0"),
            ("dead_clicks", "dead_clicks > 0"),
            ("abandoned", _ABANDONED),
        )
    },
}
# Numbers in thousandths, whose sums fit into 64 bits. Visitors choose the values: larger ones count as text.
_NUMBER = (
    "case when kind_of in ('integer', 'real') then case when abs(cast(value as double)) <= 1000000000"
    " then cast(floor(cast(value as double) * 1000 + 0.5) as bigint) end end"
)
PROPERTIES = {
    "count": "count(*)",
    "unique_users": "count(distinct nullif(visitor, 0))",
    "unique_values": "count(distinct value)",
    "length_total": "sum(length(value))",
    "longest": "max(length(value))",
    "numbers": "count(case when kind_of in ('integer', 'real') then 1 end)",
    "number_count": f"count({_NUMBER})",
    "number_total": f"sum({_NUMBER})",
    "number_p50": f"cast(floor(percentile({_NUMBER}, 50) * 100 + 0.5) as bigint)",
    "number_p90": f"cast(floor(percentile({_NUMBER}, 90) * 100 + 0.5) as bigint)",
    "booleans": "count(case when kind_of in ('true', 'false') then 1 end)",
    "dates": "count(case when value glob '[12][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]*' then 1 end)",
    "urls": "count(case when value glob 'http://*' or value glob 'https://*' then 1 end)",
}

AI_REQUESTS: dict[str, str] = {
    "requests": "count(*)",
    "pages": "count(distinct path)",
    "agents": "count(distinct ai_agent)",
    "products": "count(distinct product)",
    **{
        purpose: f"count(case when purpose in (select id from strings where value = '{purpose}') then 1 end)"
        for purpose in PURPOSES
    },
    "errors": "count(case when status >= 400 then 1 end)",
    "confirmed": "count(case when known_address = 1 then 1 end)",
    "refuted": "count(case when known_address = 0 then 1 end)",
    "first": "min(time)",
    "last": "max(time)",
}
LINK_CLICKS = {
    "clicks": "count(*)",
    "visitors": "count(distinct visitor)",
    "first": "min(time)",
    "last": "max(time)",
    "referrers": "count(distinct case when referrer <> 0 then source end)",
    "countries": "count(distinct nullif(country, 0))",
}
# The sessions that followed clicks, of which relations gives one row each.
LANDINGS = {
    "sessions": "count(*)",
    "pageviews": "coalesce(sum(views), 0)",
    "bounces": f"count(case when {BOUNCED} then 1 end)",
    "duration_total": "coalesce(sum(duration), 0)",
    "median_duration": "median(duration)",
}


# Visits that entered a funnel (funnels.funnel_relation): when they took each step, and how long a conversion took.
FUNNELS = {
    "took_total": "sum(took)",
    "median_took": "median(took)",
    "took_p90": "cast(floor(percentile(took, 90) + 0.5) as bigint)",
}
FUNNELS |= {f"step_{number}": f"count(step_{number})" for number in range(1, MOST_STEPS + 1)}
for _number in range(2, MOST_STEPS + 1):
    _spent = f"step_{_number} - step_{_number - 1}"
    FUNNELS[f"spent_{_number}"] = f"sum({_spent})"
    FUNNELS[f"spent_p90_{_number}"] = f"cast(floor(percentile({_spent}, 90) + 0.5) as bigint)"
for _place, (_least, _most) in enumerate(pairwise((0, *TIME_EDGES, 400 * DAY))):
    FUNNELS[f"took_{_place}"] = f"count(case when took >= {_least} and took < {_most} then 1 end)"


# Visitors in periods (sql/periods.py): `back` is how many periods ago a visitor was there before, `ahead` in how many
# it was there again; in a row of a cohort's visitor, period 0 is the one in which it began.
ACTIVITY = {
    "visitors": "count(*)",
    "fresh": "count(case when back = 0 then 1 end)",
    "returning": "count(case when back = 1 then 1 end)",
    "resurrected": "count(case when back > 1 then 1 end)",
    "gone": "count(case when ahead <> 1 then 1 end)",
}
RETENTION = {
    "visitors": "count(*)",
    "started": "count(case when mature = 1 and period = 0 then 1 end)",
    "returned": "count(case when mature = 1 and period = 1 then 1 end)",
}
PROFILE_RETENTION = {
    "profiles": "count(*)",
    "eligible": "count(case when mature = 1 then 1 end)",
    "retained": "count(case when mature = 1 and returned = 1 then 1 end)",
}
ACTIVATIONS = {"events": "count(*)", "identified": "count(case when person <> 0 then 1 end)"}
FLOWS = {"sessions": "sum(sessions)"}


def _weighted_sums(*names: str) -> dict[str, str]:
    """Sums, and of how many checks they are."""
    return {name: f"coalesce(sum({name}), 0)" for name in names} | {
        f"{name}_count": f"coalesce(sum(case when {name} is not null then count end), 0)" for name in names
    }


# A row stands for `count` checks, and its durations are their sums (facts.tables).
CHECKS = {
    "count": "coalesce(sum(count), 0)",
    "decided": "coalesce(sum(case when status <> 2 then count end), 0)",
    "passed": "coalesce(sum(case when status = 1 then count end), 0)",
    **_weighted_sums("total", "ttfb", "dns", "connect", "tls", "first_byte", "transfer"),
    "bins": "group_concat(bin || ':' || count)",
    "ttfb_bins": "group_concat(ttfb_bin || ':' || count)",
    "fastest": "min(fastest)",
    "slowest": "max(slowest)",
    "first": "min(time)",
    "last": "max(time)",
}

MEASURES: dict[Source, dict[str, str]] = {
    "events": EVENTS,
    "sessions": SESSIONS,
    "entries": _ENTRIES,
    "exits": _ENTRIES,
    "journeys": _ENTRIES,
    "steps": {"transitions": "count(*)", "sessions": "count(distinct session)"},
    "properties": PROPERTIES,
    "vitals": VITALS,
    "errors": ERRORS,
    "outgoing_links": OUTGOING,
    "engagement": ENGAGEMENT,
    "flag_exposures": FLAG_EXPOSURES,
    "mcp_calls": MCP_CALLS,
    "ai_requests": AI_REQUESTS,
    "ai_unvisited": AI_REQUESTS,
    "experiments": EXPERIMENTS,
    "exposures": EXPOSURES,
    "met": MET,
    "transactions": TRANSACTIONS,
    "link_clicks": LINK_CLICKS,
    "landings": LANDINGS,
    "funnels": FUNNELS,
    "activity": ACTIVITY,
    "retention": RETENTION,
    "profile_retention": PROFILE_RETENTION,
    "activations": ACTIVATIONS,
    "flows": FLOWS,
    "checks": CHECKS,
    "monitor_spans": {},
}

_ROW = frozenset((*ATTRIBUTES, "path", "query_string", BUCKET))
# Columns that errors have and events do not.
OF_ERRORS = frozenset(("message", "type", "fingerprint", "release"))
# Dimensions that people may choose for themselves.
DIMENSIONS_OF: dict[Source, frozenset[str]] = {
    "events": _ROW | {"name", "origin", "depth_range"},
    "sessions": frozenset((*ATTRIBUTES, "duration_range", BUCKET)),
    "entries": frozenset(("path", BUCKET)),
    "exits": frozenset(("path", BUCKET)),
    "journeys": frozenset(("path",)),
    "steps": frozenset(("path",)),
    "properties": frozenset(),
    "vitals": _ROW | {"release"},
    "errors": _ROW | OF_ERRORS,
    "outgoing_links": _ROW,
    "engagement": _ROW,
    "flag_exposures": _ROW | {"flag", "variant"},
    "mcp_calls": frozenset(
        (
            *("site", "tool", "error_group", "client_name", "client_version", "server_name", "server_version"),
            *("environment", BUCKET),
        )
    ),
    "ai_requests": OF_AI_REQUESTS | {BUCKET},
    "ai_unvisited": OF_AI_REQUESTS | {BUCKET},
    "experiments": frozenset(),
    "exposures": frozenset(),
    "met": frozenset(),
    "transactions": frozenset(),
    "link_clicks": frozenset(),
    "landings": frozenset(),
    "funnels": frozenset((*ATTRIBUTES, BUCKET)),
    "activity": frozenset(("period", "ahead")),
    "retention": frozenset((*ATTRIBUTES, "cohort", "period")),
    "profile_retention": frozenset(("period",)),
    "activations": frozenset(("period",)),
    "flows": frozenset(("step", "node_kind", "node", "to_kind", "to_node")),
    "checks": frozenset(("region", BUCKET)),
    "monitor_spans": frozenset(),
}
