"""`import`: a file is checked and imported, beside a box that runs and without one."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.admin.commanding import beside, result, typed
from tests.inprocess import WholeBox, whole_box
from tests.products.imports.test_totals import plausible
from tests.products.imports.world import ask


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data") as inside:
        yield inside


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "export.zip"
    path.write_bytes(plausible())
    return path


def test_dry_run_shows_what_the_file_contains_and_imports_nothing(box: WholeBox, file: Path) -> None:
    with beside(box) as data:
        ended = typed("import", str(file), "--website", "shop.example", "--dry-run", data=data)
    assert ended.exit_code == 0, ended.output
    assert "2025-01-10 to 2025-01-11: 60 page views" in ended.stdout
    assert "Left out: 1" in ended.stdout
    assert ask(box, "summary_totals")[0]["data"][0]["pageviews"] == 0
    assert not [*(box.box.settings.data_dir / "imports").iterdir()]


def test_import_is_done_when_the_command_ends_and_undo_removes_it(box: WholeBox, file: Path) -> None:
    with beside(box) as data:
        row = result("import", str(file), "--website", "shop.example", data=data)
        assert row["state"] == "done"
        assert ask(box, "summary_totals")[0]["data"][0]["pageviews"] == 60
        assert result("import", "--undo", row["id"], "--website", "shop.example", data=data)["state"] == "undone"
    assert ask(box, "summary_totals")[0]["data"][0]["pageviews"] == 0


def test_import_into_files_that_no_server_has_open_is_done(tmp_path: Path, file: Path) -> None:
    with whole_box(tmp_path / "data"):
        pass
    row = result("import", str(file), "--website", "shop.example", data=tmp_path / "data")
    assert (row["state"], row["pageviews"]) == ("done", 60)


def test_file_of_no_product_ends_with_an_error(box: WholeBox, tmp_path: Path) -> None:
    other = tmp_path / "other.txt"
    other.write_text("hello")
    with beside(box) as data:
        ended = typed("import", str(other), "--website", "shop.example", data=data)
    assert ended.exit_code == 1
    assert "not an export of a supported product" in ended.stdout
