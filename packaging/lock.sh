#!/bin/sh
# Writes the three locks beside this file anew from pyproject.toml: pinned versions with hashes, for every platform
# and Python from 3.11 on. Pins stay unless asked: `--upgrade` for all, `--upgrade-package NAME` for one. Needs uv.
set -eu

cd -- "$(dirname -- "$0")/.."
export PATH="$PWD/.venv/bin:$PATH"
export UV_CUSTOM_COMPILE_COMMAND="sh packaging/lock.sh"
command -v uv >/dev/null || { echo "lock.sh: uv is missing; install it: pipx install uv" >&2; exit 1; }

build=$(mktemp)
trap 'rm -f "$build"' EXIT
python3 - >"$build" <<'PYTHON'
import tomllib
from pathlib import Path

print(*tomllib.loads(Path("pyproject.toml").read_text())["build-system"]["requires"], sep="\n")
print("editables")  # hatchling asks for it when it installs a project in place
PYTHON

lock() { # NAME.lock, then what to lock and options
    output=packaging/$1
    shift
    uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --only-binary :all: --no-annotate \
        --output-file "$output" "$@"
}

lock test.lock pyproject.toml "$build" --extra test "$@"          # everything, so that the others agree with it
lock requirements.lock pyproject.toml --constraints packaging/test.lock "$@"
lock build.lock "$build" --constraints packaging/test.lock "$@"
