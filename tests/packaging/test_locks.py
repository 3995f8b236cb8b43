"""The locks pin all that is installed, by hash, and name no place to fetch it from."""

import re
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.cases import each

ROOT = Path(__file__).resolve().parents[2]
LOCKS = ("requirements.lock", "packed.lock", "build.lock", "test.lock", "tools.lock", "chdb.lock")


class Pin(NamedTuple):
    """One package of a lock."""

    version: str
    hashes: frozenset[str]


def pins(lock: str) -> dict[str, Pin]:
    """What a lock holds, by normalized name; raises ValueError for a line that is anything but a pin with hashes."""
    text = re.sub(r"^#.*\n", "", (ROOT / "packaging" / lock).read_text(), flags=re.MULTILINE)
    found = {}
    for entry in text.replace("\\\n", " ").splitlines():
        pinned, *hashes = entry.split(" --hash=")
        match = re.fullmatch(r"([a-z0-9-]+)==([\w.]+)( ; .+)?", pinned.strip())
        if not match or not hashes:
            raise ValueError(f"{lock}: not a pin with hashes: {entry[:100]}")
        found[match[1]] = Pin(match[2], frozenset(digest.strip() for digest in hashes))
    return found


def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_pins_every_package_with_sha256_hashes(lock: str) -> None:
    locked = pins(lock)
    assert locked
    for name, pin in locked.items():
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", digest) for digest in pin.hashes), name


@pytest.mark.parametrize("lock", LOCKS)
def test_lock_is_written_by_the_script_that_the_readme_names(lock: str) -> None:
    command = "sh packaging/lock.sh"
    assert f"#    {command}" in (ROOT / "packaging" / lock).read_text().splitlines()[:3]
    assert command in (ROOT / "README.md").read_text()


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_names_no_host_no_path_and_no_option(lock: str) -> None:
    text = (ROOT / "packaging" / lock).read_text()
    assert "://" not in text
    assert " @ " not in text
    assert "-e " not in text
    assert not re.search(r"^--", text, flags=re.MULTILINE)


def locked_requirements() -> list[tuple[str, str]]:
    about = project()
    return [
        *(("requirements.lock", wanted) for wanted in about["project"]["dependencies"]),
        *(("packed.lock", wanted) for wanted in about["project"]["dependencies"]),
        *(
            ("packed.lock", wanted)
            for extra in ("brotli", "zstd", "s3", "clickhouse")
            for wanted in about["project"]["optional-dependencies"][extra]
        ),
        *(("build.lock", wanted) for wanted in about["build-system"]["requires"]),
        *(("test.lock", wanted) for wanted in about["project"]["optional-dependencies"]["test"]),
        *(("tools.lock", wanted) for wanted in about["project"]["optional-dependencies"]["package"]),
        *(("chdb.lock", wanted) for wanted in about["project"]["optional-dependencies"]["chdb"]),
    ]


@each(("lock", "wanted"), locked_requirements())
def test_a_lock_satisfies_what_pyproject_asks_for(lock: str, wanted: str) -> None:
    requirement = Requirement(wanted)
    assert requirement.specifier.contains(pins(lock)[canonicalize_name(requirement.name)].version)


@pytest.mark.parametrize("lock", ["requirements.lock", "build.lock"])
def test_tested_versions_are_the_pinned_ones(lock: str) -> None:
    assert pins(lock).items() <= pins("test.lock").items()
