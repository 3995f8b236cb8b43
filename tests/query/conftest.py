"""One events.db for all stories of a test file."""

from collections.abc import Iterator

import pytest

from tests.query.world import World, world_in


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with world_in(tmp_path_factory.mktemp("world")) as made:
        yield made
