"""One box for all requests of a test file, without limits, so that requests do not disturb each other."""

from collections.abc import Iterator

import msgspec
import pytest

from analytics_box.base.settings import Settings
from tests.inprocess import WholeBox, whole_box

LIMITS = [name for name in Settings.__struct_fields__ if name.startswith("limit_")]


def unlimited(settings: Settings) -> Settings:
    return msgspec.structs.replace(settings, **dict.fromkeys(LIMITS, 0))


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with whole_box(tmp_path_factory.mktemp("box") / "data", adjust=unlimited) as made:
        yield made
