#!/bin/sh
# Starts Analytics Box from a checkout: sets up .venv on the first run, then hands over to the command line tool.
# Arguments are passed on (`sh packaging/run.sh demo`); without any, it serves.
# PYTHON=/path/to/python3 chooses the interpreter.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
# shellcheck source=packaging/environment.sh
. "$root/packaging/environment.sh"

prepare run

if [ $# -eq 0 ]; then
    set -- serve
fi
unset PYTHONHOME
check_command
exec "$venv/bin/analytics-box" "$@"
