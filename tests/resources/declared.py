"""The resources of the box, for tests of every field: procedures, example values, and what is left out on purpose.

Fields come from the Structs of the procedures. A new field needs a line here only if its type has no example of its
own (`examples.py`), or if it is missing in one of the columns on purpose: then `without` says why.
"""

from collections.abc import Mapping
from typing import Any, Final, Literal

from msgspec import Struct

Column = Literal["create", "update", "answer", "list", "export", "form", "audit"]
Given = Mapping[str, Any]


class Resource(Struct, frozen=True):
    """A kind of resource. Texts in braces stand for ids: {organization}, {website}, or a resource in `needs`; {next}
    is a new number each time.

    `create`, `update`, `get`, `listed` and `delete` are procedures, of which all but the first name a resource by
    `key`; `get` can be empty, then the list answers. `place` says where a resource is created. `first` and `second` are
    example values of fields, and `least` are fields that it needs in addition to the required ones. `unset` are fields
    with tests of their own, because they are no value of the resource. `alone` are fields that exclude others, each
    with the input that it needs. `shown` are the names of fields in answers, if they differ, with what is shown of a
    secret. `page` is the form in the console, `views` are pages about a resource or where it is, and `lists` are pages
    of all that the session's organization has.
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
    list_place: Given | None = None
    delete_place: Given | None = None
    export: tuple[str, str] = ("", "")
    export_with: Given = {}
    import_with: Given = {}
    known: str = "name"
    typed: Mapping[str, Mapping[str, str]] = {}
    logged: Mapping[str, str] = {}


ORGANIZATION: Final = {"organizationId": "{organization}"}
WEBSITE: Final = {"websiteId": "{website}"}
PAGE: Final = {"statusPageId": "{status page}"}
FLAG: Final = {"flagId": "{flag}"}
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
    Resource(
        "website",
        "websites.create",
        "websites.update",
        "websites.getById",
        "websites.list",
        "websites.delete",
        ORGANIZATION,
        first={"domain": "first-{next}.example"},
        second={"domain": "second-{next}.example"},
        page="/sites/{id}/settings",
        views=(
            "/sites/{id}",
            "/sites/{id}/settings/tracking",
            "/sites/{id}/bots",
            "/sites/{id}/not-counted",
            "/sites/{id}/queries",
        ),
        lists=("/sites",),
        list_place=ORGANIZATION,
    ),
    Resource(
        "link",
        "links.create",
        "links.update",
        "links.get",
        "links.list",
        "links.delete",
        ORGANIZATION,
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
        shown={"password": ("hasPassword", True)},
        page="/links/{id}/edit",
        views=("/links/{id}",),
        lists=("/links",),
        update_place=ORGANIZATION,
        list_place=ORGANIZATION,
        export=("links.export", "links.import"),
        typed={"password": {"password": "second password"}},
        logged={"expiredRedirectUrl": "expiredUrl"},
        import_with={"format": "json"},
        export_with={"format": "json"},
        without={
            "form": dict.fromkeys(("sourceType", "sourceId", "sourceOwnerId", "targetDomain"), OF_PROGRAMS),
            "export": {"password": SECRET, "folderId": "the file names the folder"},
        },
    ),
    Resource(
        "folder",
        "linkFolders.create",
        "linkFolders.update",
        "",
        "linkFolders.list",
        "linkFolders.delete",
        ORGANIZATION,
        list_place=ORGANIZATION,
        update_place=ORGANIZATION,
    ),
    Resource(
        "monitor",
        "uptime.createSchedule",
        "uptime.updateSchedule",
        "uptime.getSchedule",
        "uptime.listSchedules",
        "uptime.deleteSchedule",
        ORGANIZATION,
        key="scheduleId",
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
        page="/monitors/{id}/edit",
        views=("/monitors/{id}",),
        lists=("/monitors",),
        list_place=ORGANIZATION,
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
            "granularity": "interval",
            "jsonParsingConfig": "options",
        },
        without={
            column: {"allowDuplicateUrl": "it is a permission of the call, not a part of the monitor"}
            for column in ("create", "update", "answer", "list", "export", "form", "audit")
        },
        export_with={"secrets": True},
        known="url",
    ),
    Resource(
        "monitor maintenance",
        "uptime.createMaintenance",
        "uptime.updateMaintenance",
        "",
        "uptime.listMaintenances",
        "uptime.deleteMaintenance",
        ORGANIZATION,
        key="maintenanceId",
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
        page="/monitors/maintenance/{id}",
        lists=("/monitors/maintenance",),
        list_place=ORGANIZATION,
    ),
    Resource(
        "status page",
        "statusPage.create",
        "statusPage.update",
        "statusPage.get",
        "statusPage.list",
        "statusPage.delete",
        ORGANIZATION,
        key="statusPageId",
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
        shown={"password": ("hasPassword", True)},
        page="/status-pages/{id}/settings",
        views=("/status-pages/{id}", "/status-pages/{id}/history"),
        lists=("/status-pages",),
        list_place=ORGANIZATION,
        typed={"password": {"password": "second password"}},
        without={"form": {"isPublished": "two buttons set it, /publish and /unpublish"}},
        logged={"publishAfterMinutes": "publishAfter", "timeZone": "zone", "isPublished": "published"},
    ),
    Resource(
        "component",
        "statusPage.addComponent",
        "statusPage.updateComponent",
        "",
        "statusPage.get",
        "statusPage.removeComponent",
        PAGE,
        key="componentId",
        needs=("status page", "component group"),
        least=("name",),
        first={"groupId": "{component group}", "uptimeScheduleId": None},
        second={"groupId": "{component group}", "uptimeScheduleId": None},
        shown={"name": "displayName"},
        page="/status-pages/{status page}/components/{id}",
        views=("/status-pages/{status page}/components",),
        list_place=PAGE,
        logged={"order": "position"},
        without={"form": {"order": "components are moved on the page of all"}},
    ),
    Resource(
        "component group",
        "statusPage.addGroup",
        "statusPage.updateGroup",
        "",
        "statusPage.get",
        "statusPage.removeGroup",
        PAGE,
        key="groupId",
        needs=("status page",),
        unset=("componentIds",),
        page="/status-pages/{status page}/groups/{id}",
        list_place=PAGE,
        logged={"order": "position"},
        without={"form": {"order": "groups are moved on the page of all"}},
    ),
    Resource(
        "incident",
        "statusPage.createIncident",
        "statusPage.updateIncident",
        "statusPage.getIncident",
        "statusPage.listIncidents",
        "statusPage.deleteIncident",
        PAGE,
        key="incidentId",
        needs=("status page", "affected"),
        first={"affectedMonitors": [{"statusPageMonitorId": "{affected}", "impact": "down"}]},
        second={"affectedMonitors": [{"statusPageMonitorId": "{affected}", "impact": "degraded"}]},
        unset=("notify",),
        shown={"message": "updates.0.message", "draft": "isDraft"},
        views=("/status-pages/{status page}/incidents/{id}",),
        list_place=PAGE,
        without={"audit": {"message": UPDATE, "affectedMonitors": UPDATE}},
    ),
    Resource(
        "maintenance",
        "statusPage.createMaintenance",
        "statusPage.updateMaintenance",
        "statusPage.getIncident",
        "statusPage.listMaintenances",
        "statusPage.cancelMaintenance",
        PAGE,
        key="maintenanceId",
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
        list_place=PAGE,
        without={
            "audit": {"message": UPDATE, "affectedMonitors": UPDATE},
            "form": {"message": "each update has a form"},
        },
    ),
    Resource(
        "incident template",
        "statusPage.saveTemplate",
        "statusPage.saveTemplate",
        "",
        "statusPage.listTemplates",
        "statusPage.deleteTemplate",
        PAGE,
        key="templateId",
        needs=("status page",),
        page="/status-pages/{status page}/templates/{id}",
        update_place=PAGE,
        delete_place={},
        list_place=PAGE,
    ),
    Resource(
        "flag",
        "flags.create",
        "flags.update",
        "flags.getById",
        "flags.list",
        "flags.delete",
        WEBSITE,
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
        page="/flags/{id}/edit",
        views=("/flags/{id}", "/flags/{id}/rollout", "/flags/{id}/history", "/flags/{id}/test"),
        lists=("/flags",),
        update_place=WEBSITE,
        list_place=WEBSITE,
        export=("flags.export", "flags.import"),
        without={"form": {"key": IDENTITY}},
    ),
    Resource(
        "target group",
        "targetGroups.create",
        "targetGroups.update",
        "targetGroups.getById",
        "targetGroups.list",
        "targetGroups.delete",
        WEBSITE,
        first={"color": "#112233", "rules": RULES},
        second={"color": "#445566", "rules": [{"type": "user_id", "operator": "in", "values": ["anna"]}]},
        unset=("updatedAt",),
        page="/flags/groups/{id}",
        lists=("/flags/groups",),
        update_place=WEBSITE,
        list_place=WEBSITE,
    ),
    Resource(
        "flag schedule",
        "flagSchedules.create",
        "",
        "",
        "flagSchedules.list",
        "flagSchedules.delete",
        FLAG,
        needs=("flag",),
        least=("scheduledAt",),
        first={"type": "enable", "scheduledAt": LATER},
        unset=("ramp", "isEnabled", "rolloutSteps"),
        list_place=FLAG,
    ),
    Resource(
        "alert rule",
        "alarms.create",
        "alarms.update",
        "",
        "alarms.list",
        "alarms.delete",
        ORGANIZATION,
        key="alarmId",
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
        page="/alerts/{id}",
        lists=("/alerts",),
        update_place=ORGANIZATION,
        list_place=ORGANIZATION,
    ),
    Resource(
        "channel",
        "config.createChannel",
        "config.updateChannel",
        "",
        "config.listChannels",
        "config.deleteChannel",
        ORGANIZATION,
        key="channelId",
        made="channel.id",
        first={"type": "webhook", "config": {"url": "https://hooks.example.com/first"}},
        second={"type": "webhook", "config": {"url": "https://hooks.example.com/second"}},
        page="/settings/integrations/{id}",
        views=("/settings/integrations/{id}/deliveries",),
        lists=("/settings/integrations",),
        update_place=ORGANIZATION,
        list_place=ORGANIZATION,
        logged={"config": "leadsTo"},
    ),
    Resource(
        "goal",
        "goals.create",
        "goals.update",
        "goals.getById",
        "goals.list",
        "goals.delete",
        WEBSITE,
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
        page="/sites/{website}/goals/{id}",
        views=("/sites/{website}/goals",),
        update_place=WEBSITE,
        list_place=WEBSITE,
        logged={"revenueProperty": "amount"},
        without={"form": {"filters": KEPT}},
    ),
    Resource(
        "note",
        "annotations.create",
        "annotations.update",
        "annotations.getById",
        "annotations.list",
        "annotations.delete",
        WEBSITE,
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
        page="/sites/{website}/notes/{id}",
        views=("/sites/{website}/notes",),
        list_place=WEBSITE,
        without={
            "form": {"yValue": KEPT, "tags": KEPT},
        },
    ),
    Resource(
        "segment",
        "segments.create",
        "segments.update",
        "segments.getById",
        "segments.list",
        "segments.delete",
        WEBSITE,
        first={"filters": [{"field": "path", "op": "eq", "value": "/first"}]},
        second={"filters": [{"field": "country", "op": "eq", "value": "DE"}]},
        views=("/sites/{website}/segments",),
        list_place=WEBSITE,
    ),
    Resource(
        "saved question",
        "questions.create",
        "questions.update",
        "questions.getById",
        "questions.list",
        "questions.delete",
        WEBSITE,
        first={"query": {"parameters": ["top_pages"], "preset": "last_7d"}},
        second={"query": {"parameters": ["country"], "preset": "last_30d"}},
        views=("/sites/{website}/queries",),
        list_place=WEBSITE,
        logged={"query": "question"},
    ),
    Resource(
        "API key",
        "apikeys.create",
        "apikeys.update",
        "apikeys.getById",
        "apikeys.list",
        "apikeys.delete",
        ORGANIZATION,
        first={"ratelimit": {"enabled": True, "max": 5, "window": 60}, "scopes": ["read:data"], "expiresAt": LATER},
        second={"ratelimit": {"enabled": True, "max": 9, "window": 60}, "scopes": ["read:links"], "expiresAt": LATEST},
        alone={"resources": {"scopes": [], "resources": {WEBSITE_KEY: ["read:data"]}}},
        page="/settings/keys/{id}",
        lists=("/settings/keys",),
        list_place=ORGANIZATION,
        without={"form": {"type": "a key keeps its type"}},
    ),
)
BY_NAME: Final = {one.name: one for one in RESOURCES}
