"""kill -9 in the middle of `export` and of `load`: the next run goes on, and nothing is there twice."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from analytics_box.app.cli import exports
from tests.app.admin.commanding import typed
from tests.contract.conftest import unlimited
from tests.crash.dying import deaths
from tests.inprocess import whole_box
from tests.products.exports.test_histories import Moved
from tests.products.exports.test_same_answers import fill

pytestmark = pytest.mark.crash
PREFIX = "analytics-box-export-"


def must(command: str, data: Path, folder: Path) -> str:
    """A command that has to succeed, beside no running server."""
    ended = typed(command, str(folder), "--organization", "ada", data=data)
    assert ended.exit_code == 0, ended.stderr
    return ended.stdout


def rows(folder: Path) -> dict[str, list[Any]]:
    """The rows of an export by file. The state of a monitor that is still open lasts until the export."""
    found = {path.name: [json.loads(line) for line in path.open()] for path in folder.glob("*.ndjson")}
    for one in found[f"{PREFIX}monitor_spans.ndjson"]:
        del one["until"]
    return found


def prepared(data: Path, *, filled: bool) -> None:
    with whole_box(data, adjust=unlimited) as box:
        moved = Moved(box)
        if filled:
            fill(box)
            moved.fill()


def test_export_and_load_that_die_anywhere_go_on_and_nothing_is_there_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exports, "MOST_ROWS", 60)  # so that they die within files
    source, target = tmp_path / "source", tmp_path / "target"
    prepared(source, filled=True)
    prepared(target, filled=False)
    whole, folder, again = tmp_path / "whole", tmp_path / "folder", tmp_path / "again"
    must("export", source, whole)
    died = [
        (folder / f"{PREFIX}manifest.json").exists() for _ in deaths(lambda: must("export", source, folder), step=19)
    ]
    assert died
    assert not any(died), "the manifest comes last"
    assert rows(folder) == rows(whole)
    assert len(list(deaths(lambda: must("load", target, folder), step=7))) > 1
    assert must("load", target, folder) == "Loaded rows: 0\n"
    shutil.rmtree(folder)
    must("export", target, again)
    assert rows(again) == rows(whole)
