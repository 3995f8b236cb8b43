"""The official Python client, in the revision without a handshake and in the last one with it."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

from analytics_box.base.identity import SCOPES, Scope
from tests.app.mcp.world import BY_SCOPE, LATEST, MODERN, World
from tests.cases import each
from tests.inprocess import whole_box
from tests.rooms import unlimited

MODES = [("auto", MODERN), ("legacy", LATEST), (MODERN, MODERN)]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with whole_box(tmp_path_factory.mktemp("mcp") / "data", adjust=unlimited) as box:
        yield World(box)


@pytest.fixture(scope="module")
def arguments(world: World) -> dict[str, dict[str, Any]]:
    return world.arguments()


@asynccontextmanager
async def connected(world: World, secret: str, mode: Any = "auto", path: str = "/v1/mcp") -> AsyncIterator[Client]:
    """A client whose requests go to the box in this process."""
    transport: Any = httpx2.ASGITransport(app=world.box.box.application)  # type: ignore[arg-type]  # The same protocol.
    headers = {"Authorization": f"Bearer {secret}"}
    async with httpx2.AsyncClient(transport=transport, headers=headers) as http:
        url = f"http://localhost{path}"
        async with Client(streamable_http_client(url, http_client=http), mode=mode) as client:
            yield client


@each(("mode", "version"), MODES)
def test_client_calls_every_tool_and_changes_with_confirmation(
    world: World, arguments: dict[str, dict[str, Any]], mode: Any, version: str
) -> None:
    async def walk() -> None:
        async with connected(world, world.box.keys["all"], mode) as client:
            assert client.session.protocol_version == version
            listed = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert set(listed) == set(arguments)
            for name, sent in arguments.items():
                given = {**sent}
                if name == "change_flag":
                    given["rolloutPercentage"] = 30 + MODES.index((mode, version))
                if name == "create_monitor":
                    given["url"] = f"https://example.com/{mode}"
                found = await client.call_tool(name, given)
                assert not found.is_error, (name, found)
                if "confirm" in (listed[name].input_schema.get("properties") or {}):
                    assert found.structured_content is not None
                    done = await client.call_tool(name, {**given, "confirm": found.structured_content["confirm"]})
                    assert done.structured_content is not None, done
                    assert done.structured_content["done"] is True

    world.box.run(walk())


@each("scope", SCOPES)
def test_client_with_a_key_of_one_scope_sees_its_tools_and_is_refused_by_others(
    world: World, arguments: dict[str, dict[str, Any]], scope: Scope
) -> None:
    async def walk() -> None:
        async with connected(world, world.only[scope]) as client:
            assert {tool.name for tool in (await client.list_tools()).tools} == BY_SCOPE[scope]
            for name in set(arguments) - BY_SCOPE[scope]:
                found = await client.call_tool(name, arguments[name])
                assert found.is_error, (scope, name)

    world.box.run(walk())


@each("mode", [mode for mode, _ in MODES])
def test_client_reads_resources_prompts_and_completions(world: World, mode: Any) -> None:
    async def walk() -> None:
        async with connected(world, world.box.keys["all"], mode) as client:
            for resource in (await client.list_resources()).resources:
                assert (await client.read_resource(str(resource.uri))).contents
            (template,) = (await client.list_resource_templates()).resource_templates
            uri = template.uri_template.replace("{websiteId}", world.site)
            assert (await client.read_resource(uri)).contents
            with pytest.raises(MCPError):
                await client.read_resource("analytics-box://nothing")
            for prompt in (await client.list_prompts()).prompts:
                given = {argument.name: "x" for argument in prompt.arguments or ()}
                assert (await client.get_prompt(prompt.name, given)).messages

    world.box.run(walk())


def test_client_is_also_served_at_the_address_for_spans(world: World) -> None:
    async def walk() -> None:
        async with connected(world, world.box.keys["reading"], path="/mcp") as client:
            assert len((await client.list_tools()).tools) == len(BY_SCOPE["read:data"])

    world.box.run(walk())


def test_client_without_a_valid_key_does_not_connect(world: World) -> None:
    async def walk() -> None:
        async with connected(world, "svc_wrong"):
            raise AssertionError("it connected")

    with pytest.raises(Exception, match=r"401|Authentication|Unauthorized|unhandled") as refused:
        world.box.run(walk())
    assert "it connected" not in repr(refused.value)
