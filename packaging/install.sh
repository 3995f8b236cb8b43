#!/bin/sh
# Installs Analytics Box for this user, without root: `sh install.sh ADDRESS`, or without keeping this script
#
#   curl -fsSL ADDRESS/install.sh | sh -s -- ADDRESS
#
# ADDRESS is where the files of a release are: the program for this system and SHA256SUMS, as packaging/build.sh makes
# them. The program goes to ~/.local/bin; a second argument names another folder. Nothing is installed unless its
# checksum is right and it runs here. The same line again updates it.
set -eu

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

main() {
    [ $# -ge 1 ] || fail "say where the release is: sh install.sh ADDRESS [FOLDER]"
    from=${1%/}
    into=${2:-${HOME:?}/.local/bin}
    system=$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m)

    mkdir -p "$into" || fail "cannot write to $into; name another folder as second argument"
    work=$(mktemp -d "$into/.analytics-box.XXXXXX") || fail "cannot write to $into; name another folder as second argument"
    trap 'rm -rf "$work"' EXIT
    trap 'exit 1' HUP INT TERM

    fetch SHA256SUMS
    line=$(grep -E "^[0-9a-f]{64}  analytics-box-[0-9][^ /]*-$system\$" "$work/SHA256SUMS" | sort -k 2 -V | tail -n 1)
    [ -n "$line" ] ||
        fail "$from has no program for $system; the manual says how to build one"
    name=${line##* }
    say "downloading $name ..."
    fetch "$name"
    [ "$(checksum "$work/$name")" = "${line%% *}" ] ||
        fail "$name is not what SHA256SUMS says: the download is damaged, or somebody changed it. Nothing was installed."
    chmod 755 "$work/$name"
    "$work/$name" --version >&2 || fail "the program does not run here; the line above says why. Nothing was installed."
    mv -f "$work/$name" "$into/analytics-box"

    say "installed $into/analytics-box. Start it with: $(shortest) serve"
}

# fetch NAME: a file of the release.
fetch() {
    if have curl; then
        curl --fail --silent --show-error --location --output "$work/$1" "$from/$1"
    elif have wget; then
        wget -q -O "$work/$1" "$from/$1"
    else
        fail "curl or wget is needed"
    fi || fail "$from/$1 cannot be downloaded"
}

checksum() {
    if have sha256sum; then
        sha256sum "$1"
    elif have shasum; then
        shasum -a 256 "$1"
    else
        fail "sha256sum or shasum is needed"
    fi | cut -d' ' -f1
}

# The command as one can type it.
shortest() {
    case :$PATH: in
        *:"$into":*) echo analytics-box ;;
        *) echo "$into/analytics-box" ;;
    esac
}

main "$@"
