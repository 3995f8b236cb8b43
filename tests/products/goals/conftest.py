"""One box for all tests of a file, whose shop has had visitors: Ana buys thrice and leaves by a link, Ben looks on."""

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from analytics_box.base.settings import Settings
from tests.inprocess import whole_box
from tests.products.flags.world import World

ANA, BEN = "Ana", "Ben"


def unlimited(settings: Settings) -> Settings:
    return replace(settings, limit_rpc=0, limit_key=0, limit_address=0, limit_query=0)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with whole_box(tmp_path_factory.mktemp("goals") / "data", adjust=unlimited) as box:
        world = World(box)
        for who, path in ((ANA, "/"), (ANA, "/thanks/1"), (BEN, "/"), (BEN, "/%C3%BCber"), (BEN, "/pricing")):
            track(world, who, path, name="screen_view")
        for amount, plan in ((19.5, "pro"), ("5", "free"), ("no number", "pro")):
            track(world, ANA, "/thanks/1", name="purchase", properties={"amount": amount, "plan": plan})
        track(world, ANA, "/thanks/1", name="page_exit", time_on_page=75, scroll_depth=80)
        track(world, ANA, "/thanks/1", type="outgoing_link", href="https://partner.example/a")
        yield world


def track(world: World, who: str, path: str, **event: object) -> None:
    """An event as the script sends it."""
    said = {"anonymousId": who, "path": f"https://shop.example{path}", **event}
    answer = world.box.post(f"/?client_id={world.shop}", said, key=None)
    assert answer.status in {200, 204}, answer.body
