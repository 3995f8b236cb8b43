"""ClickHouse in a process of its own, for tests; where chdb is missing, they skip themselves."""

import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pytest

PROGRAM = Path(__file__).with_name("chdb_server.py")
needs_chdb = pytest.mark.skipif(
    find_spec("chdb") is None or find_spec("clickhouse_connect") is None,
    reason="chdb is missing: packaging/test.sh installs it (180 MB)",
)


class Served:
    """A server on a folder; `restart` kills it in the middle of whatever it does, and has it come back where it was."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._port = 0
        self._start()
        self._databases = 0

    def _start(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-I", str(PROGRAM), str(self._folder), str(self._port)],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        self._port = int(self._process.stdout.readline())

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def new_database(self) -> str:
        """The address of an empty database."""
        self._databases += 1
        name = f"box_{self._databases}"
        self.ask(f"create database {name}")
        return f"{self.url}/{name}"

    def ask(self, statement: str, database: str = "default") -> str:
        """What a statement answers, as tab-separated text."""
        where = f"{self.url}/?{urlencode({'database': urlsplit(database).path.strip('/') or database})}"
        with urllib.request.urlopen(where, statement.encode(), timeout=60) as answer:
            return str(answer.read().decode())

    def fault(self, kind: str, of: str = "") -> None:
        """See chdb_server."""
        urllib.request.urlopen(f"{self.url}/fault?{urlencode({'kind': kind, 'of': of})}", b"", timeout=60).close()

    def restart(self) -> None:
        self.kill()
        self._start()

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()


@contextmanager
def serving() -> Iterator[Served]:
    with tempfile.TemporaryDirectory() as folder:
        served = Served(Path(folder) / "data")
        try:
            yield served
        finally:
            served.kill()
