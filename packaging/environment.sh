# shellcheck shell=sh
# What the scripts of this folder share, above all the virtual environment of run.sh and test.sh: .venv at the root of
# the checkout. POSIX sh, sourced with $root set. Everything here speaks on standard error, so that `run.sh setup
# --json` prints nothing but its JSON.
#
# A stamp in .venv says what it was made from (place, interpreter, locks, project metadata); while it matches,
# prepare() costs a few milliseconds. The project is installed as editable: web/ lies beside the package, and a pull
# or an edit takes effect at the next start without another install.

venv=${root:?}/.venv

say() {
    printf 'analytics-box: %s\n' "$*" >&2
}

fail() {
    say "$*"
    exit 1
}

have() {
    command -v "$1" >/dev/null 2>&1
}

# prepare run|test: makes .venv hold what running, or testing, needs. Returns at once when it does.
prepare() {
    is_ready "$1" && return
    one_at_a_time
    if ! is_ready "$1"; then
        if is_usable; then
            say "updating $venv ..."
        else
            make_venv
        fi
        (install_packages "$1") || exit 1
    fi
    exec 9<&-
}

# prepare_in FOLDER box|tools: the same for an environment elsewhere, which holds the packages that the box runs with, the
# optional ones too, and nothing else, or the tools that pack it. It is made anew when it no longer fits, for all that it holds is packed.
prepare_in() {
    set -- "$venv" "$@"
    venv=$2
    if ! is_ready "$3"; then
        rm -rf "$venv"
        # What is packed is packed with the fastest Python that can be had.
        makes_venvs /usr/bin/python3 || ! is_root_with_apt || apt_install python3-venv || :
        fastest=$(newest_optimized)
    fi
    prepare "$3"
    venv=$1 fastest=''
}

# Prints the newest optimized Python that can make virtual environments, if any: each version is faster than the last.
newest_optimized() {
    for version in 3.14 3.13 3.12 3.11; do
        for candidate in "python$version" "/usr/bin/python$version"; do
            candidate=$(command -v "$candidate") && makes_venvs "$candidate" && is_built_optimized "$candidate" || continue
            printf '%s' "$candidate"
            return
        done
    done
}

fingerprint() {
    {
        printf '%s\n' "$root" "$(readlink -f "$venv/bin/python" 2>/dev/null)"
        cat "$root"/packaging/*.lock "$root/pyproject.toml" "$root/analytics_box/__init__.py"
    } | cksum
}

is_ready() {
    [ -x "$venv/bin/python" ] && [ -f "$venv/ready.$1" ] && [ "$(cat "$venv/ready.$1")" = "$(fingerprint)" ]
}

# Holds a lock on this folder until file descriptor 9 closes; without flock, two set-ups at once are not guarded.
one_at_a_time() {
    exec 9<"$root/packaging"
    if have flock && ! flock -n 9; then
        say "waiting for another set-up of this checkout to end ..."
        flock 9
    fi
}

# Whether packages can be added to .venv as it is: complete, made in this place, its Python still there and new enough.
is_usable() {
    [ ! -e "$venv/unfinished" ] &&
        grep -qF "$venv" "$venv/bin/activate" 2>/dev/null &&
        "$venv/bin/python" -I -c 'import pip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

make_venv() {
    unset PYTHONHOME PYTHONPATH
    find_python
    if [ -e "$venv" ]; then
        say "setting up $venv anew, for it is unfinished, was moved or has lost its Python ..."
    else
        say "setting up $venv, which takes a minute ..."
    fi
    rm -rf "$venv"
    { mkdir "$venv" && : >"$venv/unfinished"; } || fail "cannot write to $root"
    "$python" -I -m venv "$venv" >&2 || fail "'$python -m venv $venv' failed; the lines above say why"
}

# Sets $python to an interpreter that is new enough and can make virtual environments, or ends with what to do.
find_python() {
    python='' name='' outdated=''
    if [ -n "${PYTHON:-}${fastest:-}" ]; then
        set -- "${PYTHON:-$fastest}"
    else
        set -- python3 python3.14 python3.13 python3.12 python3.11
    fi
    for candidate; do
        spoken=$("$candidate" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || continue
        if ! "$candidate" -I -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            outdated="$outdated $candidate is $spoken."
        elif makes_venvs "$candidate"; then
            # Outside of any active virtual environment, so that replacing that one does no harm.
            python=$("$candidate" -I -c 'import sys; print(sys._base_executable)')
            prefer_optimized
            return
        else
            name=${name:-$candidate}
        fi
    done
    [ -n "$name" ] || fail "Python 3.11 or newer is needed and was not found.$outdated" \
        "Install it (Debian, Ubuntu: sudo apt-get install python3 python3-venv) or name it: PYTHON=/path/to/python3"
    install_venv_module
    python=$name
}

# Replaces $python by the system's own if that is faster, unless PYTHON names one. Without PGO and LTO, which a Python
# built from source lacks unless it was asked for them, the box takes a fifth more processor time for a request.
prefer_optimized() {
    ! is_built_optimized "$python" || return 0
    distribution=/usr/bin/python3
    [ "$(readlink -f "$python")" != "$(readlink -f "$distribution")" ] || return 0
    if [ -z "${PYTHON:-}" ] && "$distribution" -I -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null &&
        [ $(($(loop_time "$distribution") * 10)) -lt $(($(loop_time "$python") * 9)) ]; then
        if makes_venvs "$distribution"; then
            say "using $distribution, because $python is built without optimization"
            python=$distribution
            return
        fi
        better=", or install python3-venv to use $distribution"
    fi
    say "$python is built without optimization (PGO, LTO): the box will be about a fifth slower." \
        "Name a better one with PYTHON=/path/to/python3${better:-}"
}

# Linux distributions optimize the Python in /usr/bin, also where its configuration does not say so (Debian).
is_built_optimized() {
    case $(readlink -f "$1") in /usr/bin/*) return 0 ;; esac
    "$1" -I -c 'import sys, sysconfig; sys.exit("--enable-optimizations" not in (sysconfig.get_config_var("CONFIG_ARGS") or ""))'
}

# Microseconds that an interpreter takes for a short loop of calls and attributes, at its best.
loop_time() {
    "$1" -I -c '
import time
class Point:
    def __init__(self, x): self.x = x
    def moved(self, by): return Point(self.x + by)
def run():
    began, point = time.perf_counter(), Point(0)
    for number in range(30_000):
        point = point.moved(number if number % 3 else len(str(number)))
    return time.perf_counter() - began
print(round(min(run() for _ in range(15)) * 1e6))'
}

makes_venvs() {
    "$1" -I -c 'import ensurepip, venv' 2>/dev/null
}

# Debian and Ubuntu ship Python without the modules that make virtual environments.
install_venv_module() {
    package=${name##*/}-venv
    if is_root_with_apt; then
        say "installing $package, which $name lacks ..."
        apt_install "$package" || fail "installing $package failed; the lines above say why"
    fi
    makes_venvs "$name" || fail "$name cannot make virtual environments (its modules venv or ensurepip are missing)." \
        "Run this, then start again: sudo apt-get install $package"
}

is_root_with_apt() {
    [ "$(id -u)" -eq 0 ] && have apt-get
}

# Installs Debian packages, one call at a time; the package lists are fetched only when it does not work without.
apt_install() (
    exec 8<"$root/pyproject.toml"
    ! have flock || flock 8
    export DEBIAN_FRONTEND=noninteractive
    apt-get install -y -qq --no-install-recommends "$@" </dev/null 8<&- >&2 2>/dev/null && return
    apt-get update -qq </dev/null 8<&- >&2 && apt-get install -y -qq --no-install-recommends "$@" </dev/null 8<&- >&2
)

# need COMMAND PACKAGE...: whether the command is there, after installing these Debian packages where that is possible.
need() {
    wanted=$1
    shift
    if ! have "$wanted" && is_root_with_apt; then
        say "installing $* ..."
        apt_install "$@" || say "installing $* failed; the lines above say why"
    fi
    have "$wanted"
}

# Says why something is left out, which is an error where it should work: on Debian as root.
cannot() {
    say "left out here: $*"
    ! is_root_with_apt || exit 1
}

# debian FILE.tar [PACKAGE...]: whether there is a root file system of this Debian in the file, made if need be, with
# nothing but what every Debian has and these packages.
debian() {
    [ ! -s "$1" ] || return 0
    is_root_with_apt && need mmdebstrap mmdebstrap || return 1
    file=$1
    shift
    say "making $file ..."
    codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    mmdebstrap --quiet --mode=root --variant=minbase --format=tar \
        --include="$(printf '%s,' ca-certificates "$@")" "$codename" "$file.part" >&2 && mv "$file.part" "$file"
}

# Where neither docker nor podman is: buildah, so that it works in a container, too.
with_buildah() {
    BUILDAH_ISOLATION=chroot buildah --storage-driver vfs "$@"
}

# Ends with what to do where the command cannot be run although it is there: another processor, no right, noexec.
check_command() {
    status=0
    "$venv/bin/python" -I -S -c '' >/dev/null 2>&1 || status=$?
    { [ "$status" -lt 126 ] && [ -x "$venv/bin/analytics-box" ]; } ||
        fail "$venv cannot be run: it was made for another machine, belongs to another user, or its disk is mounted noexec." \
            "Delete it and run the same command again, as its owner and on a disk that may run programs."
}

# In a subshell. Only what says where packages come from is taken over from the caller's pip settings.
install_packages() {
    unset PYTHONHOME PYTHONPATH
    for variable in $(env | sed -n 's/^\(PIP_[A-Z_]*\)=.*/\1/p'); do
        case $variable in
            PIP_*INDEX* | PIP_FIND_LINKS | PIP_TRUSTED_HOST | PIP_PROXY | PIP_*CERT | PIP_KEYRING_PROVIDER) ;;
            PIP_*CACHE_DIR | PIP_*TIMEOUT | PIP_RETRIES | PIP_CONFIG_FILE) ;;
            *) unset "$variable" ;;
        esac
    done
    export PIP_USER=0

    cd "$root/packaging" || exit 1
    : >"$venv/unfinished"
    rm -f "$venv/ready.run" "$venv/ready.test"
    kind=$1
    case $kind in
        run) set -- -r requirements.lock -r build.lock ;;
        test) set -- -r test.lock ;;
        box) set -- -r packed.lock ;;
        tools) set -- -r tools.lock ;;
    esac
    # Of what tests and packs, little is ever imported, and a program that is packed is compiled when it is.
    [ "$kind" = run ] || set -- --no-compile "$@"
    pip_install --require-hashes --only-binary :all: "$@" ||
        fail "the packages could not be installed; the lines above say why. Is there a network connection?" \
            "Behind a proxy set HTTPS_PROXY, with a mirror PIP_INDEX_URL. Then run the same command again."
    rm "$venv/unfinished"
    case $kind in
        run | test)
            pip_install --no-index --no-deps --no-build-isolation --editable "$root" ||
                fail "installing Analytics Box itself failed; the lines above say why"
            # A first start compiles nothing, even if Python is told to keep no bytecode (-I passes over that). Packages for
            # tests are installed without bytecode: importing what a box loads compiles the part that it needs.
            "$venv/bin/python" -I -m compileall -q "$root/analytics_box" >&2 || :
            "$venv/bin/python" -I -c 'import analytics_box.app.scheduling, analytics_box.app.cli.serve, analytics_box.app.routes, analytics_box.web.app' >&2 || :
            fingerprint >"$venv/ready.run"
            ;;
    esac
    fingerprint >"$venv/ready.$kind"
}

pip_install() {
    "$venv/bin/python" -I -m pip install --quiet --no-input --disable-pip-version-check --no-warn-script-location "$@" >&2
}
