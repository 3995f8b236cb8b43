"""The forms of a procedure's request and answer (wire 10.1 and 10.6), over the whole box without a socket."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from analytics_box.base import errors
from analytics_box.web.rpc import refusal_body
from tests.inprocess import Answer, WholeBox, whole_box

LIST, GET = "websites/list", "websites/getById"


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with whole_box(tmp_path_factory.mktemp("rpc") / "data") as inside:
        yield inside


def names(answer: Answer, *, enveloped: bool) -> list[str]:
    assert answer.status == 200, answer.body
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["cache-control"] == "no-store"
    if enveloped:
        assert set(answer.json) == {"json"}  # no meta where nothing needs it
    rows: list[dict[str, Any]] = answer.json["json"] if enveloped else answer.json
    return [row["name"] for row in rows]


# path, body, whether the answer is enveloped
WITHOUT_INPUT: tuple[tuple[str, bytes, bool], ...] = (
    ("/rpc/", b"{}", True),
    ("/rpc/", b"", True),
    ("/rpc/", b'{"json": {}}', True),
    ("/rpc/", b'{"json": null}', True),
    ("/rpc/", b'{"json": {}, "meta": []}', True),
    ("/rpc/", b'{"json": {"organizationId": null}}', True),
    ("/rpc/", b'{"organizationId": null}', False),
    ("/", b"{}", False),
    ("/", b"", False),
    ("/", b'{"organizationId": null}', False),
)


@pytest.mark.parametrize(("start", "body", "enveloped"), WITHOUT_INPUT)
def test_the_answer_has_the_form_of_the_request(box: WholeBox, start: str, body: bytes, enveloped: bool) -> None:
    assert names(box.post(start + LIST, body, key="reading"), enveloped=enveloped)[0] == "Shop"


def test_input_is_taken_from_every_form(box: WholeBox) -> None:
    given = {"id": box.sites["shop"]}
    assert box.post(f"/rpc/{GET}", {"json": given}, key="reading").json["json"]["name"] == "Shop"
    assert box.post(f"/rpc/{GET}", given, key="reading").json["name"] == "Shop"
    assert box.post(f"/{GET}", given, key="reading").json["name"] == "Shop"


def test_the_mirror_knows_no_envelope(box: WholeBox) -> None:
    answer = box.post(f"/{GET}", {"json": {"id": box.sites["shop"]}}, key="reading")
    assert (answer.status, answer.json["code"]) == (400, "BAD_REQUEST")


# body, key, status, code
REFUSED: tuple[tuple[Any, Any, int, str], ...] = (
    ({"id": "unknown"}, "reading", 404, "NOT_FOUND"),
    ({"id": "unknown"}, None, 401, "AUTH_REQUIRED"),
    ({"id": "unknown"}, "revoked", 401, "AUTH_REQUIRED"),
    ({"id": "unknown"}, "tracking", 403, "FORBIDDEN"),
    ({"id": 5}, "reading", 400, "BAD_REQUEST"),
    ({"id": "x" * 256}, "reading", 400, "BAD_REQUEST"),
    ({"ID": "x"}, "reading", 400, "BAD_REQUEST"),
    ({"id": "x", "more": 1}, "reading", 400, "BAD_REQUEST"),
)


@pytest.mark.parametrize(("given", "key", "status", "code"), REFUSED)
def test_refusals_come_in_the_form_that_was_asked_in(
    box: WholeBox, given: Any, key: Any, status: int, code: str
) -> None:
    enveloped = box.post(f"/rpc/{GET}", {"json": given}, key=key)
    assert enveloped.status == status
    refused = enveloped.json["json"]
    assert set(refused) == {"defined", "code", "status", "message", "data"}
    assert (refused["defined"], refused["code"], refused["status"]) == (False, code, status)
    assert refused["data"]["requestId"] == enveloped.headers["x-request-id"]
    for path in (f"/rpc/{GET}", f"/{GET}"):
        plain = box.post(path, given, key=key)
        assert (plain.status, plain.json["code"], plain.json["success"]) == (status, code, False)
        assert plain.json["error"] == refused["message"]
        assert plain.json["requestId"] == plain.headers["x-request-id"]
    if status == 401:
        assert enveloped.headers["www-authenticate"] == plain.headers["www-authenticate"]
        assert plain.headers["www-authenticate"].startswith("Bearer")


def test_wrong_input_is_told_by_field_in_both_forms(box: WholeBox) -> None:
    enveloped = box.post(f"/rpc/{GET}", {"json": {"id": 5}}, key="reading").json["json"]
    plain = box.post(f"/{GET}", {"id": 5}, key="reading").json
    assert enveloped["data"]["issues"] == plain["details"]
    assert plain["details"][0]["field"] == "id"


@pytest.mark.parametrize("body", [b"{", b"[]", b'"text"', b"null", b"\xff", b"{}x", b"[" * 100_000])
@pytest.mark.parametrize("start", ["/rpc/", "/"])
def test_input_that_is_no_object_is_refused(box: WholeBox, start: str, body: bytes) -> None:
    answer = box.post(start + GET, body, key="reading")
    assert answer.status in {400, 422}
    assert b"Traceback" not in answer.body


@pytest.mark.parametrize("start", ["/rpc/", "/"])
def test_a_procedure_is_posted_as_json(box: WholeBox, start: str) -> None:
    assert box.get(start + LIST, x_api_key=box.keys["reading"]).status == 405
    form = box.post(start + LIST, b"a=b", key="reading", content_type="application/x-www-form-urlencoded")
    assert form.status == 415


def test_a_page_of_another_site_cannot_use_a_person_s_session(box: WholeBox) -> None:
    cookie = box.cookie
    assert box.post(f"/rpc/{LIST}", {}, cookie=cookie).status == 200
    assert box.post(f"/rpc/{LIST}", {}, cookie=cookie, sec_fetch_site="cross-site").status == 403
    assert box.post(f"/rpc/{LIST}", {}, cookie=cookie, origin="https://evil.example").status == 403


def test_a_procedure_that_does_not_exist_is_not_there(box: WholeBox) -> None:
    assert box.post("/rpc/websites/nothing", {}, key="all").status == 404
    assert box.post("/websites/nothing", {}, key="all").status == 404


def test_overloaded_box_says_in_both_forms_when_to_try_again() -> None:  # wire 10.6
    busy = errors.Unavailable("Too many requests wait for the disk", retry_after=7)
    assert json.loads(refusal_body(busy, "id", enveloped=True))["json"]["data"] == {"requestId": "id", "retryAfter": 7}
    assert json.loads(refusal_body(busy, "id", enveloped=False))["data"] == {"retryAfter": 7}
