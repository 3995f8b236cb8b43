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
    example values of fields, and `least` are fields that it needs in addition to the required ones. `alone` are fields
    that exclude others, each with the input that it needs. `shown` are the names of fields in answers, if they differ.
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
    first: Given = {}
    second: Given = {}
    alone: Mapping[str, Given] = {}
    shown: Mapping[str, str] = {}
    without: Mapping[Column, Mapping[str, str]] = {}
    page: str = ""
    views: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    update_place: Given = {}
    list_place: Given | None = None
    delete_place: Given | None = None
    export: tuple[str, str] = ("", "")
    audited: str = ""


ORGANIZATION: Final = {"organizationId": "{organization}"}
WEBSITE: Final = {"websiteId": "{website}"}
PAGE: Final = {"statusPageId": "{status page}"}
FLAG: Final = {"flagId": "{flag}"}
ADDRESSED: Final = "says where it is"
IDENTITY: Final = "identifies it, and stays"
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
        audited="website",
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
            "targetUrl": "https://example.com/first",
            "slug": "first-link-{next}",
            "folderId": "{folder}",
            "redirectStatus": 301,
            "expiredRedirectUrl": "https://example.com/expired",
            "ogImageUrl": "https://example.com/first.png",
            "ogVideoUrl": "https://example.com/first.mp4",
            "iosUrl": "https://example.com/ios",
            "androidUrl": "https://example.com/android",
            "utm": {"source": "first", "medium": "mail"},
            "expiresAt": LATER,
        },
        second={
            "targetUrl": "https://example.com/second",
            "slug": "second-link-{next}",
            "folderId": "{folder}",
            "redirectStatus": 307,
            "expiredRedirectUrl": "https://example.com/gone",
            "ogImageUrl": "https://example.com/second.png",
            "ogVideoUrl": "https://example.com/second.mp4",
            "iosUrl": "https://example.com/ios-2",
            "androidUrl": "https://example.com/android-2",
            "utm": {"source": "second", "campaign": "spring"},
            "expiresAt": LATEST,
        },
        shown={"password": "hasPassword"},
        page="/links/{id}/edit",
        views=("/links/{id}",),
        lists=("/links",),
        update_place=ORGANIZATION,
        list_place=ORGANIZATION,
        export=("links.export", "links.import"),
        audited="link",
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
        audited="folder",
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
        first={"url": "https://example.com/first-{next}"},
        second={"url": "https://example.com/second-{next}"},
        page="/monitors/{id}/edit",
        views=("/monitors/{id}",),
        lists=("/monitors",),
        list_place=ORGANIZATION,
        export=("uptime.export", "uptime.import"),
        audited="monitor",
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
        least=("startsAt", "endsAt"),
        first={"covers": {"all": True}, "startsAt": LATER, "endsAt": LATEST},
        second={"covers": {"tags": ["second"]}, "startsAt": LATER, "endsAt": LATEST},
        page="/monitors/maintenance/{id}",
        lists=("/monitors/maintenance",),
        list_place=ORGANIZATION,
        audited="maintenance",
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
        first={"slug": "first-page-{next}"},
        second={"slug": "second-page-{next}"},
        shown={"password": "hasPassword"},
        page="/status-pages/{id}/settings",
        views=("/status-pages/{id}", "/status-pages/{id}/history"),
        lists=("/status-pages",),
        list_place=ORGANIZATION,
        audited="status page",
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
        needs=("status page",),
        least=("name",),
        shown={"name": "displayName"},
        page="/status-pages/{status page}/components/{id}",
        views=("/status-pages/{status page}/components",),
        list_place=PAGE,
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
        page="/status-pages/{status page}/groups/{id}",
        list_place=PAGE,
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
        needs=("status page",),
        views=("/status-pages/{status page}/incidents/{id}",),
        list_place=PAGE,
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
        needs=("status page",),
        first={"scheduledFor": LATER, "scheduledUntil": LATEST},
        second={"scheduledFor": "2027-01-02T00:00:00Z", "scheduledUntil": LATEST},
        page="/status-pages/{status page}/maintenances/{id}/edit",
        views=("/status-pages/{status page}/maintenances",),
        list_place=PAGE,
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
        needs=("target group",),
        first={"key": "first-flag-{next}"},
        second={"key": "second-flag-{next}"},
        page="/flags/{id}/edit",
        views=("/flags/{id}", "/flags/{id}/rollout", "/flags/{id}/history", "/flags/{id}/test"),
        lists=("/flags",),
        update_place=WEBSITE,
        list_place=WEBSITE,
        export=("flags.export", "flags.import"),
        audited="flag",
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
        page="/flags/groups/{id}",
        lists=("/flags/groups",),
        update_place=WEBSITE,
        list_place=WEBSITE,
        audited="target group",
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
            "triggerType": "uptime",
            "destinations": [{"type": "webhook", "identifier": "https://hooks.example.com/alerts"}],
        },
        second={
            "triggerType": "uptime",
            "destinations": [{"type": "webhook", "identifier": "https://hooks.example.com/alerts"}],
        },
        page="/alarms/{id}",
        lists=("/alarms",),
        update_place=ORGANIZATION,
        list_place=ORGANIZATION,
        audited="alarm",
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
        audited="channel",
    ),
    Resource(
        "goal",
        "goals.create",
        "goals.update",
        "goals.getById",
        "goals.list",
        "goals.delete",
        WEBSITE,
        first={"type": "EVENT", "target": "first_event"},
        second={"type": "EVENT", "target": "second_event"},
        page="/sites/{website}/goals/{id}",
        views=("/sites/{website}/goals",),
        update_place=WEBSITE,
        list_place=WEBSITE,
        audited="goal",
    ),
    Resource(
        "note",
        "annotations.create",
        "annotations.update",
        "annotations.getById",
        "annotations.list",
        "annotations.delete",
        WEBSITE,
        page="/sites/{website}/notes/{id}",
        views=("/sites/{website}/notes",),
        list_place=WEBSITE,
        audited="note",
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
        audited="segment",
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
        audited="question",
    ),
    Resource(
        "API key",
        "apikeys.create",
        "apikeys.update",
        "apikeys.getById",
        "apikeys.list",
        "apikeys.delete",
        ORGANIZATION,
        first={"scopes": ["read:data"], "expiresAt": LATER},
        second={"scopes": ["read:links"], "expiresAt": LATEST},
        page="/settings/keys/{id}",
        lists=("/settings/keys",),
        list_place=ORGANIZATION,
        audited="api_key",
    ),
)
BY_NAME: Final = {one.name: one for one in RESOURCES}
