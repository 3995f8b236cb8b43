"""Every procedure of websites × every kind of caller (spec 2.2, wire 10.3 and 10.4), and what no refusal says.

Each cell is asked about a website of its own, so nothing that was allowed before is in the way.
"""

import json
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any, Literal, NamedTuple

import pytest

from analytics_box.app.procedures import PROCEDURES
from analytics_box.base.acting import By
from analytics_box.base.identity import SCOPES, Scope
from analytics_box.tenants.keys import change as key_change
from analytics_box.tenants.keys.ring import KeyRing
from analytics_box.tenants.websites import change
from analytics_box.tenants.websites.change import create as create_website
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.recognition.bots import REASONS
from tests.cases import each
from tests.contract.conftest import unlimited
from tests.inprocess import Answer, WholeBox, whole_box
from tests.tenants.keys.world import cookie_of

Caller = Literal[
    "stranger", "viewer", "member", "admin", "owner", "other owner",
    "no scope", "read", "manage", "read here", "manage here", "read elsewhere", "manage elsewhere",
    "mixed here", "mixed elsewhere", "everything", "other everything",
]  # fmt: skip
CALLERS: tuple[Caller, ...] = Caller.__args__  # type: ignore[attr-defined]  # the arguments of a Literal

# Keys: what they may do everywhere, and what on single websites beyond; "*" is all websites.
KEYS: dict[str, tuple[tuple[Scope, ...], dict[str, tuple[Scope, ...]]]] = {
    "no scope": (tuple(scope for scope in SCOPES if scope not in {"read:data", "manage:websites"}), {"*": ()}),
    "read": (("read:data",), {"*": ()}),
    "manage": (("manage:websites",), {"*": ()}),
    "read here": (("read:data",), {"here": ()}),
    "manage here": (("manage:websites",), {"here": ()}),
    "read elsewhere": (("read:data",), {"elsewhere": ()}),
    "manage elsewhere": (("manage:websites",), {"elsewhere": ()}),
    "mixed here": (("read:data",), {"here": ("manage:websites",), "elsewhere": ()}),
    "mixed elsewhere": (("read:data",), {"here": (), "elsewhere": ("manage:websites",)}),
    "everything": (SCOPES, {"*": ()}),
    "other everything": (SCOPES, {"*": ()}),
}

# "ok" is 200 with the website in the answer, "-" is 200 without it; the columns are CALLERS.
TABLE = """
.                      stran view  memb  admin owner other | none read man  rd-h mn-h rd-e mn-e mx-h mx-e all  other
list                   401   ok    ok    ok    ok    -     | 403  ok   403  ok   403  -    403  ok   ok   ok   -
listWithCharts         401   ok    ok    ok    ok    -     | 403  ok   403  ok   403  -    403  ok   ok   ok   -
getById                401   ok    ok    ok    ok    404   | 403  ok   403  ok   403  404  403  ok   ok   ok   404
getPublicSummary       404   404   404   404   404   404   | 404  404  404  404  404  404  404  404  404  404  404
isTrackingSetup        401   -     -     -     -     404   | 403  -    403  -    403  404  403  -    -    -    404
listDropped            401   -     -     -     -     404   | 403  -    403  -    403  404  403  -    -    -    404
listBots               401   -     -     -     -     404   | 403  -    403  -    403  404  403  -    -    -    404
allowBot               401   403   -     -     -     404   | 403  403  -    403  -    403  404  -    404  -    404
refuseBot              401   403   -     -     -     404   | 403  403  -    403  -    403  404  -    404  -    404
updateBotOptions       401   403   -     -     -     404   | 403  403  -    403  -    403  404  -    404  -    404
create                 401   403   403   ok    ok    403   | 403  403  ok   403  403  403  403  403  403  ok   403
update                 401   403   403   ok    ok    404   | 403  403  ok   403  ok   403  404  ok   404  ok   404
togglePublic           401   403   403   ok    ok    404   | 403  403  ok   403  ok   403  404  ok   404  ok   404
updateSettings         401   403   ok    ok    ok    404   | 403  403  ok   403  ok   403  404  ok   404  ok   404
rotateTracking         401   403   ok    ok    ok    404   | 403  403  ok   403  ok   403  404  ok   404  ok   404
delete                 401   403   403   -     -     404   | 403  403  -    403  -    403  404  -    404  -    404
listDeleted            401   403   403   ok    ok    -     | 403  403  ok   403  ok   403  -    ok   -    ok   -
restore                401   403   403   ok    ok    404   | 403  403  ok   403  ok   403  404  ok   404  ok   404
transfer               401   403   403   ok    ok    404   | 403  403  403  403  403  403  403  403  403  403  403
transferToOrganization 401   403   403   ok    ok    404   | 403  403  403  403  403  403  403  403  403  403  403
"""
ROWS = [line.replace("|", " ").split() for line in TABLE.strip().splitlines()][1:]
CELLS = [(name, caller, expected) for name, *cells in ROWS for caller, expected in zip(CALLERS, cells, strict=True)]


class World(NamedTuple):
    """A box, people who are signed in to it, and numbers for further websites."""

    box: WholeBox
    cookies: dict[str, str]
    numbers: Iterator[int]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with whole_box(tmp_path_factory.mktemp("permissions") / "data", adjust=unlimited) as box:
        eve = box.foreign_organization_id
        cookies = {role: cookie_of(box, role, also_in=eve) for role in ("viewer", "member", "admin", "owner")}
        yield World(box, {**cookies, "other owner": cookie_of(box, "owner", organization_id=eve)}, count(1))


def new_website(world: World, number: int) -> Website:
    """A private website that only this cell knows."""
    box = world.box
    website = box.box.box_db.write_now(
        lambda db: create_website(
            db,
            organization_id=box.organization_id,
            name=f"Hidden {number}",
            domain=f"hidden{number}.example",
            by=By("test", box.clock.now()),
        )
    )
    box.box.parts[Directory].remember(website)
    return website


def secret_of(world: World, caller: Caller, website: Website) -> str:
    """The secret of a fresh key of this kind; "here" is the website, "elsewhere" is another one."""
    box, (scopes, places) = world.box, KEYS[caller]
    named = {"*": "global", "here": f"website:{website.id}", "elsewhere": f"website:{box.sites['local']}"}
    resources = {named[place]: further or (scopes if place == "*" else ()) for place, further in places.items()}
    organization_id = box.foreign_organization_id if caller == "other everything" else box.organization_id
    values = {"name": "Key", "scopes": scopes, "resources": resources}
    key, secret = key_change.draft(organization_id, values, now=box.clock.now())
    box.box.box_db.write_now(lambda db: key_change.store(db, key, by=By("test", box.clock.now())))
    box.box.parts[KeyRing].remember(key)
    return secret


def given_to(name: str, box: WholeBox, website_id: str, number: int) -> dict[str, Any]:
    """What the procedure is asked for about this website."""
    content: dict[str, Callable[[], dict[str, Any]]] = {
        "list": dict,
        "listWithCharts": dict,
        "listDeleted": dict,
        "isTrackingSetup": lambda: {"websiteId": website_id},
        "listDropped": lambda: {"websiteId": website_id},
        "listBots": lambda: {"websiteId": website_id},
        "allowBot": lambda: {"websiteId": website_id, "reason": REASONS[0], "agent": "Program"},
        "refuseBot": lambda: {"websiteId": website_id, "reason": REASONS[0], "agent": "Program"},
        "updateBotOptions": lambda: {"websiteId": website_id, "flagDataCentres": True},
        "create": lambda: {
            "name": f"Made {number}",
            "domain": f"made{number}.example",
            "organizationId": box.organization_id,
        },
        "update": lambda: {"id": website_id, "name": f"Renamed {number}"},
        "togglePublic": lambda: {"id": website_id, "isPublic": True},
        "updateSettings": lambda: {"id": website_id, "settings": {"dataRetentionDays": 7}},
        "transfer": lambda: {"websiteId": website_id, "organizationId": box.foreign_organization_id},
        "transferToOrganization": lambda: {"websiteId": website_id, "organizationId": box.foreign_organization_id},
    }
    return content.get(name, lambda: {"id": website_id})()


def ask(world: World, name: str, caller: Caller, given: dict[str, Any], secret: str) -> Answer:
    headers = {"x_api_key": secret} if caller in KEYS else {"cookie": world.cookies.get(caller, "")}
    sent = {"content_type": "application/json", **headers}
    return world.box.ask("POST", f"/websites/{name}", headers=sent, body=json.dumps(given).encode())


@each(("name", "caller", "expected"), CELLS)
def test_permissions_by_role_and_procedure(world: World, name: str, caller: Caller, expected: str) -> None:
    box, number = world.box, next(world.numbers)
    website = new_website(world, number)
    if name in {"restore", "listDeleted"}:
        by = By("test", box.clock.now())
        box.box.box_db.write_now(lambda db: change.delete(db, website, by))
        box.box.parts[Directory].forget(website.id)
    if name == "refuseBot":
        assert ask(world, "allowBot", "owner", given_to(name, box, website.id, number), "").status == 200
    secret = secret_of(world, caller, website) if caller in KEYS else ""
    before = state(box, website.id)
    answer = ask(world, name, caller, given_to(name, box, website.id, number), secret)
    status = 200 if expected in {"ok", "-"} else int(expected)
    assert answer.status == status, answer.body
    said = answer.body.decode().replace(f'"resourceId":"{website.id}"', "")  # repeated as it was sent
    if name != "create":
        assert (website.id in said) == (expected == "ok")
    if status == 200:
        return
    assert answer.json["success"] is False
    assert answer.json["code"] == {401: "AUTH_REQUIRED", 403: "FORBIDDEN", 404: "NOT_FOUND"}[status]
    assert state(box, website.id) == before, "what is refused changes nothing"
    for hidden in (website.name, website.domain, website.id, website.client_id, box.organization_id, "Eve"):
        assert hidden not in said
    if status == 404:
        unknown = ask(world, name, caller, given_to(name, box, "unknown", number), secret)
        assert without_request(unknown) == without_request(answer), "as if there were no such website"


def state(box: WholeBox, website_id: str) -> list[Any]:
    """All that is stored of a website, and how many websites there are."""
    statement = """
        select websites.*, (select count(*) from websites), (select count(*) from client_ids where website_id = ?1)
        from websites
        where id = ?1
    """
    return box.box.box_db.read_now(lambda db: db.execute(statement, (website_id,)).fetchall())


def without_request(answer: Answer) -> tuple[int, dict[str, Any]]:
    """The status and the body, without what differs by request: its id, and the id that was sent."""
    body = {name: value for name, value in answer.json.items() if name not in {"requestId", "data"}}
    return answer.status, body | {"resourceType": answer.json.get("data", {}).get("resourceType")}


def test_the_table_has_every_procedure_of_websites() -> None:
    known = {line.name.removeprefix("websites.") for line in PROCEDURES if line.name.startswith("websites.")}
    assert {row[0] for row in ROWS} == known


def test_a_public_website_is_the_one_exception(world: World) -> None:  # wire 10.3
    blog = world.box.sites["blog"]
    for caller in ("stranger", "other owner"):
        for name in ("getById", "getPublicSummary"):
            answer = ask(world, name, caller, {"id": blog}, "")
            assert set(answer.json) == {"id", "domain", "name", "isPublic"}, (caller, name)
        refused = ask(world, "update", caller, {"id": blog, "name": "Mine"}, "")
        assert refused.status in {401, 404}
        assert json.loads(refused.body)["code"] in {"AUTH_REQUIRED", "NOT_FOUND"}
