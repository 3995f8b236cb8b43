"""The committed tracker is what its source builds to, and small."""

import gzip
import shutil
import subprocess

import pytest

from tests.tracker.collector import SCRIPT

WEB = SCRIPT.parents[2]
LIMIT_BYTES = 1_500  # performance P15


def test_tracker_is_at_most_1500_bytes_gzipped() -> None:
    assert len(gzip.compress(SCRIPT.read_bytes(), 9, mtime=0)) <= LIMIT_BYTES


def test_tracker_names_no_machine_and_needs_no_eval() -> None:
    script = SCRIPT.read_text("ascii")
    for forbidden in ("eval(", "Function(", "sourceMappingURL", "/home/", "file:", ".style", "cookie"):
        assert forbidden not in script


@pytest.mark.node
def test_committed_files_are_what_the_pinned_tools_build() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is missing: install Debian's nodejs and npm (packaging/test.sh does it as root)")
    if not (WEB / "node_modules" / "esbuild").exists():
        pytest.skip("web/node_modules is missing: run npm ci --ignore-scripts in web/ (packaging/test.sh does it)")
    built = subprocess.run([node, "build.mjs", "--check"], cwd=WEB, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
