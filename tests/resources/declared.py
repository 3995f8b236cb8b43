"""The resources of the box, for tests of every field: what of them does not follow from the tables of the box.

Fields come from the Structs of the procedures, and procedures, owners and pages from the tables (derived.py). A new
field needs a line here only if its type has no example of its own (`examples.py`), or if it is missing in one of the
columns on purpose: then `without` says why.
"""

from collections.abc import Mapping
from typing import Any, Final, Literal

from msgspec import Struct

from tests.resources.derived import derive

Column = Literal["create", "update", "answer", "list", "export", "form", "audit"]
Given = Mapping[str, Any]


class Resource(Struct, frozen=True):
    """A kind of resource. Texts in braces stand for ids: {organization}, {website}, or a resource in `needs`; {next}
    is a new number each time.

    `create`, `update`, `get`, `listed` and `delete` are procedures, of which all but the first name a resource by
    `key`; `get` can be empty, then the list answers. `place` says where a resource is created, and `update_place` and
    so on the same for the other procedures. `first` and `second` are example values of fields, and `least` are fields
    that it needs in addition to the required ones. `unset` are fields with tests of their own, because they are no
    value of the resource. `alone` are fields that exclude others, each with the input that it needs. `shown` and
    `logged` are the names of fields in answers and in the audit log, if they differ, with what is shown of a secret.
    `page` is the form in the console, `views` are pages about a resource or where it is, and `lists` are pages of all
    that the session's organization has.
    """

    name: str
    create: str
    update: str
    get: str
    listed: str
    delete: str
    place: Given
    key: str = "id"
    made: str = "id"
    needs: tuple[str, ...] = ()
    least: tuple[str, ...] = ()
    unset: tuple[str, ...] = ()
    first: Given = {}
    second: Given = {}
    alone: Mapping[str, Given] = {}
    shown: Mapping[str, str | tuple[str, Any]] = {}
    without: Mapping[Column, Mapping[str, str]] = {}
    page: str = ""
    views: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    update_place: Given = {}
    get_place: Given = {}
    list_place: Given = {}
    delete_place: Given = {}
    export: tuple[str, str] = ("", "")
    export_with: Given = {}
    import_with: Given = {}
    known: str = "name"
    typed: Mapping[str, Mapping[str, str]] = {}
    logged: Mapping[str, str] = {}


def declare(name: str, area: str, noun: str = "", **special: Any) -> Resource:
    """A resource whose procedures are `area.createNoun` and so on; `special` is what does not follow from the tables
    of the box (derived.py).
    """
    found = derive(area, noun)
    names = {part: {**found.get(part, {}), **special.get(part, {})} for part in ("shown", "logged")}
    return Resource(name=name, **{**found, **special, **names})


IDENTITY: Final = "identifies it, and stays"
TARGET_RULE: Final = {
    "targetUrl": "https://example.com/rule",
    "conditions": [{"property": "country", "operator": "equals", "value": "DE"}],
}
VARIANT: Final = {"targetUrl": "https://example.com/variant"}
WEBSITE_KEY: Final = "website:{website}"
OF_PROGRAMS: Final = "programs give it over the API; the form keeps it"
KEPT: Final = "the form has no field for it and keeps it"
SECRET: Final = "a file has no secrets"
UPDATE: Final = "the log names the update that carries it"
RULES: Final = [{"type": "email", "operator": "ends_with", "value": "@example.com"}]
LATER, LATEST = "2027-01-01T00:00:00Z", "2027-02-01T00:00:00Z"

RESOURCES: Final = (
    declare(
        "website",
        "websites",
        first={"domain": "first-{next}.example"},
        second={"domain": "second-{next}.example"},
        views=(
            "/sites/{id}",
            "/sites/{id}/settings/tracking",
            "/sites/{id}/bots",
            "/sites/{id}/not-counted",
            "/sites/{id}/queries",
        ),
    ),
    declare(
        "link",
        "links",
        needs=("folder",),
        first={
            "slug": "first-link-{next}",
            "folderId": "{folder}",
            "redirectStatus": 301,
            "utm": {"source": "first", "medium": "mail"},
            "domain": "{domain}",
            "rules": [TARGET_RULE | {"name": "first"}],
            "variants": [VARIANT | {"name": "one", "weight": 1}, VARIANT | {"name": "two", "weight": 3}],
            "deepLinkApp": "spotify",
        },
        second={
            "slug": "second-link-{next}",
            "folderId": "{folder}",
            "redirectStatus": 307,
            "utm": {"source": "second", "campaign": "spring"},
            "domain": "",
            "rules": [TARGET_RULE | {"name": "second"}],
            "variants": [VARIANT | {"name": "one", "weight": 5}, VARIANT | {"name": "two", "weight": 5}],
            "deepLinkApp": "youtube",
        },
        views=("/links/{id}",),
        typed={"password": {"password": "second password"}},
        import_with={"format": "json"},
        export_with={"format": "json"},
        without={
            "form": dict.fromkeys(("sourceType", "sourceId", "sourceOwnerId", "targetDomain"), OF_PROGRAMS),
            "export": {"password": SECRET, "folderId": "the file names the folder"},
        },
    ),
    declare("folder", "linkFolders"),
    declare(
        "monitor",
        "uptime",
        "Schedule",
        made="scheduleId",
        least=("url",),
        needs=("parent",),
        first={
            "url": "https://example.com/first-{next}",
            "websiteId": "{website}",
            "parentId": "{parent}",
            "kind": "http",
            "options": {"method": "POST", "redirects": 3},
            "jsonParsingConfig": {"enabled": True, "mode": "manual", "fields": ["a.b"]},
            "headers": {"X-First": "1"},
        },
        second={
            "url": "https://example.com/second-{next}",
            "websiteId": "{website}",
            "parentId": "{parent}",
            "kind": "http",
            "options": {"method": "PUT", "redirects": 5},
            "jsonParsingConfig": {"enabled": True, "mode": "manual", "fields": ["c"]},
            "headers": {"X-First": "2"},
        },
        alone={"basicAuth": {"url": "https://example.com/{next}", "basicAuth": {"user": "ada", "password": "hush"}}},
        shown={
            "headers": ("headerNames", ["X-First"]),
            "body": ("hasBody", True),
            "bearerToken": ("auth", "bearer"),
            "basicAuth": ("user", "ada"),
        },
        export=("uptime.export", "uptime.import"),
        typed={
            "headers": {"headers": "X-First: 2"},
            "body": {"body": "second"},
            "bearerToken": {"bearer": "second"},
            "basicAuth": {"user": "ada", "password": "hush"},
        },
        logged={
            "bearerToken": "secrets",
            "basicAuth": "secrets",
            "jsonParsingConfig": "options",
        },
        unset=("allowDuplicateUrl",),
        export_with={"secrets": True},
        known="url",
    ),
    declare(
        "monitor maintenance",
        "uptime",
        "Maintenance",
        needs=("parent",),
        least=("startsAt", "endsAt"),
        first={"covers": {"all": True}, "startsAt": LATER, "endsAt": LATEST},
        alone={
            "repeat": {
                "covers": {"all": True},
                "endsAt": None,
                "repeat": {"every": "week", "time": "02:30", "minutes": 30, "zone": "Europe/Berlin", "weekdays": [1]},
            }
        },
        second={"covers": {"monitorIds": ["{parent}"]}, "startsAt": LATER, "endsAt": LATEST},
    ),
    declare(
        "status page",
        "statusPage",
        first={
            "slug": "first-page-{next}",
            "websiteUrl": "https://example.com/first",
            "supportUrl": "https://example.com/first/help",
            "timeZone": "Europe/Berlin",
            "domain": "{status domain}",
        },
        second={
            "slug": "second-page-{next}",
            "websiteUrl": "https://example.com/second",
            "supportUrl": "https://example.com/second/help",
            "timeZone": "Asia/Tokyo",
            "domain": None,
        },
        unset=("logoUrl", "faviconUrl", "uptimeScheduleIds"),
        typed={"password": {"password": "second password"}},
        without={"form": {"isPublished": "two buttons set it, /publish and /unpublish"}},
    ),
    declare(
        "component",
        "statusPage",
        "Component",
        needs=("status page", "component group"),
        least=("name",),
        first={"groupId": "{component group}", "uptimeScheduleId": None},
        second={"groupId": "{component group}", "uptimeScheduleId": None},
        shown={"name": "displayName"},
        without={"form": {"order": "components are moved on the page of all"}},
    ),
    declare(
        "component group",
        "statusPage",
        "Group",
        needs=("status page",),
        unset=("componentIds",),
        page="/status-pages/{status page}/groups/{id}",
        without={"form": {"order": "groups are moved on the page of all"}},
    ),
    declare(
        "incident",
        "statusPage",
        "Incident",
        needs=("status page", "affected"),
        first={"affectedMonitors": [{"statusPageMonitorId": "{affected}", "impact": "down"}]},
        second={"affectedMonitors": [{"statusPageMonitorId": "{affected}", "impact": "degraded"}]},
        unset=("notify",),
        shown={"message": "updates.0.message", "draft": "isDraft"},
        views=("/status-pages/{status page}/incidents/{id}",),
        without={"audit": {"message": UPDATE, "affectedMonitors": UPDATE}},
        page="",
    ),
    declare(
        "maintenance",
        "statusPage",
        "Maintenance",
        get="statusPage.getIncident",
        needs=("status page", "affected"),
        unset=("notify",),
        shown={
            "message": "updates.0.message",
            "draft": "isDraft",
            "affectedMonitors": ("affectedMonitors", [{"impact": "maintenance"}]),
        },
        first={"affectedMonitors": ["{affected}"], "scheduledFor": LATER, "scheduledUntil": LATEST},
        second={"affectedMonitors": ["{affected}"], "scheduledFor": "2027-01-02T00:00:00Z", "scheduledUntil": LATEST},
        page="/status-pages/{status page}/maintenances/{id}/edit",
        views=("/status-pages/{status page}/maintenances",),
        without={
            "audit": {"message": UPDATE, "affectedMonitors": UPDATE},
            "form": {"message": "each update has a form"},
        },
    ),
    declare("incident template", "statusPage", "Template", needs=("status page",)),
    declare(
        "flag",
        "flags",
        needs=("target group", "needed flag"),
        first={
            "key": "first-flag-{next}",
            "type": "multivariant",
            "status": "inactive",
            "offValue": "red",
            "payload": {"limit": 1},
            "rules": RULES,
            "dependencies": ["{needed flag}"],
            "prerequisites": [{"key": "{needed flag}", "gives": ["true"]}],
            "variants": [{"key": "red", "value": "r", "weight": 40}, {"key": "blue", "value": "b", "weight": 60}],
            "targetGroupIds": ["{target group}"],
            "bucketing": {"algorithm": "flagd", "salt": "first"},
            "environment": "production",
        },
        second={
            "key": "second-flag-{next}",
            "type": "multivariant",
            "status": "inactive",
            "offValue": "blue",
            "payload": {"limit": 2},
            "rules": [{"type": "user_id", "operator": "in", "values": ["anna"]}],
            "dependencies": [],
            "prerequisites": [],
            "variants": [{"key": "red", "value": "x", "weight": 10}, {"key": "blue", "value": "y", "weight": 90}],
            "targetGroupIds": [],
            "bucketing": {"algorithm": "flagd", "salt": "second"},
            "environment": "staging",
        },
        unset=("userId", "note", "version"),
        views=tuple(f"/flags/{{id}}{part}" for part in ("", "/rollout", "/test", "/results", "/history", "/code")),
        without={"form": {"key": IDENTITY}},
    ),
    declare(
        "target group",
        "targetGroups",
        first={"color": "#112233", "rules": RULES},
        second={"color": "#445566", "rules": [{"type": "user_id", "operator": "in", "values": ["anna"]}]},
        unset=("updatedAt",),
    ),
    declare(
        "flag schedule",
        "flagSchedules",
        needs=("flag",),
        least=("scheduledAt",),
        first={"type": "enable", "scheduledAt": LATER},
        unset=("ramp", "isEnabled", "rolloutSteps"),
    ),
    declare(
        "alert rule",
        "alarms",
        without={"form": {"enabled": "two buttons of the list set it, /on and /off"}},
        first={
            "triggerConditions": {"tags": ["first"], "reminderMinutes": 30},
            "triggerType": "uptime",
            "destinations": [{"type": "webhook", "identifier": "https://hooks.example.com/alerts"}],
        },
        second={
            "triggerConditions": {"tags": ["second"], "reminderMinutes": 60},
            "triggerType": "uptime",
            "destinations": [{"type": "webhook", "identifier": "https://hooks.example.com/alerts"}],
        },
    ),
    declare(
        "channel",
        "config",
        "Channel",
        made="channel.id",
        first={"type": "webhook", "config": {"url": "https://hooks.example.com/first"}},
        second={"type": "webhook", "config": {"url": "https://hooks.example.com/second"}},
        logged={"config": "leadsTo"},
    ),
    declare(
        "funnel",
        "funnels",
        first={
            "steps": [{"type": "PAGE_VIEW", "target": "/first"}, {"type": "EVENT", "target": "first_event"}],
            "filters": [{"field": "country", "operator": "equals", "value": "DE"}],
            "order": "any",
            "window": 2,
            "windowUnit": "hours",
        },
        second={
            "steps": [{"type": "PAGE_VIEW", "target": "/second"}, {"type": "EVENT", "target": "second_event"}],
            "filters": [{"field": "country", "operator": "equals", "value": "FR"}],
            "order": "strict",
            "window": 3,
            "windowUnit": "days",
        },
        without={"form": {"filters": KEPT, "steps": "the form has inputs for the parts of each step"}},
    ),
    declare(
        "share",
        "shares",
        first={
            "slug": "first-share-{next}",
            "panels": ["sources", "goals"],
            "earliestDate": "2026-01-01",
            "accent": "#112233",
            "embedHosts": ["www.example.com", "*.example.org:8443"],
            "domain": "{share domain}",
        },
        second={
            "slug": "second-share-{next}",
            "panels": ["events"],
            "earliestDate": "2026-02-01",
            "accent": "#445566",
            "embedHosts": ["second.example.com"],
            "domain": None,
        },
        unset=("segmentId",),
        typed={
            "password": {"password": "another password"},
            "panels": {"panel-sources": "", "panel-goals": "", "panel-events": "on"},
        },
    ),
    declare(
        "report",
        "reports",
        unset=("recipients", "segmentId"),
        first={
            "frequency": "weekly",
            "weekdays": ["tue"],
            "timeZone": "Europe/Berlin",
            "sections": ["figures", "pages"],
            "exports": ["email"],
            "language": "de",
            "fileFormat": "parquet",
            "allWebsites": True,
            "websiteIds": [],
            "channelIds": ["{channel}"],
        },
        second={
            "frequency": "weekdays",
            "weekdays": ["mon", "thu"],
            "timeZone": "America/New_York",
            "sections": ["sources"],
            "exports": [],
            "language": "fr",
            "fileFormat": "csv",
            "allWebsites": False,
            "websiteIds": [],
            "channelIds": [],
        },
        needs=("channel",),
        views=("/sites/{website}/reports/{id}",),
    ),
    declare(
        "goal",
        "goals",
        first={
            "type": "EVENT",
            "target": "first_event",
            "filters": [{"field": "country", "operator": "equals", "value": "DE"}],
            "conditions": [{"property": "plan", "operator": "equals", "value": "pro"}],
        },
        second={
            "type": "EVENT",
            "target": "second_event",
            "filters": [{"field": "country", "operator": "equals", "value": "FR"}],
            "conditions": [{"property": "plan", "operator": "equals", "value": "free"}],
        },
        logged={"revenueProperty": "amount"},
        without={"form": {"filters": KEPT}},
    ),
    declare(
        "note",
        "annotations",
        first={
            "color": "#112233",
            "annotationType": "range",
            "xValue": "2026-06-10T00:00:00.000Z",
            "xEndValue": "2026-06-12T00:00:00.000Z",
        },
        second={
            "color": "#445566",
            "annotationType": "range",
            "xValue": "2026-06-11T00:00:00.000Z",
            "xEndValue": "2026-06-13T00:00:00.000Z",
        },
        unset=("chartType", "chartContext"),
        without={
            "form": {"yValue": KEPT, "tags": KEPT},
        },
    ),
    declare(
        "segment",
        "segments",
        first={"filters": [{"field": "path", "op": "eq", "value": "/first"}]},
        second={"filters": [{"field": "country", "op": "eq", "value": "DE"}]},
    ),
    declare(
        "saved question",
        "questions",
        first={"query": {"parameters": ["top_pages"], "preset": "last_7d"}},
        second={"query": {"parameters": ["country"], "preset": "last_30d"}},
        views=("/sites/{website}/queries",),
        logged={"query": "question"},
    ),
    declare(
        "API key",
        "apikeys",
        first={"ratelimit": {"enabled": True, "max": 5, "window": 60}, "scopes": ["read:data"], "expiresAt": LATER},
        second={"ratelimit": {"enabled": True, "max": 9, "window": 60}, "scopes": ["read:links"], "expiresAt": LATEST},
        alone={"resources": {"scopes": [], "resources": {WEBSITE_KEY: ["read:data"]}}},
        without={"form": {"type": "a key keeps its type"}},
    ),
)
BY_NAME: Final = {one.name: one for one in RESOURCES}
