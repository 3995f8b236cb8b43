"""A demo that was started twice, for all tests that only look at it."""

import shutil
from pathlib import Path

import pytest

from analytics_box.clock import DAY, HOUR
from analytics_box.demo import fill as demo
from tests.demo.asking import count

NOW = 1_790_000_000_000  # 2026-09-21 13:33 UTC
LATER = NOW + 2 * DAY + 3 * HOUR
PORT = 8_191  # of the shop at the second start


@pytest.fixture(scope="package")
def once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A demo that was started once."""
    directory = tmp_path_factory.mktemp("once")
    demo.fill(directory, NOW)
    return directory


@pytest.fixture(scope="package")
def twice(once: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """That demo, started a second time two days later, and how many events it had before that."""
    directory = tmp_path_factory.mktemp("twice") / "demo"
    shutil.copytree(once, directory)
    demo.fill(directory, LATER, port=PORT)
    return directory, count(once)


@pytest.fixture(scope="package")
def another(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Another demo, started once at the same time."""
    directory = tmp_path_factory.mktemp("another")
    demo.fill(directory, NOW)
    return directory
