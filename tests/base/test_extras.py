"""Libraries that are not installed: the error says how to install them where it is raised."""

import sys
import tomllib
from pathlib import Path

import pytest

from analytics_box.base import later

PROJECT = Path(__file__).parents[2] / "pyproject.toml"


def test_libraries_are_those_of_the_extras() -> None:
    declared = tomllib.loads(PROJECT.read_text())["project"]["optional-dependencies"]
    assert {name: declared[name][0].partition(";")[0] for name in later.LIBRARIES} == later.LIBRARIES


def test_missing_library_is_installed_with_the_python_that_runs_the_box() -> None:
    assert later.missing("s3") == f"run {sys.executable} -m pip install 'obstore>=0.12,<1' and restart the server"


def test_single_file_build_names_no_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert later.missing("s3") == "this build of the server does not contain obstore; use one that does"
