"""One events.db for all stories of a test file."""

from collections.abc import Iterator

import pytest

from tests.query.stage import Stage, stage_in


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with stage_in(tmp_path_factory.mktemp("stage")) as made:
        yield made
