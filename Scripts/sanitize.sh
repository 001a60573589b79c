#!/bin/sh
# Runs the tests of some packages, all of them unless some are named, under the thread and the address sanitizer.
#
#     Scripts/sanitize.sh [--only thread|address] [PACKAGE ...]
#
# Each sanitizer has a build folder of its own: its options compile everything again.
set -eu
cd "$(dirname "$0")/.."
. Scripts/common.sh

sanitizers="thread address"
if [ "${1:-}" = --only ]; then
    sanitizers=$2
    shift 2
fi
[ $# -gt 0 ] || set -- $(layers) Tests
for sanitizer in $sanitizers; do
    scratch="$PWD/.build/sanitize-$sanitizer"
    for package in "$@"; do
        echo "=== $package, $sanitizer sanitizer ==="
        if [ "$package" = Tests ]; then
            # What builds packages and runs programs of its own has nothing to do with the sanitizer.
            swift_package test Tests --sanitize="$sanitizer" --disable-xctest --skip 'ClientTests|TutorialTests|ExplorerTests'
        else
            swift_package test "Packages/$package" --sanitize="$sanitizer" --disable-xctest
        fi
    done
done
