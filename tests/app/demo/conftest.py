"""A demo that was started twice, for all tests that only look at it."""

import shutil
from pathlib import Path

import pytest

from analytics_box.app.demo import fill as demo
from analytics_box.base.clock import DAY, HOUR
from tests.app.demo.asking import count
from tests.once import made_once

NOW = 1_790_000_000_000  # 2026-09-21 13:33 UTC
LATER = NOW + 2 * DAY + 3 * HOUR
PORT = 8_191  # of the shop at the second start


@pytest.fixture(scope="package")
def once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A demo that was started once."""

    def make(directory: Path) -> None:
        directory.mkdir()
        demo.fill(directory, NOW)

    return made_once(tmp_path_factory, "once", make)


@pytest.fixture(scope="package")
def twice(once: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """That demo, started a second time two days later, and how many events it had before that."""

    def make(directory: Path) -> None:
        shutil.copytree(once, directory)
        demo.fill(directory, LATER, port=PORT)

    return made_once(tmp_path_factory, "twice", make), count(once)


@pytest.fixture
def another(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Another demo, started once at the same time."""
    directory = tmp_path_factory.mktemp("another")
    demo.fill(directory, NOW)
    return directory
