"""A whole box with room for many calls, and short ways to make links and follow them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from analytics_box.base.settings import Settings
from tests.inprocess import whole_box
from tests.products.links.world import PageWorld, World


def unlimited(settings: Settings) -> Settings:
    return replace(settings, limit_rpc=0, limit_key=0, limit_address=0, limit_link_lookups=0, limit_query=0)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with whole_box(tmp_path / "data", adjust=unlimited) as box:
        yield World(box)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageWorld]:
    """One box for all tests of a file, which look at its pages."""
    with whole_box(tmp_path_factory.mktemp("link-pages") / "data", adjust=unlimited) as box:
        yield PageWorld(box)
