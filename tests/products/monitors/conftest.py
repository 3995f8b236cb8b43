"""A whole box with room for many calls, and short ways to make monitors."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from analytics_box.base.settings import Settings
from tests.inprocess import whole_box
from tests.products.monitors.world import PageWorld, World


def unlimited(settings: Settings) -> Settings:
    return replace(settings, limit_rpc=0, limit_key=0, limit_address=0, limit_push=0, monitors_per_organization=100)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with whole_box(tmp_path / "data", adjust=unlimited) as box:
        yield World(box)


@pytest.fixture
def pages(tmp_path: Path) -> Iterator[PageWorld]:
    with whole_box(tmp_path / "data", adjust=unlimited) as box:
        yield PageWorld(box)
