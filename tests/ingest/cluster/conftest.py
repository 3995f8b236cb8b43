"""What several files of tests begin with."""

from collections.abc import Iterator

import pytest

from tests.ingest.cluster.world import Shipped
from tests.query.clickhouse.served import Served, serving


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    """A ClickHouse, in which each test has a database of its own."""
    with serving() as made:
        yield made


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory, served: Served) -> Shipped:
    """A cluster that has begun to send to it, for tests to copy."""
    return Shipped(tmp_path_factory.mktemp("shipped") / "cluster", served)
