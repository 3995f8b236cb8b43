#!/bin/sh
# Lays out what the image holds: `sh packaging/image.sh FOLDER`, run by the Dockerfile after build.sh. FOLDER/root is the
# system's, FOLDER/owned is of the user that the box runs as.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
image=$1/root
program=usr/lib/analytics-box

mkdir -p "$image/usr/lib" "$image/usr/bin" "$image/etc/ssl/certs" "$image/tmp" "$1/owned/data"
chmod 1777 "$image/tmp"
chmod 700 "$1/owned/data"
cp -a "$root/build/folder/analytics-box" "$image/$program"
ln -s "/$program/analytics-box" "$image/usr/bin/analytics-box"

# The libraries that are not in the folder itself: those of C, and what loads them.
find "$image/$program" -type f \( -name '*.so*' -o -name analytics-box \) -exec ldd {} + |
    sed -n -e 's/.* => \(\/[^ ]*\) .*/\1/p' -e 's/^[[:space:]]*\(\/[^ ]*\) (.*/\1/p' | sort -u |
    while read -r library; do
        case $library in
            "$image"*) ;;
            *)
                mkdir -p "$image$(dirname "$library")"
                cp -L "$library" "$image$library"
                ;;
        esac
    done

cp -L /etc/ssl/certs/ca-certificates.crt "$image/etc/ssl/certs/"
echo 'analytics-box:x:10001:10001::/data:/sbin/nologin' >"$image/etc/passwd"
echo 'analytics-box:x:10001:' >"$image/etc/group"
echo 'hosts: files dns' >"$image/etc/nsswitch.conf"
