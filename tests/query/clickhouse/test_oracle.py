"""ClickHouse against the oracle: random stories, random questions, equal rows."""

import logging
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.query.clickhouse.served import needs_chdb, serving
from tests.query.clickhouse.world import World
from tests.query.test_oracle import hold_to_the_oracle

pytestmark = needs_chdb


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with serving() as served:
        made = World(tmp_path_factory.mktemp("world"), served.new_database())
        yield made
        made.close()


@examples(24)
@given(data=st.data())
def test_every_answer_is_the_oracles(world: World, data: st.DataObject) -> None:
    hold_to_the_oracle(world, data)


class _Heard(logging.Handler):
    """What is logged, in words."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(record.getMessage())


@pytest.fixture(scope="module", autouse=True)
def answered_there() -> Iterator[None]:
    """Nothing was left to SQLite."""
    log, heard = logging.getLogger("analytics_box.query.engines"), _Heard()
    log.addHandler(heard)
    yield
    log.removeHandler(heard)
    assert not heard.said
