"""Tools over the figures of websites: websites, query types, queries, comparisons, conversions, behavior, errors."""

from collections.abc import Iterable
from typing import Annotated, Any, Final, Literal, get_args

from msgspec import Meta, Struct
from msgspec.structs import replace

from analytics_box.app.mcp.caller import Caller, Notes, QueriedRange, RangeInput, ToolFilter
from analytics_box.app.mcp.tool import Tool
from analytics_box.base import errors
from analytics_box.base.translation import _
from analytics_box.figures.asking import PageQuery, UnansweredQuery
from analytics_box.figures.comparing import ComparedDays
from analytics_box.figures.movers import Movers, explain
from analytics_box.figures.view import read_view
from analytics_box.products.overview.board import WEBSITE
from analytics_box.query import ranges
from analytics_box.query.access import may_export
from analytics_box.query.catalog.registry import TYPES, QueryType, nearest
from analytics_box.query.catalog.types import Record
from analytics_box.query.filters import Op
from analytics_box.query.request import GivenQuery, check
from analytics_box.query.run import ParameterAnswer, QueryRunner
from analytics_box.tenants.websites.directory import Directory

Id = Annotated[str, Meta(min_length=1, max_length=255)]
OPERATORS: Final[tuple[str, ...]] = get_args(Op)
_USUAL_ROWS, _MOST_ROWS = 25, 200
_MOST_ENTRIES: Final = 20  # Types in all queries of a call.
_MOST_TYPES: Final = 20


class NoArguments(Struct, frozen=True, forbid_unknown_fields=True):
    """Nothing."""


class WebsitesAnswer(Struct, frozen=True):
    """The websites that the key can read."""

    websites: list[dict[str, Any]]


async def list_websites(caller: Caller, _given: NoArguments) -> WebsitesAnswer:
    found = await caller.call("websites.list")
    names = ("id", "name", "domain", "isPublic", "createdAt")
    return WebsitesAnswer([{name: one[name] for name in names if name in one} for one in found])


class DescribeInput(Struct, frozen=True, forbid_unknown_fields=True):
    """Words to find, or the name of a type."""

    search: (
        Annotated[str, Meta(max_length=100, description="Words to find, such as `referrers` or `scroll depth`.")] | None
    ) = None
    type: Annotated[str, Meta(max_length=100, description="The name of one type, for all of its fields.")] | None = None


class DescribeAnswer(Struct, frozen=True):
    """Query types, with all presets of ranges and operators of filters."""

    types: list[dict[str, Any]]
    presets: list[str]
    operators: list[str]
    notes: Notes


async def describe_queries(_caller: Caller, given: DescribeInput) -> DescribeAnswer:
    notes: Notes = []
    if given.type is not None:
        found = TYPES.get(given.type)
        if found is None:
            near = nearest(given.type)
            if near:
                raise errors.BadRequest(
                    _("Unknown query type: {name}. Did you mean '{near}'?").format(name=given.type, near=near)
                )
            raise errors.BadRequest(_("Unknown query type: {name}").format(name=given.type))
        types = [_description(found)]
    else:
        words = (given.search or "").lower().split()
        fitting = [one for one in TYPES.values() if _fits(one, words)]
        if not words or len(fitting) > _MOST_TYPES:
            types = [{"name": one.name, "title": one.title, "about": one.subject} for one in fitting]
            notes.append(_("Names only. Search, or name one type, for descriptions and fields."))
        else:
            types = [_description(one) for one in fitting]
        if not fitting:
            notes.append(_("No query type has all of these words. Try fewer, or leave search out for all names."))
    return DescribeAnswer(types, [*ranges.PRESETS], [*OPERATORS], notes)


def _fits(one: QueryType, words: Iterable[str]) -> bool:
    text = f"{one.name} {one.title} {one.family} {one.description}".lower()
    return all(word in text or word.rstrip("s") in text for word in words)


def _description(one: QueryType) -> dict[str, Any]:
    fields = {f.name: f"{f.type}: {f.description}" + (f" ({f.unit})" if f.unit else "") for f in one.outputs}
    needed = {"needsFilter": [*one.needs]} if one.needs else {}
    return {
        "name": one.name,
        "title": one.title,
        "description": one.description,
        "about": one.subject,
        "fields": fields,
        "filters": [*one.filters],
        "sortable": [*one.sortable],
        "granularities": [*one.granularities],
        **needed,
    }


class AskInput(Struct, frozen=True, forbid_unknown_fields=True):
    """Queries, and what they are about."""

    queries: Annotated[
        list[GivenQuery],
        Meta(
            min_length=1,
            max_length=10,
            description="Up to 10 queries. `parameters` are names of query types. `preset`, or both startDate and "
            "endDate (YYYY-MM-DD, local days in timeZone, both included). `comparison` adds the range before. "
            'Filters: [{"field": "country", "op": "eq", "value": "Germany"}].',
        ),
    ]
    websiteId: Annotated[str, Meta(max_length=255, description="For types about a website.")] | None = None
    linkId: Annotated[str, Meta(max_length=255, description="For types about a short link.")] | None = None
    monitorId: Annotated[str, Meta(max_length=255, description="For types about a monitor.")] | None = None
    organizationId: Annotated[str, Meta(max_length=255, description="For all websites of an organization.")] | None = (
        None
    )


class AskAnswer(Struct, frozen=True):
    """`answers` has one entry per type: its rows, or its error."""

    answers: list[dict[str, Any]]
    notes: Notes


async def ask(caller: Caller, given: AskInput) -> AskAnswer:
    named = {
        "schedule_id": given.monitorId,
        "link_id": given.linkId,
        "website_id": given.websiteId,
        "organization_id": given.organizationId,
    }
    target = {name: value for name, value in named.items() if value is not None}
    if len(target) > 1:
        raise errors.BadRequest(_("Name one of websiteId, linkId, monitorId and organizationId"))
    if sum(len(one.parameters) for one in given.queries) > _MOST_ENTRIES:
        raise errors.BadRequest(_("A call can have up to {most} parameters in all").format(most=_MOST_ENTRIES))
    queries = [
        replace(one, limit=_USUAL_ROWS if one.limit is None else min(one.limit, _MOST_ROWS)) for one in given.queries
    ]
    answers = await caller.ask(queries, target)
    found = []
    for query, entries in zip(queries, answers, strict=True):
        shown = _range(query, caller.now)
        found += [{**shown, **_entry(entry, int(query.limit or 0))} for entry in entries]
    return AskAnswer(found, [])


def _range(query: GivenQuery, now: int) -> dict[str, str]:
    """The days that a query asks about, with their zone."""
    checked = check(query, zone_name=None, now=now)
    days = next((one.days for one in checked.questions if one.days is not None), None)
    zone = {"timeZone": str(checked.zone)}
    return zone if days is None else {"startDate": days.first.isoformat(), "endDate": days.last.isoformat(), **zone}


def _entry(entry: ParameterAnswer, limit: int) -> dict[str, Any]:
    shown: dict[str, Any] = {"type": entry.parameter}
    if not entry.success:
        return {**shown, "error": entry.error}
    shown["rows"] = entry.data
    if limit and len(entry.data) >= limit:
        shown["more"] = _("There may be more rows: set limit or page.")
    if entry.ignoredFilters:
        shown["ignoredFilters"] = [*entry.ignoredFilters]
    if entry.comparison:
        shown["before"] = {
            "startDate": entry.comparison.startDate,
            "endDate": entry.comparison.endDate,
            "rows": entry.comparison.data,
        }
    if entry.imported:
        shown["imported"] = entry.imported
    return shown


class CompareInput(RangeInput, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A website, its days, and what they are compared with."""

    websiteId: Id
    against: Literal["previous_period", "previous_year"] = "previous_period"
    filters: Annotated[tuple[ToolFilter, ...], Meta(max_length=20)] = ()


class CompareAnswer(Struct, frozen=True):
    """`metrics` with both ranges; `movers` are the rows of lists that explain most of each difference; `annotations`
    are notes that members wrote about these days."""

    range: QueriedRange
    against: QueriedRange
    metrics: dict[str, Any]
    movers: list[dict[str, Any]]
    annotations: list[dict[str, Any]]
    notes: Notes


async def compare(caller: Caller, given: CompareInput) -> CompareAnswer:
    shown = given.days(caller.now)
    query = given.query("summary_totals", filters=given.filters, comparison=given.against)
    ((entry,),) = await caller.ask([query], {"website_id": given.websiteId})
    if not entry.success or not entry.comparison:
        raise errors.InvalidQuery(str(entry.error))
    now, before = entry.data[0], entry.comparison.data[0]
    checked = check(query, zone_name=None, now=caller.now)
    days = checked.questions[0].days
    website = caller.parts[Directory].find(given.websiteId)
    if days is None or website is None or not may_export(caller.identity.within("read:data"), website):
        raise errors.Forbidden(_("Access denied to this website"))
    theirs = days.previous() if given.against == "previous_period" else days.year_before()
    asking = PageQuery(
        caller.parts[QueryRunner],
        website.site,
        WEBSITE,
        days,
        checked.zone,
        caller.now,
        filters=query.filters or (),
        compared=ComparedDays(theirs, days.length),
    )
    notes: Notes = []
    if entry.imported and entry.imported.included:
        notes.append(_("Totals include imported daily totals."))
    try:
        found = await explain(asking, read_view(f"/sites/{website.id}", {}, WEBSITE))
    except UnansweredQuery as failed:
        found, notes = (), [*notes, _("Movers are missing: {why}").format(why=failed)]
    written = await caller.call(
        "annotations.list", websiteId=website.id, startDate=shown.startDate, endDate=shown.endDate, limit=20
    )
    return CompareAnswer(
        shown,
        QueriedRange(theirs.first.isoformat(), theirs.last.isoformat(), shown.timeZone),
        {name: _comparison(value, before[name]) for name, value in now.items()},
        [_movers(one) for one in found],
        [{"date": one["xValue"], "text": one["text"], "tags": one["tags"]} for one in written],
        notes,
    )


def _comparison(now: Any, before: Any) -> dict[str, Any]:
    """A figure of both ranges, with its change in percent; None from zero."""
    change = None
    if isinstance(now, int | float) and isinstance(before, int | float) and before:
        change = round(100 * (now - before) / before, 1)
    return {"now": now, "before": before, "changePercent": change}


def _movers(found: Movers) -> dict[str, Any]:
    parts = [
        {"name": one.label, "before": one.before, "now": one.now, "change": one.change, "sharePercent": one.share}
        for one in found.parts
    ]
    counted = found.explanation.counted
    return {
        "list": found.explanation.listed,
        "metric": counted,
        "before": found.before,
        "now": found.now,
        "rows": parts,
    }


class ConversionsInput(RangeInput, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A website; a goal or a funnel of it, or neither for all."""

    websiteId: Id
    goalId: Annotated[str, Meta(max_length=255, description="Only this goal.")] | None = None
    funnelId: Annotated[str, Meta(max_length=255, description="Only this funnel, also by referrer.")] | None = None


class ConversionsAnswer(Struct, frozen=True):
    """Goals with conversions and rate, and funnels with their steps."""

    range: QueriedRange
    goals: list[dict[str, Any]]
    funnels: list[dict[str, Any]]
    notes: Notes


_MOST_FUNNELS: Final = 10  # Their steps are counted in one call.


async def get_conversions(caller: Caller, given: ConversionsInput) -> ConversionsAnswer:
    notes: Notes = []
    days: dict[str, Any] = {**_days_in_utc(given, caller, notes), "websiteId": given.websiteId}
    goals = await caller.call("goals.list", websiteId=given.websiteId) if given.funnelId is None else []
    goals = [one for one in goals if given.goalId in {None, one["id"]}]
    if given.goalId is not None and not goals:
        raise errors.NotFound.of("goal", given.goalId)
    ids = [one["id"] for one in goals][:100]
    counted = await caller.call("goals.bulkAnalytics", goalIds=ids, **days) if ids else {}
    funnels = await caller.call("funnels.list", websiteId=given.websiteId) if given.goalId is None else []
    funnels = [one for one in funnels if given.funnelId in {None, one["id"]}]
    if given.funnelId is not None and not funnels:
        raise errors.NotFound.of("funnel", given.funnelId)
    if len(funnels) > _MOST_FUNNELS:
        notes.append(_("Steps of the first {most} funnels only. Name a funnelId.").format(most=_MOST_FUNNELS))
    shown: list[dict[str, Any]] = []
    for one in funnels:
        about = {name: one[name] for name in ("id", "name", "isActive")}
        if len(shown) < _MOST_FUNNELS:
            about |= await caller.call("funnels.getAnalytics", funnelId=one["id"], **days)
        if given.funnelId is not None:
            about |= await caller.call("funnels.getAnalyticsByReferrer", funnelId=one["id"], **days)
        shown.append(about)
    return ConversionsAnswer(
        given.days(caller.now), [_goal(one, counted[one["id"]]) for one in goals[:100]], shown, notes
    )


def _days_in_utc(given: RangeInput, caller: Caller, notes: Notes) -> dict[str, str]:
    """The days for procedures, which count keys' days in UTC."""
    shown = given.days(caller.now)
    if shown.timeZone != "UTC":
        notes.append(_("Goals and funnels are counted by UTC days."))
    return {"startDate": shown.startDate, "endDate": shown.endDate}


def _goal(one: dict[str, Any], counted: dict[str, Any]) -> dict[str, Any]:
    about = {name: one[name] for name in ("id", "name", "type", "target", "isActive")}
    if counted.get("error"):
        return {**about, "error": counted["error"]}
    return {
        **about,
        "visitors": counted["total_users_entered"],
        "conversions": counted["total_users_completed"],
        "conversionRatePercent": counted["overall_conversion_rate"],
        "revenue": counted["revenue"],
    }


class BehaviorInput(RangeInput, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A website, and what its visitors are asked about."""

    websiteId: Id
    kind: Annotated[
        Literal["retention", "stickiness", "lifecycle", "journeys"],
        Meta(
            description="retention: cohorts by first visit and how many return; stickiness: daily, weekly and monthly "
            "active visitors (needs more than 30 days); lifecycle: new, returning, resurrected and dormant visitors; "
            "journeys: from page to page."
        ),
    ]
    filters: Annotated[
        tuple[ToolFilter, ...],
        Meta(max_length=20, description="Also settings of the type, such as from_page or to_page of journeys."),
    ] = ()


class BehaviorAnswer(Struct, frozen=True):
    """The rows of the query type of this name."""

    range: QueriedRange
    rows: list[dict[str, Any]]
    notes: Notes


async def get_behavior(caller: Caller, given: BehaviorInput) -> BehaviorAnswer:
    query = given.query(given.kind, limit=_MOST_ROWS, filters=given.filters)
    (rows,) = await caller.rows(query, {"website_id": given.websiteId})
    notes = (
        [_("Rows with is_complete false are of periods that are not over.")]
        if rows and "is_complete" in rows[0]
        else []
    )
    return BehaviorAnswer(given.days(caller.now), rows, notes)


class ErrorsInput(RangeInput, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A website; one of its error groups, or none for the most frequent."""

    websiteId: Id
    fingerprint: (
        Annotated[str, Meta(max_length=64, description="One group: with its stack, pages, browsers and days.")] | None
    ) = None
    limit: Annotated[int, Meta(ge=1, le=100)] = 20


class ErrorsAnswer(Struct, frozen=True):
    """Error groups with counts and states. Of one group also where it happens."""

    range: QueriedRange
    summary: dict[str, Any]
    groups: list[dict[str, Any]]
    details: dict[str, Any]
    notes: Notes


async def list_errors(caller: Caller, given: ErrorsInput) -> ErrorsAnswer:
    target = {"website_id": given.websiteId}
    decided = {one["fingerprint"]: one for one in await caller.call("errorGroups.list", websiteId=given.websiteId)}
    only = [ToolFilter("fingerprint", "eq", given.fingerprint)] if given.fingerprint else []
    query = given.query("error_fingerprints", "error_summary", limit=given.limit, filters=only)
    groups, summary = await caller.rows(query, target)
    details: dict[str, Any] = {}
    if given.fingerprint:
        if not groups:
            raise errors.NotFound.of("errorGroup", given.fingerprint)
        named = [ToolFilter("error", "eq", given.fingerprint)]
        types = ("top_pages", "browsers_grouped", "device_types", "country")
        found = await caller.rows(given.query(*types, limit=10, filters=named), target)
        details = {"sessionsWithTheError": dict(zip(types, found, strict=True))}
    return ErrorsAnswer(
        given.days(caller.now),
        summary[0] if summary else {},
        [_group(row, decided.get(row["fingerprint"]), with_stack=bool(given.fingerprint)) for row in groups],
        details,
        [],
    )


def _group(row: Record, decided: dict[str, Any] | None, *, with_stack: bool) -> dict[str, Any]:
    state = {"state": decided["state"] if decided else "open"}
    return {**{name: value for name, value in row.items() if with_stack or name != "stack"}, **state}


_SITES: Final = ("websites.list",)

TOOLS: Final = (
    Tool(
        "list_websites",
        _("List websites"),
        "List the websites that this key can read, with ids. Call it first: other tools need a websiteId.",
        NoArguments,
        WebsitesAnswer,
        list_websites,
        _SITES,
    ),
    Tool(
        "describe_queries",
        _("Describe query types"),
        "Find query types for ask by words, with their fields, units and filters. Use it before ask unless you know "
        "the "
        'type. Example: {"search": "referrers"}, or {"type": "summary_metrics"}.',
        DescribeInput,
        DescribeAnswer,
        describe_queries,
        ("websites.list", "uptime.listSchedules"),
    ),
    Tool(
        "ask",
        _("Query figures"),
        "Run up to 10 queries about one website, short link, monitor or organization. Common types: summary_totals "
        "(one row), summary_metrics (by day), top_pages, top_referrers, channels, country, device_types, "
        "utm_campaigns, custom_events. Rates are percents, durations are seconds or as the field says (see "
        "describe_queries). Example: "
        '{"websiteId": "…", "queries": [{"parameters": ["summary_totals", "top_pages"], "preset": "last_7d", '
        '"timeZone": "Europe/Berlin", "limit": 10}]}.',
        AskInput,
        AskAnswer,
        ask,
        ("websites.list", "uptime.listSchedules"),
    ),
    Tool(
        "compare",
        _("Compare two ranges"),
        "Compare a website's figures with the range before or the year before, and list what moved most: sources, "
        "pages, "
        'countries, campaigns, devices, events. Use it for "why did traffic change?". Example: {"websiteId": "…", '
        '"preset": "last_7d", "against": "previous_period"}.',
        CompareInput,
        CompareAnswer,
        compare,
        _SITES,
    ),
    Tool(
        "get_conversions",
        _("Goals and funnels"),
        "Get the goals of a website with conversions and rates (percent of visitors), and its funnels with each step "
        "and "
        'where visitors leave. Example: {"websiteId": "…", "preset": "last_30d"}.',
        ConversionsInput,
        ConversionsAnswer,
        get_conversions,
        ("goals.list",),
    ),
    Tool(
        "get_behavior",
        _("Retention and journeys"),
        "Get how visitors behave over time: retention cohorts, stickiness, lifecycle, or journeys from page to page. "
        'Example: {"websiteId": "…", "kind": "journeys", "preset": "last_7d"}.',
        BehaviorInput,
        BehaviorAnswer,
        get_behavior,
        _SITES,
    ),
    Tool(
        "list_errors",
        _("JavaScript errors"),
        "List the error groups of a website, most frequent first, with affected visitors, release, first and last time "
        "and state (open, resolved, ignored). With a fingerprint: one group with stack, pages and browsers. Example: "
        '{"websiteId": "…", "preset": "last_7d"}.',
        ErrorsInput,
        ErrorsAnswer,
        list_errors,
        ("errorGroups.list",),
    ),
)
