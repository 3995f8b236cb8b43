#!/bin/sh
# Sets up all that the tests need, then runs every check: format, lint, types, import rules, tests.
# Arguments are passed on to pytest (`sh packaging/test.sh tests/query -k zones`). All checks run even when one fails;
# the exit code is 0 only when all passed.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
# shellcheck source=packaging/environment.sh
. "$root/packaging/environment.sh"

failed=''

# Debian's Chromium with and without windows, Node.js, npm, PHP, curl and proxies, installed where they are missing and that is possible.
install_tools() {
    packages=$(missing_tools)
    if [ -n "$packages" ] && is_root_with_apt; then
        say "installing$packages ..."
        # shellcheck disable=SC2086 # one argument for each package
        apt_install $packages || say "installing$packages failed; the lines above say why"
    fi
    packages=$(missing_tools)
    if [ -n "$packages" ]; then
        skipped "missing:$packages (on Debian: sudo apt-get install$packages)"
    fi
}

# The Debian packages of the commands that are not there, each with a space before it.
missing_tools() {
    have chromium || printf ' chromium'
    have chromium-headless-shell || printf ' chromium-headless-shell'
    have node || printf ' nodejs'
    have php || printf ' php-cli'
    for each in npm curl nginx caddy haproxy; do
        have "$each" || printf ' %s' "$each"
    done
}

# What web/package.json pins, without running the packages' own install scripts.
install_web_modules() {
    if [ ! -f "$root/web/package-lock.json" ] || ! have npm; then
        return
    fi
    modules=$root/web/node_modules
    pins=$(cat "$root/web/package.json" "$root/web/package-lock.json" | cksum)
    if [ -f "$modules/.ready" ] && [ "$(cat "$modules/.ready")" = "$pins" ]; then
        return
    fi
    say "installing $modules ..."
    if (cd "$root/web" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2); then
        printf '%s\n' "$pins" >"$modules/.ready"
    else
        skipped "npm could not install what web/package-lock.json pins; the lines above say why"
    fi
}

# ClickHouse itself, without the packages that it names and that nothing here uses: 180 MB.
install_clickhouse() {
    pin=$(cksum <"$root/packaging/chdb.lock")
    [ ! -f "$venv/chdb" ] || [ "$(cat "$venv/chdb")" != "$pin" ] || return 0
    say "installing chdb ..."
    if (cd "$root/packaging" && pip_install --no-deps --no-compile --require-hashes --only-binary :all: -r chdb.lock); then
        printf '%s\n' "$pin" >"$venv/chdb"
    else
        skipped "chdb could not be installed; the lines above say why"
    fi
}

# Something that some tests need is not there: they skip themselves, which is fine on a laptop and a failure in CI.
skipped() {
    say "$*. The tests that need it will be skipped."
    if [ -n "${CI:-}" ]; then
        failed="$failed set-up"
    fi
}

# How many processes test at once: two more than there are processors, for many tests wait; more than six browsers
# and servers side by side want more memory than small machines have.
workers() {
    found=$(getconf _NPROCESSORS_ONLN 2>/dev/null) || found=1
    [ "$found" -lt 5 ] || found=4
    printf '%s' "$((found + 2))"
}

check() {
    name=$1
    shift
    printf '== %s\n' "$name"
    "$@" || failed="$failed $name"
}

# All tests, then once more those that failed, one after the other, where they are three at the most: what passes then
# was a matter of chance or of the load of the machine. It is named, for it is a fault too, but not of the change.
run_tests() {
    code=0
    pytest -n "$(workers)" --dist loadfile --no-loadscope-reorder "$@" || code=$?
    [ "$code" -eq 1 ] || return "$code"
    unsteady=$(failed_tests "$@")
    [ "$(printf '%s\n' "$unsteady" | wc -l)" -le 3 ] || return 1
    printf '== once more\n%s\n' "$unsteady"
    pytest --last-failed --last-failed-no-failures none "$@" || return 1
    say "unsteady, failed among all tests and passed alone: $unsteady"
}

failed_tests() {
    pytest --last-failed --collect-only "$@" | grep '::'
}

prepare test
install_tools
install_web_modules
install_clickhouse

cd "$root"
PATH=$venv/bin:$PATH
# What is compiled is kept, even where Python is told not to: hundreds of processes would each do it anew.
unset PYTHONDONTWRITEBYTECODE
PYTHONPYCACHEPREFIX=$venv/compiled
export PATH PYTHONPYCACHEPREFIX
# The other checks leave a processor free: the tests are compiled there, which each process of pytest would do anew.
pytest --collect-only "$@" >/dev/null 2>&1 &
check format ruff format --check
check lint ruff check
check types mypy
check imports lint-imports
wait
# Whole files at a time, so that what a file shares is made once; in their order, for the slowest come first.
check tests run_tests "$@"

if [ -n "$failed" ]; then
    printf 'analytics-box: failed:%s\n' "$failed" >&2
    exit 1
fi
