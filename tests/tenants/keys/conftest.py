"""One box without limits for all tests of a file."""

from collections.abc import Iterator

import pytest

from tests.contract.conftest import unlimited
from tests.inprocess import WholeBox, whole_box


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with whole_box(tmp_path_factory.mktemp("keys") / "data", adjust=unlimited) as made:
        yield made


@pytest.fixture(scope="module")
def owner(box: WholeBox) -> str:
    """The owner's Cookie header."""
    return box.cookie
