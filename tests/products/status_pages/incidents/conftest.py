"""A whole box with a status page, and room for many calls."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.inprocess import whole_box
from tests.products.monitors.conftest import unlimited
from tests.products.status_pages.incidents.world import World


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with whole_box(tmp_path / "data", adjust=unlimited) as box:
        yield World(box)
