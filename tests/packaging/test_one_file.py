"""The file that holds the whole box, and install.sh, which fetches it; the program inside is a small one here."""

import hashlib
import os
import subprocess
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
NAME = f"analytics-box-1.2.3-{os.uname().sysname.lower()}-{os.uname().machine}"
PROGRAM = """\
#!/bin/sh
[ "$1" != --version ] || { echo "$0" >>"$TOLD"; echo "version $NUMBER"; exit "${BROKEN:-0}"; }
[ "$1" != wait ] || { echo waiting; read -r _; exit 0; }
printf '%s\\n' "$@"
exit 7
"""


def bundle(folder: Path, version: str, file: Path) -> Path:
    """One file that holds a small program, which says where it was started when it is asked for its version."""
    source = folder / version
    source.mkdir(parents=True)
    (source / "analytics-box").write_text(PROGRAM.replace("$NUMBER", version))
    (source / "analytics-box").chmod(0o755)
    subprocess.run(("sh", str(ROOT / "packaging" / "bundle.sh"), str(source), version, str(file)), check=True)
    return file


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("a release")
    return bundle(folder, "1.2.3", folder / NAME)


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A home whose name has a space, and nothing in it."""
    home = tmp_path / "a home"
    home.mkdir()
    return {"PATH": os.environ["PATH"], "HOME": str(home), "TOLD": str(tmp_path / "told")}


def run(file: Path, *arguments: str, environment: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        (str(file), *arguments), env=environment, capture_output=True, text=True, check=False, timeout=60
    )


def unpacked(environment: dict[str, str]) -> list[Path]:
    """What lies in the cache."""
    return sorted((Path(environment["HOME"]) / ".cache" / "analytics-box").glob("*"))


def test_file_unpacks_once_and_passes_arguments_and_exit_code(
    file: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    for _ in range(2):
        ended = run(file, "two words", "", environment=environment)
        assert (ended.returncode, ended.stdout, ended.stderr) == (7, "two words\n\n", "")
    [folder] = unpacked(environment)
    assert folder.name.startswith("1.2.3-")
    assert folder.parent.stat().st_mode & 0o777 == 0o700
    assert len((tmp_path / "told").read_text().splitlines()) == 1, "unpacked, and tried, once"


def test_a_newer_version_removes_the_folders_of_others_but_for_one_that_runs(
    file: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    older, newer = (bundle(tmp_path / "others", version, tmp_path / version) for version in ("1.2.2", "1.2.4"))
    run(older, environment=environment)
    data = unpacked(environment)[0].parent / "data"
    data.mkdir()
    (data / "box.db").touch()
    with subprocess.Popen(
        (str(file), "wait"), env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == b"waiting\n"
        run(newer, environment=environment)
        assert [folder.name.partition("-")[0] for folder in unpacked(environment)] == ["1.2.3", "1.2.4", "data"]
        running.communicate(b"\n")
    assert running.returncode == 0
    assert (data / "box.db").exists(), "somebody's own"


def test_a_damaged_file_is_said_so_and_leaves_nothing(file: Path, environment: dict[str, str], tmp_path: Path) -> None:
    damaged = tmp_path / "damaged"
    damaged.write_bytes(file.read_bytes()[:-20])
    damaged.chmod(0o755)
    ended = run(damaged, "serve", environment=environment)
    assert ended.returncode == 1
    assert "this file is damaged; download it again" in ended.stderr
    assert unpacked(environment) == []


def test_a_program_that_cannot_run_is_said_so_and_leaves_nothing(file: Path, environment: dict[str, str]) -> None:
    ended = run(file, "serve", environment=environment | {"BROKEN": "1"})
    assert (ended.returncode, len(ended.stderr.splitlines())) == (1, 1)
    assert "noexec" in ended.stderr
    assert unpacked(environment) == []


@pytest.mark.parametrize("home", [{}, {"XDG_CACHE_HOME": "relative"}, {"HOME": "/dev/null"}])
def test_without_a_place_to_unpack_it_says_what_to_set(
    file: Path, environment: dict[str, str], home: dict[str, str]
) -> None:
    given = {name: value for name, value in environment.items() if name != "HOME"} | home
    ended = run(file, "serve", environment=given)
    assert ended.returncode == 1
    assert "set XDG_CACHE_HOME" in ended.stderr


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture
def release(file: Path, tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder with a release, and its address."""
    folder = tmp_path / "release"
    folder.mkdir()
    (folder / NAME).write_bytes(file.read_bytes())
    (folder / f"{NAME}.tar.gz").write_bytes(b"the folder")
    lines = [
        f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in (NAME, NAME + ".tar.gz")
    ]
    (folder / "SHA256SUMS").write_text("".join(lines))
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield folder, f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()


def install(*arguments: str, environment: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    """What the line in the manual does: the script comes through a pipe."""
    return subprocess.run(
        ("sh", "-s", "--", *arguments),
        input=(ROOT / "packaging" / "install.sh").read_text(),
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_the_release_is_installed_for_this_user_and_again_over_itself(
    release: tuple[Path, str], environment: dict[str, str]
) -> None:
    for _ in range(2):
        ended = install(release[1], environment=environment)
        assert ended.returncode == 0, ended.stderr
    program = Path(environment["HOME"]) / ".local" / "bin" / "analytics-box"
    assert f"Start it with: {program} serve" in ended.stderr
    assert run(program, "--version", environment=environment).stdout == "version 1.2.3\n"
    assert [path.name for path in program.parent.iterdir()] == ["analytics-box"]


@pytest.mark.parametrize("wrong", ["checksum", "name", "file", "program", "address"])
def test_nothing_is_installed_unless_all_is_as_it_should_be(
    release: tuple[Path, str], environment: dict[str, str], wrong: str, tmp_path: Path
) -> None:
    folder, address = release
    match wrong:
        case "checksum":
            (folder / NAME).write_bytes((folder / NAME).read_bytes() + b"x")
        case "name":
            (folder / "SHA256SUMS").write_text(f"{'0' * 64}  analytics-box-1.2.3-plan9-vax\n")
        case "file":
            (folder / NAME).unlink()
        case "program":
            environment |= {"BROKEN": "1"}
        case "address":
            address += "elsewhere"
    target = tmp_path / "bin here"
    ended = install(address, str(target), environment=environment)
    said = {
        "checksum": f"{NAME} is not what SHA256SUMS says",
        "name": "has no program for linux",
        "file": f"{NAME} cannot be downloaded",
        "program": "does not run here",
        "address": "SHA256SUMS cannot be downloaded",
    }[wrong]
    assert ended.returncode == 1
    assert said in ended.stderr
    assert list(target.iterdir()) == []
