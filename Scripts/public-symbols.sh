#!/bin/sh
# Writes the public symbols of each package to its PublicSymbols.txt, so that public API changes are deliberate.
#
#     Scripts/public-symbols.sh [--check]
#
# With --check it writes nothing, and fails when a list is out of date.
set -eu
cd "$(dirname "$0")/.."

lists=$(mktemp -d)
trap 'rm -rf "$lists"' EXIT
status=0
for package in Packages/*/; do
    name=$(basename "$package")
    find "$package/Sources" -name '*.swift' | LC_ALL=C sort | xargs awk -f Scripts/public-symbols.awk | LC_ALL=C sort >"$lists/$name"
    list=${package}PublicSymbols.txt
    if [ "${1:-}" != --check ]; then
        mv "$lists/$name" "$list"
    elif ! diff "$list" "$lists/$name" >"$lists/difference" 2>&1; then
        echo "$list is out of date (< was removed, > is new): if the change is intended, run make symbols" >&2
        grep '^[<>]' "$lists/difference" >&2 || true
        status=1
    fi
done
exit $status
