"""Flags over HTTP for programs with an API key (wire 6.1): definitions, create, change, delete."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.cases import each
from tests.contract.conftest import unlimited
from tests.inprocess import Answer, SiteName, WholeBox, whole_box

FLAGS = "/public/v1/flags"
SHOWN = {"id", "key", "description", "type", "status", "defaultValue", "variants", "createdAt", "updatedAt"}
DEFINED = {"name", "payload", "rules", "rolloutPercentage", "rolloutBy", "dependencies", "environment"} | SHOWN


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with whole_box(tmp_path_factory.mktemp("flags") / "data", adjust=unlimited) as made:
        yield made


def create(box: WholeBox, key: str, *, by: Any = "all", site: str = "", **more: Any) -> Answer:
    wanted = {"clientId": site or box.sites["shop"], "key": key, "type": "boolean", "defaultValue": True, **more}
    return box.post(FLAGS, wanted, key=by)


def send(box: WholeBox, method: str, path: str, content: Any = None, **headers: str) -> Answer:
    body = json.dumps(content).encode() if content is not None else b""
    return box.ask(method, f"{FLAGS}{path}", headers={"content_type": "application/json", **headers}, body=body)


def evaluate(box: WholeBox, key: str, **more: str) -> Any:
    query = "&".join(f"{name}={value}" for name, value in {"clientId": box.sites["shop"], "key": key, **more}.items())
    answer = box.get(f"{FLAGS}/evaluate?{query}")
    assert answer.status == 200
    return answer.json


def test_a_flag_is_made_changed_and_deleted_and_each_next_evaluation_sees_it(box: WholeBox) -> None:
    secret = box.keys["all"]
    assert evaluate(box, "life")["reason"] == "FLAG_NOT_FOUND"
    made = create(box, "life", description="Ours", payload={"a": 1})
    assert (made.status, made.headers["cache-control"]) == (200, "private, no-store")
    flag = made.json["flag"]
    assert set(flag) == SHOWN
    assert (flag["key"], flag["description"], flag["type"], flag["status"]) == ("life", "Ours", "boolean", "active")
    assert evaluate(box, "life")["payload"] == {"a": 1}

    changed = send(
        box,
        "PATCH",
        f"/{flag['id']}",
        {"clientId": box.sites["shop"], "defaultValue": False, "description": None},
        authorization=f"Bearer {secret}",
    )
    assert (changed.status, changed.json["flag"]["defaultValue"], changed.json["flag"]["description"]) == (
        200,
        False,
        None,
    )
    assert evaluate(box, "life")["enabled"] is False
    stopped = send(
        box, "PATCH", f"/{flag['id']}", {"clientId": box.sites["shop"], "status": "inactive"}, x_api_key=secret
    )
    assert stopped.json["flag"]["status"] == "inactive"
    assert evaluate(box, "life")["reason"] == "FLAG_NOT_FOUND"

    gone = send(box, "DELETE", f"/{flag['id']}?clientId={box.sites['shop']}", x_api_key=secret)
    assert (gone.status, gone.json["success"]) == (200, True)
    again = send(box, "DELETE", f"/{flag['id']}?clientId={box.sites['shop']}", x_api_key=secret)
    assert (again.status, again.json["error"]) == (404, "Flag not found")
    assert create(box, "life").status == 200


def test_definitions_are_all_flags_of_an_environment(box: WholeBox) -> None:
    def definitions(**more: str) -> Any:
        query = "&".join(f"{name}={value}" for name, value in {"clientId": box.sites["blog"], **more}.items())
        answer = box.get(f"{FLAGS}/definitions?{query}", x_api_key=box.keys["all"])
        assert (answer.status, answer.headers["cache-control"]) == (200, "private, no-store")
        return answer.json

    blog = box.sites["blog"]
    assert definitions()["flags"] == []
    create(box, "one", site=blog)
    create(box, "two", site=blog, status="inactive", type="rollout", rolloutPercentage=10)
    create(box, "staged", site=blog, environment="staging")
    create(box, "mine", site=blog, userId="ada")
    found = definitions()
    assert ({flag["key"] for flag in found["flags"]}, found["count"]) == ({"one", "two"}, 2)
    assert all(set(flag) >= DEFINED for flag in found["flags"])
    assert [flag["key"] for flag in definitions(environment="staging")["flags"]] == ["staged"]
    assert definitions(environment="nowhere")["count"] == 0


@each(
    ("fields", "status", "code"),
    [
        ({"key": "taken"}, 409, "CONFLICT"),
        ({"key": "x", "dependencies": ["nothing"]}, 400, "BAD_REQUEST"),
        ({"key": "has space"}, 400, "BAD_REQUEST"),
        ({"key": ""}, 422, "VALIDATION"),
        ({"key": "x" * 129}, 422, "VALIDATION"),
        ({"key": "x", "type": "other"}, 422, "VALIDATION"),
        ({"key": "x", "rules": [{"type": "email", "operator": "sounds_like", "value": "x"}]}, 422, "VALIDATION"),
        ({"key": "x", "nonsense": 1}, 422, "VALIDATION"),
        ({"key": "x", "clientId": ""}, 422, "VALIDATION"),
        ({"key": "x", "clientId": "nobody"}, 403, "FORBIDDEN"),
    ],
)
def test_invalid_flag_is_refused(box: WholeBox, fields: dict[str, Any], status: int, code: str) -> None:
    create(box, "taken")
    answer = create(box, **fields)
    assert (answer.status, answer.json["code"], answer.json["success"]) == (status, code, False)
    assert answer.headers["access-control-allow-origin"] == "*"


REQUIRED, WRONG, LACKING = "API key required", "Invalid or expired API key", "Insufficient permissions"


def asked(box: WholeBox, **headers: str) -> dict[str, Answer]:
    """All four routes, with these headers."""
    shop = box.sites["shop"]
    return {
        "definitions": box.get(f"{FLAGS}/definitions?clientId={shop}", **headers),
        "create": send(box, "POST", "", {"clientId": shop, "key": "never"}, **headers),
        "update": send(box, "PATCH", "/some-flag-id", {"clientId": shop, "status": "active"}, **headers),
        "delete": send(box, "DELETE", f"/some-flag-id?clientId={shop}", **headers),
    }


def test_only_keys_that_may_manage_flags_get_in(box: WholeBox) -> None:
    refused: tuple[tuple[dict[str, str], int, str], ...] = (
        ({}, 401, REQUIRED),
        ({"cookie": box.cookie}, 401, REQUIRED),  # also of the owner: cookies are not looked at
        ({"authorization": "Basic eDp5"}, 401, REQUIRED),
        ({"x_api_key": "svc_wrong"}, 401, WRONG),
        ({"authorization": "Bearer svc_wrong"}, 401, WRONG),
        ({"x_api_key": box.keys["revoked"]}, 401, WRONG),
        ({"x_api_key": box.keys["expired"]}, 401, WRONG),
        ({"x_api_key": box.keys["reading"]}, 403, LACKING),
        ({"x_api_key": box.keys["foreign"]}, 403, LACKING),
    )
    for headers, status, error in refused:
        for name, answer in asked(box, **headers).items():
            assert (answer.status, answer.json["error"]) == (status, error), (name, headers)
            assert ("flags" in answer.json) == (name == "definitions")
            assert answer.json.get("flags", []) == []
            assert "access-control-allow-credentials" not in answer.headers
    answers = asked(box, x_api_key=box.keys["all"])
    assert {name: answer.status for name, answer in answers.items()} == {
        "definitions": 200,
        "create": 200,
        "update": 404,
        "delete": 404,
    }


def test_a_key_of_one_website_reaches_its_flags_only(box: WholeBox) -> None:
    secret = limited_key(box, "shop")
    shop, blog = box.sites["shop"], box.sites["blog"]
    own = send(box, "POST", "", {"clientId": shop, "key": "limited"}, x_api_key=secret)
    assert own.status == 200
    other = create(box, "others", site=blog).json["flag"]["id"]
    for client_id in (blog, box.organization_id, box.sites["foreign"]):
        assert box.get(f"{FLAGS}/definitions?clientId={client_id}", x_api_key=secret).status == 403
        answer = send(box, "PATCH", f"/{other}", {"clientId": client_id, "status": "inactive"}, x_api_key=secret)
        assert answer.status == 403
    stolen = send(box, "DELETE", f"/{other}?clientId={shop}", x_api_key=secret)
    assert (stolen.status, stolen.json["error"]) == (403, "Flag does not belong to this client")


def limited_key(box: WholeBox, site: SiteName) -> str:
    """A key that may manage the flags of one website."""
    wanted = {"name": "One website", "scopes": [], "resources": {f"website:{box.sites[site]}": ["manage:flags"]}}
    made = box.post("/apikeys/create", wanted, cookie=box.cookie)
    assert made.status == 200, made.body
    secret: str = made.json["secret"]
    return secret


def test_flags_of_an_organization_go_by_its_id(box: WholeBox) -> None:
    made = create(box, "everywhere", site=box.organization_id)
    assert made.status == 200
    assert evaluate(box, "everywhere")["reason"] == "FLAG_NOT_FOUND"
    assert evaluate(box, "everywhere", clientId=box.organization_id)["enabled"] is True
    wrong = send(
        box,
        "PATCH",
        f"/{made.json['flag']['id']}",
        {"clientId": box.sites["shop"], "status": "inactive"},
        x_api_key=box.keys["all"],
    )
    assert (wrong.status, wrong.json["error"]) == (403, "Flag does not belong to this client")


@each("path", ["/definitions", "/x?clientId="])
def test_the_client_id_is_needed(box: WholeBox, path: str) -> None:
    method = "GET" if path == "/definitions" else "DELETE"
    answer = send(box, method, path, x_api_key=box.keys["all"])
    assert (answer.status, answer.json["error"]) == (
        422 if path == "/definitions" else 400,
        "Missing required clientId parameter",
    )


def test_created_flag_survives_a_restart(box: WholeBox) -> None:
    create(box, "lasting")
    before = box.get(f"{FLAGS}/bulk?clientId={box.sites['shop']}")
    box.reopen()
    after = box.get(f"{FLAGS}/bulk?clientId={box.sites['shop']}")
    assert after.body == before.body
    assert after.headers["etag"] == before.headers["etag"]
