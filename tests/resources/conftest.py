"""A world for each test, over a fresh box."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.inprocess import whole_box
from tests.resources.world import World
from tests.rooms import Rooms, unlimited


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with whole_box(tmp_path / "data", adjust=unlimited) as box:
        yield World(Rooms(box))
