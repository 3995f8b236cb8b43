#!/bin/sh
# Packs a folder with the program `analytics-box` into one file that runs by itself: sh bundle.sh FOLDER VERSION FILE
# FILE.tar.gz is the folder alone.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
folder=$1 version=$2 file=$3
start=$here/system/bundle-start.sh

tar -C "$folder" --owner=0 --group=0 -cf - . | gzip >"$file.tar.gz"
name=$version-$(cksum <"$file.tar.gz" | cut -d' ' -f1)
lines=$(($(wc -l <"$start") + 1))
sed -e "s/@VERSION@/$version/" -e "s/@NAME@/$name/" -e "s/@LINES@/$lines/" "$start" | cat - "$file.tar.gz" >"$file"
chmod 755 "$file"
