#!/bin/sh
# Runs the tests of each package, a layer after the layers below it, then the tests of Tests/, which cross layers, then those of the publishers
# for Combine with a stand-in for that framework ("Combine"), then the samples of pages in Markdown ("Pages"), and at last type-checks the
# samples of documentation comments ("Samples").
#
#     Scripts/test.sh [PACKAGE ...]
#
# With SQLITE=path in the environment, the tests run with another shared library of SQLite than the system's, on Linux. With STACK=512, their
# threads have stacks of 512 KB, as those of Apple's dispatch queues. With LIMIT=300, the tests of a package are ended after 300 s, and not
# after 1,200 s, with the stacks of their threads in the log.
#
# Prints one line per package, the reasons for skipped tests, the whole log of a package that fails, then all failures once more, with the
# tests that did not end, and a last line with the sums, all with the time they took. A package that does not build, does not run to its end or runs no test counts as a failure. The exit status is
# 1 if there are failures.
set -u
cd "$(dirname "$0")/.." || exit 1
. Scripts/common.sh

shared_scratch=$scratch
logs=.build/logs
mkdir -p "$logs"

# run PACKAGE LOG: builds and runs the tests of a package, and writes all output to a log.
run() {
    order=
    scratch=$shared_scratch
    if [ "$1" = Combine ]; then
        tests=Tests/Combine
        # The layers have publishers if the compiler finds the stand-in when it compiles them. So it is built first, and they are built in a
        # folder of their own, which is of no use after a change of the stand-in.
        scratch=$PWD/.build/combine
        key=$(cat "$tests/Package.swift" "$tests"/Sources/Combine/*.swift | cksum)
        if [ "$key" != "$(cat "$scratch/key" 2>/dev/null)" ]; then rm -rf "$scratch"; fi
        swift_package build "$tests" --target Combine >"$2" 2>&1 || return
        echo "$key" >"$scratch/key"
    elif [ "$1" = Pages ]; then
        tests=.build/samples/pages
        Scripts/write-pages.sh >"$2" 2>&1 || return
        # What samples print, and the statements that they run, are recorded for the whole process.
        order=--no-parallel
    elif [ "$1" = Tests ]; then
        tests=Tests
        # The tests of the tutorials run the tutorials, but can't build them, as swift test holds the lock of the build folder.
        if [ -e Examples/Package.swift ]; then
            swift_package build Examples >"$2" 2>&1 || return
            STRATA_EXAMPLES=$(swift_package build Examples --show-bin-path)
            export STRATA_EXAMPLES
        fi
    else
        tests=Packages/$1
    fi
    # Not StrataTool's plugins, whose tool would compile all layers once more: ClientTests runs them.
    [ "$1" = StrataTool ] && what="--product StrataToolPackageTests" || what=--build-tests
    # shellcheck disable=SC2086 # an option, and perhaps its value
    swift_package build "$tests" $what >>"$2" 2>&1 || return
    built=$(date +%s)
    watch >>"$2" 2>&1 &
    watcher=$!
    if [ "${SQLITE:-}${STACK:-}" ]; then
        run_program "$tests" >>"$2" 2>&1
    else
        # No test uses XCTest. Where it is not installed, it would make the run end with an error.
        # shellcheck disable=SC2086 # an option, or none
        swift_package test "$tests" --skip-build --disable-xctest $order >>"$2" 2>&1
    fi
    ended=$?
    kill "$watcher" 2>/dev/null
    wait "$watcher" 2>/dev/null
    return "$ended"
}

# watch: waits until the limit of time has passed, then ends the tests that this script runs. Tests that wait for something that never comes
# would take all the time of a machine, and say nothing.
watch() {
    sleep "$limit" &
    sleeper=$!
    trap 'kill "$sleeper"; exit' TERM
    wait "$sleeper"
    echo "error: the tests did not end within $limit s"
    # The runtime prints the stacks of an aborted process, and lets it run on.
    signal ABRT PackageTests.xctest
    sleep 5
    signal KILL PackageTests.xctest
    sleep 5
    # Processes that the tests have started, and whose output it awaits, may still run.
    signal KILL swift-test
}

# signal NAME PATTERN: sends a signal to the processes of this script whose command lines contain a pattern.
signal() {
    for process in $(descendants $$); do
        case $(ps -o args= -p "$process") in *"$2"*) kill -"$1" "$process" ;; esac
    done
}

# descendants PROCESS: prints the numbers of the processes that a process has started, and of those that they have.
descendants() {
    for child in $(pgrep -P "$1"); do
        echo "$child"
        descendants "$child"
    done
}

# run_program FOLDER: runs the tests of a package, which are built, with the library that SQLITE names, and with stacks of STACK KB. The tests
# that compile programs are skipped, as the compiler's own programs use SQLite and large stacks.
run_program() {
    program=$(swift_package build "$1" --show-bin-path)/$(sed -n 's/^    name: "\(.*\)",/\1/p' "$1/Package.swift")PackageTests.xctest
    (
        cd "$1" || exit
        if [ "${SQLITE:-}" ]; then
            export LD_LIBRARY_PATH="$library_folder"
            if ! ldd "$program" | grep -qF "$library_folder/libsqlite3.so.0"; then
                echo "$program does not load the library of $library_folder"
                exit 1
            fi
        fi
        # The limit of the main thread is the size of other threads.
        if [ "${STACK:-}" ]; then ulimit -s "$STACK"; fi
        # shellcheck disable=SC2086 # an option, or none
        "$program" --testing-library swift-testing --skip 'ClientTests|CompiledRecordTests' $order
    )
}

if [ "${SQLITE:-}" ]; then
    # The loader looks for the library by its name, and $SQLITE may have any name.
    library_folder=$PWD/.build/sqlite/tested
    mkdir -p "$library_folder"
    ln -sf "$(realpath "$SQLITE")" "$library_folder/libsqlite3.so.0"
fi

# count LOG: prints "RAN FAILED" from the output of Swift Testing, or nothing if the closing line is missing.
# The closing line also counts skipped tests. As test names are arbitrary, the patterns match both ends of a line. "Test case" lines are
# about single arguments of a test, and are ignored.
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

# reasons LOG: prints why tests were skipped, such as "    35 skipped: libdqlite is not installed".
reasons() {
    sed -nE 's/^[^A-Za-z0-9]*Test .* skipped: "(.*)"\.?$/\1/p' "$1" | sort | uniq -c |
        while read -r number reason; do echo "    $number skipped: $reason"; done
}

# issues LOG: prints the issues and errors, each with at most eight lines of its comment. As test names are arbitrary, this may print a line
# too many.
issues() {
    awk '
        / recorded an issue |error: / { print; left = 8; next }
        /^[^A-Za-z0-9]* (Test|Suite) / { left = 0 }
        left > 0 { print "    " substr($0, 1, 1000); left-- }
    ' "$1" | head -n 200
}

# unfinished LOG: prints the tests that began and did not end, for a run that was ended.
unfinished() {
    awk '
        !/^[^A-Za-z0-9]*Test / || /^[^A-Za-z0-9]*Test (case|run) / { next }
        / started\.$/ { sub(/^[^A-Za-z0-9]*Test /, ""); sub(/ started\.$/, ""); began[$0]; next }
        / (passed|failed) after [0-9.]+ seconds/ {
            sub(/^[^A-Za-z0-9]*Test /, "")
            sub(/ (with [0-9]+ test cases )?(passed|failed) after [0-9.]+ seconds.*/, "")
            delete began[$0]
        }
        END { for (test in began) print "    did not end: " test }
    ' "$1" | sort | head -n 40
}

# check_samples: type-checks the samples of documentation comments. Each counts as a test.
check_samples() {
    log=$logs/Samples.log
    start=$(date +%s)
    printf '%-20s' Samples
    if Scripts/check-samples.sh >"$log" 2>&1; then
        count=$(sed -n 's/ samples of documentation comments$//p' "$log")
        echo "$count passed, 0 failed; ran in $(($(date +%s) - start)) s"
        all_passed=$((all_passed + count))
    else
        echo "some failed"
        cat "$log"
        all_failed=$((all_failed + 1))
        echo "Samples: see above" >>"$logs/failures"
    fi
}

limit=${LIMIT:-1200}
first_start=$(date +%s)
: >"$logs/failures"
all_passed=0
all_failed=0
[ $# -gt 0 ] || set -- $(layers) Tests Combine Pages Samples
for package in "$@"; do
    if [ "$package" = Samples ]; then
        check_samples
        continue
    fi
    # The name is printed first, as building takes a while.
    printf '%-20s' "$package"
    log=$logs/$package.log
    : >"$log"
    start=$(date +%s)
    built=
    run "$package" "$log"
    status=$?
    end=$(date +%s)
    times="built in $((${built:-$end} - start)) s, ran in $((end - ${built:-$end})) s"

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
        # An issue outside all tests, or a crash at the exit of the process.
        problem="no test failed, but the exit status is $status"
    fi
    if [ -n "$problem" ]; then
        passed=$ran
        failed=1
    else
        passed=$((ran - failed))
    fi

    echo "$passed passed, $failed failed${problem:+ ($problem)}; $times"
    reasons "$log"
    if [ "$failed" -ne 0 ]; then
        cat "$log"
        echo "$package: $failed failed${problem:+ ($problem)}" >>"$logs/failures"
        issues "$log" >>"$logs/failures"
        [ -n "$counts" ] || unfinished "$log" >>"$logs/failures"
    fi
    all_passed=$((all_passed + passed))
    all_failed=$((all_failed + failed))
done

cat "$logs/failures"
echo "$all_passed passed, $all_failed failed in $(($(date +%s) - first_start)) s"
[ "$all_failed" -eq 0 ]
