from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.products.people.world import World


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path / "data")
    yield made
    made.close()
