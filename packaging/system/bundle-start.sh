#!/bin/sh
# Analytics Box @VERSION@ in one file: this script and, below it, the program with all that it needs, packed.
#
# The first start unpacks it into ~/.cache/analytics-box (or $XDG_CACHE_HOME), which takes seconds; later starts run
# what lies there, as one process. The folder can be deleted at any time while the box is stopped.
set -eu

fail() {
    printf 'analytics-box: %s\n' "$*" >&2
    exit 1
}

cache=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}
case $cache in
    /*) cache=$cache/analytics-box ;;
    *) fail "this user has no home directory: set XDG_CACHE_HOME to a folder that the program can be unpacked into" ;;
esac
folder=$cache/@NAME@

# Locks the folder on descriptor 9, which the program inherits, so that no other version removes what runs.
hold() {
    exec 9<"$1"
    ! command -v flock >/dev/null || flock -s 9
}

unpack() {
    umask 077
    part=$cache/unpacking.$$
    { mkdir -p "$cache" && mkdir "$part"; } ||
        fail "cannot write to $cache; set XDG_CACHE_HOME to a folder that the program can be unpacked into"
    hold "$part"
    trap 'rm -rf "$part"' EXIT
    trap 'exit 1' HUP INT TERM
    tail -n +@LINES@ "$0" | tar -xzf - -C "$part" ||
        fail "unpacking into $cache failed: the disk is full, or this file is damaged; download it again"
    said=$("$part/analytics-box" --version 2>&1) ||
        fail "the program cannot run: this system is too old for it or has another processor, or $cache lies on a disk" \
            "that may not run programs (noexec; then set XDG_CACHE_HOME). $said"
    sync
    [ -d "$folder" ] || mv "$part" "$folder"
    rm -rf "$part"
    trap - EXIT HUP INT TERM
    remove_others
}

# is_ours FOLDER: whether a version was unpacked there, or began to be.
is_ours() {
    [ -d "$1" ] && [ ! -L "$1" ] || return 1
    case ${1##*/} in
        unpacking.*) true ;;
        [0-9]*-[0-9]*) [ -x "$1/analytics-box" ] ;;
        *) false ;;
    esac
}

# Other versions, and what was left half unpacked, unless something still runs from there. Whatever else lies there is
# somebody's own, such as a data directory.
remove_others() {
    command -v flock >/dev/null || return 0
    for other in "$cache"/*; do
        if is_ours "$other" && [ "$other" != "$folder" ]; then
            flock -n -x "$other" rm -rf "$other" || true
        fi
    done
}

# shellcheck disable=SC3067 # every sh that Linux has knows -O
if [ -e "$folder" ] && [ ! -O "$folder" ]; then
    fail "$folder belongs to somebody else; set XDG_CACHE_HOME to a folder of yours"
fi
[ -x "$folder/analytics-box" ] || unpack
hold "$folder"
exec "$folder/analytics-box" "$@"
