#!/bin/sh
# Runs the tests of some packages, the driver's unless others are named, under the thread and the address sanitizer.
#
#     Scripts/sanitize.sh [PACKAGE ...]
#
# Each sanitizer has a build folder of its own: its options compile everything again.
set -eu
cd "$(dirname "$0")/.."
. Scripts/common.sh

[ $# -gt 0 ] || set -- SQLiteDriver
for sanitizer in thread address; do
    scratch="$PWD/.build/sanitize-$sanitizer"
    for package in "$@"; do
        echo "=== $package, $sanitizer sanitizer ==="
        swift_package test "Packages/$package" --sanitize="$sanitizer" --disable-xctest
    done
done
