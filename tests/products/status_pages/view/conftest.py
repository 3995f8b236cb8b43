"""A whole box with a status page, and room for many calls."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.inprocess import whole_box
from tests.products.monitors.conftest import unlimited
from tests.products.status_pages.view.world import StatusWorld


@pytest.fixture
def status_world(tmp_path: Path) -> Iterator[StatusWorld]:
    with whole_box(tmp_path / "data", adjust=unlimited) as box:
        yield StatusWorld(box)


@pytest.fixture
def limited_world(tmp_path: Path) -> Iterator[StatusWorld]:
    """One that holds callers to the usual limits, but for that of all requests of an address."""
    with whole_box(tmp_path / "data", adjust=lambda settings: replace(settings, limit_address=0)) as box:
        yield StatusWorld(box)
