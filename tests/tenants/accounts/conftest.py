"""A box for each test, in which tries to sign in are not limited."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.inprocess import WholeBox, whole_box


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data", adjust=lambda found: replace(found, limit_sign_in=0)) as made:
        yield made
