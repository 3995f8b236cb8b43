"""One box without limits for all tests of its description."""

from collections.abc import Iterator

import pytest

from tests.contract.conftest import unlimited
from tests.inprocess import WholeBox, whole_box


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with whole_box(tmp_path_factory.mktemp("box") / "data", adjust=unlimited) as made:
        yield made
