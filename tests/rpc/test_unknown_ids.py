"""Every procedure that is given an unknown id says which resource is missing (wire 10.6)."""

import json
from collections.abc import Iterator
from typing import Any, Final, NamedTuple, get_args, get_type_hints

import msgspec
import pytest
from msgspec.structs import replace

from analytics_box.app.procedures import PROCEDURES
from analytics_box.base.errors import ResourceType
from analytics_box.web.route import Procedure
from analytics_box.web.rpc import NoInput
from tests.inprocess import Answer, WholeBox, whole_box

MISSING: Final = "unknown-1234"
ORGANIZATIONS: Final = {"organizationId", "targetOrganizationId"}  # a stranger's and an unknown one are both Forbidden

# The resource that an id field names, and where a router means another one by it.
NAMED: Final[dict[str, ResourceType]] = {
    "websiteId": "website",
    "profileId": "profile",
    "userId": "member",
    "invitationId": "invitation",
    "channelId": "channel",
    "deliveryId": "delivery",
    "domainId": "domain",
    "alarmId": "alarm",
    "funnelId": "funnel",
    "goalId": "goal",
    "flagId": "flag",
    "scheduleId": "schedule",
    "uptimeScheduleId": "schedule",
    "maintenanceId": "maintenance",
    "incidentId": "incident",
    "updateId": "incidentUpdate",
    "templateId": "incidentTemplate",
    "statusPageId": "statusPage",
    "monitorId": "statusPageComponent",
    "componentId": "statusPageComponent",
    "groupId": "statusPageGroup",
    "subscriberId": "subscriber",
}
BY_ID: Final[dict[str, ResourceType]] = {
    "apikeys": "apiKey",
    "funnels": "funnel",
    "shares": "share",
    "imports": "import",
    "reports": "report",
    "revenue": "revenueProvider",
    "sourceMaps": "sourceMap",
    "goals": "goal",
    "organizations": "organization",
    "links": "link",
    "linkFolders": "linkFolder",
    "flags": "flag",
    "flagSchedules": "flagSchedule",
    "targetGroups": "targetGroup",
    "questions": "question",
    "segments": "segment",
    "annotations": "annotation",
    "websites": "website",
}
ALSO: Final[dict[tuple[str, str], ResourceType]] = {
    ("statusPage.getBySlug", "slug"): "statusPage",
    ("flags.getByKey", "key"): "flag",
    ("flags.renameFolder", "folder"): "flagFolder",
    ("flags.deleteFolder", "folder"): "flagFolder",
    ("flags.version", "version"): "flagVersion",
    ("links.updateDomain", "domain"): "linkDomain",
    ("links.removeDomain", "domain"): "linkDomain",
}
# Values for required fields, by their name; those of single procedures win.
VALUES: Final[dict[str, Any]] = {
    "name": "New",
    "title": "New",
    "message": "New",
    "text": "New",
    "scopes": ["read:data"],
    "steps": [{"type": "PAGE_VIEW", "target": "/"}, {"type": "PAGE_VIEW", "target": "/new"}],
    "type": "PAGE_VIEW",
    "target": "/new",
    "targetUrl": "https://shop.example/new",
    "granularity": "minute",
    "role": "viewer",
    "status": "identified",
    "address": "guest@example.com",
    "environment": "staging",
    "version": 1,
    "from": 1,
    "to": 2,
    "order": [MISSING],
    "isPublic": True,
    "isShared": True,
    "flagDataCentres": True,
    "reason": "known_bot_user_agent",
    "subject": "new",
    "asset": "logo",
    "settings": {},
    "query": {"parameters": ["summary_metrics"], "preset": "last_7d"},
    "filters": [{"field": "country", "op": "eq", "value": "DE"}],
    "scheduledFor": "2026-07-01T00:00:00Z",
    "scheduledUntil": "2026-07-01T01:00:00Z",
}
OF_PROCEDURE: Final[dict[str, dict[str, Any]]] = {
    "goals.bulkAnalytics": {"goalIds": [MISSING]},
    "organizations.updateMemberAccess": {"resources": None},
    "flags.renameFolder": {"to": "elsewhere"},
    "imports.addLogLines": {"lines": []},
    "revenue.createProvider": {"provider": "stripe"},
    "errorGroups.update": {"fingerprint": "a", "state": "open"},
    "sourceMaps.upload": {"script": "app.js", "content": "{}"},
    "sourceMaps.deleteRelease": {"release": ""},
    "flagSchedules.create": {"type": "enable", "scheduledAt": "2026-07-01T00:00:00Z"},
}


class World(NamedTuple):
    """A box whose owner asks, and the ids of what exists in it, by the fields that name it."""

    box: WholeBox
    cookie: str
    ids: dict[str, str]

    def ask(self, path: str, given: dict[str, Any]) -> Answer:
        headers = {"content_type": "application/json", "cookie": self.cookie, "sec_fetch_site": "same-origin"}
        return self.box.ask("POST", path, headers=headers, body=json.dumps(given).encode())

    def create(self, procedure: str, /, **given: Any) -> dict[str, Any]:
        answer = self.ask(f"/{procedure.replace('.', '/')}", given)
        assert answer.status == 200, answer.body
        created: dict[str, Any] = answer.json
        return created

    def input_of(self, line: Procedure) -> dict[str, Any]:
        """A valid value for each required field, as far as one is known; an unknown id for the others."""
        known = VALUES | self.ids | OF_PROCEDURE.get(line.name, {})
        optional = OF_PROCEDURE.get(line.name, {})
        return {
            field.encode_name: known.get(field.encode_name, MISSING) for field in fields_of(line) if field.required
        } | optional


def fields_of(line: Procedure) -> tuple[msgspec.inspect.Field, ...]:
    described = msgspec.inspect.type_info(get_type_hints(line.handler).get("given", NoInput))
    return described.fields if isinstance(described, msgspec.inspect.StructType) else ()


def resource_of(line: Procedure, field: str) -> ResourceType | None:
    """The resource that a required field names by its id."""
    router = line.name.partition(".")[0]
    if line.name in {"websites.transfer", "websites.transferToOrganization"} and field in ORGANIZATIONS:
        return None
    return ALSO.get((line.name, field)) or (BY_ID.get(router) if field == "id" else NAMED.get(field))


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with whole_box(
        tmp_path_factory.mktemp("unknown") / "data",
        adjust=lambda settings: replace(settings, limit_rpc=0, limit_key=0, limit_sign_in=0),
    ) as box:
        shop = box.sites["shop"]
        found = World(box, box.cookie, {"websiteId": shop, "organizationId": box.organization_id})
        found.ids["targetOrganizationId"] = box.organization_id
        found.ids["goalId"] = found.create("goals.create", websiteId=shop, type="PAGE_VIEW", target="/", name="G")["id"]
        found.ids["flagId"] = found.create("flags.create", websiteId=shop, type="boolean", key="f", name="F")["id"]
        found.ids["statusPageId"] = found.create("statusPage.create", name="Status", slug="ada-status")["id"]
        monitor = found.create("uptime.createSchedule", name="M", url="https://shop.example", granularity="hour")
        found.ids["scheduleId"] = found.ids["uptimeScheduleId"] = monitor["scheduleId"]
        yield found


def test_every_procedure_names_the_resource_whose_id_is_unknown(world: World) -> None:
    wrong: dict[str, Any] = {}
    for line in PROCEDURES:
        for name in (field.encode_name for field in fields_of(line) if field.required):
            resource = resource_of(line, name)
            if resource is None:
                continue
            unknown = 1234 if name == "version" else MISSING
            given = world.input_of(line) | {name: unknown}
            enveloped = world.ask(f"/rpc/{line.name.replace('.', '/')}", {"json": given})
            plain = world.ask(f"/{line.name.replace('.', '/')}", given)
            expected = {"resourceType": resource, "resourceId": str(unknown)}
            data = enveloped.json["json"].get("data", {}) if enveloped.status == 404 else {}
            seen = (enveloped.status, {key: data.get(key) for key in expected}, plain.json.get("data"))
            if seen != (404, expected, expected):
                wrong[f"{line.name} {name}"] = (seen, plain.body[:200])
    assert wrong == {}


def test_every_not_found_of_a_procedure_names_a_resource(world: World) -> None:
    """Ids in optional fields: they are references or filters, and some are refused as bad input."""
    wrong: dict[str, Any] = {}
    for line in PROCEDURES:
        for name in (field.encode_name for field in fields_of(line) if not field.required):
            if name.endswith("Ids") or not name.endswith(("Id", "id")):
                continue
            answer = world.ask(f"/{line.name.replace('.', '/')}", world.input_of(line) | {name: MISSING})
            data = answer.json.get("data", {}) if answer.status == 404 else None
            if answer.status >= 500 or (data is not None and data.get("resourceType") not in get_args(ResourceType)):
                wrong[f"{line.name} {name}"] = (answer.status, answer.body[:200])
    assert wrong == {}


def test_every_required_id_of_a_procedure_is_tried() -> None:
    """A new procedure whose id is none of the names above has to be added there."""
    untried = {
        f"{line.name} {field.encode_name}"
        for line in PROCEDURES
        for field in fields_of(line)
        if field.required
        and (field.encode_name == "id" or field.encode_name.endswith("Id"))
        and field.encode_name not in ORGANIZATIONS
        and resource_of(line, field.encode_name) is None
    }
    assert untried == {"links.upsert externalId", "revenue.recordTransaction transactionId"}


def test_secret_of_an_unknown_invitation_is_not_repeated(world: World) -> None:
    answer = world.ask("/organizations/acceptInvitation", {"token": "a-secret-token"})
    assert (answer.status, answer.json["data"]) == (404, {"resourceType": "invitation"})
    assert b"a-secret-token" not in answer.body


def test_unknown_organization_is_refused_like_a_foreign_one(world: World) -> None:
    for organization_id in (MISSING, world.box.foreign_organization_id):
        answer = world.ask("/config/get", {"organizationId": organization_id})
        assert (answer.status, answer.json["code"]) == (403, "FORBIDDEN")
        assert "data" not in answer.json
