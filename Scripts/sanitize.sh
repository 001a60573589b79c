#!/bin/sh
# Runs the tests of the given packages, or of all packages, under the thread sanitizer and the address sanitizer.
#
#     Scripts/sanitize.sh [--only thread|address] [--unsafe] [PACKAGE ...]
#
# With --unsafe, it runs the suites that Packages/UNSAFE.md names. With CONFIGURATION=release in the environment, the build is optimized.
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
suites=.
if [ "${1:-}" = --unsafe ]; then
    suites="[./]($(grep -o '`[A-Za-z]*Tests`' Packages/UNSAFE.md | tr -d '`' | sort -u | paste -sd '|' -))/"
    shift
fi
[ $# -gt 0 ] || set -- $(layers) Tests
export LSAN_OPTIONS="suppressions=$PWD/Scripts/leaks.txt:print_suppressions=0"
for sanitizer in $sanitizers; do
    scratch="$PWD/.build/sanitize-$sanitizer"
    for package in "$@"; do
        echo "=== $package, $sanitizer sanitizer ==="
        folder=Packages/$package
        # Tests run other programs, and those of StrataTool link one, which are built without the sanitizer.
        skipped=CompiledRecordTests
        [ "$package" != Tests ] || { folder=Tests && skipped='ClientTests|TutorialTests'; }
        swift_package test "$folder" --sanitize="$sanitizer" --disable-xctest --filter "$suites" --skip "$skipped"
    done
done
