import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from analytics_box.base.store.db import Db
from analytics_box.base.store.migrations import migrate
from analytics_box.base.store.schema import EVENTS_FILE
from tests.base.store.notes import make_file


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file of notes that nobody has open."""
    file = tmp_path / "notes.db"
    make_file(file)
    return file


@pytest.fixture
def db(path: Path) -> Iterator[Db]:
    """The same, open."""
    opened = Db(path, readers=2)
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def empty_box(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with both databases at their newest schema, empty; copy what you need of it."""
    directory = tmp_path_factory.mktemp("empty")
    migrate(directory)
    return directory


@pytest.fixture
def events_path(empty_box: Path, tmp_path: Path) -> Path:
    """An empty events.db of one's own."""
    return Path(shutil.copy(empty_box / EVENTS_FILE, tmp_path))
