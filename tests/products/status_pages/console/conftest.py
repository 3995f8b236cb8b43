"""One box for all tests of a file, each with pages and monitors of its own."""

from collections.abc import Iterator

import pytest

from tests.inprocess import whole_box
from tests.products.status_pages.conftest import unlimited
from tests.products.status_pages.console.world import Console


@pytest.fixture(scope="module")
def console(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Console]:
    with whole_box(tmp_path_factory.mktemp("console") / "data", adjust=unlimited) as box:
        world = Console(box)
        assert world.engine
        yield world
