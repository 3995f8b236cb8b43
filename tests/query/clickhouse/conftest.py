"""The facts of a box that trims them."""

from collections.abc import Iterator
from unittest.mock import patch

import pytest

from analytics_box.query.engines.clickhouse import upkeep
from tests.query.clickhouse.trimming_world import World
from tests.query.clickhouse.world import reached


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    made = World(tmp_path_factory.mktemp("facts"))
    with (
        reached(made.server),
        patch.object(upkeep, "_ROWS", 7),
        patch.object(upkeep, "_ROWS_AT_ONCE", 3),
    ):
        yield made
    made.close()
