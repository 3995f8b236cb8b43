"""A demo that was started twice, for all tests that only look at it."""

from pathlib import Path

import pytest

from analytics_box.clock import DAY, HOUR
from analytics_box.demo import fill as demo
from tests.demo.asking import count

NOW = 1_790_000_000_000  # 2026-09-21 13:33 UTC
LATER = NOW + 2 * DAY + 3 * HOUR
PORT = 8_191  # of the shop at the second start


@pytest.fixture(scope="package")
def twice(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """A demo that was started a second time two days later, and how many events it had before that."""
    directory = tmp_path_factory.mktemp("demo")
    demo.fill(directory, NOW)
    first = count(directory)
    demo.fill(directory, LATER, port=PORT)
    return directory, first


@pytest.fixture(scope="package")
def another(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Another demo, started once at the time of the first one's first start."""
    directory = tmp_path_factory.mktemp("another")
    demo.fill(directory, NOW)
    return directory
