"""What several files of tests begin with."""

from collections.abc import Iterator

import pytest

from tests.query.clickhouse.served import Served, serving


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    """A ClickHouse, in which each test has a database of its own."""
    with serving() as made:
        yield made
