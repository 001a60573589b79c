#!/bin/sh
# Lists the tutorials of Examples/, and runs them in order, or `strata show` on a database.
#
#     [ONLY=NAME] Scripts/demo.sh [DATABASE]
#
# ONLY is the number or the name of one tutorial: ONLY=05, ONLY=Queries.
set -eu
case "${1-}" in
"" | /*) database=${1-} ;;
*) database=$PWD/$1 ;;
esac
cd "$(dirname "$0")/.."
. Scripts/common.sh

# The tutorials are the executables with a number in their name, which sets their order. The first line of each is its title.
title() { sed -n '1s,^// ,,p' "Examples/Sources/$1/main.swift"; }
tutorials=$(for folder in Examples/Sources/*[0-9]*/; do basename "$folder"; done)
if [ -n "${ONLY-}" ]; then
    all=$tutorials
    case $ONLY in [0-9]) ONLY=0$ONLY ;; esac
    tutorials=$(echo "$all" | grep -i -e "^$ONLY" -e "-$ONLY\$" | head -n 1) || true
    if [ -z "$tutorials" ]; then
        echo "No tutorial is named $ONLY. There are:" >&2
        echo "$all" | sed 's/^/    /' >&2
        exit 1
    fi
fi

if [ -n "$database" ]; then
    package=Packages/StrataTool
    options="--product strata"
else
    package=Examples
    options=
    [ -z "${ONLY-}" ] || options="--product $tutorials"
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
[ -n "${ONLY-}" ] || for name in $tutorials; do title "$name"; done
for name in $tutorials; do
    printf '\n=== %s ===\n\n' "$name"
    "$programs/$name"
done
