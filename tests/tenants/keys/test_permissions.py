"""Every procedure of API keys × every kind of caller (wire 10.2), and what no refusal says."""

import json
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any, Literal, NamedTuple

import pytest

from analytics_box.app.procedures import PROCEDURES
from analytics_box.base.identity import SCOPES
from tests.cases import each
from tests.contract.conftest import unlimited
from tests.inprocess import Answer, WholeBox, whole_box
from tests.tenants.keys.world import cookie_of, make, works

Caller = Literal[
    "stranger", "viewer", "member", "admin", "owner", "other owner", "key", "restricted key", "key itself", "other key"
]
CALLERS: tuple[Caller, ...] = Caller.__args__  # type: ignore[attr-defined]  # the arguments of a Literal

# "ok" is 200 with the key in the answer, "-" is 200 without it; the columns are CALLERS.
TABLE = """
.                stran view memb admin owner other | key  rstr self other
getMyRole        401   -    -    -     -     403   | 403  403  403  403
list             401   ok   ok   ok    ok    403   | 403  403  403  403
getById          401   ok   ok   ok    ok    404   | 403  403  403  403
create           401   403  -    -     -     403   | 403  403  403  403
create-more      401   403  403  -     -     403   | 403  403  403  403
create-own       401   403  403  -     -     403   | 403  403  403  403
update-name      401   403  ok   ok    ok    404   | 403  403  403  403
update-text      401   403  ok   ok    ok    404   | 403  403  403  403
update-tags      401   403  ok   ok    ok    404   | 403  403  403  403
update-enabled   401   403  403  ok    ok    404   | 403  403  403  403
update-scopes    401   403  403  ok    ok    404   | 403  403  403  403
update-resources 401   403  403  ok    ok    404   | 403  403  403  403
update-expiresAt 401   403  403  ok    ok    404   | 403  403  403  403
update-ratelimit 401   403  403  ok    ok    404   | 403  403  403  403
revoke           401   403  403  -     -     404   | 403  403  403  403
rotate           401   403  403  ok    ok    404   | 403  403  403  403
delete           401   403  403  -     -     404   | 403  403  403  403
verify           ok    ok   ok   ok    ok    ok    | ok   ok   ok   ok
"""
ROWS = [line.replace("|", " ").split() for line in TABLE.strip().splitlines()][1:]
CELLS = [(name, caller, expected) for name, *cells in ROWS for caller, expected in zip(CALLERS, cells, strict=True)]
NAME = "Hidden import"


class World(NamedTuple):
    """A box, people who are signed in to it, and secrets of keys of every kind."""

    box: WholeBox
    owner: str
    cookies: dict[str, str]
    secrets: dict[str, str]
    numbers: Iterator[int]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with whole_box(tmp_path_factory.mktemp("permissions") / "data", adjust=unlimited) as box:
        cookies: dict[str, str] = {role: cookie_of(box, role) for role in ("viewer", "member", "admin", "owner")}
        cookies["other owner"] = cookie_of(box, "owner", organization_id=box.foreign_organization_id)
        everywhere = make(box, cookies["owner"], scopes=list(SCOPES))["secret"]
        secrets = {"key": everywhere, "restricted key": box.keys["restricted"], "other key": box.keys["foreign"]}
        yield World(box, cookies["owner"], cookies, secrets, count(1))


def given_to(row: str, box: WholeBox, made: dict[str, Any]) -> dict[str, Any]:
    """What the procedure is asked for about this key."""
    new = {"name": "New", "scopes": ["read:data"], "organizationId": box.organization_id}
    shop = f"website:{box.sites['shop']}"
    content: dict[str, Callable[[], dict[str, Any]]] = {
        "getMyRole": lambda: {"organizationId": box.organization_id},
        "list": lambda: {"organizationId": box.organization_id},
        "create": lambda: new,
        "create-more": lambda: new | {"scopes": ["manage:websites"]},
        "create-own": lambda: new | {"resources": {shop: ["manage:websites"]}},
        "update-name": lambda: {"id": made["id"], "name": "Renamed"},
        "update-text": lambda: {"id": made["id"], "description": "Words"},
        "update-tags": lambda: {"id": made["id"], "tags": ["tag"]},
        "update-enabled": lambda: {"id": made["id"], "enabled": False},
        "update-scopes": lambda: {"id": made["id"], "scopes": ["track:events"]},
        "update-resources": lambda: {"id": made["id"], "resources": {shop: []}},
        "update-expiresAt": lambda: {"id": made["id"], "expiresAt": "2030-01-01T00:00:00Z"},
        "update-ratelimit": lambda: {"id": made["id"], "ratelimit": {"enabled": True, "max": 1, "window": 60}},
        "verify": lambda: {"secret": made["secret"], "trackUsage": False},
    }
    return content.get(row, lambda: {"id": made["id"]})()


def ask(world: World, row: str, caller: Caller, given: dict[str, Any], itself: str) -> Answer:
    headers = {"content_type": "application/json", "cookie": world.cookies.get(caller, "")}
    headers["x_api_key"] = itself if caller == "key itself" else world.secrets.get(caller, "")
    path = f"/apikeys/{row.partition('-')[0]}"
    return world.box.ask("POST", path, headers=headers, body=json.dumps(given).encode())


@each(("row", "caller", "expected"), CELLS)
def test_permissions_by_role_and_procedure(world: World, row: str, caller: Caller, expected: str) -> None:
    box = world.box
    made = make(box, world.owner, name=f"{NAME} {next(world.numbers)}", scopes=list(SCOPES))
    before = stored(box)
    answer = ask(world, row, caller, given_to(row, box, made), made["secret"])
    status = 200 if expected in {"ok", "-"} else int(expected)
    assert answer.status == status, answer.body
    said = answer.body.decode().replace(f'"resourceId":"{made["id"]}"', "")  # repeated as it was sent
    assert (made["id"] in said) == (expected == "ok")
    assert made["secret"] not in said
    if status == 200:
        if row not in {"getMyRole", "list", "getById", "verify"}:
            assert stored(box) != before
        return
    assert answer.json["code"] == {401: "AUTH_REQUIRED", 403: "FORBIDDEN", 404: "NOT_FOUND"}[status]
    assert stored(box) == before, "what is refused changes nothing"
    assert works(box, made["secret"])
    for hidden in (NAME, made["start"], box.organization_id, "svc_"):
        assert hidden not in said
    if status == 404:
        unknown = ask(world, row, caller, given_to(row, box, made | {"id": "unknown"}), made["secret"])
        assert without_request(unknown) == without_request(answer), "as if there were no such key"


def stored(box: WholeBox) -> list[Any]:
    """All that is stored of keys but when they were used."""
    statement = """
        select id, name, description, digest, start, enabled, scopes, resources, tags, ratelimit, expires_at, revoked_at
        from api_keys
        order by id
    """
    return box.box.box_db.read_now(lambda db: db.execute(statement).fetchall())


def without_request(answer: Answer) -> tuple[int, dict[str, Any]]:
    """The status and the body, without what differs by request: its id, and the id that was sent."""
    body = {name: value for name, value in answer.json.items() if name not in {"requestId", "data"}}
    return answer.status, body | {"resourceType": answer.json.get("data", {}).get("resourceType")}


def test_the_table_has_every_procedure_of_keys() -> None:
    known = {line.name.removeprefix("apikeys.") for line in PROCEDURES if line.name.startswith("apikeys.")}
    assert {row[0].partition("-")[0] for row in ROWS} == known
