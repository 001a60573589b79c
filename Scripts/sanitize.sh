#!/bin/sh
# Runs the tests of the given packages, or of all packages, under the thread sanitizer and the address sanitizer.
#
#     Scripts/sanitize.sh [--only thread|address] [PACKAGE ...]
#
# Each sanitizer has its own build folder, because its options recompile everything.
set -eu
cd "$(dirname "$0")/.."
. Scripts/common.sh

sanitizers="thread address"
if [ "${1:-}" = --only ]; then
    sanitizers=$2
    shift 2
fi
[ $# -gt 0 ] || set -- $(layers) Tests
export LSAN_OPTIONS="suppressions=$PWD/Scripts/leaks.txt:print_suppressions=0"
for sanitizer in $sanitizers; do
    scratch="$PWD/.build/sanitize-$sanitizer"
    for package in "$@"; do
        echo "=== $package, $sanitizer sanitizer ==="
        if [ "$package" = Tests ]; then
            # These tests run other programs, which are built without the sanitizer.
            swift_package test Tests --sanitize="$sanitizer" --disable-xctest --skip 'ClientTests|TutorialTests'
        elif [ "$package" = StrataTool ]; then
            # These tests link a program without the sanitizer.
            swift_package test "Packages/$package" --sanitize="$sanitizer" --disable-xctest --skip CompiledRecordTests
        else
            swift_package test "Packages/$package" --sanitize="$sanitizer" --disable-xctest
        fi
    done
done
