"""A whole box for each test of overviews that has none of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.inprocess import WholeBox, whole_box


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data") as inside:
        yield inside
