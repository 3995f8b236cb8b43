"""One events.db for all stories of a test file."""

from collections.abc import Iterator
from unittest.mock import patch

import pytest

from analytics_box.query.engines import column_replica
from tests.query.world import World, world_in


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> Iterator[None]:
    """Replicas have one thread: several share out what is no work here, and look for some."""
    with patch.object(column_replica, "MOST_THREADS", 1):
        yield


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with world_in(tmp_path_factory.mktemp("world")) as made:
        yield made
