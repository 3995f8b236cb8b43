"""The document is valid and complete: every address of the box and nothing else, with errors, headers and examples."""

import json
import re
from typing import Any

import jsonschema_rs
import openapi_spec_validator
import pytest
from openapi_schema_validator._dialects import OAS31_BASE_DIALECT_METASCHEMA as DIALECT
from openapi_schema_validator._specifications import REGISTRY
from openapi_spec_validator.validation.keywords import OpenAPIV31SchemaValidator

from analytics_box.app.openapi.document import document as make_document
from analytics_box.app.openapi.document import plain_path
from analytics_box.app.openapi.refusals import codes
from analytics_box.app.routes import TABLE
from analytics_box.base.identity import SCOPES
from analytics_box.ingest.routes import ADDRESSES
from analytics_box.query.catalog.registry import TYPES
from analytics_box.web.route import PUBLIC, SIGNED_IN
from tests.contract.test_ingest_codes import ROWS
from tests.inprocess import WholeBox

SHORT = {("GET", "/l/{slug}"), ("HEAD", "/l/{slug}"), ("POST", "/l/{slug}"), ("GET", "/l/{slug}/preview")}
FLAGS = {("GET", f"/public/v1/flags/{name}") for name in ("evaluate", "bulk", "health")}
OFREP = {("POST", f"/public/v1/flags/{{client_id}}/ofrep/v1/evaluate/flags{key}") for key in ("", "/{key}")}
EVENTS = {*ADDRESSES, *(("OPTIONS", path) for method, path in ADDRESSES if method == "POST")}

_REFUSED_SHAPE = re.compile(rb"\w (?:must (?:be at|be one of|have)|is not a(?: known field|n accepted value))")


@pytest.fixture(scope="module")
def document(box: WholeBox) -> dict[str, Any]:
    answer = box.get("/openapi.json")
    assert answer.status == 200
    assert answer.headers["content-type"] == "application/json"
    found: dict[str, Any] = answer.json
    return found


def operations(document: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    return {
        (method.upper(), path): operation
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }


@pytest.fixture(scope="module")
def whole(box: WholeBox) -> dict[str, Any]:
    """The document of the pages, too."""
    return make_document(box.box.settings, cookie=box.box.sign_ins.cookie_name, pages=True)


def each_once(whole: dict[str, Any]) -> dict[str, Any]:
    """For a validator that looks at each object once: those that are alike are one, and an answer that operations share
    is told of the first of them."""
    alike: dict[str, Any] = {}
    told: set[str] = set()

    def one(value: Any) -> Any:
        if isinstance(value, dict):
            value = {name: one(inner) for name, inner in value.items()}
        elif isinstance(value, list):
            value = [one(inner) for inner in value]
        else:
            return value
        return alike.setdefault(json.dumps(value), value)

    def answers(operation: dict[str, Any]) -> dict[str, Any]:
        found = {status: answer for status, answer in operation["responses"].items() if answer.get("$ref") not in told}
        told.update(answer["$ref"] for answer in found.values() if "$ref" in answer)
        return found

    paths = {
        path: {method: operation | {"responses": answers(operation)} for method, operation in methods.items()}
        for path, methods in whole["paths"].items()
    }
    found: dict[str, Any] = one(whole | {"paths": paths})
    return found


def test_document_is_valid_openapi_3_1(
    document: dict[str, Any], whole: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is part of the one of the pages, too, and all that it refers to is there."""
    assert document["openapi"] == "3.1.0"
    schemas = [(uri, found.contents) for uri, found in REGISTRY._resources.items() if isinstance(found.contents, dict)]
    quick = jsonschema_rs.validator_for(DIALECT, registry=jsonschema_rs.Registry(schemas))
    assert not quick.is_valid({"properties": {"name": {"type": "text"}}})
    monkeypatch.setattr(OpenAPIV31SchemaValidator, "_get_schema_checker", lambda *_: quick.validate)
    openapi_spec_validator.validate(each_once(whole))
    assert set(document) == set(whole)
    for path, methods in document["paths"].items():
        assert methods.items() <= whole["paths"][path].items(), path
    for kind, components in document["components"].items():
        assert components.items() <= whole["components"][kind].items(), kind
    for held in (document, whole):
        for kind, name in set(re.findall(r'"\$ref": "#/components/(\w+)/([^"]+)"', json.dumps(held))):
            assert name in held["components"][kind]


def test_document_has_every_address_of_the_api_and_no_other(document: dict[str, Any], whole: dict[str, Any]) -> None:
    table = {(route.method, plain_path(route.path)): route.page for route in TABLE}
    api = {where for where, page in table.items() if not page}
    assert set(operations(document)) == api | EVENTS | SHORT | FLAGS | OFREP
    assert set(operations(whole)) == set(table) | EVENTS | SHORT | FLAGS | OFREP


def test_every_operation_has_a_name_of_its_own_a_summary_and_a_known_tag(document: dict[str, Any]) -> None:
    found = operations(document)
    names = [operation["operationId"] for operation in found.values()]
    assert len(set(names)) == len(names)
    known = {tag["name"] for tag in document["tags"]}
    for where, operation in found.items():
        assert operation["summary"], where
        assert set(operation["tags"]) <= known, where


def test_every_operation_says_who_may_use_it(document: dict[str, Any]) -> None:
    found = operations(document)
    for route in (route for route in TABLE if not route.page):
        operation = found[route.method, plain_path(route.path)]
        security = operation["security"]
        if route.by_key is not None:
            scopes = [] if route.by_key == "any" else [route.by_key]
            assert security == [{way: scopes} for way in ("key", "bearer")]
            assert (f"`{route.by_key}`" if scopes else "Requires an API key.") in operation["description"]
        elif route.access == PUBLIC:
            assert security == []
        elif route.access == SIGNED_IN:
            assert security == [{"session": [route.role]}]
        else:
            scopes = [scope for scope in (route.access, route.also) if scope is not None]
            keys = [{way: [scope]} for scope in scopes for way in ("key", "bearer")]
            assert security == [*keys, {"session": [route.role]}, *([{}] if route.anonymous else [])]
            assert all(f"`{scope}`" in operation["description"] for scope in scopes)
            assert set(scopes) <= {*SCOPES}


def test_all_three_ways_to_authenticate_are_there(document: dict[str, Any]) -> None:
    schemes = document["components"]["securitySchemes"]
    assert schemes["key"]["name"] == "x-api-key"
    assert (schemes["bearer"]["type"], schemes["bearer"]["scheme"]) == ("http", "bearer")
    assert (schemes["session"]["in"], schemes["session"]["name"]) == ("cookie", "session")


def test_every_refusal_is_a_shared_component_with_its_codes(document: dict[str, Any]) -> None:
    responses = document["components"]["responses"]
    for status, names in codes().items():
        assert all(f"`{name}`" in responses[f"api-{status}"]["description"] for name in names)
    for where, operation in operations(document).items():
        for status, answer in operation["responses"].items():
            if int(status) >= 400:
                assert list(answer) == ["$ref"], where
        assert {"429", "500", "503"} <= set(operation["responses"]), where
    assert "WWW-Authenticate" in responses["api-401"]["headers"]
    limited = {"Retry-After", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-Request-ID"}
    assert set(responses["api-429"]["headers"]) == limited


def test_event_routes_say_what_became_of_the_events_and_name_the_finer_codes(document: dict[str, Any]) -> None:
    responses = document["components"]["responses"]
    for row in ROWS:
        if row.ask is not None:
            assert f"`{row.code}`" in responses[f"events-{row.status}"]["description"], row.code
    for where in ADDRESSES:
        operation = operations(document)[where]
        accepted = operation["responses"]["202" if where[1] in {"/api/event", "/ai-traffic"} else "200"]
        assert "X-Analytics-Box" in accepted["headers"], where
        refusals = {answer["$ref"].rpartition("/")[2] for answer in operation["responses"].values() if "$ref" in answer}
        assert all("X-Analytics-Box" in responses[name]["headers"] for name in refusals), where
        if where[0] == "POST":
            assert operation["requestBody"]["content"]["application/json"]["examples"], where
    assert "X-Analytics-Box" in document["components"]["headers"]


def test_the_query_api_names_its_parameters_and_the_rows_of_every_type(document: dict[str, Any]) -> None:
    query = operations(document)["POST", "/v1/query"]
    names = [parameter["name"] for parameter in query["parameters"]]
    assert names == ["website_id", "link_id", "schedule_id", "organization_id", "timezone"]
    schemas = document["components"]["schemas"]
    for name, query_type in TYPES.items():
        assert list(schemas[f"Rows_{name}"]["properties"]) == [output.name for output in query_type.outputs]


def examples(document: dict[str, Any]) -> list[tuple[str, Any]]:
    """Every example of a JSON body, with its path."""
    found = []
    for (_, path), operation in operations(document).items():
        content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
        found += [(path, example["value"]) for example in content.get("examples", {}).values()]
        found += [(path, content["example"])] if "example" in content else []
    return found


def test_every_example_is_taken_as_valid(box: WholeBox, document: dict[str, Any]) -> None:
    real = {"YOUR-WEBSITE-ID": box.sites["shop"], "YOUR-ORGANIZATION-ID": box.organization_id}
    cookie = box.cookie
    from_pages = {path for method, path in ADDRESSES if method == "POST"} - {"/track", "/mcp"}
    assert len(examples(document)) > 20
    for path, example in examples(document):
        text = json.dumps(example)
        for placeholder, value in real.items():
            text = text.replace(placeholder, value)
        if path in from_pages:
            headers = {"origin": "https://shop.example", "databuddy_client_id": real["YOUR-WEBSITE-ID"]}
        elif path in {"/track", "/mcp", "/v1/query"}:
            headers = {"x_api_key": box.keys["all"]}
        else:
            headers = {"cookie": cookie}
        target = f"{path}?website_id={box.sites['shop']}" if path == "/v1/query" else path
        headers["content_type"] = "application/json"
        answer = box.ask("POST", target, headers=headers, body=text.encode())
        assert answer.status not in {401, 415, 422, 500}, (path, text, answer.body)
        assert not _REFUSED_SHAPE.search(answer.body), (path, text, answer.body)
        if path in {*from_pages, "/track", "/v1/query"}:
            assert answer.status in {200, 202}, (path, answer.body)
            assert b'"status":"error"' not in answer.body, (path, answer.body)


def test_the_pages_show_every_operation_of_the_document(box: WholeBox, document: dict[str, Any]) -> None:
    index = box.get("/docs/api")
    assert index.status == 200
    shown = ""
    for tag in document["tags"]:
        slug = tag["name"].lower().replace(",", "").replace(" ", "-")
        assert f'href="/docs/api/{slug}"' in index.body.decode()
        page = box.get(f"/docs/api/{slug}")
        assert page.status == 200
        shown += page.body.decode()
    for (_, path), operation in operations(document).items():
        assert f"<code>{path}</code>" in shown, path
        assert operation["operationId"].startswith("rpc.") or path in index.body.decode()
    assert "style=" not in shown
    assert "<script>" not in shown


def test_a_part_that_is_not_there_is_not_found(box: WholeBox) -> None:
    assert box.get("/docs/api/nothing", accept="text/html").status == 404


def test_creating_an_organization_may_collide(document: dict[str, Any]) -> None:
    found = [one for one in operations(document).values() if one["operationId"] == "organizations.create"]
    assert found
    assert all({"400", "409"} <= set(one["responses"]) for one in found)
