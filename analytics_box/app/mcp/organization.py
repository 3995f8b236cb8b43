"""Tools over what an organization runs: short links, monitors, status pages and feature flags."""

from typing import Annotated, Any, Final, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from analytics_box.app.mcp.caller import Caller, Notes, RangeInput, ToolFilter
from analytics_box.app.mcp.tool import Tool, pick
from analytics_box.base.errors import BoxError
from analytics_box.base.translation import _
from analytics_box.products.flags.directory import Flags
from analytics_box.products.flags.evaluation.outcome import EvaluationContext
from analytics_box.products.flags.evaluation.tracing import trace
from analytics_box.products.monitors.engine import State

Limit = Annotated[int, Meta(ge=1, le=100)]
Search = Annotated[str, Meta(max_length=255, description="A part of the name or the URL.")]


class LinksInput(RangeInput, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A search, or one link."""

    search: Search | UnsetType = UNSET
    linkId: Annotated[str, Meta(max_length=255, description="One link, with its clicks in the range.")] | None = None
    limit: Limit = 25
    offset: Annotated[int, Meta(ge=0, le=1_000_000)] = 0


class LinksAnswer(Struct, frozen=True):
    """Links with all clicks of people so far. Of one link also its clicks in the range."""

    links: list[dict[str, Any]]
    hasMore: bool
    clicks: dict[str, Any]
    notes: Notes


_LINK: Final = (
    "id",
    "name",
    "shortUrl",
    "targetUrl",
    "clicks",
    "lastClickedAt",
    "expiresAt",
    "expiredRedirectUrl",
    "maxClicks",
    "tags",
    "folderId",
    "hasPassword",
    "createdAt",
    "updatedAt",
)
_CLICKS: Final = ("link_total_clicks", "link_clicks_by_day", "link_top_referrers", "link_top_countries")


async def list_links(caller: Caller, given: LinksInput) -> LinksAnswer:
    if given.linkId is None:
        found = await caller.call("links.paginated", search=given.search, limit=given.limit, offset=given.offset)
        return LinksAnswer([pick(one, *_LINK) for one in found["items"]], found["hasMore"], {}, [])
    link = await caller.call("links.get", id=given.linkId)
    notes: Notes = []
    clicks: dict[str, Any] = {}
    try:
        rows = await caller.rows(given.query(*_CLICKS, limit=10), {"link_id": given.linkId})
        clicks = {"range": given.days(caller.now), **dict(zip(_CLICKS, rows, strict=True))}
    except BoxError as refused:
        notes.append(_("Clicks in the range are missing: {why}").format(why=refused.message))
    return LinksAnswer([pick(link, *_LINK)], hasMore=False, clicks=clicks, notes=notes)


class MonitorsInput(RangeInput, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A search, or one monitor."""

    search: Search = ""
    state: State | None = None
    websiteId: Annotated[str, Meta(max_length=255)] | None = None
    monitorId: Annotated[str, Meta(max_length=255, description="One monitor, with uptime and outages.")] | None = None
    limit: Limit = 50


class MonitorsAnswer(Struct, frozen=True):
    """Monitors with their states. Of one monitor also its uptime and outages in the range; durations are in ms unless
    their names say seconds."""

    monitors: list[dict[str, Any]]
    total: int
    uptime: dict[str, Any]
    notes: Notes


_MONITOR: Final = (
    "id",
    "name",
    "url",
    "kind",
    "state",
    "stateSince",
    "isPaused",
    "granularity",
    "problem",
    "lastCheck",
    "website",
    "tags",
)


async def list_monitors(caller: Caller, given: MonitorsInput) -> MonitorsAnswer:
    if given.monitorId is None:
        found = await caller.call(
            "uptime.paginated", search=given.search, state=given.state, websiteId=given.websiteId, limit=given.limit
        )
        return MonitorsAnswer([_monitor(one) for one in found["items"]], found["total"], {}, [])
    monitor = await caller.call("uptime.getSchedule", scheduleId=given.monitorId)
    target = {"schedule_id": given.monitorId}
    overview, spans = await caller.rows(given.query("uptime_overview", "uptime_spans", limit=1_000), target)
    outages = [one for one in spans if one["state"] == "down"]
    uptime = {"range": given.days(caller.now), "overview": overview[0] if overview else {}, "outages": outages}
    return MonitorsAnswer([_monitor(monitor)], 1, uptime, [])


def _monitor(one: dict[str, Any]) -> dict[str, Any]:
    shown = pick(one, *_MONITOR)
    if "lastCheck" in shown:
        shown["lastCheck"] = pick(shown["lastCheck"], "at", "outcome", "reason", "error", "httpCode", "totalMs")
    return shown


class IncidentsInput(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A status page, or none for the open incidents of all."""

    statusPageId: (
        Annotated[str, Meta(max_length=255, description="One page, with its components and past incidents.")] | None
    ) = None
    limit: Limit = 20


class PagesWithIncidents(Struct, frozen=True):
    """Status pages with incidents, newest first."""

    statusPages: list[dict[str, Any]]
    incidents: list[dict[str, Any]]
    notes: Notes


_INCIDENT: Final = (
    "id",
    "statusPageId",
    "title",
    "status",
    "severity",
    "isDraft",
    "startedAt",
    "resolvedAt",
    "next",
    "affectedMonitors",
)
_MOST_PAGES: Final = 10


async def list_incidents(caller: Caller, given: IncidentsInput) -> PagesWithIncidents:
    pages, notes = await caller.call("statusPage.list"), []
    if given.statusPageId is not None:
        page = await caller.call("statusPage.get", statusPageId=given.statusPageId)
        components = [
            {"statusPageMonitorId": one["id"], **pick(one, "displayName", "uptimeScheduleId", "monitor", "status")}
            for one in page.get("monitors", ())
        ]
        shown = [{**pick(page, "id", "name", "slug"), "components": components}]
        found = await caller.call("statusPage.listIncidents", statusPageId=given.statusPageId, limit=given.limit)
        return PagesWithIncidents(shown, [_incident(one) for one in found], [])
    if len(pages) > _MOST_PAGES:
        notes.append(_("Incidents of the first {most} status pages only. Name a page.").format(most=_MOST_PAGES))
    incidents = []
    for page in pages[:_MOST_PAGES]:
        found = await caller.call("statusPage.listIncidents", statusPageId=page["id"], limit=given.limit)
        incidents += [_incident(one) for one in found if one["resolvedAt"] is None]
    return PagesWithIncidents([pick(one, "id", "name", "slug", "monitorCount") for one in pages], incidents, notes)


def _incident(one: dict[str, Any]) -> dict[str, Any]:
    updates = [pick(update, "status", "message", "at") for update in one["updates"][:5]]
    return {**pick(one, *_INCIDENT), "updates": updates}


class FlagsInput(RangeInput, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The flags of a website, or of the organization without one; one of them by its key."""

    websiteId: Annotated[str, Meta(max_length=255)] | None = None
    status: Literal["active", "inactive", "archived"] | None = None
    key: Annotated[str, Meta(max_length=128, description="One flag, with its rules, usage and results.")] | None = None
    environment: Annotated[str, Meta(max_length=64)] | None = None
    context: Annotated[
        dict[str, Any] | None,
        Meta(description='Evaluate the flag for this user: {"userId": "user-42", "email": "…", "properties": {…}}.'),
    ] = None
    conversion: (
        Annotated[str, Meta(max_length=255, description="The custom event that counts as a conversion in results.")]
        | None
    ) = None


class FlagsAnswer(Struct, frozen=True):
    """Flags. Of one flag also evaluations by outcome, results by variant, and the outcome for a user."""

    flags: list[dict[str, Any]]
    usage: dict[str, Any]
    results: list[dict[str, Any]]
    evaluation: dict[str, Any]
    notes: Notes


_FLAG: Final = (
    "id",
    "key",
    "name",
    "type",
    "status",
    "environment",
    "defaultValue",
    "rolloutPercentage",
    "folder",
    "version",
    "lastEvaluatedAt",
    "stale",
    "updatedAt",
)
_DEFINITION: Final = (
    "description",
    "offValue",
    "payload",
    "rules",
    "rolloutBy",
    "variants",
    "targetGroups",
    "dependencies",
    "prerequisites",
    "bucketing",
)


async def list_flags(caller: Caller, given: FlagsInput) -> FlagsAnswer:
    owner: dict[str, Any] = {"websiteId": given.websiteId}
    if given.key is None:
        found = await caller.call("flags.list", status=given.status, **owner)
        return FlagsAnswer([pick(one, *_FLAG) for one in found], {}, [], {}, [])
    flag = await caller.call("flags.getByKey", key=given.key, environment=given.environment, **owner)
    usage = await caller.call("flags.usage", flagId=flag["id"])
    results, notes = await _results(caller, given)
    evaluation = {} if given.context is None else _evaluation(caller, flag, given.context)
    shown = pick(flag, *_FLAG, *_DEFINITION)
    return FlagsAnswer([shown], pick(usage, "days", "count", "outcomes", "stale"), results, evaluation, notes)


async def _results(caller: Caller, given: FlagsInput) -> tuple[list[dict[str, Any]], Notes]:
    """Visitors and conversions by variant, which need read:data on the website."""
    if given.websiteId is None:
        return [], [_("Name a websiteId for results by variant.")]
    filters = [ToolFilter("flag", "eq", given.key)]
    if given.conversion is not None:
        filters.append(ToolFilter("conversion", "eq", given.conversion))
    try:
        (rows,) = await caller.rows(given.query("flag_exposures", filters=filters), {"website_id": given.websiteId})
    except BoxError as refused:
        return [], [_("Results are missing: {why}").format(why=refused.message)]
    return rows, []


def _evaluation(caller: Caller, flag: dict[str, Any], context: dict[str, Any]) -> dict[str, Any]:
    """The outcome of a flag for a user, and the step that decided."""
    flags = caller.parts[Flags]
    scope = flags.scope(flag["websiteId"] or flag["organizationId"])
    if scope is None:
        return {}
    texts = {name: str(context.get(name) or "")[:500] for name in ("userId", "email", "organizationId", "teamId")}
    properties = context.get("properties")
    found = trace(
        flags.ruleset(scope, flag["environment"]),
        flag["key"],
        EvaluationContext(
            user_id=texts["userId"],
            email=texts["email"],
            organization_id=texts["organizationId"],
            team_id=texts["teamId"],
            properties=properties if isinstance(properties, dict) else {},
        ),
    )
    if found.flag is None:
        return {"reason": "FLAG_NOT_FOUND"}
    outcome = {"enabled": found.enabled, "value": found.value, "variant": found.variant, "reason": found.reason}
    last = found.steps[-1] if found.steps else None
    return outcome if last is None else {**outcome, "decidedBy": {"kind": last.kind, "at": last.at, "name": last.name}}


TOOLS: Final = (
    Tool(
        "list_links",
        _("Short links"),
        "List short links with destinations and clicks, or one link with its clicks in a range by day, referrer and "
        'country. Example: {"search": "newsletter"}, or {"linkId": "…", "preset": "last_30d"}.',
        LinksInput,
        LinksAnswer,
        list_links,
        ("links.paginated",),
    ),
    Tool(
        "list_monitors",
        _("Monitors and outages"),
        "List uptime monitors with their states (up, down, degraded, paused …) and last checks, or one monitor with "
        'uptime percent, response times (ms) and outages in a range. Example: {"state": "down"}, or {"monitorId": "…", '
        '"preset": "last_7d"}.',
        MonitorsInput,
        MonitorsAnswer,
        list_monitors,
        ("uptime.paginated",),
    ),
    Tool(
        "list_incidents",
        _("Status pages and incidents"),
        "List status pages and their open incidents, or one page with its components and past incidents. Example: {}.",
        IncidentsInput,
        PagesWithIncidents,
        list_incidents,
        ("statusPage.list",),
    ),
    Tool(
        "list_flags",
        _("Feature flags"),
        "List feature flags, or one flag with rules, evaluations by outcome in the last 30 days, results by variant "
        "with "
        'confidence intervals, and the outcome for a user. Example: {"websiteId": "…"}, or {"websiteId": "…", "key": '
        '"new-checkout", "conversion": "purchase", "context": {"userId": "user-42"}}.',
        FlagsInput,
        FlagsAnswer,
        list_flags,
        ("flags.list",),
    ),
)
