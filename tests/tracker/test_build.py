"""The committed tracker is what its source builds to, and small."""

import gzip
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from analytics_box.web.page.assets import Assets
from tests.tracker.collector import SCRIPT, TRACKER

WEB = SCRIPT.parents[2]
LIMIT_BYTES = 1_500  # performance P15
DEBUG = TRACKER / "debug.js"
FILES = sorted(TRACKER.rglob("*.js"))
SMALL = [file for file in FILES if file != DEBUG]


def gzipped(file: Path) -> int:
    return len(gzip.compress(file.read_bytes(), 9, mtime=0))


@pytest.mark.parametrize("file", SMALL, ids=lambda file: file.name)
def test_the_core_and_each_part_are_at_most_1500_bytes_gzipped(file: Path) -> None:
    assert gzipped(file) <= LIMIT_BYTES


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_no_file_names_a_machine_or_needs_eval(file: Path) -> None:
    script = file.read_text("ascii")
    for forbidden in ("eval(", "Function(", "sourceMappingURL", "/home/", "file:", ".style", "cookie"):
        assert forbidden not in script


def test_parts_are_named_by_the_hash_under_which_the_box_keeps_them() -> None:
    assert f"v={Assets(WEB / 'static').parts_tag}" in (TRACKER / "parts.js").read_text()


def test_the_readme_says_how_large_each_part_is() -> None:
    rows = re.findall(
        r"^\| .* \| `([\w.]+)` \| ([\d,]+) \|$", (WEB / "tracker" / "README.md").read_text(), re.MULTILINE
    )
    said = {name: int(size.replace(",", "")) for name, size in rows}
    assert said == {file.name: gzipped(file) for file in SMALL}


@pytest.mark.node
def test_committed_files_are_what_the_pinned_tools_build() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is missing: install Debian's nodejs and npm (packaging/test.sh does it as root)")
    if not (WEB / "node_modules" / "esbuild").exists():
        pytest.skip("web/node_modules is missing: run npm ci --ignore-scripts in web/ (packaging/test.sh does it)")
    built = subprocess.run([node, "build.mjs", "--check"], cwd=WEB, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
