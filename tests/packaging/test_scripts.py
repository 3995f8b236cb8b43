"""run.sh and test.sh on machines that are not as one would wish; what they install is checked by first_start.py."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted((ROOT / "packaging").rglob("*.sh"))


def script(path: Path, *lines: str) -> None:
    """An executable shell script."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    path.chmod(0o755)


def run(checkout: Path, *arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run the checkout's run.sh from some other folder, with its fake commands first on the path."""
    path = f"{checkout / 'commands'}:{os.environ['PATH']}"
    return subprocess.run(
        ("sh", str(checkout / "packaging" / "run.sh"), *arguments),
        cwd="/",
        env={"PATH": path, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout whose path has a space, and nothing installed; its user is not root."""
    root = tmp_path / "a box"
    (root / "analytics_box").mkdir(parents=True)
    shutil.copytree(ROOT / "packaging", root / "packaging")
    shutil.copy(ROOT / "pyproject.toml", root)
    shutil.copy(ROOT / "analytics_box" / "__init__.py", root / "analytics_box")
    script(root / "commands" / "id", "echo 1000")
    return root


@pytest.fixture
def installed(checkout: Path) -> Path:
    """The same with an environment that is complete; its command prints its arguments, one a line."""
    script(checkout / ".venv" / "bin" / "python", "exit 1")
    script(checkout / ".venv" / "bin" / "analytics-box", "printf '%s\\n' \"$@\"")
    stamp = '. "$root/packaging/environment.sh"; fingerprint >"$venv/ready.run"'
    subprocess.run(("sh", "-c", stamp), env={**os.environ, "root": str(checkout)}, check=True)
    return checkout


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_a_script_parses_as_posix_shell(path: Path) -> None:
    subprocess.run((shutil.which("dash") or "sh", "-n", str(path)), check=True)


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is missing")
def test_scripts_have_no_known_faults() -> None:
    found = subprocess.run(
        ("shellcheck", "--external-sources", *SCRIPTS), cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stdout


def test_a_complete_environment_is_used_at_once_and_gets_the_arguments_as_they_are(installed: Path) -> None:
    ended = run(installed, "setup", "--organization", "Two words", "", "--json")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "setup\n--organization\nTwo words\n\n--json\n", "")


def test_without_arguments_it_serves(installed: Path) -> None:
    assert run(installed).stdout == "serve\n"


@pytest.mark.parametrize("change", ["lock", "project", "stamp", "python", "place"])
def test_outdated_environment_is_set_up_again(installed: Path, change: str, tmp_path: Path) -> None:
    match change:
        case "lock":
            (installed / "packaging" / "requirements.lock").write_text("other")
        case "project":
            (installed / "pyproject.toml").write_text("other")
        case "stamp":
            (installed / ".venv" / "ready.run").write_text("")
        case "python":
            (installed / ".venv" / "bin" / "python").unlink()
        case "place":
            installed = installed.rename(tmp_path / "moved")
    ended = run(installed, PYTHON="/nowhere/python3")
    assert ended.returncode == 1
    assert ended.stdout == ""
    assert "was not found" in ended.stderr
    assert (installed / ".venv").exists(), "removed before a Python was found to make another"


def test_without_a_python_that_is_new_enough_it_says_which_it_found_and_what_is_needed(checkout: Path) -> None:
    old = checkout / "commands" / "old-python"
    script(old, 'case "$*" in *print*) echo 3.9 ;; *) exit 1 ;; esac')
    ended = run(checkout, PYTHON=str(old))
    assert ended.returncode == 1
    assert "Python 3.11 or newer is needed" in ended.stderr
    assert f"{old} is 3.9." in ended.stderr


def python_without_venv(checkout: Path) -> Path:
    """A Python 3.11 as Debian ships it: it lacks ensurepip until the file `with-venv` is there."""
    python = checkout / "commands" / "python3"
    lacking = f'*ensurepip*) test -e "{checkout}/with-venv" ;;'
    script(
        python, f'case "$*" in *version_info*2]*) echo 3.11 ;; {lacking} *_base*) echo "$0" ;; *venv*) exit 9 ;; esac'
    )
    return python


def test_without_venv_and_without_root_it_prints_the_command_to_run(checkout: Path) -> None:
    ended = run(checkout, PYTHON=str(python_without_venv(checkout)))
    assert ended.returncode == 1
    assert "sudo apt-get install python3-venv" in ended.stderr


def test_without_venv_root_installs_it_with_fresh_package_lists_if_need_be(checkout: Path) -> None:
    script(checkout / "commands" / "id", "echo 0")
    lists, venv = checkout / "lists", checkout / "with-venv"
    script(
        checkout / "commands" / "apt-get",
        f'echo "$1" >>"{checkout}/apt"',
        f'case $1 in update) touch "{lists}" ;; install) test -e "{lists}" && touch "{venv}" ;; esac',
    )
    ended = run(checkout, PYTHON=str(python_without_venv(checkout)))
    assert (checkout / "apt").read_text().split() == ["install", "update", "install"]
    assert "-m venv" in ended.stderr, "went on to make the environment"


def test_interrupted_setup_is_restarted(checkout: Path) -> None:
    (checkout / "with-venv").touch()
    python = python_without_venv(checkout)
    first, second = run(checkout, PYTHON=str(python)), run(checkout, PYTHON=str(python))
    assert (first.returncode, second.returncode) == (1, 1)
    assert "unfinished" not in first.stderr
    assert "is unfinished" in second.stderr


@pytest.mark.parametrize("broken", ["python", "analytics-box"])
def test_an_environment_that_this_machine_cannot_run_is_said_so_in_words(installed: Path, broken: str) -> None:
    path = installed / ".venv" / "bin" / broken
    if broken == "python":
        path.write_bytes(b"\x7fELF of another processor")
    else:
        path.chmod(0o600)
    stamp = '. "$root/packaging/environment.sh"; fingerprint >"$venv/ready.run"'
    subprocess.run(("sh", "-c", stamp), env={**os.environ, "root": str(installed)}, check=True)
    ended = run(installed, "check")
    assert (ended.returncode, ended.stdout) == (1, "")
    assert f"{installed}/.venv cannot be run" in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


@pytest.mark.skipif(not Path("/usr/bin/python3").exists(), reason="this system has no Python")
@pytest.mark.parametrize(
    ("given", "named", "system_time", "has_venv", "chosen", "said"),
    [
        ("", "false", 100, "true", "/usr/bin/python3", "using /usr/bin/python3"),
        ("", "false", 100, "false", "/nowhere/python3", "install python3-venv to use /usr/bin/python3"),
        ("", "false", 125, "true", "/nowhere/python3", "about a fifth slower"),
        ("", "true", 10, "true", "/nowhere/python3", ""),
        ("/nowhere/python3", "false", 100, "true", "/nowhere/python3", "about a fifth slower"),
        ("/nowhere/python3", "true", 100, "true", "/nowhere/python3", ""),
    ],
)
def test_faster_python_of_the_system_is_preferred_to_an_unoptimized_one(
    given: str, named: str, system_time: int, has_venv: str, chosen: str, said: str
) -> None:
    story = f"""
        . packaging/environment.sh
        PYTHON={given}
        is_built_optimized() {{ {named}; }}
        loop_time() {{ case $1 in /usr/*) echo {system_time} ;; *) echo 130 ;; esac; }}
        makes_venvs() {{ {has_venv}; }}
        python=/nowhere/python3
        prefer_optimized
        echo "$python"
    """
    ended = subprocess.run(
        ("sh", "-c", story),
        env={**os.environ, "root": str(ROOT)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert ended.stdout.strip() == chosen
    assert said in ended.stderr if said else not ended.stderr


@pytest.mark.parametrize(
    ("optimized", "named", "chosen"),
    [("3.11 3.14", "", "3.14"), ("3.11 3.13", "", "3.13"), ("3.11 3.14", "3.12", "3.12")],
)
def test_programs_are_packed_with_the_newest_optimized_python(
    checkout: Path, optimized: str, named: str, chosen: str
) -> None:
    commands = checkout / "commands"
    for version in ("3.11", "3.12", "3.13", "3.14"):
        build = "--enable-optimizations" if version in optimized.split() else ""
        described = f"*CONFIG_ARGS*) test -n '{build}' ;; *version_info*2]*) echo {version} ;; *_base*) echo \"$0\" ;;"
        script(commands / f"python{version}", f'case "$*" in {described} esac')
    shutil.copy(commands / "python3.11", commands / "python3")
    story = """
        . packaging/environment.sh
        prefer_optimized() { :; }
        make_venv() { find_python; echo "$python"; exit; }
        prepare_in "$root/build/box" box
    """
    ended = subprocess.run(
        ("sh", "-c", story),
        env={
            **os.environ,
            "root": str(checkout),
            "PATH": f"{commands}:{os.environ['PATH']}",
            "PYTHON": str(commands / f"python{named}") if named else "",
        },
        cwd=checkout,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert ended.stdout.strip() == str(commands / f"python{chosen}")
