#!/bin/sh
# Runs the tests of each package, a layer after the layers below it, then the tests of Tests/, which cross layers, then the samples of pages in
# Markdown ("Pages"), and at last type-checks the samples of documentation comments ("Samples"). Only if it is asked for, it also runs the tests
# of the publishers for Combine with a stand-in for that framework ("Combine"): they compile five layers once more.
#
#     Scripts/test.sh [PACKAGE ...]
#
# With SQLITE=path in the environment, the tests run with another shared library of SQLite than the system's, on Linux. With STACK=512, their
# threads have stacks of 512 KB, as those of Apple's dispatch queues. With LIMIT=300, the tests of a package are ended after 300 s, and not
# after 1,200 s, with the stacks of their threads in the log.
#
# On Linux, the tests of a package run while the next one is built. Prints one line per package, the reasons for skipped tests, the whole log
# of a package that fails, then all failures once more, with the tests that did not end, and a last line with the sums, all with the time they
# took, and in parentheses, with the time of processors. A package that does not build, does not run to its end or runs no test counts as a
# failure. The exit status is 1 if there are failures.
set -u
cd "$(dirname "$0")/.." || exit 1
. Scripts/common.sh

shared_scratch=$scratch
logs=.build/logs
mkdir -p "$logs"

# Commits wait for the disk, which takes most of the time of small transactions. Where memory has room for files, and they can be programs,
# the tests' temporary files stay there.
free=$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 { print $4 }')
if [ "${free:-0}" -gt 4000000 ]; then
    in_memory=$(mktemp -d /dev/shm/strata-tests-XXXXXX)
    trap 'rm -rf "$in_memory"' EXIT
    trap 'exit 1' HUP INT TERM
    # As in /tmp: tests of permissions become another user.
    chmod 1777 "$in_memory"
    printf '#!/bin/sh\n' >"$in_memory/program"
    chmod +x "$in_memory/program"
    if "$in_memory/program" 2>/dev/null; then export TMPDIR="$in_memory"; fi
fi

# Elsewhere, `swift test` runs the tests, and waits while another command builds.
[ "$(uname)" = Linux ] && runs_beside_builds=1 || runs_beside_builds=

# locate PACKAGE: sets the folder of a package, its build folder, and an option of its tests.
locate() {
    tests=Packages/$1
    scratch=$shared_scratch
    order=
    case $1 in
    Tests) tests=Tests ;;
    Combine)
        tests=Tests/Combine
        scratch=$PWD/.build/combine
        ;;
    # Tests that block a thread for a while take the threads of the cooperative pool from those that wait with clocks.
    DatabaseFiles) order=--no-parallel ;;
    Pages)
        tests=.build/samples/pages
        # What samples print, and the statements that they run, are recorded for the whole process.
        order=--no-parallel
        ;;
    esac
}

# build PACKAGE: builds the tests of a package, or type-checks the samples of documentation comments.
build() {
    locate "$1"
    what=--build-tests
    case $1 in
    Samples)
        Scripts/check-samples.sh
        return
        ;;
    Combine)
        # The layers have publishers if the compiler finds the stand-in when it compiles them. So it is built first, and they are built in a
        # folder of their own, which is of no use after a change of the stand-in.
        key=$(cat "$tests/Package.swift" "$tests"/Sources/Combine/*.swift | cksum)
        if [ "$key" != "$(cat "$scratch/key" 2>/dev/null)" ]; then rm -rf "$scratch"; fi
        swift_package build "$tests" --target Combine || return
        echo "$key" >"$scratch/key"
        ;;
    Pages) Scripts/write-pages.sh || return ;;
    # The tests of the tutorials run the tutorials.
    Tests) if [ -e Examples/Package.swift ]; then swift_package build Examples || return; fi ;;
    # Not the plugins, whose tool would compile the driver and RecordGenerator once more: ClientTests runs them.
    RecordGenerator | StrataTool) what="--product $1PackageTests" ;;
    esac
    # shellcheck disable=SC2086 # an option, and perhaps its value
    swift_package build "$tests" $what
}

# begin FILE: begins to measure what this shell does. The file keeps the start: `times` says nothing of this shell in a pipe.
begin() {
    { date +%s && times; } >"$1"
}

# took FILE: prints the seconds since `begin`, and in parentheses, the seconds that processors have worked for this shell's commands.
took() {
    { date +%s && times; } >"$1.end"
    LC_ALL=C awk '
        # 2m3.500s
        function seconds(text) { split(text, parts, "m"); return parts[1] * 60 + parts[2] }
        NF == 1 { clock = $1 - clock; next }
        ++line % 2 == 0 { processors += (line == 2 ? -1 : 1) * (seconds($1) + seconds($2)) }
        END { printf "%d s (%d)", clock, processors + 0.5 }
    ' "$1" "$1.end"
}

# build_packages PACKAGE ...: builds packages one after the other, and prints a line for each: the exit status, and the time it took.
build_packages() {
    for package in "$@"; do
        begin "$logs/build"
        build "$package" >"$logs/$package.log" 2>&1
        status=$?
        took "$logs/build" >"$logs/took"
        echo "$status $(cat "$logs/took")"
    done
}

# run PACKAGE: runs the tests of a package, which are built, and ends them when the limit of time has passed.
run() {
    locate "$1"
    products=$(cd "$scratch/${CONFIGURATION:-debug}" && pwd -P) || return
    export STRATA_EXAMPLES="$products"
    watch &
    watcher=$!
    if [ "$runs_beside_builds" ]; then
        (run_program "$products/$(sed -n 's/^    name: "\(.*\)",/\1/p' "$tests/Package.swift")PackageTests.xctest" </dev/null)
    else
        # No test uses XCTest. Where it is not installed, it would make the run end with an error.
        # shellcheck disable=SC2086 # an option, or none
        swift_package test "$tests" --skip-build --disable-xctest $order
    fi
    ended=$?
    kill "$watcher" 2>/dev/null
    wait "$watcher" 2>/dev/null
    return "$ended"
}

# run_program PROGRAM: becomes the tests of a package. With the library that SQLITE names, or stacks of STACK KB, the tests that compile
# programs are skipped, as the compiler's own programs use SQLite and large stacks.
run_program() {
    # Those of Tests/ wait for other processes most of the time, and long ones must begin early.
    [ "$tests" != Tests ] || unset SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH
    cd "$tests" || exit
    if [ "${SQLITE:-}" ]; then
        export LD_LIBRARY_PATH="$library_folder"
        if ! ldd "$1" | grep -qF "$library_folder/libsqlite3.so.0"; then
            echo "$1 does not load the library of $library_folder"
            exit 1
        fi
    fi
    # The limit of the main thread is the size of other threads.
    if [ "${STACK:-}" ]; then ulimit -s "$STACK"; fi
    if [ "${SQLITE:-}${STACK:-}" ]; then order="$order --skip ClientTests|CompiledRecordTests"; fi
    # Tests end programs by signals, which a program ignores if a shell has started this script in the background, or nohup.
    if env --default-signal true 2>/dev/null; then set -- env --default-signal "$1"; fi
    # shellcheck disable=SC2086 # several words, or none
    exec "$@" --testing-library swift-testing $order
}

# watch: waits until the limit of time has passed, then ends the tests that run. Tests that wait for something that never comes would take all
# the time of a machine, and say nothing.
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

# signal NAME PATTERN: sends a signal to the processes of run_packages whose command lines contain a pattern.
signal() {
    for process in $(descendants "$runner"); do
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

# report_samples STATUS TIMES: reports the samples of documentation comments. Each counts as a test.
report_samples() {
    if [ "$1" -eq 0 ]; then
        count=$(sed -n 's/ samples of documentation comments$//p' "$log")
        echo "$count passed, 0 failed; $2"
        all_passed=$((all_passed + count))
    else
        echo "some failed; $2"
        cat "$log"
        all_failed=$((all_failed + 1))
        echo "Samples: see above" >>"$logs/failures"
    fi
}

# report STATUS TIMES: reports the tests of a package, whose build or run has ended with a status.
report() {
    problem=
    counts=$(count "$log")
    ran=${counts% *}
    failed=${counts#* }
    if [ -z "$counts" ]; then
        ran=0
        if grep -q 'Test run started' "$log"; then
            problem="the run ended early, with exit status $1"
        else
            problem="it did not build"
        fi
    elif [ "$ran" -eq 0 ]; then
        problem="it ran no test"
    elif [ "$1" -ne 0 ] && [ "$failed" -eq 0 ]; then
        # An issue outside all tests, or a crash at the exit of the process.
        problem="no test failed, but the exit status is $1"
    fi
    if [ -n "$problem" ]; then
        passed=$ran
        failed=1
    else
        passed=$((ran - failed))
    fi

    echo "$passed passed, $failed failed${problem:+ ($problem)}; $2"
    reasons "$log"
    if [ "$failed" -ne 0 ]; then
        cat "$log"
        echo "$package: $failed failed${problem:+ ($problem)}" >>"$logs/failures"
        issues "$log" >>"$logs/failures"
        [ -n "$counts" ] || unfinished "$log" >>"$logs/failures"
    fi
    all_passed=$((all_passed + passed))
    all_failed=$((all_failed + failed))
}

# run_packages PACKAGE ...: runs the tests of each package as soon as a line from build_packages says that they are built, and reports them.
run_packages() {
    # The number of this process. Where this is not the script itself, $$ is not.
    runner=$(exec sh -c 'echo $PPID')
    for package in "$@"; do
        # The name is printed first, as building takes a while.
        printf '%-20s' "$package"
        log=$logs/$package.log
        if [ "$runs_beside_builds" ]; then read -r built || built="1 0 s"; else built=$(build_packages "$package"); fi
        status=${built%% *}
        times="built in ${built#* }"
        if [ "$package" = Samples ]; then
            report_samples "$status" "$times"
            continue
        fi
        if [ "$status" -eq 0 ]; then
            begin "$logs/run"
            run "$package" >>"$log" 2>&1
            status=$?
            took "$logs/run" >"$logs/ran"
            times="$times, ran in $(cat "$logs/ran")"
        fi
        report "$status" "$times"
    done
    cat "$logs/failures"
    echo "$all_passed passed, $all_failed failed in $(($(date +%s) - first_start)) s"
    [ "$all_failed" -eq 0 ]
}

limit=${LIMIT:-1200}
first_start=$(date +%s)
: >"$logs/failures"
all_passed=0
all_failed=0
[ $# -gt 0 ] || set -- $(layers) Tests Pages Samples
if [ "$runs_beside_builds" ]; then
    build_packages "$@" | run_packages "$@"
else
    run_packages "$@"
fi
