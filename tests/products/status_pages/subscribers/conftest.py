"""A world for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.products.status_pages.subscribers.world import World, world_in


@pytest.fixture
def here(tmp_path: Path) -> Iterator[World]:
    with world_in(tmp_path / "data") as found:
        yield found
