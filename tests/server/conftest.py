from collections.abc import Iterator

import pytest

from tests.running import Box, running_box


@pytest.fixture(scope="session")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    """A running server with small limits on bodies and little patience for slow ones."""
    data_dir = tmp_path_factory.mktemp("server") / "data"
    with running_box(data_dir, body_seconds=0.3, max_event_bytes=2_048, max_batch_bytes=131_072) as running:
        yield running
        assert "Traceback" not in running.server.printed()
