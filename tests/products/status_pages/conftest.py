"""A whole box with room for many calls, and short ways to make status pages."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from analytics_box.base.settings import Settings
from tests.inprocess import whole_box
from tests.products.status_pages.world import World


def unlimited(settings: Settings) -> Settings:
    return replace(settings, limit_rpc=0, limit_key=0, limit_address=0)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with whole_box(tmp_path / "data", adjust=unlimited) as box:
        yield World(box)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """One box for all tests of a file, each with pages of its own."""
    with whole_box(tmp_path_factory.mktemp("status-pages") / "data", adjust=unlimited) as box:
        yield World(box)
