from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.products.alerts.world import World, world_in


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with world_in(tmp_path / "data") as found:
        yield found
