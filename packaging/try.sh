#!/bin/sh
# Tries what build.sh has built, as a newcomer would: installs it in an empty place, starts it, sets it up in a browser,
# looks at a page that carries the script, asks a query, stops it, starts it again and signs in.
# `sh packaging/try.sh wheel`, any of the kinds wheel, binary, deb, rpm and image. What this machine cannot try is said;
# it is an error only where it should work: on Debian as root.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
# shellcheck source=packaging/environment.sh
. "$root/packaging/environment.sh"

dist=$root/dist
build=$root/build
tools=$build/tools/bin
version=$(sed -n 's/^__version__ = "\(.*\)"$/\1/p' "$root/analytics_box/__init__.py")
data=/var/lib/analytics-box # of the packages
settings=/etc/analytics-box/analytics-box.toml

main() {
    [ $# -gt 0 ] || fail "say what to try: wheel, binary, deb, rpm or image"
    for kind; do
        case $kind in
            wheel | binary | deb | rpm | image) ;;
            *) fail "$kind is none of: wheel, binary, deb, rpm, image" ;;
        esac
    done
    prepare test
    prepare_in "$build/tools" tools
    need chromium chromium || fail "a browser is missing (on Debian: sudo apt-get install chromium)"
    work=$(mktemp -d)
    trap clean EXIT
    trap 'exit 1' HUP INT TERM
    for kind; do
        say "trying the $kind ..."
        "try_$kind"
    done
}

clean() {
    for mounted in "$work"/*/proc; do
        ! mountpoint -q "$mounted" || umount "$mounted"
    done
    [ -z "${container:-}" ] || with_buildah rm "$container" >/dev/null
    rm -rf "$work"
}

# visit COMMAND...: the newcomer's visit to what this command serves on a free port.
visit() {
    (cd "$root" && "$venv/bin/python" -X "pycache_prefix=$venv/compiled" -m tests.packaging.first_visit "$@" --port 0)
}

# With pipx, on every Python that is found; the versions of the packages are those of the lock.
try_wheel() {
    sed -n 's/^\([a-z0-9-]*==[^ ]*\( ; [^\\]*\)\{0,1\}\).*/\1/p' "$root/packaging/requirements.lock" >"$work/pins"
    for python in $(pythons); do
        name=$("$python" -c 'import sys; print("python%d.%d.%d" % sys.version_info[:3])')
        say "  with $name"
        PIPX_HOME=$work/$name PIPX_BIN_DIR=$work/$name/bin PIPX_MAN_DIR=$work/$name/man \
            "$tools/pipx" install --quiet --python "$python" --pip-args "--quiet --constraint $work/pins" \
            "$dist/analytics_box-$version-py3-none-any.whl" >&2
        visit "$work/$name/bin/analytics-box" serve --data-dir "$work/$name/data"
    done
}

# One Python of each version that can be found, from 3.11 on: on the path, and among those of pyenv. PYTHON names one.
pythons() {
    if [ -n "${PYTHON:-}" ]; then
        printf '%s\n' "$PYTHON"
        return
    fi
    for minor in 11 12 13 14; do
        for candidate in "python3.$minor" "$(pyenv root 2>/dev/null)"/versions/3."$minor".*/bin/python; do
            if makes_venvs "$candidate"; then
                printf '%s\n' "$candidate"
                break
            fi
        done
    done
}

# Installed by install.sh from a web server of this machine, after a download that was damaged.
try_binary() {
    name=analytics-box-$version-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m)
    mkdir "$work/release" "$work/home"
    cp "$dist/$name" "$dist/SHA256SUMS" "$work/release"
    "$venv/bin/python" -u -m http.server --bind 127.0.0.1 --directory "$work/release" 0 >"$work/web" 2>/dev/null &
    web=$!
    until port=$(sed -n 's/.* port \([0-9]*\) .*/\1/p' "$work/web") && [ -n "$port" ]; do sleep 0.1; done

    printf x >>"$work/release/$name"
    ! HOME=$work/home sh "$root/packaging/install.sh" "http://127.0.0.1:$port" ||
        fail "install.sh installed a file with a wrong checksum"
    cp "$dist/$name" "$work/release"
    HOME=$work/home sh "$root/packaging/install.sh" "http://127.0.0.1:$port"
    kill "$web"
    visit env HOME="$work/home" XDG_CACHE_HOME="$work/a cache" "$work/home/.local/bin/analytics-box" serve
}

# In a Debian that has nothing else: installed, served as the service would, installed again as an upgrade is, removed.
try_deb() {
    new_debian deb "$dist/analytics-box_${version}_$(dpkg --print-architecture 2>/dev/null).deb" || return 0
    inside dpkg --install /package >&2
    serve_as_the_service
    inside dpkg --install /package >&2
    kept "an upgrade"
    inside dpkg --remove analytics-box >&2
    kept "a removal"
    inside dpkg --purge analytics-box >&2
    [ ! -e "$place$settings" ] || fail "purging left $settings"
    has_data "purging"
}

# The same with rpm, which has no say about what Debian has installed.
try_rpm() {
    need rpm rpm || {
        cannot "rpm is missing"
        return 0
    }
    package=$dist/analytics-box-$version-1.$(uname -m).rpm
    rpm --query --requires --package "$package" | grep -q '^glibc >= ' || fail "the package does not ask for glibc"
    new_debian rpm "$package" || return 0
    rpm --root "$place" --nodeps --install "$place/package" >&2
    serve_as_the_service
    rpm --root "$place" --nodeps --upgrade --replacepkgs "$place/package" >&2
    kept "an upgrade"
    rpm --root "$place" --nodeps --erase analytics-box >&2
    has_data "a removal"
}

# new_debian NAME PACKAGE: a root with nothing but what every Debian has, and this file as /package in it.
new_debian() {
    if ! debian "$build/debian.tar"; then
        cannot "a package is installed by root in another Debian, which mmdebstrap makes"
        return 1
    fi
    place=$work/$1
    mkdir "$place"
    tar -C "$place" -xf "$build/debian.tar"
    mount -t proc proc "$place/proc"
    cp "$2" "$place/package"
}

inside() {
    chroot "$place" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"
}

# What the unit says is done by hand, for nothing here runs services; then the command, as root and as somebody else.
serve_as_the_service() {
    unit=$place/usr/lib/systemd/system/analytics-box.service
    need systemd-analyze systemd || fail "systemd-analyze is missing"
    systemd-analyze security --offline=yes --threshold=20 --no-pager "$unit" >"$work/security" ||
        fail "the service is less closed than it was: $(tail -n 1 "$work/security")"
    [ "$(inside stat -c '%U %a' "$data")" = "analytics-box 700" ] || fail "$data is not its user's alone"
    # shellcheck disable=SC2046 # a command of several words
    visit chroot --userspec=analytics-box:analytics-box "$place" /usr/bin/env -i \
        "$(sed -n 's/^Environment=//p' "$unit")" $(sed -n 's/^ExecStart=//p' "$unit")
    inside analytics-box check >&2
    [ -z "$(inside find "$data" ! -user analytics-box)" ] || fail "something in $data is not its user's"
    echo 'log_level = "warning"' >>"$place$settings"
}

kept() {
    has_data "$1"
    grep -q warning "$place$settings" || fail "$1 changed $settings"
}

has_data() {
    if [ ! -s "$place$data/events.db" ] || [ ! -s "$place$data/box.db" ]; then
        fail "$1 took the data"
    fi
}

# As Docker would run it: as its user, in a root that cannot be written to, with a volume for the data.
try_image() {
    "$tools/hadolint" "$root/packaging/Dockerfile" || fail "hadolint complains"
    if ! have buildah || [ "$(id -u)" -ne 0 ]; then
        cannot "an image is tried by root, with buildah"
        return 0
    fi
    with_buildah inspect --type image "localhost/analytics-box:$version" >/dev/null 2>&1 || fail "the image is not built"
    container=$(with_buildah from --pull-never "localhost/analytics-box:$version")
    place=$(with_buildah mount "$container")
    size=$(du -sm "$place" | cut -f1)
    say "  the image has $size MB"
    [ "$size" -le 200 ] || fail "the image is larger than 200 MB"
    [ "$(about '{{.OCIv1.Config.User}}')" = 10001:10001 ] || fail "the image runs as another user than 10001"
    about '{{.Docker.Config.Healthcheck.Test}}' | grep -q 'check --http' || fail "the image has no health check"

    about '{{range .OCIv1.Config.Env}}{{println .}}{{end}}' >"$work/variables"
    cp -a "$place/data" "$work/volume"
    mkdir -p "$place/proc" "$place/dev"
    cat >"$work/run" <<'SH'
# run COMMAND...: as the image says, in a root that only this process has.
set -eu
place=$1 work=$2
shift 2
mount --bind "$place" "$place"
mount --bind "$work/volume" "$place/data"
mount --bind /dev "$place/dev"
mount -t proc proc "$place/proc"
mount -o remount,bind,ro "$place"
# shellcheck disable=SC2046 # one word for each variable
exec /usr/bin/env -i $(cat "$work/variables") "$(command -v chroot)" --userspec=10001:10001 "$place" analytics-box "$@"
SH
    visit unshare --mount sh "$work/run" "$place" "$work" serve
    check_health
}

# Whether the image's own check sees that it serves, and that it does not.
check_health() {
    set -- unshare --mount sh "$work/run" "$place" "$work"
    echo ANALYTICS_BOX_PORT=58123 >>"$work/variables"
    ! "$@" check --http >&2 2>/dev/null || fail "the image is healthy while nothing serves"
    "$@" serve 2>"$work/served" &
    serving=$!
    until grep -q 'listens on' "$work/served"; do
        kill -0 "$serving" || fail "the image does not serve: $(cat "$work/served")"
        sleep 0.2
    done
    "$@" check --http >&2 || fail "the image serves and is not healthy"
    kill "$serving"
    wait "$serving" || fail "the image ended with $?"
}

about() {
    with_buildah inspect --format "$1" "$container"
}

main "$@"
