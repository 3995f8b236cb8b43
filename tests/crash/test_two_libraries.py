"""Why apsw and the standard library's sqlite3 must never have one file open at the same time in one process.

Each brings an SQLite of its own. POSIX locks belong to the process and vanish when *any* descriptor of the file is
closed, which one SQLite works around and two cannot, since they do not know of each other. So migrations end before
apsw opens the files, and nothing else in the box uses sqlite3. Each case runs in a process of its own, because the
damage is to the whole process.
"""

import re
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

OPEN = """
import sys, sqlite3, apsw
path = sys.argv[1]
ours = apsw.Connection(path)
ours.pragma("journal_mode", "wal")
ours.execute("create table notes (id integer primary key)")
"""

HOLD_A_LOCK = """
ours.execute("begin immediate")
ours.execute("insert into notes (id) values (1)")
"""

# Somebody looks into the file with the other library, in the same process, and closes it again.
LOOK = """
other = sqlite3.connect(path)
other.execute("select count(*) from notes").fetchone()
other.close()
"""

WRITE_TEN = """
for number in range(10, 20):
    ours.execute("insert into notes (id) values (?)", (number,))
print(ours.execute("select count(*) from notes").get, flush=True)
"""

# Another process may look at any time; it says what it finds, and what it can do.
ASK_ANOTHER_PROCESS = """
import subprocess
asking = '''
import sys, apsw
theirs = apsw.Connection(sys.argv[1])
theirs.set_busy_timeout(0)
try:
    theirs.execute("begin immediate")
    print("wrote", theirs.execute("select count(*) from notes").get)
except apsw.BusyError:
    print("had to wait")
'''
print(subprocess.run((sys.executable, "-c", asking, path), capture_output=True, text=True, check=True).stdout.strip())
"""


def run(path: Path, *parts: str) -> list[str]:
    """Run these parts in one new process; the lines that it prints."""
    ended = subprocess.run(
        (sys.executable, "-c", "".join((OPEN, *parts)), str(path)), capture_output=True, text=True, check=True
    )
    return ended.stdout.split("\n")[:-1]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "notes.db"


@pytest.mark.crash
def test_alone_apsw_keeps_other_writers_out(path: Path) -> None:
    assert run(path, HOLD_A_LOCK, ASK_ANOTHER_PROCESS) == ["had to wait"]


@pytest.mark.crash
def test_a_look_with_the_other_library_lets_another_process_write_under_our_lock(path: Path) -> None:
    assert run(path, HOLD_A_LOCK, LOOK, ASK_ANOTHER_PROCESS) == ["wrote 0"]


@pytest.mark.crash
def test_commit_of_apsw_alone_is_visible_to_all_connections(path: Path) -> None:
    assert run(path, WRITE_TEN, ASK_ANOTHER_PROCESS) == ["10", "wrote 10"]


@pytest.mark.crash
def test_a_look_with_the_other_library_loses_what_is_committed_after_it(path: Path) -> None:
    """It believes that it closes the last connection, and deletes the log that apsw goes on writing."""
    assert run(path, LOOK, WRITE_TEN, ASK_ANOTHER_PROCESS) == ["10", "wrote 0"]


@pytest.mark.crash
def test_libraries_used_one_after_the_other_are_safe(path: Path) -> None:
    """As the migrations do it: the other library has closed the file before apsw opens it."""
    connection = apsw.Connection(str(path))
    connection.close()
    assert run(path, "ours.close()\n", LOOK, "ours = apsw.Connection(path)\n", WRITE_TEN, ASK_ANOTHER_PROCESS) == [
        "10",
        "wrote 10",
    ]


# They make and read databases of other programs.
FOREIGN = {
    Path("base", "store", "test_foreign.py"),
    Path("products", "links", "shortener_databases.py"),
    Path("products", "links", "test_shortener_databases.py"),
    Path("products", "monitors", "moving", "kuma_files.py"),
    Path("products", "monitors", "moving", "test_kuma_databases.py"),
}


def test_no_test_opens_databases_with_the_other_library() -> None:
    importing = re.compile(r"^\s*(import sqlite3|from sqlite3 import)\b", re.MULTILINE)
    tests = Path(__file__).parent.parent
    importers = {path.relative_to(tests) for path in tests.rglob("*.py") if importing.search(path.read_text())}
    assert importers == {Path("upgrade", "fixtures.py"), *FOREIGN}, "the first dumps databases that no box has open"
