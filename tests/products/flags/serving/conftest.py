"""The world of SDKs."""

from collections.abc import Iterator

import pytest

from tests.products.flags.serving.world import World


@pytest.fixture
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    made = World(tmp_path_factory.getbasetemp())
    yield made
    made.close()
