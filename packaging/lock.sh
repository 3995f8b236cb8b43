#!/bin/sh
# Write the six locks next to this file from pyproject.toml: pinned versions with hashes, for every platform and Python
# from 3.11 on. Pins stay unless you ask: `--upgrade` for all, `--upgrade-package NAME` for one. Needs Python 3.11 or
# newer with venv and pip; uv comes into a temporary folder. This is the only way to change a lock.
set -eu

UV=0.13.9  # another version may order or mark the pins differently

cd -- "$(dirname -- "$0")/.."
export UV_CUSTOM_COMPILE_COMMAND="sh packaging/lock.sh" UV_SYSTEM_CERTS=1  # as pip has them

asked=$(mktemp -d)
trap 'rm -rf "$asked"' EXIT
python3 -m venv "$asked/uv"
"$asked/uv/bin/pip" --disable-pip-version-check install --quiet --only-binary :all: "uv==$UV"
PATH="$asked/uv/bin:$PATH"
python3 - "$asked" <<'PYTHON'
import sys
import tomllib
from pathlib import Path

asked, project = Path(sys.argv[1]), tomllib.loads(Path("pyproject.toml").read_text())
# hatchling asks for editables when it installs a project in place
(asked / "build").write_text("\n".join([*project["build-system"]["requires"], "editables"]))
for name, extra in (("tools", "package"), ("chdb", "chdb")):
    (asked / name).write_text("\n".join(project["project"]["optional-dependencies"][extra]))
PYTHON

lock() { # NAME.lock, then what to lock and options
    output=packaging/$1
    shift
    uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --only-binary :all: --no-annotate \
        --output-file "$output" "$@"
}

lock test.lock pyproject.toml "$asked/build" --extra test "$@"    # everything, so that the others agree with it
lock requirements.lock pyproject.toml --constraints packaging/test.lock "$@"
lock packed.lock pyproject.toml --constraints packaging/test.lock --extra brotli --extra zstd \
    --extra s3 --extra clickhouse "$@"  # nothing is added to it later
lock build.lock "$asked/build" --constraints packaging/test.lock "$@"
lock tools.lock "$asked/tools" --constraints packaging/test.lock "$@"
lock chdb.lock "$asked/chdb" --no-deps "$@"
