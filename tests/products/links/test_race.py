"""Two writers who want the same thing at the same time: one of them gets it."""

import asyncio
import json
from typing import Any

from tests.products.links.world import TARGET, World


async def together(world: World, name: str, contents: list[dict[str, Any]]) -> list[tuple[int, Any]]:
    """Several calls whose writes meet in one group commit."""

    async def one(content: dict[str, Any]) -> tuple[int, Any]:
        path = "/" + name.replace(".", "/")
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "POST",
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "root_path": "",
            "headers": [
                (b"host", b"localhost"),
                (b"content-type", b"application/json"),
                (b"x-api-key", world.box.keys["linking"].encode()),
            ],
            "client": ("203.0.113.7", 40_000),
            "server": ("localhost", 8000),
        }
        answer = await world.box._exchange(scope, json.dumps(content).encode())
        return answer.status, answer.json

    return list(await asyncio.gather(*(one(content) for content in contents)))


def test_of_two_writers_of_one_slug_one_wins(world: World) -> None:
    wanted = [{"name": f"Writer {number}", "targetUrl": f"{TARGET}/{number}", "slug": "race"} for number in range(8)]
    answers = world.box.run(together(world, "links.create", wanted))
    assert sorted(status for status, _ in answers) == [200] + [409] * 7
    (winner,) = [content for status, content in answers if status == 200]
    assert all(content["error"] == "This slug is already taken" for status, content in answers if status == 409)
    assert world.follow("race").headers["location"] == winner["targetUrl"]
    assert len(world.call("links.list").json) == 1


def test_two_links_moving_to_one_slug(world: World) -> None:
    one, two = world.link(), world.link()
    wanted = [{"id": link["id"], "slug": "moved"} for link in (one, two)]
    answers = world.box.run(together(world, "links.update", wanted))
    assert sorted(status for status, _ in answers) == [200, 409]
    loser = next(link for link, (status, _) in zip((one, two), answers, strict=True) if status == 409)
    assert world.follow(loser["slug"]).status == 302
    assert world.follow("moved").status == 302


def test_upserts_of_one_external_id_make_one_link(world: World) -> None:
    wanted = [{"name": f"Writer {number}", "targetUrl": TARGET, "externalId": "one"} for number in range(6)]
    answers = world.box.run(together(world, "links.upsert", wanted))
    assert [status for status, _ in answers] == [200] * 6
    assert len({content["id"] for _, content in answers}) == 1


def test_of_many_visits_at_once_a_link_takes_as_many_as_it_may(world: World) -> None:
    made = world.link(maxClicks=3)

    async def visits() -> list[int]:
        async def one(number: int) -> int:
            path = f"/l/{made['slug']}"
            scope = {
                "type": "http",
                "method": "GET",
                "scheme": "http",
                "path": path,
                "raw_path": path.encode(),
                "query_string": b"",
                "headers": [
                    (b"host", b"localhost"),
                    (b"accept", b"*/*"),
                    (b"user-agent", b"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"),
                ],
                "client": (f"198.51.100.{number}", 40_000),
                "server": ("localhost", 8000),
            }
            return (await world.box._exchange(scope, b"")).status

        return list(await asyncio.gather(*(one(number) for number in range(10))))

    assert sorted(world.box.run(visits())) == [302] * 3 + [410] * 7
    assert world.counted() == ["click"] * 3
