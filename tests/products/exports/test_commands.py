"""`analytics-box export` writes everything to a folder or to S3; `analytics-box load` brings it into another server."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.app.admin.commanding import beside, typed
from tests.contract.conftest import unlimited
from tests.inprocess import WholeBox, whole_box
from tests.products.exports.test_same_answers import ask, fill

ORGANIZATION = ("--organization", "ada")
PREFIX = "analytics-box-export-"


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with whole_box(tmp_path_factory.mktemp("box") / "data", adjust=unlimited) as made:
        fill(made)
        yield made


def export(box: WholeBox, to: Path, *options: str) -> Any:
    with beside(box) as directory:
        ended = typed("export", str(to), *ORGANIZATION, "--json", *options, data=directory)
    assert ended.exit_code == 0, ended.stderr
    return json.loads(ended.stdout)


def load(box: WholeBox, source: Path, *options: str) -> Any:
    with beside(box) as directory:
        return typed("load", str(source), *ORGANIZATION, *options, data=directory)


def test_export_of_a_server_gives_the_same_answers_on_another(box: WholeBox, tmp_path: Path) -> None:
    manifest = export(box, tmp_path / "export")
    assert {one["table"] for one in manifest["files"]} >= {"events", "errors", "vitals", "outgoing_links"}
    names = {path.name for path in (tmp_path / "export").iterdir()}
    assert names >= {f"{PREFIX}manifest.json", f"{PREFIX}schema.json", f"{PREFIX}box.yaml"}
    assert "secrets, passwords, API keys and accounts" in manifest["leftOut"]
    with whole_box(tmp_path / "data", adjust=unlimited) as other:
        loaded = load(other, tmp_path / "export")
        assert loaded.exit_code == 0, loaded.stderr
        assert load(other, tmp_path / "export").stdout == "Loaded rows: 0\n", "a second load adds nothing"
        for name in ("summary_metrics", "top_pages", "error_summary", "custom_events"):
            assert ask(other, name, preset="last_90d") == ask(box, name, preset="last_90d")
        refused = load(other, tmp_path / "export", "--into", "blog.example", "--website", "other.example")
        assert refused.stdout == "Loaded rows: 0\n", "no such website is in the export"


def test_interrupted_export_goes_on_with_missing_months(box: WholeBox, tmp_path: Path) -> None:
    export(box, tmp_path)
    first = sorted(path for path in tmp_path.iterdir() if "-events-" in path.name)
    kept, lost = first[0], first[1]
    kept.write_bytes(b"kept\n")
    lost.unlink()
    export(box, tmp_path)
    assert kept.read_bytes() == b"kept\n"
    assert lost.read_bytes().startswith(b'{"time"')
    export(box, tmp_path, "--fresh")
    assert kept.read_bytes().startswith(b'{"time"')


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_other_formats_have_the_same_rows_and_typed_columns(box: WholeBox, tmp_path: Path, form: str) -> None:
    manifest = export(box, tmp_path, "--format", form)
    files = [str(tmp_path / one["file"]) for one in manifest["files"] if one["table"] == "events"]
    read = {"csv": "read_csv_auto", "parquet": "read_parquet"}[form]
    with duckdb.connect() as db:
        rows = db.execute(f"select count(*) from {read}({files!r})").fetchall()
        kinds = dict(db.execute(f"select column_name, column_type from (describe from {read}({files!r}))").fetchall())
    everything = ask(box, "summary_totals", preset="last_90d")["data"][0]
    assert rows[0][0] >= everything["pageviews"]
    assert (kinds["time"], kinds["engaged"]) == ("TIMESTAMP WITH TIME ZONE", "BIGINT")
    refused = load(box, tmp_path)
    assert (refused.exit_code, "Only exports in the format ndjson" in refused.stderr) == (1, True)


HOSTILE = (
    b"",
    b"[]",
    b'{"files": 7}',
    b'{"files": [{"website": "shop.example", "table": "events", "month": "2026-06", "file": "../../etc/passwd"}]}',
    b'{"files": [{"website": "shop.example", "table": "events", "month": "2026-06"}]}',
    b"{" * 100_000,
)


@pytest.mark.parametrize("manifest", HOSTILE)
def test_manifest_that_no_export_wrote_is_refused(box: WholeBox, tmp_path: Path, manifest: bytes) -> None:
    (tmp_path / f"{PREFIX}manifest.json").write_bytes(manifest)
    refused = load(box, tmp_path)
    assert (refused.exit_code, "This is not the manifest of an export" in refused.stderr) == (1, True), refused.stderr


@pytest.mark.parametrize("content", [b"\xff\xfe\n", b"{}\n", b'{"time": "2026-05-01T00:00:00Z"', b"x" * 5_000_000])
def test_file_with_broken_rows_is_refused(box: WholeBox, tmp_path: Path, content: bytes) -> None:
    name = f"{PREFIX}a.ndjson"
    part = {"website": "blog.example", "table": "events", "month": "2026-05", "file": name}
    (tmp_path / f"{PREFIX}manifest.json").write_text(json.dumps({"files": [part]}))
    (tmp_path / name).write_bytes(content)
    refused = load(box, tmp_path)
    assert refused.exit_code == 1
    assert refused.stderr.splitlines()[-1].startswith("Error: ")


def test_page_of_an_organization_leads_to_files_that_exist(box: WholeBox) -> None:
    page = box.get("/settings/export", cookie=box.cookie, accept="text/html")
    assert page.status == 200
    links = set(re.findall(r'class="quiet-link" href="([^"]+)"', page.body.decode()))
    assert {f"/sites/{box.sites['shop']}/settings/export", "/links/export/csv", "/monitors/export/yaml"} <= links
    assert not any(box.sites["foreign"] in link for link in links)
    for link in links:
        assert box.get(link, cookie=box.cookie).status == 200, link
