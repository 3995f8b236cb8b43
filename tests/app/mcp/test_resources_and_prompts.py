"""Resources, prompts and completion of the MCP server."""

import json
from collections.abc import Iterator

import pytest

from tests.app.mcp.world import World
from tests.cases import each
from tests.inprocess import whole_box
from tests.rooms import unlimited


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with whole_box(tmp_path_factory.mktemp("mcp") / "data", adjust=unlimited) as box:
        yield World(box)


def test_every_listed_resource_can_be_read(world: World) -> None:
    listed = world.result("resources/list")["resources"]
    assert [one["name"] for one in listed] == ["definitions", "query-schema", "query-types"]
    for one in listed:
        (content,) = world.result("resources/read", uri=one["uri"])["contents"]
        assert content["mimeType"] == one["mimeType"]
        assert content["text"].startswith("# Definitions") or json.loads(content["text"])


def test_key_without_read_scopes_lists_no_resources(world: World) -> None:
    assert world.result("resources/list", world.only["track:events"])["resources"] == []


def test_template_gives_the_summary_of_a_website(world: World) -> None:
    (template,) = world.result("resources/templates/list")["resourceTemplates"]
    uri = template["uriTemplate"].replace("{websiteId}", world.site)
    (content,) = world.result("resources/read", uri=uri)["contents"]
    found = json.loads(content["text"])
    assert found["range"] == {"startDate": "2026-06-11", "endDate": "2026-06-17", "timeZone": "UTC"}
    assert len(found["summary_metrics"]) == 7


@each("uri", ["", "x", "file:///etc/passwd", "analytics-box://", "analytics-box://websites//summary"])
def test_unknown_resource_is_an_error_that_names_it(world: World, uri: str) -> None:
    error = world.request("resources/read", uri=uri)["error"]
    assert (error["code"], error["data"]["uri"]) == (-32002, uri)


def test_every_prompt_is_filled_with_its_arguments(world: World) -> None:
    listed = world.result("prompts/list")["prompts"]
    assert {one["name"] for one in listed} == {"weekly-report", "triage-errors", "funnel-health", "rollout-check"}
    for one in listed:
        given = {argument["name"]: f"a-{argument['name']}" for argument in one["arguments"]}
        (message,) = world.result("prompts/get", name=one["name"], arguments=given)["messages"]
        text = message["content"]["text"]
        assert all(value in text for value in given.values()), one["name"]
        required = {name: given[name] for name in given if name in {"websiteId", "key"}}
        (message,) = world.result("prompts/get", name=one["name"], arguments=required)["messages"]
        assert "{" not in message["content"]["text"]


@each(
    ("name", "arguments"),
    [
        ("nothing", {}),
        ("weekly-report", {}),
        ("weekly-report", {"websiteId": 5}),
        ("weekly-report", {"websiteId": " "}),
    ],
)
def test_wrong_prompt_is_an_error(world: World, name: str, arguments: dict[str, object]) -> None:
    assert world.request("prompts/get", name=name, arguments=arguments)["error"]["code"] == -32602


def test_braces_in_an_argument_are_text(world: World) -> None:
    given = {"websiteId": "{key}", "key": "{websiteId!r}"}
    (message,) = world.result("prompts/get", name="rollout-check", arguments=given)["messages"]
    assert "{websiteId!r} of the website {key}" in message["content"]["text"]


def complete(world: World, name: str, value: str, secret: str = "", **context: str) -> list[str]:
    found = world.result(
        "completion/complete",
        secret,
        ref={"type": "ref/prompt", "name": "weekly-report"},
        argument={"name": name, "value": value},
        context={"arguments": context},
    )
    values: list[str] = found["completion"]["values"]
    return values


def test_arguments_are_completed_with_what_the_key_can_read(world: World) -> None:
    assert complete(world, "websiteId", "shop") == [world.site]
    assert complete(world, "websiteId", "shop", world.only["read:links"]) == []
    assert complete(world, "preset", "last_7") == ["last_7d"]
    assert complete(world, "nothing", "x") == []
    flag = {"key": "checkout", "websiteId": world.site}
    assert world.box.post("/flags/create", flag, cookie=world.box.cookie).status == 200
    assert complete(world, "key", "check", websiteId=world.site) == ["checkout"]
    assert complete(world, "key", "check", world.only["read:data"], websiteId=world.site) == []
