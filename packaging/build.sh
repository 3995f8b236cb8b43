#!/bin/sh
# Builds what people install, into dist/: `sh packaging/build.sh wheel binary`, any of the kinds
#   wheel    the wheel, and the sources that it is made from
#   binary   one file that runs by itself, and the same as a folder, for this processor and this system or newer
#   deb rpm  packages with a service for systemd, of the same folder
#   image    a container image, with docker, podman or buildah
#   plugin   the plugin for WordPress, without the ID of a website
# Each has a list of its parts beside it (SBOM, CycloneDX), and SHA256SUMS is of all that lies in dist/.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
# shellcheck source=packaging/environment.sh
. "$root/packaging/environment.sh"

dist=$root/dist
build=$root/build # what lies here is kept for the next time; it can be deleted
tools=$build/tools/bin
packages=$build/box # the environment that is packed
folder=$build/folder/analytics-box
version=$(sed -n 's/^__version__ = "\(.*\)"$/\1/p' "$root/analytics_box/__init__.py")
system=$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m)
built='' # what has been built in this run

main() {
    [ $# -gt 0 ] || fail "say what to build: wheel, binary, deb, rpm, image or plugin"
    for kind; do
        case $kind in
            wheel | binary | folder | deb | rpm | image | plugin) ;;
            *) fail "$kind is none of: wheel, binary, deb, rpm, image, plugin" ;;
        esac
    done
    mkdir -p "$dist" "$build"
    cd "$root"
    for kind; do
        once "$kind"
    done
    [ "$*" = image ] || sum # an image puts nothing into dist/
}

# Builds a kind unless that was done in this run.
once() {
    case " $built " in *" $1 "*) return ;; esac
    "build_$1"
    built="$built $1"
}

build_wheel() {
    prepare_in "$build/tools" tools
    "$tools/python" -m hatchling build --directory "$dist" >&2
    prepare_in "$packages" box
    "$packages/bin/python" -I -m pip install --quiet --no-index --no-deps --force-reinstall "$(wheel)"
    "$tools/cyclonedx-py" environment --output-reproducible --pyproject pyproject.toml --mc-type application \
        --output-file "$(sbom)" "$packages/bin/python" >&2
    "$packages/bin/python" packaging/sbom.py "$(sbom)"
    made "$(wheel)"
    made "$dist/analytics_box-$version.tar.gz"
    made "$(sbom)"
}

wheel() {
    printf '%s' "$dist/analytics_box-$version-py3-none-any.whl"
}

sbom() {
    printf '%s' "$dist/analytics-box-$version.cdx.json"
}

# The folder that the other kinds hold: the program, Python and all libraries.
build_folder() {
    need objdump binutils || fail "objdump and strip are missing (on Debian: sudo apt-get install binutils)"
    once wheel
    need_libpython
    say "freezing $folder ..."
    # from a folder without an analytics_box, so that the one of the wheel is taken
    (cd "$build" && PYTHONPATH=$(echo "$packages"/lib/python3.*/site-packages) "$tools/python" -m PyInstaller \
        --noconfirm --log-level WARN --distpath "$build/folder" --workpath "$build/pyinstaller" \
        "$root/packaging/analytics-box.spec" >&2)
    cp "$(sbom)" "$folder/sbom.cdx.json"
    cp LICENSE "$folder"
}

# Debian's Python has itself as a library, which goes into the folder, in a package of its own.
need_libpython() {
    find_it='import ctypes, sysconfig; ctypes.CDLL(sysconfig.get_config_var("INSTSONAME"))'
    "$tools/python" -c "$find_it" 2>/dev/null && return
    library=$("$tools/python" -c 'import sys; print("libpython%d.%d" % sys.version_info[:2])')
    if is_root_with_apt; then
        apt_install "$library" || say "installing $library failed; the lines above say why"
    fi
    "$tools/python" -c "$find_it" 2>/dev/null || fail "$library is missing (on Debian: sudo apt-get install $library)"
}

build_binary() {
    once folder
    name=$dist/analytics-box-$version-$system
    sh packaging/bundle.sh "$folder" "$version" "$name"
    cp packaging/install.sh "$dist"
    made "$name"
    made "$name.tar.gz"
}

build_deb() {
    pack deb "$dist/analytics-box_${version}_$(architecture).deb"
}

build_rpm() {
    pack rpm "$dist/analytics-box-$version-1.$(uname -m).rpm"
}

pack() {
    once folder
    "$folder/analytics-box" man | gzip -n >"$build/analytics-box.1.gz"
    "$folder/analytics-box" completion bash >"$build/completion.bash"
    "$folder/analytics-box" completion fish >"$build/completion.fish"
    VERSION=$version ARCH=$(architecture) GLIBC=$(glibc) \
        "$tools/nfpm" package --config packaging/nfpm.yaml --packager "$1" --target "$2" >&2
    made "$2"
}

# As Debian and Go call this processor.
architecture() {
    case $(uname -m) in
        x86_64) printf amd64 ;;
        aarch64 | arm64) printf arm64 ;;
        *) uname -m ;;
    esac
}

# The oldest glibc that has what the folder asks for.
glibc() {
    find "$folder" -type f \( -name '*.so*' -o -name analytics-box \) -exec objdump -T {} + 2>/dev/null |
        sed -n 's/.*GLIBC_\(2\.[0-9]*\).*/\1/p' | sort -t. -k2n | tail -n 1
}

# The wheel has its files; a server fills in the ID of a website.
build_plugin() {
    once wheel
    zip_it='import sys
from analytics_box.app.docs.install_pages import plugin_archive
from analytics_box.app.parts import web_dir
sys.stdout.buffer.write(plugin_archive(web_dir() / "wordpress"))'
    (cd "$build" && "$packages/bin/python" -I -c "$zip_it" >"$dist/analytics-box-wordpress-$version.zip")
    made "$dist/analytics-box-wordpress-$version.zip"
}

build_image() {
    name=analytics-box:$version
    if have docker && docker info >/dev/null 2>&1; then
        docker build --tag "$name" --file packaging/Dockerfile "$root" >&2
    elif have podman; then
        podman build --format docker --tag "$name" --file packaging/Dockerfile "$root" >&2
    elif need buildah buildah; then
        base=$(sed -n 's/^ARG BASE=//p' packaging/Dockerfile)
        with_buildah pull --quiet "$base" >&2 || stand_in
        downloads=${XDG_CACHE_HOME:-$HOME/.cache}/pip # of which pip takes only what has the hashes of the locks
        mkdir -p "$downloads"
        with_buildah build --format docker --build-arg "BASE=$base" --tag "$name" --file packaging/Dockerfile \
            --build-arg "PIP_INDEX_URL=${PIP_INDEX_URL:-}" --build-arg "PIP_CERT=${PIP_CERT:-}" \
            --volume /etc/ssl/certs:/etc/ssl/certs:ro --volume "$downloads:/root/.cache/pip" "$root" >&2
    else
        cannot "docker, podman or buildah is needed to build an image"
        return 0
    fi
    say "made the image $name"
}

# Where the base cannot be had: this machine's Debian with its own Python, of which the image holds what it needs.
stand_in() {
    say "$base cannot be had; building with Debian's own Python instead"
    debian "$build/debian-python.tar" python3 python3-venv binutils '?name(^libpython3\.[0-9]+$)' ||
        fail "without it, root and Debian's mmdebstrap are needed"
    base=localhost/debian-python
    with_buildah inspect --type image "$base" >/dev/null 2>&1 || {
        container=$(with_buildah from scratch)
        with_buildah add --quiet "$container" "$build/debian-python.tar" / >&2
        with_buildah commit --quiet --rm "$container" "$base" >&2
    }
}

made() {
    say "made $1, $(($(wc -c <"$1") / 1024)) KiB"
}

# What install.sh checks downloads against.
sum() {
    rm -f "$dist/SHA256SUMS"
    sums=$(cd "$dist" && sha256sum -- *)
    printf '%s\n' "$sums" >"$dist/SHA256SUMS"
}

main "$@"
