"""Files of earlier versions, as SQL: `released/NAME/box.sql` and `events.sql`, and how a release adds its own.

`before-0.1.0` is the last development version, with rows in every table that one box can have rows in.

`python -m tests.upgrade.fixtures NAME` writes those of the version that is checked out, say 0.1.0. Each release runs it
once and never again, so that all later versions are tested on what that one left behind.
"""

import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import apsw
import pytest

from analytics_box.base.store import schema
from tests.inprocess import NOON, whole_box
from tests.running import BROWSER

RELEASED = Path(__file__).parent / "released"
BEFORE = "before-0.1.0"
REWRITING = "0002_rewriting"
FILES = {"box": schema.BOX_FILE, "events": schema.EVENTS_FILE}


def names() -> list[str]:
    """All that there are."""
    return sorted(path.name for path in RELEASED.iterdir() if path.is_dir())


def load(name: str, directory: Path) -> None:
    """Make the two files of a data directory as that version left them."""
    directory.mkdir(parents=True, exist_ok=True)
    for short, file in FILES.items():
        with closing(apsw.Connection(str(directory / file))) as db:
            db.pragma("page_size", 8192)
            db.pragma("auto_vacuum", 2)
            for _ in db.execute((RELEASED / name / f"{short}.sql").read_text()):
                pass
            db.pragma("journal_mode", "wal")


def save(name: str, directory: Path) -> None:
    """Write a version's fixture from a data directory of it that no box uses."""
    (RELEASED / name).mkdir(parents=True)
    for short, file in FILES.items():
        with closing(sqlite3.connect(directory / file)) as db:
            lines = [line for line in db.iterdump() if "sqlite_sequence" not in line or line.startswith("INSERT")]
            sequence = [line for line in lines if 'INSERT INTO "sqlite_sequence"' in line]
            rest = [line for line in lines if line not in sequence and line != "COMMIT;"]
            wipe = ["DELETE FROM sqlite_sequence;"] if sequence else []
            text = "\n".join([*rest, *wipe, *sequence, "COMMIT;", ""])
            (RELEASED / name / f"{short}.sql").write_text(text)


def add_rewriting_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this version have a further step, which rewrites every event."""
    step = (REWRITING, ("update stored_events set title = title", "update stored_events set name = -1"))
    monkeypatch.setattr(schema, "EVENTS", (*schema.EVENTS, step))
    monkeypatch.setattr(schema, "REWRITES", {REWRITING: ("stored_events",)})


def fill(directory: Path) -> None:
    """A box of the version that is checked out, with a few events and a click on a link."""
    with whole_box(directory) as box:
        link = {"name": "L", "slug": "abc", "targetUrl": "https://shop.example"}
        assert box.post("/rpc/links/create", {"json": link}, key="linking").status == 200
        assert box.get("/l/abc", user_agent=BROWSER).status == 302
        for number in range(5):
            who = {"websiteId": box.sites["shop"], "anonymousId": f"u{number % 2}"}
            view = {**who, "name": "screen_view", "path": f"https://shop.example/{number}"}
            for one in ({**who, "name": "bought"}, view):
                assert box.post("/track", one, key="all").status == 200
            box.clock.advance(seconds=60)


if __name__ == "__main__":
    with TemporaryDirectory() as made:
        fill(Path(made))
        save(sys.argv[1], Path(made))
    print(f"Written to {RELEASED / sys.argv[1]}; {NOON} is its first moment")  # noqa: T201
