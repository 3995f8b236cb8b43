"""GET /public/v1/flags/evaluate, /bulk and /health: what is answered, with which status and headers (wire 6.1)."""

from typing import Any

from tests.cases import each
from tests.products.flags.serving.world import ACME, OLD, SHOP, World

OFF = {"enabled": False, "value": False, "payload": None}
RESULT_ON = {"enabled": True, "value": True, "payload": None, "reason": "BOOLEAN_DEFAULT"}
RESULT_OFF = {**OFF, "reason": "BOOLEAN_DEFAULT"}
NOT_FOUND = {**OFF, "reason": "FLAG_NOT_FOUND"}
PUBLIC = "public, max-age=15, s-maxage=30, stale-while-revalidate=15"
PRIVATE = "private, no-store"
EVERYTHING = {"on": RESULT_ON, "off": RESULT_OFF, 'odd "key"\n': RESULT_ON}


def bulk(**flags: Any) -> dict[str, Any]:
    return {"flags": flags, "count": len(flags)}


@each(
    ("asked", "expected"),
    [
        (f"evaluate?key=on&clientId={SHOP}", RESULT_ON),
        (f"evaluate?key=off&clientId={SHOP}", RESULT_OFF),
        (f"evaluate?clientId={SHOP}&key=on&userId=ada&email=&properties=&environment=", RESULT_ON),
        (f"evaluate?key=on&clientId={SHOP}&environment=staging", RESULT_OFF),
        (f"evaluate?key=on&clientId={SHOP}&environment=Staging", NOT_FOUND),
        (f"evaluate?key=nothing&clientId={SHOP}", NOT_FOUND),
        (f"evaluate?key=mine&clientId={SHOP}", NOT_FOUND),
        (f"evaluate?key=mine&clientId={SHOP}&userId=ada", RESULT_ON),
        (f"evaluate?key=on&clientId={ACME}", NOT_FOUND),
        ("evaluate?key=on&clientId=nobody", NOT_FOUND),
        (f"evaluate?key=on&clientId={OLD}", RESULT_ON),
        (f"evaluate?key=odd%20%22key%22%0A&clientId={SHOP}", RESULT_ON),
        (f"evaluate?key=odd+%22key%22%0a&clientId={SHOP}", RESULT_ON),
        (f"evaluate?key=on&key=off&clientId={SHOP}&clientId=nobody", RESULT_ON),
        (f"bulk?clientId={SHOP}", bulk(**EVERYTHING)),
        (f"bulk?clientId={SHOP}&userId=ada", bulk(**EVERYTHING, mine=RESULT_ON)),
        (f"bulk?clientId={SHOP}&keys=", bulk(**EVERYTHING)),
        (f"bulk?clientId={SHOP}&keys=,%20,", bulk(**EVERYTHING)),
        (f"bulk?clientId={SHOP}&keys=on", bulk(on=RESULT_ON)),
        (f"bulk?clientId={SHOP}&keys=off,+on%20,nothing,on", bulk(on=RESULT_ON, off=RESULT_OFF)),
        (f"bulk?clientId={SHOP}&keys=nothing", bulk()),
        (f"bulk?clientId={SHOP}&environment=staging", bulk(on=RESULT_OFF)),
        (f"bulk?clientId={SHOP}&environment=nowhere", bulk()),
        (f"bulk?clientId={OLD}&keys=on", bulk(on=RESULT_ON)),
        (f"bulk?clientId={ACME}", bulk()),
        ("bulk?clientId=nobody", bulk()),
    ],
)
def test_flags_are_evaluated(world: World, asked: str, expected: Any) -> None:
    answer = world.get(asked, origin="https://shop.example", cookie="session=stolen")
    assert (answer.status, answer.json) == (200, expected)
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["cache-control"] == PUBLIC
    assert answer.headers["vary"] == "Origin"
    assert answer.headers["access-control-allow-origin"] == "*"
    assert "access-control-allow-credentials" not in answer.headers
    assert "set-cookie" not in answer.headers


PROPERTIES = {
    "%7B%22plan%22%3A%22pro%22%2C%22seats%22%3A3%7D": {"plan": "pro", "seats": 3},
    '{"a":[1,{"b":null}]}': {"a": [1, {"b": None}]},
    "%7B%22half%22%3A%22%5Cud83d%22%7D": {"half": "\ud83d"},  # as browsers send a text that was cut in two
    "%7B%22far%22%3A1e999%7D": {"far": float("inf")},
    "null": {},
    "%7B%7D": {},
    "": {},
}


@each(("sent", "expected"), PROPERTIES.items())
def test_request_identifies_the_user(world: World, sent: str, expected: Any) -> None:
    world.get(
        f"bulk?clientId={SHOP}&userId=ada%2Fl+1&email=%C3%A4%40b.example&organizationId=o1&teamId=t%ff&properties={sent}"
    )
    context = world.known.usual.contexts[-1]
    assert context.user_id == "ada/l 1"
    assert (context.email, context.organization_id, context.team_id) == ("ä@b.example", "o1", "t�")
    assert context.properties == expected


DEEP = "%7B%22a%22%3A" + "[" * 3000 + "]" * 3000 + "%7D"
MANY = "&".join(f"p{number}=1" for number in range(60))


@each(
    ("asked", "status", "reason", "field"),
    [
        ("evaluate", 422, "INVALID_REQUEST", "query.clientId"),
        ("evaluate?key=on", 422, "INVALID_REQUEST", "query.clientId"),
        ("evaluate?key=on&clientId=", 400, "MISSING_REQUIRED_PARAMS", "query.clientId"),
        (f"evaluate?clientId={SHOP}", 400, "MISSING_REQUIRED_PARAMS", "query.key"),
        (f"evaluate?clientId={SHOP}&key=", 400, "MISSING_REQUIRED_PARAMS", "query.key"),
        ("evaluate?clientId=nobody", 400, "MISSING_REQUIRED_PARAMS", "query.key"),
        ("bulk", 422, "INVALID_REQUEST", "query.clientId"),
        ("bulk?keys=on&clientid=x", 422, "INVALID_REQUEST", "query.clientId"),
        ("bulk?clientId=", 400, "MISSING_REQUIRED_PARAMS", "query.clientId"),
        *(
            (f"{route}?clientId={SHOP}&key=on&properties={properties}", 400, "INVALID_REQUEST", "properties")
            for route in ("evaluate", "bulk")
            for properties in ("x", "1", "[]", "%22text%22", "{", "%ff", DEEP)
        ),
        (f"bulk?clientId={SHOP}&userId={'x' * 16_384}", 400, "INVALID_REQUEST", None),
        (f"bulk?clientId={SHOP}&{MANY}", 400, "INVALID_REQUEST", None),
        (f"bulk?clientId={SHOP}&keys={','.join(map(str, range(1_001)))}", 400, "INVALID_REQUEST", "keys"),
    ],
    ids=lambda asked, *_: asked[:60],
)
def test_invalid_request_is_refused_in_the_shape_of_an_answer(
    world: World, asked: str, status: int, reason: str, field: str | None
) -> None:
    answer = world.get(asked)
    body = answer.json
    shape = OFF if asked.startswith("evaluate") else {"flags": {}, "count": 0}
    assert answer.status == status
    assert {name: body[name] for name in shape} == shape
    assert (body["success"], body["reason"], body["requestId"]) == (False, reason, answer.headers["x-request-id"])
    assert [one["field"] for one in body.get("details", [])] == ([field] if field else [])
    check_refused(answer)
    assert world.known.usual.contexts == []


def check_refused(answer: Any) -> None:
    """No cache keeps a refusal, and the page that asked may read it."""
    assert answer.headers["cache-control"] == PRIVATE
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.headers["vary"] == "Origin"


@each(
    ("asked", "shape"),
    [(f"evaluate?key=on&clientId={SHOP}", OFF), (f"bulk?clientId={SHOP}", {"flags": {}, "count": 0})],
)
def test_a_fault_in_evaluation_is_told_without_its_cause(world: World, asked: str, shape: Any) -> None:
    world.known.usual.broken = True
    answer = world.get(asked)
    assert answer.status == 500
    assert {name: answer.json[name] for name in shape} == shape
    assert answer.json["reason"] == "EVALUATION_ERROR"
    assert b"fault" not in answer.body
    assert b"Zero" not in answer.body
    check_refused(answer)
    world.known.usual.broken = False
    assert world.get(asked).status == 200


def test_health_says_which_service_answers(world: World) -> None:
    answer = world.get("health")
    assert (answer.status, answer.json) == (200, {"service": "flags", "status": "ok", "version": "1.0.0"})
    assert answer.headers["cache-control"] == PRIVATE
    assert answer.headers["access-control-allow-origin"] == "*"


@each("path", ["evaluate", "bulk", "health"])
def test_other_methods_are_refused(world: World, path: str) -> None:
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        answer = world.ask(method, path)
        assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD, OPTIONS")
        check_refused(answer)
    assert world.ask("OPTIONS", path).headers["allow"] == "GET, HEAD, OPTIONS"


def test_head_has_the_headers_without_the_body(world: World) -> None:
    asked = f"bulk?clientId={SHOP}"
    get, head = world.get(asked), world.ask("HEAD", asked)
    assert (head.status, head.body) == (200, b"")
    assert {**head.headers, "x-request-id": ""} == {**get.headers, "x-request-id": ""}


PREFLIGHT = {"origin": "https://shop.example", "access_control_request_method": "GET"}


@each("path", ["evaluate", "bulk", "health", "definitions", "some-flag-id"])
def test_any_site_may_ask_with_the_headers_of_sdks(world: World, path: str) -> None:
    answer = world.ask("OPTIONS", path, PREFLIGHT)
    assert (answer.status, answer.body) == (204, b"")
    assert answer.headers["access-control-allow-origin"] == "*"
    assert {"authorization", "content-type", "if-none-match"} <= {
        *answer.headers["access-control-allow-headers"].split(", ")
    }
    assert "access-control-allow-credentials" not in answer.headers


def test_ofrep_is_asked_with_the_client_id_and_the_path_after_it(world: World) -> None:
    assert world.ask("POST", f"{SHOP}/ofrep/v1/evaluate/flags/on").body == b"remote"
    assert world.get("x/ofrep/v1/streams?y=1").body == b"remote"
    assert world.ask("OPTIONS", "x/ofrep/v1/evaluate/flags", PREFLIGHT).body == b"remote"
    assert world.remote == [
        (SHOP, "ofrep/v1/evaluate/flags/on"),
        ("x", "ofrep/v1/streams"),
        ("x", "ofrep/v1/evaluate/flags"),
    ]


@each("path", ["definitions", "", "some-flag-id", "evaluate/", "bulk/more", f"{SHOP}/ofrep", "ofrep/v1/evaluate/flags"])
def test_everything_else_is_the_frameworks(world: World, path: str) -> None:
    answer = world.get(path)
    assert (answer.status, answer.body) == (404, b"the framework")
    assert answer.headers["access-control-allow-origin"] == "*"
    assert world.ask("OPTIONS", path).status == 404
