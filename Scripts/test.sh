#!/bin/sh
# Runs the tests of each package alone, a layer after those below it, and then those of Tests/, which cross layers.
#
#     Scripts/test.sh [PACKAGE ...]
#
# One line per package, the whole log of one that fails, and a last line with the sums. The exit status is 1 when a test
# failed, or a package did not build, did not run to its end or ran no test; each of these counts as a failure in the sums.
set -u
cd "$(dirname "$0")/.." || exit 1
. Scripts/common.sh

logs=.build/logs
mkdir -p "$logs"

# run PACKAGE LOG: builds and runs the tests of a package, everything printed into a log.
run() {
    if [ "$1" = Tests ]; then
        tests=Tests
        # The tests of the tutorials run them. They can't build them where swift test already holds the build folder.
        if [ -e Examples/Package.swift ]; then
            swift_package build Examples >"$2" 2>&1 || return
            STRATA_EXAMPLES=$(swift_package build Examples --show-bin-path)
            export STRATA_EXAMPLES
        fi
    else
        tests=Packages/$1
    fi
    # XCTest is disabled because it ends a run with an error where it is not installed, and no test uses it.
    swift_package test "$tests" --disable-xctest >>"$2" 2>&1
}

# count LOG: "RAN FAILED" from what Swift Testing printed, or nothing when it did not come to its closing line.
# That line counts skipped tests as well. A test can be named anything, so the patterns hold on to both ends of a line, and
# leave out lines of other kinds. "Test case" lines are about one argument of a test.
count() {
    awk '
        /Test run with [0-9]+ tests? .*(passed|failed) after [0-9.]+ seconds/ {
            total = $0
            sub(/.*Test run with /, "", total)
            sub(/ .*/, "", total)
            next
        }
        !/^[^A-Za-z0-9]*Test / || /^[^A-Za-z0-9]*Test case / || / started\.$/ { next }
        / failed after [0-9.]+ seconds( with [0-9]+ issues?.*)?\.$/ { failed++; next }
        / passed after [0-9.]+ seconds( with [0-9]+ .*)?\.$/ { next }
        / skipped(: .*)?\.?$/ { skipped++ }
        END { if (total != "") print total - skipped, failed + 0 }
    ' "$1"
}

all_passed=0
all_failed=0
[ $# -gt 0 ] || set -- $(layers) Tests
for package in "$@"; do
    # The name comes first, alone: building takes a while.
    printf '%-18s' "$package"
    log=$logs/$package.log
    : >"$log"
    run "$package" "$log"
    status=$?

    problem=
    counts=$(count "$log")
    ran=${counts% *}
    failed=${counts#* }
    if [ -z "$counts" ]; then
        ran=0
        if grep -q 'Test run started' "$log"; then
            problem="the run ended early, with exit status $status"
        else
            problem="it did not build"
        fi
    elif [ "$ran" -eq 0 ]; then
        problem="it ran no test"
    elif [ "$status" -ne 0 ] && [ "$failed" -eq 0 ]; then
        # An issue outside of any test, or a process that crashed on its way out.
        problem="no test failed, but the exit status is $status"
    fi
    if [ -n "$problem" ]; then
        passed=$ran
        failed=1
    else
        passed=$((ran - failed))
    fi

    echo "$passed passed, $failed failed${problem:+ ($problem)}"
    [ "$failed" -eq 0 ] || cat "$log"
    all_passed=$((all_passed + passed))
    all_failed=$((all_failed + failed))
done

echo "$all_passed passed, $all_failed failed"
[ "$all_failed" -eq 0 ]
