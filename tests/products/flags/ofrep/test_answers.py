"""What OFREP's clients get: one flag, all flags, and what is wrong with a request (OFREP 0.3)."""

import sys
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from analytics_box.base.settings import Settings
from analytics_box.products.flags import rows
from analytics_box.products.flags.evaluation.compiling import compile_ruleset
from analytics_box.products.flags.evaluation.outcome import EvaluationContext
from analytics_box.products.flags.flag import FlagScope
from analytics_box.products.flags.ofrep.answers import Environment
from analytics_box.products.flags.ofrep.serve import Ofrep
from analytics_box.products.flags.saving import save
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.rules import ClientId
from tests.cases import each
from tests.inprocess import whole_box
from tests.products.flags.evaluation.made import flag, group
from tests.products.flags.ofrep.world import BASE, about, ask
from tests.products.flags.world import World

ON, OFF = {"defaultValue": True}, {"defaultValue": False}
SIZES = {
    "type": "multivariant",
    "variants": [{"key": "small", "value": 1.0, "type": "number", "weight": 0}, {"key": "large", "value": "XL"}],
    "rules": [
        {"type": "email", "operator": "equals", "value": "a@example.com", "enabled": True, "variant": "small"},
        {"type": "email", "operator": "equals", "value": "b@example.com", "enabled": False},
        {"type": "email", "operator": "equals", "value": "c@example.com", "enabled": True},
    ],
}
FOR_U1 = {"rules": [{"type": "user_id", "operator": "in", "values": ["u1"], "enabled": True}]}
DEEP = {"all": [{"attribute": "user_id", "operator": "starts_with", "value": "u"}]}


def fill(world: World) -> World:
    group = world.put_group("Testers", [{"type": "property", "field": "plan", "value": "pro", "enabled": True}])
    flags: dict[str, dict[str, Any]] = {
        "on": {**ON, "payload": {"colour": "blue"}},
        "off": {**OFF, "payload": "said only when on"},
        "text-payload": {**ON, "payload": "as it is"},
        "for-u1": FOR_U1,
        "by-conditions": {"rules": [{"type": "conditions", "conditions": DEEP, "enabled": True}]},
        "grouped": {**OFF, "targetGroupIds": [group.id]},
        "sizes": SIZES,
        "tenth": {"type": "rollout", "rolloutPercentage": 10},
        "all": {"type": "rollout", "rolloutPercentage": 100},
        "sleeping": {**ON, "status": "inactive"},
        "resting": {**OFF, "status": "inactive", "offValue": True},
        "resting-sizes": {**SIZES, "status": "inactive", "offValue": "XL"},
        "off-sizes": {**SIZES, "offValue": {"free": [1.0]}},
        "gone": {**ON, "offValue": True, "status": "archived"},
        "needy": {**ON, "dependencies": ["sleeping"]},
        "off-needy": {**OFF, "dependencies": ["sleeping"], "offValue": True},
        "needy-sizes": {**SIZES, "dependencies": ["sleeping"]},
    }
    for key, definition in flags.items():
        world.put(key, definition)
    world.put("on", OFF, environment="staging")
    world.put("own", ON, user_id="u1")
    world.put("shared", ON, website=None)
    return world


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    def unlimited(given: Settings) -> Settings:
        return replace(given, limit_flags=0)

    with whole_box(tmp_path_factory.mktemp("ofrep") / "data", adjust=unlimited) as inside:
        yield fill(World(inside))


NONE = "(no value)"


@each(
    ("key", "context", "value", "variant", "reason"),
    [
        ("on", {}, True, "true", "STATIC"),
        ("off", {}, False, "false", "STATIC"),
        ("for-u1", {"targetingKey": "u1"}, True, "true", "TARGETING_MATCH"),
        ("for-u1", {"userId": "u1"}, True, "true", "TARGETING_MATCH"),
        ("for-u1", {"targetingKey": "u2", "userId": "u1"}, False, "false", "STATIC"),
        ("for-u1", {"targetingKey": 1}, False, "false", "STATIC"),
        ("by-conditions", {"targetingKey": "u9"}, True, "true", "TARGETING_MATCH"),
        ("grouped", {"plan": "pro"}, True, "true", "TARGETING_MATCH"),
        ("grouped", {"plan": "free"}, False, "false", "STATIC"),
        ("sizes", {"email": "a@example.com"}, 1.0, "small", "TARGETING_MATCH"),
        ("sizes", {"email": "b@example.com"}, NONE, "false", "TARGETING_MATCH"),
        ("sizes", {"email": "c@example.com"}, NONE, "true", "TARGETING_MATCH"),
        ("sizes", {"targetingKey": "u1"}, "XL", "large", "SPLIT"),
        ("tenth", {}, False, "false", "SPLIT"),
        ("all", {}, True, "true", "SPLIT"),
        ("resting", {}, True, "true", "DISABLED"),
        ("resting-sizes", {}, "XL", "large", "DISABLED"),
        ("off-sizes", {"email": "b@example.com"}, {"free": [1.0]}, "false", "TARGETING_MATCH"),
        ("off-needy", {}, True, "true", "DISABLED"),
        ("needy", {}, False, "false", "DISABLED"),
        ("needy-sizes", {}, NONE, "false", "DISABLED"),
        ("on", {"environment": "staging"}, True, "true", "STATIC"),
        ("on", {"environment": ["staging"]}, True, "true", "STATIC"),
        ("own", {"targetingKey": "u1"}, True, "true", "STATIC"),
    ],
)
def test_answer_for_a_single_flag(
    box: World, key: str, context: dict[str, Any], value: object, variant: str, reason: str
) -> None:
    answer = ask(box, f"{BASE}/{key}", {"context": context})
    said = answer.json
    assert (answer.status, answer.headers["content-type"]) == (200, "application/json")
    assert (said["key"], said.get("value", NONE), said["variant"], said["reason"]) == (key, value, variant, reason)
    assert said["metadata"]["flagType"] in {"boolean", "rollout", "multivariant"}
    in_bulk = [one for one in ask(box, BASE, {"context": context}).json["flags"] if one["key"] == key]
    assert in_bulk == [said]


def test_a_float_stays_a_float(box: World) -> None:
    assert b'"value":1.0,' in ask(box, f"{BASE}/sizes", {"context": {"email": "a@example.com"}}).body


def test_payloads_are_metadata(box: World) -> None:
    said = {key: ask(box, f"{BASE}/{key}").json["metadata"] for key in ("on", "off", "text-payload")}
    assert said["on"]["payload"] == '{"colour":"blue"}'
    assert "payload" not in said["off"]
    assert said["text-payload"]["payload"] == "as it is"
    assert said["on"]["boxReason"] == "BOOLEAN_DEFAULT"


@each(
    ("path", "status", "code"),
    [
        ("unknown", 404, "FLAG_NOT_FOUND"),
        ("gone", 404, "FLAG_NOT_FOUND"),
        ("sleeping", 404, "FLAG_NOT_FOUND"),  # guessing the key of an inactive flag reveals nothing
        ("shared", 404, "FLAG_NOT_FOUND"),  # the organization's
        ("own", 404, "FLAG_NOT_FOUND"),  # somebody else's
        ("for-u1", 400, "TARGETING_KEY_MISSING"),
        ("by-conditions", 400, "TARGETING_KEY_MISSING"),
    ],
)
def test_answer_for_a_single_flag_without_a_value(box: World, path: str, status: int, code: str) -> None:
    answer = ask(box, f"{BASE}/{path}")
    said = answer.json
    assert (answer.status, said["key"], said["errorCode"]) == (status, path, code)
    assert said["errorDetails"]
    assert answer.headers["access-control-allow-origin"] == "*"


def test_a_bulk_answer_has_successes_and_failures(box: World) -> None:
    answer = ask(box)
    flags = {one["key"]: one for one in answer.json["flags"]}
    assert not {"gone", "sleeping", "own", "shared"} & flags.keys()
    assert flags["for-u1"]["errorCode"] == "TARGETING_KEY_MISSING"
    assert flags["on"]["value"] is True
    (stream,) = answer.json["eventStreams"]
    assert (stream["type"], stream["inactivityDelaySec"]) == ("sse", 60)
    assert stream["endpoint"]["requestUri"].startswith(f"/public/v1/flags/{box.shop}/ofrep/v1/streams?")


def test_an_organization_and_an_old_slash(box: World) -> None:
    assert ask(box, f"{BASE}/shared", client=box.box.organization_id).json["value"] is True
    assert ask(box, f"{BASE}/", about()).status == 200
    assert ask(box, f"{BASE}?environment=staging").json["flags"][0]["value"] is False
    assert ask(box, f"env/staging/{BASE}").json["flags"][0]["value"] is False
    assert ask(box, f"env/staging/{BASE}/on").json["value"] is False
    assert ask(box, f"env/other/{BASE}/on?environment=staging").json["value"] is False
    assert ask(box, f"env/other/{BASE}/on").status == 404


# Python 3.14 reads as deep as its stack allows.
NESTED = "PARSE_ERROR" if sys.version_info < (3, 14) else "INVALID_CONTEXT"


@each(
    ("content", "status", "code"),
    [
        (b"{", 400, "PARSE_ERROR"),
        (b"[]", 400, "PARSE_ERROR"),
        (b"\xff", 400, "PARSE_ERROR"),
        (b'{"context":' + b"[" * 5_000 + b"]" * 5_000 + b"}", 400, NESTED),
        (b'{"context":7}', 400, "INVALID_CONTEXT"),
        (b" " * 70_000, 413, "GENERAL"),
    ],
)
def test_a_body_that_cannot_be_used(box: World, content: bytes, status: int, code: str) -> None:
    for path, key in ((BASE, None), (f"{BASE}/on", "on")):
        answer = ask(box, path, content)
        assert (answer.status, answer.json["errorCode"], answer.json.get("key")) == (status, code, key)
        assert answer.json["errorDetails"]


@each(
    ("path", "method", "status"),
    [
        (BASE, "GET", 405),
        (f"{BASE}/on", "PUT", 405),
        ("ofrep/v1/streams", "POST", 405),
        ("ofrep/v1/configuration", "GET", 404),
        (BASE, "OPTIONS", 204),
    ],
)
def test_other_methods_and_addresses(box: World, path: str, method: str, status: int) -> None:
    answer = ask(box, path, method=method)
    assert (answer.status, answer.headers["access-control-allow-origin"]) == (status, "*")
    assert ("allow" in answer.headers) == (status != 404)


def test_pages_of_every_site_may_ask_with_headers_of_their_own(box: World) -> None:
    answer = ask(box, f"{BASE}/on", method="OPTIONS")
    assert answer.headers["access-control-allow-methods"] == "POST, OPTIONS"
    allowed = answer.headers["access-control-allow-headers"].split(", ")
    assert {"*", "authorization", "content-type", "if-none-match"} <= {*allowed}
    assert "access-control-allow-credentials" not in answer.headers
    assert "etag" in ask(box, BASE, about()).headers["access-control-expose-headers"]


def test_an_unknown_client_id(box: World) -> None:
    assert ask(box, client="nobody").json["errorCode"] == "GENERAL"
    answer = ask(box, f"{BASE}/on", client="nobody")
    assert (answer.status, answer.json["key"]) == (404, "on")


def test_compressed_bodies_are_refused(box: World) -> None:
    assert ask(box, content_encoding="gzip").status == 415


def test_rate_limited_client_gets_a_retry_after(world: World) -> None:
    world.put("on", ON)
    for _ in range(600):
        world.box.box.limits.take("flags", f"{world.shop} 203.0.113.7", 600)
    answer = ask(world, f"{BASE}/on")
    assert (answer.status, answer.json["errorCode"], answer.headers["retry-after"]) == (429, "GENERAL", "1")
    assert ask(world, f"{BASE}/on", address="203.0.113.8").status == 200


def test_internal_failure_is_a_general_error(box: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(box.flags, "ruleset", lambda *_: 1 / 0)
    answer = ask(box, f"{BASE}/on")
    assert (answer.status, answer.json["errorCode"], answer.json["key"]) == (500, "GENERAL", "on")
    assert "division" not in answer.json["errorDetails"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=10,
)
ODD = [
    b'"plan":"\\ud800"',
    b'"plan":' + b"9" * 10_000,
    b'"plan":1e999',
    b'"plan":NaN',
    b'"plan":' + b"[" * 100 + b"]" * 100,
    b'"targetingKey":["u1"]',
    b'"targetingKey":true',
    b'"targetingKey":"\\udfff"',
    b'"email":1.5',
    b'"email":{"of":"a@example.com"}',
    b'"organizationId":[],"teamId":false',
    b'"environment":"' + b"e" * 129 + b'"',
    b'"properties":7',
]


@each("odd", ODD)
def test_invalid_attribute_does_not_affect_other_flags(box: World, odd: bytes) -> None:
    content = b'{"context":{"plan":"pro","beta":true,' + odd + b"}}"
    bulk = ask(box, BASE, content)
    assert bulk.status == 200, bulk.body
    flags = {one["key"]: one for one in bulk.json["flags"]}
    assert (flags["on"]["value"], flags["off"]["value"], flags["all"]["value"]) == (True, False, True)
    assert ask(box, f"{BASE}/on", content).json["value"] is True
    assert ask(box, BASE, content, if_none_match=bulk.headers["etag"]).status == 304
    wire = quote(b"{" + odd + b"}")
    assert box.box.get(f"/public/v1/flags/evaluate?clientId={box.shop}&key=on&properties={wire}").json["value"] is True


@each(
    "context",
    [{"email": "a@example.com"}, {"properties": {"email": "a@example.com"}}],
)
def test_a_rule_reads_the_email_wherever_it_is_sent(box: World, context: dict[str, Any]) -> None:
    assert ask(box, f"{BASE}/sizes", {"context": context}).json["variant"] == "small"
    query = quote('{"email":"a@example.com"}')
    for route in ("evaluate?key=sizes&", "bulk?"):
        answer = box.box.get(f"/public/v1/flags/{route}clientId={box.shop}&properties={query}").json
        assert answer.get("flags", {"sizes": answer})["sizes"]["variant"] == "small"


def test_properties_inside_the_context_are_properties(box: World) -> None:
    assert ask(box, f"{BASE}/grouped", {"context": {"properties": {"plan": "pro"}}}).json["value"] is True
    outer = {"plan": "free", "properties": {"plan": "pro"}}
    assert ask(box, f"{BASE}/grouped", {"context": outer}).json["value"] is False


NAMES = st.sampled_from(["targetingKey", "userId", "email", "organizationId", "plan", "properties"])


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(NAMES, JSON) | JSON)
def test_no_context_breaks_an_answer(box: World, context: Any) -> None:
    bulk = ask(box, BASE, {"context": context})
    assert bulk.status == (200 if isinstance(context, dict | None) else 400)
    one = ask(box, f"{BASE}/sizes", {"context": context})
    assert one.status == bulk.status
    assert ("flags" in bulk.json) != ("errorCode" in bulk.json)


def test_users_get_what_other_clients_get(box: World) -> None:
    for number in range(60):
        user = f"user-{number}"
        query = f"userId={user}&email={user}%40example.com&properties=%7B%22plan%22%3A%22pro%22%7D"
        wire = box.box.get(f"/public/v1/flags/bulk?clientId={box.shop}&{query}").json["flags"]
        context = {"targetingKey": user, "email": f"{user}@example.com", "plan": "pro"}
        found = {one["key"]: one for one in ask(box, BASE, {"context": context}).json["flags"]}
        assert found.keys() == wire.keys()
        for key, one in found.items():
            assert one["metadata"]["boxReason"] == wire[key]["reason"]
            assert one["variant"] == wire[key].get("variant", str(wire[key]["enabled"]).lower())
            if "value" in one:
                assert one["value"] == wire[key]["value"]


# Unchanged answers


def test_an_unchanged_answer_is_not_evaluated_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    flag = world.put("on", ON)
    world.put("for-u1", FOR_U1)
    first = ask(world, BASE, about("u1", plan="pro"))
    tag = first.headers["etag"]
    (outcome,) = [one for one in world.flags.ruleset(world.known(), None).outcomes() if one.flag_id == flag.id]
    with monkeypatch.context() as patched:
        patched.setattr(type(world.flags.ruleset(world.known(), None)), "all", lambda *_: 1 / 0)
        for known in (tag, f"W/{tag}", f'"x", {tag}', "*"):
            answer = ask(world, BASE, about("u1", plan="free"), if_none_match=known)  # which no flag looks at
            assert (answer.status, answer.headers["etag"], answer.body) == (304, tag, b"")
        assert ask(world, BASE, about("u1")).body == first.body
    assert outcome.count == 6
    other = ask(world, BASE, about("u2"), if_none_match=tag)
    assert (other.status, other.headers["etag"] == tag) == (200, False)


def test_a_client_is_told_the_client_id_that_it_asked_with(world: World) -> None:
    sites = world.box.box.parts[Directory]
    site = sites.find(world.shop)
    assert site is not None
    ids = (ClientId(world.shop, site.created_at), ClientId("new-client-id-1", site.created_at))
    sites.remember(replace(site, client_ids=ids))
    world.put("on", ON)
    answers = {one: ask(world, client=one) for one in ("new-client-id-1", world.shop)}
    for client_id, answer in answers.items():
        assert answer.json["eventStreams"][0]["endpoint"]["requestUri"].startswith(f"/public/v1/flags/{client_id}/")
    assert len({answer.headers["etag"] for answer in answers.values()}) == 2


def test_a_change_is_seen_by_the_next_request(world: World) -> None:
    flag = world.put("on", ON)
    before = ask(world)
    world.put("on", OFF, environment="staging")
    assert ask(world, if_none_match=before.headers["etag"]).status == 304  # another environment
    changed = replace(flag, version=2, definition=replace(flag.definition, defaultValue=False))
    world.box.run(save(world.box.box.parts, flag.scope, lambda db: rows.FLAGS.update(db, changed)))
    after = ask(world, if_none_match=before.headers["etag"])
    assert (after.status, after.json["flags"][0]["value"]) == (200, False)


def test_a_restart_keeps_tags(world: World) -> None:
    world.put("on", ON)
    tag = ask(world).headers["etag"]
    world.box.reopen()
    assert world.box.box.parts[Ofrep] is not None
    assert ask(world, if_none_match=tag).status == 304


@each(("inside", "status"), [({"attribute": "user_id", "value": "u"}, 400), ({"attribute": "plan", "value": "u"}, 200)])
def test_nested_target_groups_are_searched_for_the_user_once_each(inside: dict[str, Any], status: int) -> None:
    """Also in groups that name each other, as only a file of another time can have them."""
    groups = [group("g0", {"type": "conditions", "conditions": inside})]
    for number in range(1, 5):
        nodes = [{"group": f"g{number - 1}"}, {"group": f"g{number}"}] * 50
        groups.append(group(f"g{number}", {"type": "conditions", "conditions": {"any": nodes}}))
    node = {"any": [{"group": one.id} for one in groups] * 30}
    flags = [flag(rules=[{"type": "conditions", "conditions": node}]), flag("other", targetGroupIds=["g0", "g4"])]
    scope = FlagScope("website", "organization", "website", 1, 1, tuple(flags), tuple(groups))
    environment = Environment(scope, None, compile_ruleset(flags, groups))
    assert [one.status for one in environment.all(EvaluationContext())] == [status, status]
