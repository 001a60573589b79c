#!/bin/sh
# Runs the tutorials of Examples/ in order, or `strata show` on a database.
#
#     Scripts/demo.sh [DATABASE]
set -eu
case "${1-}" in
"" | /*) database=${1-} ;;
*) database=$PWD/$1 ;;
esac
cd "$(dirname "$0")/.."
. Scripts/common.sh

if [ -n "$database" ]; then
    package=Packages/StrataTool
    options="--product strata"
else
    package=Examples
    options=
fi
[ -d "$scratch" ] || echo "Building for the first time; this takes a while." >&2
log=.build/logs/$(basename "$package").log
mkdir -p .build/logs
# shellcheck disable=SC2086 # two words, or none
if ! swift_package build "$package" $options >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi
programs=$(swift_package build "$package" --show-bin-path)

if [ -n "$database" ]; then
    exec "$programs/strata" show "$database"
fi
# The tutorials are the executables with a number in their name, which sets their order.
for folder in Examples/Sources/*[0-9]*/; do
    name=$(basename "$folder")
    printf '\n=== %s ===\n\n' "$name"
    "$programs/$name"
done
