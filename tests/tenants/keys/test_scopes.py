"""Every route of the table × every scope × every kind of key (spec 2.2, 5 and 7): new rows are covered by themselves.

A route that a key may pass answers anything but 401 and 403 about the key itself; what it then says of an empty
body is its own affair.
"""

from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple, get_type_hints

import pytest

from analytics_box.app.procedures import PROCEDURES
from analytics_box.app.routes import TABLE
from analytics_box.base.errors import Forbidden
from analytics_box.base.identity import SCOPES, ApiKey, Identity, Scope
from analytics_box.web.route import PUBLIC, SIGNED_IN, Procedure, Route, allow
from tests.cases import each
from tests.contract.conftest import unlimited
from tests.examples import is_thorough
from tests.inprocess import Answer, WholeBox, whole_box
from tests.tenants.keys.world import call, make

LACKS = "This API key lacks the scope"
API = [route for route in TABLE if not route.page and not route.path.startswith(("/static", "/health"))]
GATED = [route for route in API if route.access not in {PUBLIC, SIGNED_IN}]
PEOPLE = [route for route in API if route.access == SIGNED_IN]


def fields_of(line: Procedure) -> set[str]:
    """The names in a procedure's input."""
    given = get_type_hints(line.handler).get("given")
    return set(given.__struct_fields__) if given is not None else set()


# Procedures that name a website in their input, and under which name.
OF_WEBSITES = [
    (line, field)
    for line in PROCEDURES
    if line.access not in {PUBLIC, SIGNED_IN}
    for field in ("websiteId", "id")
    if field in fields_of(line) and (field == "websiteId" or line.name.startswith("websites."))
]


class Keys(NamedTuple):
    """Secrets of keys with one scope each: global, of one website only, and of another organization."""

    everywhere: dict[Scope, str]
    shop: dict[Scope, str]
    foreign: str
    dead: dict[str, str]


class World(NamedTuple):
    box: WholeBox
    keys: Keys


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with whole_box(tmp_path_factory.mktemp("scopes") / "data", adjust=unlimited) as box:
        owner = box.cookie
        shop: dict[str, list[Scope]] = {f"website:{box.sites['shop']}": []}

        def one(scope: Scope, **fields: Any) -> str:
            return str(make(box, owner, scopes=[scope], **fields)["secret"])

        rotated = make(box, owner, scopes=list(SCOPES))
        assert call(box, "rotate", {"id": rotated["id"]}, owner).status == 200
        deleted = make(box, owner, scopes=list(SCOPES))
        assert call(box, "delete", {"id": deleted["id"]}, owner).status == 200
        disabled = make(box, owner, scopes=list(SCOPES))
        assert call(box, "update", {"id": disabled["id"], "enabled": False}, owner).status == 200
        dead = {
            "wrong": "svc_" + "0" * 48,
            "misshapen": "svc_short",
            "revoked": box.keys["revoked"],
            "expired": box.keys["expired"],
            "rotated": rotated["secret"],
            "deleted": deleted["secret"],
            "disabled": disabled["secret"],
        }
        everywhere = {scope: one(scope) for scope in SCOPES}
        restricted = {scope: one(scope, resources=shop) for scope in SCOPES}
        yield World(box, Keys(everywhere, restricted, box.keys["foreign"], dead))


def ask(box: WholeBox, route: Route, secret: str = "", body: bytes = b"{}") -> Answer:
    path = route.path.replace("{", "").replace("}", "").replace(":str", "").replace(":path", "")
    headers = {"content_type": "application/json", "x_api_key": secret}
    return box.ask(route.method, path, headers=headers, body=body if route.method == "POST" else b"")


def error_of(answer: Answer) -> dict[str, Any]:
    """What a refusal says, in either form."""
    content: dict[str, Any] = answer.json
    inner = content.get("json")
    return {"code": inner["code"], "error": inner["message"]} if isinstance(inner, dict) else content


def named(route: Route) -> str:
    return f"{route.method} {route.path}"


def _held() -> Iterator[tuple[Route, Scope]]:
    """Each route with all scopes; in an ordinary run with its own one and with a few others."""
    for (number, route), (turn, scope) in product(enumerate(GATED), enumerate(SCOPES)):
        if is_thorough() or scope == route.access or (number + turn) % 5 == 0:
            yield route, scope


@each(("route", "held"), _held(), ids=lambda route, held: f"{named(route)} with {held}")
def test_exactly_the_scope_of_a_route_opens_it(world: World, route: Route, held: Scope) -> None:
    for secret in (world.keys.everywhere[held], world.keys.shop[held]):
        answer = ask(world.box, route, secret)
        lacks = answer.status == 403 and error_of(answer)["error"].startswith(LACKS)
        if held == route.access:
            assert not lacks, answer.body
            assert answer.status != 401
        elif not route.anonymous:
            assert lacks, answer.body
            assert error_of(answer)["code"] == "FORBIDDEN"
        else:
            assert answer.status != 401


@each(("turn", "route"), enumerate(GATED), ids=lambda _, route: named(route))
def test_a_key_that_does_not_work_is_as_if_absent(world: World, turn: int, route: Route) -> None:
    """An ordinary run asks each route with some of those that there are."""
    nobody = ask(world.box, route)
    dead = list(world.keys.dead.items())
    answers = {kind: ask(world.box, route, secret) for kind, secret in (dead if is_thorough() else dead[turn % 3 :: 3])}
    for kind, answer in {"none": nobody, **answers}.items():
        assert answer.status == nobody.status, kind
        if not route.anonymous:
            assert (answer.status, error_of(answer)["code"]) == (401, "AUTH_REQUIRED"), kind
            assert answer.headers["www-authenticate"].startswith("Bearer"), kind


@each("route", GATED, ids=named)
def test_a_key_of_another_organization_passes_the_door_but_finds_nothing_of_ours(world: World, route: Route) -> None:
    answer = ask(world.box, route, world.keys.foreign)
    assert answer.status != 401
    for name in ("shop", "blog", "idle", "local"):
        assert world.box.sites[name].encode() not in answer.body


@each("route", PEOPLE, ids=named)
def test_user_only_procedures_refuse_keys(world: World, route: Route) -> None:
    refused = ask(world.box, route, world.box.keys["all"])
    assert (refused.status, error_of(refused)["code"]) == (403, "FORBIDDEN")
    assert ask(world.box, route).status == 401


@each("route", [route for route in TABLE if route.page and route.access != PUBLIC], ids=named)
def test_pages_are_not_for_keys(world: World, route: Route) -> None:
    assert ask(world.box, route, world.box.keys["all"]).status == 403


@each("line", OF_WEBSITES, ids=lambda line: f"{line[0].name} {line[1]}")
def test_a_restricted_key_sees_only_its_website(world: World, line: tuple[Procedure, str]) -> None:
    procedure, field = line
    scope: Any = procedure.access
    box = world.box
    path = "/" + procedure.name.replace(".", "/")

    def asked(secret: str, site: str) -> Answer:
        return box.post(path, {field: site}, x_api_key=secret)

    hidden = [
        asked(world.keys.shop[scope], box.sites["local"]),
        asked(world.keys.shop[scope], box.sites["foreign"]),
        asked(world.keys.everywhere[scope], box.sites["foreign"]),
        asked(world.keys.foreign, box.sites["local"]),
    ]
    # 400 where the procedure wants more than the website and looks at that first, 403 where it is for global keys only
    assert {answer.status for answer in hidden} <= {400, 403, 404}, [answer.body for answer in hidden]
    unknown = asked(world.keys.shop[scope], "unknown")
    assert hidden[0].status == unknown.status


READS = [
    ("shop", "shop", 200),
    ("shop", "local", 403),
    ("shop", "foreign", 403),
    ("everywhere", "local", 200),
    ("everywhere", "foreign", 403),
]


@pytest.mark.parametrize(("reach", "site", "status"), READS)
def test_queries_reach_as_far_as_the_key(world: World, reach: str, site: Any, status: int) -> None:
    secret = getattr(world.keys, reach)["read:data"]
    content = {"parameters": ["summary_totals"], "preset": "today"}
    answer = world.box.post(f"/v1/query?website_id={world.box.sites[site]}", content, x_api_key=secret)
    assert answer.status == status


@pytest.mark.parametrize("held", SCOPES)
def test_only_track_events_sends_events(world: World, held: Scope) -> None:
    content = {"name": "seen", "websiteId": world.box.sites["shop"]}
    for secret in (world.keys.everywhere[held], world.keys.shop[held]):
        answer = world.box.post("/track", content, x_api_key=secret)
        assert answer.status == (200 if held == "track:events" else 403)


def test_scopes_of_one_website_count_there_and_nowhere_else(world: World) -> None:  # wire 10.2
    box, owner = world.box, world.box.cookie
    shop, local = box.sites["shop"], box.sites["local"]
    resources = {f"website:{shop}": ["manage:websites"], f"website:{local}": []}
    secret = make(box, owner, scopes=["read:data"], resources=resources)["secret"]

    def renamed(site: str) -> int:
        return box.post("/websites/update", {"id": site, "name": "Renamed"}, x_api_key=secret).status

    def read(site: str) -> int:
        content = {"parameters": ["summary_totals"], "preset": "today"}
        return box.post(f"/v1/query?website_id={site}", content, x_api_key=secret).status

    assert (read(shop), read(local), read(box.sites["blog"])) == (200, 200, 200)  # the blog is public
    assert (renamed(shop), renamed(local)) == (200, 404)
    created = box.post("/websites/create", {"name": "More", "domain": "more.example"}, x_api_key=secret)
    assert (created.status, created.json["code"]) == (403, "FORBIDDEN")


def test_the_table_names_only_scopes_that_exist() -> None:
    assert {route.access for route in TABLE} <= {PUBLIC, SIGNED_IN, *SCOPES}


@pytest.mark.parametrize(
    ("scopes", "own", "websites", "may"),
    [
        ({"manage:config"}, {}, None, True),
        ({"manage:config"}, {}, {"shop"}, False),
        ({"read:data"}, {"shop": {"manage:config"}}, None, False),
    ],
)
def test_only_global_keys_act_for_an_organization(
    scopes: set[str], own: dict[str, set[str]], websites: set[str] | None, may: bool
) -> None:
    key = ApiKey(
        id="key",
        organization_id="organization",
        name="Key",
        start="svc_0000",
        scopes=frozenset(scopes),
        websites=None if websites is None else frozenset(websites),
        own={website: frozenset(held) for website, held in own.items()},
    )
    identity = Identity(address="203.0.113.7", key=key).within("manage:config")
    if may:
        allow(identity, "manage:config")
    else:
        with pytest.raises(Forbidden, match="global access"):
            allow(identity, "manage:config")
