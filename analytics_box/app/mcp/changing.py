"""Tools that change something through the box's procedures: the first call plans, the second one confirms."""

from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from analytics_box.app.mcp.caller import Caller
from analytics_box.app.mcp.reading import Id
from analytics_box.app.mcp.tool import CONFIRM, Change, ChangeAnswer, Confirm, Tool, confirm_change
from analytics_box.base.errors import BadRequest
from analytics_box.base.translation import _

_LONGEST: Final = 255
_TEXT: Final = msgspec.json.Encoder().encode
_SHOWN: Final = 500  # Characters of a value in a plan.


class LinkInput(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A new link, or the fields to change of the link that linkId names."""

    linkId: Annotated[str, Meta(max_length=_LONGEST, description="Update this link.")] | UnsetType = UNSET
    name: Annotated[str, Meta(max_length=_LONGEST)] | UnsetType = UNSET
    targetUrl: Annotated[str, Meta(max_length=4_096, description="The destination.")] | UnsetType = UNSET
    slug: Annotated[str, Meta(max_length=200, description="Leave it out to generate one.")] | UnsetType = UNSET
    domain: Annotated[str, Meta(max_length=_LONGEST, description="A domain for links.")] | UnsetType = UNSET
    tags: list[str] | UnsetType = UNSET
    expiresAt: Annotated[str, Meta(max_length=64, description="ISO 8601, UTC.")] | UnsetType | None = UNSET
    confirm: Confirm | UnsetType = UNSET


def _fields(given: Struct, *without: str) -> dict[str, Any]:
    """The arguments that were sent, as a procedure takes them."""
    fields: dict[str, Any] = msgspec.to_builtins(given)
    for name in ("confirm", *without):
        fields.pop(name, None)
    return fields


def _lines(fields: dict[str, Any], before: dict[str, Any] | None = None) -> list[str]:
    """A line for each field; with `before` for each that changes. Raises BadRequest if none does."""
    if before is None:
        return [f"{name}: {_TEXT(value).decode()[:_SHOWN]}" for name, value in fields.items()]
    lines = [
        _("{field}: {before} → {after}").format(
            field=name, before=_TEXT(before.get(name)).decode()[:_SHOWN], after=_TEXT(value).decode()[:_SHOWN]
        )
        for name, value in fields.items()
        if before.get(name) != value
    ]
    if not lines:
        raise BadRequest(_("Nothing would change. Send at least one field with a new value"))
    return lines


async def save_link(caller: Caller, given: LinkInput) -> ChangeAnswer:
    fields = _fields(given, "linkId")
    procedure, plan = "links.create", [_("Create a short link:")]
    if given.linkId is UNSET:
        plan += _lines(fields)
    else:
        before = await caller.call("links.get", id=given.linkId)
        head = _("Update the short link {url}. People who open it are affected immediately:")
        plan = [head.format(url=before["shortUrl"]), *_lines(fields, before)]
        procedure, fields = "links.update", {"id": given.linkId, **fields}
    shown = ("id", "name", "shortUrl", "targetUrl", "tags", "expiresAt")
    return await confirm_change(caller, given, Change(plan, procedure, fields, shown))


class NoteInput(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A note on a day, or on several."""

    websiteId: Id
    text: Annotated[str, Meta(min_length=1, max_length=2_000)]
    date: Annotated[str, Meta(max_length=64, description="YYYY-MM-DD, or an ISO 8601 time.")]
    endDate: Annotated[str, Meta(max_length=64, description="For a note on several days.")] | UnsetType = UNSET
    tags: list[str] = []
    isPublic: Annotated[bool, Meta(description="Also on the public dashboard.")] = False
    confirm: Confirm | UnsetType = UNSET


async def create_note(caller: Caller, given: NoteInput) -> ChangeAnswer:
    fields = {
        "websiteId": given.websiteId,
        "text": given.text,
        "xValue": given.date,
        "xEndValue": given.endDate,
        "annotationType": "line" if given.endDate is UNSET else "range",
        "tags": given.tags,
        "isPublic": given.isPublic,
    }
    until = "" if given.endDate is UNSET else f" – {given.endDate}"
    plan = [
        _("Add a note to the charts of the website {id}:").format(id=given.websiteId),
        f"{given.date}{until}: {given.text}",
    ]
    if given.isPublic:
        plan.append(_("Visitors of the public dashboard see it."))
    shown = ("id", "text", "xValue", "xEndValue", "isPublic")
    return await confirm_change(caller, given, Change(plan, "annotations.create", fields, shown))


class FlagInput(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A flag, and what to change of it."""

    key: Annotated[str, Meta(min_length=1, max_length=128)]
    websiteId: Annotated[str, Meta(max_length=_LONGEST)] | UnsetType = UNSET
    environment: Annotated[str, Meta(max_length=64)] | UnsetType = UNSET
    status: (
        Annotated[Literal["active", "inactive"], Meta(description="active turns the flag on, inactive off.")]
        | UnsetType
    ) = UNSET
    rolloutPercentage: (
        Annotated[float, Meta(ge=0, le=100, description="For flags of the type rollout.")] | UnsetType
    ) = UNSET
    note: Annotated[str, Meta(max_length=500, description="The reason, for the history of the flag.")] = ""
    confirm: Confirm | UnsetType = UNSET


async def change_flag(caller: Caller, given: FlagInput) -> ChangeAnswer:
    flag = await caller.call("flags.getByKey", key=given.key, websiteId=given.websiteId, environment=given.environment)
    fields = {name: value for name, value in _fields(given).items() if name in {"status", "rolloutPercentage"}}
    if "rolloutPercentage" in fields and flag["type"] != "rollout":
        raise BadRequest(
            _("This flag has the type {type}: only flags of the type rollout have a percentage").format(
                type=flag["type"]
            )
        )
    head = _("Change the flag {key} ({name}, version {version}). Apps use it within seconds:").format(
        key=flag["key"], name=flag["name"] or flag["key"], version=flag["version"]
    )
    plan = [head, *_lines(fields, flag)]
    fields |= {"id": flag["id"], "version": flag["version"], "note": given.note}
    shown = ("id", "key", "status", "rolloutPercentage", "version", "inactiveDependencies", "dependents")
    return await confirm_change(caller, given, Change(plan, "flags.update", fields, shown))


class NewMonitorInput(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A new HTTP monitor."""

    url: Annotated[str, Meta(min_length=1, max_length=2_048)]
    name: Annotated[str, Meta(max_length=_LONGEST)] | UnsetType = UNSET
    granularity: Annotated[
        Literal["minute", "five_minutes", "ten_minutes", "thirty_minutes", "hour", "six_hours"],
        Meta(description="The interval between checks."),
    ] = "five_minutes"
    websiteId: Annotated[str, Meta(max_length=_LONGEST)] | UnsetType = UNSET
    tags: list[str] | UnsetType = UNSET
    confirm: Confirm | UnsetType = UNSET


async def create_monitor(caller: Caller, given: NewMonitorInput) -> ChangeAnswer:
    fields = _fields(given)
    plan = [
        _("Create a monitor that checks {url} from this server.").format(url=given.url),
        *_lines({name: value for name, value in fields.items() if name != "url"}),
    ]
    shown = ("id", "scheduleId", "name", "url", "granularity")
    return await confirm_change(caller, given, Change(plan, "uptime.createSchedule", fields, shown))


class IncidentComponent(Struct, frozen=True, forbid_unknown_fields=True):
    """An affected component of the status page."""

    statusPageMonitorId: Id
    impact: Literal["operational", "degraded", "partial", "down"] = "degraded"


class IncidentInput(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A new incident on a status page, or an update of the incident that incidentId names."""

    statusPageId: Annotated[str, Meta(max_length=_LONGEST, description="For a new incident.")] | UnsetType = UNSET
    incidentId: Annotated[str, Meta(max_length=_LONGEST, description="Update this incident.")] | UnsetType = UNSET
    title: Annotated[str, Meta(max_length=200)] | UnsetType = UNSET
    message: Annotated[str, Meta(min_length=1, max_length=5_000, description="What visitors of the page read.")]
    status: Literal["investigating", "identified", "monitoring", "resolved"] = "investigating"
    severity: Literal["minor", "major", "critical"] | UnsetType = UNSET
    affectedMonitors: list[IncidentComponent] | UnsetType = UNSET
    notify: Annotated[bool, Meta(description="Email and notify subscribers.")] = True
    confirm: Confirm | UnsetType = UNSET


async def post_incident(caller: Caller, given: IncidentInput) -> ChangeAnswer:
    if (given.statusPageId is UNSET) == (given.incidentId is UNSET):
        raise BadRequest(_("Name a statusPageId for a new incident, or the incidentId of one to update"))
    is_new = given.incidentId is UNSET
    procedure = "statusPage.createIncident" if is_new else "statusPage.updateIncident"
    fields = _fields(given)
    if is_new:
        head = _("Publish an incident on the status page {id}:").format(id=given.statusPageId)
    else:
        head = _("Publish an update of the incident {id}:").format(id=given.incidentId)
    notify = _("Subscribers are notified.") if given.notify else _("Subscribers are not notified.")
    skipped = {"statusPageId", "incidentId", "notify"}
    lines = _lines({name: value for name, value in fields.items() if name not in skipped})

    shown = ("id", "title", "status", "severity", "startedAt", "resolvedAt")
    return await confirm_change(caller, given, Change([head, *lines, notify], procedure, fields, shown))


TOOLS: Final = (
    Tool(
        "save_link",
        _("Create or update a short link"),
        'Create a short link, or update the one that linkId names. Example: {"name": "Newsletter", "targetUrl": '
        '"https://example.com/spring"}.' + CONFIRM,
        LinkInput,
        ChangeAnswer,
        save_link,
        ("links.create",),
        changes=True,
        destructive=True,
    ),
    Tool(
        "create_note",
        _("Add a note"),
        "Add a note to the charts of a website, such as a launch or a campaign, so that others understand a change. "
        'Example: {"websiteId": "…", "date": "2026-11-24", "text": "Spring campaign started"}.' + CONFIRM,
        NoteInput,
        ChangeAnswer,
        create_note,
        ("annotations.create",),
        changes=True,
    ),
    Tool(
        "change_flag",
        _("Change a feature flag"),
        "Turn a feature flag on or off, or change the percentage of a rollout. Users are affected within seconds. "
        'Example: {"websiteId": "…", "key": "new-checkout", "rolloutPercentage": 25}.' + CONFIRM,
        FlagInput,
        ChangeAnswer,
        change_flag,
        ("flags.update",),
        changes=True,
        destructive=True,
        idempotent=True,
    ),
    Tool(
        "create_monitor",
        _("Create a monitor"),
        'Create a monitor that checks a URL at an interval. Example: {"url": "https://example.com/health", '
        '"granularity": "minute"}.' + CONFIRM,
        NewMonitorInput,
        ChangeAnswer,
        create_monitor,
        ("uptime.createSchedule",),
        changes=True,
    ),
    Tool(
        "post_incident",
        _("Publish an incident"),
        "Publish an incident on a status page, or an update of one. The public and subscribers read it. Get components "
        'with list_incidents. Example: {"statusPageId": "…", "title": "Slow checkout", "message": "We are '
        'investigating slow responses.", "severity": "minor"}.' + CONFIRM,
        IncidentInput,
        ChangeAnswer,
        post_incident,
        ("statusPage.createIncident",),
        changes=True,
        destructive=True,
    ),
)
