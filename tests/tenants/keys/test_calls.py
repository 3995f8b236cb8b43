"""apikeys.* over RPC (wire 10.2): who may do what, what is kept and shown, what is refused."""

import asyncio
from typing import Any

import pytest

from analytics_box.base.identity import SCOPES, Role
from analytics_box.tenants.keys.ring import KeyRing
from tests.cases import each
from tests.inprocess import NOON, WholeBox
from tests.tenants.keys.world import audited, call, cookie_of, make, works

FIELDS = {
    *("id", "name", "prefix", "start", "type", "enabled", "scopes", "tags", "description", "resources", "ratelimit"),
    *("organizationId", "expiresAt", "revokedAt", "lastUsedAt", "createdAt", "updatedAt"),
}


def rpc(box: WholeBox, name: str, content: dict[str, Any], cookie: str) -> dict[str, Any]:
    """The enveloped form."""
    answer = box.post(f"/rpc/apikeys/{name}", {"json": content}, cookie=cookie)
    result: dict[str, Any] = answer.json
    return result


def test_a_key_is_kept_as_it_was_wanted(box: WholeBox, owner: str) -> None:
    wanted = {
        "name": "  Import   job ",
        "description": "Nightly",
        "organizationId": box.organization_id,
        "type": "automation",
        "scopes": ["track:events", "read:data", "read:data"],
        "resources": {f"website:{box.sites['shop']}": ["manage:websites"]},
        "tags": ["nightly", "import"],
        "expiresAt": "2027-01-01T00:00:00.000Z",
        "ratelimit": {"enabled": True, "max": 10, "window": 30},
    }
    made = rpc(box, "create", wanted, owner)["json"]
    assert set(made) == {"id", "secret", "prefix", "start"}
    assert made["secret"].startswith("svc_")
    assert len(made["secret"]) == 4 + 48
    assert (made["prefix"], made["start"]) == ("svc_", made["secret"][:8])
    answer = rpc(box, "getById", {"id": made["id"]}, owner)
    record = answer["json"]
    assert set(record) == FIELDS
    assert record["name"] == "Import job"
    assert record["scopes"] == ["read:data", "track:events"]
    assert record["resources"] == wanted["resources"]
    assert record["ratelimit"] == wanted["ratelimit"]
    assert (record["type"], record["tags"], record["enabled"]) == ("automation", ["nightly", "import"], True)
    assert record["expiresAt"] == wanted["expiresAt"]
    assert [1, "expiresAt"] in answer["meta"]
    assert made["secret"] not in str(answer)


def test_a_secret_is_never_shown_again(box: WholeBox, owner: str) -> None:
    made = make(box, owner)
    rotated = call(box, "rotate", {"id": made["id"]}, owner).json
    for name, content in (("list", {}), ("getById", {"id": made["id"]}), ("update", {"id": made["id"], "name": "B"})):
        body = call(box, name, content, owner).body.decode()
        assert rotated["start"] in body
        assert rotated["secret"] not in body
        assert made["secret"] not in body
    files = list(box.box.settings.data_dir.iterdir())
    assert not any(rotated["secret"].encode() in path.read_bytes() for path in files if path.is_file())


def test_keys_without_resources_reach_everything(box: WholeBox, owner: str) -> None:
    made = make(box, owner, scopes=["read:data"])
    record = call(box, "getById", {"id": made["id"]}, owner).json
    assert record["resources"] == {"global": ["read:data"]}
    assert box.get("/v1/query/websites", x_api_key=made["secret"]).json["total"] >= 4


@pytest.mark.parametrize("name", ["getMyRole", "list", "getById", "create", "update", "revoke", "rotate", "delete"])
def test_keys_do_not_manage_keys(box: WholeBox, name: str) -> None:
    answer = box.post(f"/apikeys/{name}", {}, key="all")
    assert (answer.status, answer.json["code"]) == (403, "FORBIDDEN")


# Role, procedure, input besides the id, status. A member edits what a key is called, an admin what it may do.
ROLES: list[tuple[Role, str, dict[str, Any], int]] = [
    ("viewer", "list", {}, 200),
    ("viewer", "getById", {}, 200),
    ("viewer", "create", {"name": "Key", "scopes": ["read:data"]}, 403),
    ("viewer", "update", {"name": "Other"}, 403),
    ("viewer", "rotate", {}, 403),
    ("member", "create", {"name": "Key", "scopes": ["read:data", "track:events"]}, 200),
    ("member", "create", {"name": "Key", "scopes": ["manage:websites"]}, 403),
    ("member", "create", {"name": "Key", "scopes": [], "resources": {"global": ["manage:config"]}}, 403),
    ("member", "update", {"name": "Other"}, 200),
    ("member", "update", {"scopes": ["read:data"]}, 403),
    ("member", "update", {"resources": {"global": ["read:data"]}}, 403),
    ("member", "update", {"enabled": False}, 403),
    ("member", "update", {"expiresAt": None}, 403),
    ("member", "update", {"ratelimit": None}, 403),
    ("member", "rotate", {}, 403),
    ("member", "revoke", {}, 403),
    ("member", "delete", {}, 403),
    ("admin", "create", {"name": "Key", "scopes": list(SCOPES)}, 200),
    ("admin", "update", {"scopes": ["read:links"]}, 200),
    ("admin", "rotate", {}, 200),
    ("admin", "revoke", {}, 200),
    ("owner", "delete", {}, 200),
]


@each(("role", "name", "content", "status"), ROLES)
def test_roles_decide_who_changes_keys(
    box: WholeBox, owner: str, role: Role, name: str, content: dict[str, Any], status: int
) -> None:
    made = make(box, owner)
    named = content if name in {"create", "list"} else {"id": made["id"], **content}
    answer = call(box, name, named, cookie_of(box, role))
    assert answer.status == status, answer.body
    if status == 403:
        assert answer.json["code"] == "FORBIDDEN"
        assert audited(box, made["id"]) == ["created"]
        assert works(box, made["secret"])


@pytest.mark.parametrize(("role", "may"), [("viewer", False), ("member", False), ("admin", True), ("owner", True)])
def test_users_can_read_their_role(box: WholeBox, role: Role, may: bool) -> None:
    answer = call(box, "getMyRole", {"organizationId": box.organization_id}, cookie_of(box, role))
    assert answer.json == {"role": role, "canEditScopes": may}


@pytest.mark.parametrize("name", ["getMyRole", "list", "create"])
def test_another_organization_is_refused(box: WholeBox, owner: str, name: str) -> None:
    content = {"organizationId": box.foreign_organization_id}
    if name == "create":
        content |= {"name": "Key", "scopes": ["read:data"]}  # type: ignore[dict-item]  # JSON
    answer = call(box, name, content, owner)
    assert answer.status in {403, 404}


@pytest.mark.parametrize("name", ["getById", "update", "revoke", "rotate", "delete"])
def test_a_key_of_another_organization_is_not_there(box: WholeBox, owner: str, name: str) -> None:
    foreign = next(key.id for key in box.box.parts[KeyRing].all() if key.organization_id == box.foreign_organization_id)
    for key_id in (foreign, "unknown"):
        answer = call(box, name, {"id": key_id}, owner)
        assert (answer.status, answer.json["code"]) == (404, "NOT_FOUND")
    assert box.get("/v1/query/websites", x_api_key=box.keys["foreign"]).status == 200


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"name": ""}, "name"),
    ({"name": "x" * 101}, "name"),
    ({"name": "a\u0000b"}, "name"),
    ({"description": "x" * 501}, "description"),
    ({"type": "robot"}, "type"),
    ({"scopes": []}, "scopes"),
    ({"scopes": ["read:everything"]}, "scopes"),
    ({"resources": {}}, "resources"),
    ({"resources": {"global": []}}, "resources"),
    ({"resources": {"website:unknown": ["read:data"]}}, "resources"),
    ({"resources": {"organization:x": ["read:data"]}}, "resources"),
    ({"resources": {f"website:{number}": [] for number in range(101)}}, "resources"),
    ({"tags": ["tag"] * 2 + [str(number) for number in range(10)]}, "tags"),
    ({"tags": ["x" * 51]}, "tags"),
    ({"expiresAt": "2026-06-17T11:59:59.000Z"}, "expiresAt"),
    ({"expiresAt": "2027-01-01"}, "expiresAt"),
    ({"ratelimit": {"enabled": True, "max": 0, "window": 60}}, "ratelimit"),
    ({"ratelimit": {"enabled": True, "max": 5, "window": 0}}, "ratelimit"),
    ({"secret": "svc_mine"}, "secret"),
]


@each(("fields", "named"), WRONG)
def test_wrong_input_is_refused_by_name(box: WholeBox, owner: str, fields: dict[str, Any], named: str) -> None:
    before = len(box.box.parts[KeyRing].all())
    answer = call(box, "create", {"name": "Key", "scopes": ["read:data"], **fields}, owner)
    assert (answer.status, answer.json["code"]) == (400, "BAD_REQUEST")
    assert named in str(answer.json["details"])
    assert len(box.box.parts[KeyRing].all()) == before


def test_a_website_of_another_organization_cannot_be_named(box: WholeBox, owner: str) -> None:
    resources = {f"website:{box.sites['foreign']}": ["read:data"]}
    answer = call(box, "create", {"name": "Key", "scopes": ["read:data"], "resources": resources}, owner)
    assert answer.status == 400


def test_a_scope_that_is_taken_away_is_gone_everywhere(box: WholeBox, owner: str) -> None:
    made = make(box, owner, scopes=["read:data", "track:events"])
    updated = call(box, "update", {"id": made["id"], "scopes": ["track:events"]}, owner).json
    assert updated["resources"] == {"global": ["track:events"]}
    assert box.get("/v1/query/websites", x_api_key=made["secret"]).status == 403


def test_omitted_fields_stay_and_null_clears(box: WholeBox, owner: str) -> None:
    expiry = "2027-01-01T00:00:00.000Z"
    rate = {"enabled": False, "max": 1, "window": 1}
    made = make(box, owner, description="Notes", tags=["a"], expiresAt=expiry, ratelimit=rate)
    updated = call(box, "update", {"id": made["id"], "name": "Other"}, owner).json
    assert (updated["description"], updated["tags"], updated["ratelimit"]) == ("Notes", ["a"], rate)
    assert updated["expiresAt"] == expiry
    cleared = {"id": made["id"], "description": None, "expiresAt": None, "ratelimit": None}
    updated = call(box, "update", cleared, owner).json
    assert (updated["description"], updated["expiresAt"], updated["ratelimit"]) == (None, None, None)


def test_an_update_that_changes_nothing_is_not_in_the_audit_log(box: WholeBox, owner: str) -> None:
    made = make(box, owner)
    assert call(box, "update", {"id": made["id"], "name": "Key"}, owner).status == 200
    assert audited(box, made["id"]) == ["created"]


def test_a_revoked_key_never_comes_back(box: WholeBox, owner: str) -> None:
    made = make(box, owner)
    assert call(box, "revoke", {"id": made["id"]}, owner).json == {"success": True}
    for name, content in (("update", {"enabled": True}), ("rotate", {}), ("revoke", {})):
        answer = call(box, name, {"id": made["id"], **content}, owner)
        assert (answer.status, answer.json["code"]) == (409, "CONFLICT")
    record = call(box, "getById", {"id": made["id"]}, owner).json
    assert record["enabled"] is False
    assert record["revokedAt"] is not None
    assert not works(box, made["secret"])


def test_last_used_is_coarse_and_written_in_the_background(box: WholeBox, owner: str) -> None:
    made = make(box, owner)

    def stored() -> Any:
        statement = "select last_used_at from api_keys where id = ?"
        return box.box.box_db.read_now(lambda db: db.execute(statement, (made["id"],)).fetchall())[0][0]

    def used() -> Any:
        return call(box, "getById", {"id": made["id"]}, owner).json["lastUsedAt"]

    assert used() is None
    first = box.clock.now()
    assert works(box, made["secret"])
    assert used() is not None
    assert stored() is None  # the request did not wait for that
    asyncio.run(box.box.note_key_use())
    assert stored() == first
    box.clock.advance(seconds=299)
    assert works(box, made["secret"])
    asyncio.run(box.box.note_key_use())
    assert stored() == first
    box.clock.advance(seconds=1)
    assert works(box, made["secret"])
    asyncio.run(box.box.note_key_use())
    assert stored() == first + 300_000
    assert audited(box, made["id"]) == ["created"]


# apikeys.verify

Verified = tuple[dict[str, Any], bool, str]
SECRETS: list[Verified] = [
    ({}, False, "MISSING_KEY"),
    ({"secret": ""}, False, "MISSING_KEY"),
    ({"secret": "svc_" + "0" * 48}, False, "INVALID_KEY"),
    ({"secret": "nonsense"}, False, "INVALID_KEY"),
    ({"secret": "{revoked}"}, False, "REVOKED"),
    ({"secret": "{expired}"}, False, "EXPIRED"),
    ({"secret": "{all}"}, True, ""),
    ({"secret": "{reading}", "requiredScopes": ["read:data"]}, True, ""),
    ({"secret": "{reading}", "requiredScopes": ["read:data", "track:events"]}, False, "MISSING_SCOPES"),
    ({"secret": "{reading}", "requiredScopes": ["read:data", "track:events"], "mode": "any"}, True, ""),
    ({"secret": "{reading}", "requiredScopes": ["track:events"], "mode": "any"}, False, "MISSING_SCOPES"),
    ({"secret": "{restricted}", "resource": "website:{shop}", "requiredScopes": ["read:data"]}, True, ""),
    ({"secret": "{restricted}", "resource": "website:{local}"}, False, "MISSING_SCOPES"),
    ({"secret": "{restricted}", "resource": "global"}, False, "MISSING_SCOPES"),
    ({"secret": "{all}", "resource": "global"}, True, ""),
    ({"secret": "{all}", "resource": "website:{foreign}"}, False, "MISSING_SCOPES"),
    ({"secret": "{all}", "resource": "website:unknown"}, False, "MISSING_SCOPES"),
    ({"secret": "{all}", "resource": "nonsense"}, False, "MISSING_SCOPES"),
]


@each(("content", "valid", "code"), SECRETS)
def test_anybody_may_verify_a_secret(box: WholeBox, content: dict[str, Any], valid: bool, code: str) -> None:
    keys: dict[str, str] = {name: secret for name, secret in box.keys.items()}  # noqa: C416  keys of type str
    sites: dict[str, str] = {name: site for name, site in box.sites.items()}  # noqa: C416  # the copy has another type of key
    filled = {
        name: value.format_map(keys if name == "secret" else sites) if isinstance(value, str) else value
        for name, value in content.items()
    }
    answer = box.post("/apikeys/verify", filled)
    assert answer.status == 200
    assert answer.json["valid"] is valid
    if valid:
        assert answer.json["ownerId"] == box.organization_id
        assert set(answer.json) == {"valid", "keyId", "ownerId", "scopes"}
    else:
        assert answer.json["errorCode"] == code
        assert set(answer.json) == {"valid", "error", "errorCode", "scopes", "matched", "missing"}


def test_verifying_says_what_is_there_and_what_is_missing(box: WholeBox) -> None:
    content = {"secret": box.keys["reading"], "requiredScopes": ["track:events", "read:data"]}
    answer = box.post("/apikeys/verify", content).json
    assert (answer["scopes"], answer["matched"], answer["missing"]) == (["read:data"], ["read:data"], ["track:events"])


def test_a_disabled_key_is_disabled(box: WholeBox, owner: str) -> None:
    made = make(box, owner)
    call(box, "update", {"id": made["id"], "enabled": False}, owner)
    assert box.post("/apikeys/verify", {"secret": made["secret"]}).json["errorCode"] == "DISABLED"
    assert not works(box, made["secret"])
    call(box, "update", {"id": made["id"], "enabled": True}, owner)
    assert works(box, made["secret"])


@pytest.mark.parametrize(("track", "used"), [(False, False), (True, True)])
def test_verifying_counts_as_use_if_wanted(box: WholeBox, owner: str, track: bool, used: bool) -> None:
    made = make(box, owner)
    assert box.post("/apikeys/verify", {"secret": made["secret"], "trackUsage": track}).json["valid"] is True
    record = call(box, "getById", {"id": made["id"]}, owner).json
    assert (record["lastUsedAt"] is not None) is used


def test_times_are_utc(box: WholeBox, owner: str) -> None:
    made = make(box, owner, expiresAt="2026-12-24T18:00:00+02:00")
    record = call(box, "getById", {"id": made["id"]}, owner).json
    assert record["expiresAt"] == "2026-12-24T16:00:00.000Z"
    assert box.clock.now() >= NOON
