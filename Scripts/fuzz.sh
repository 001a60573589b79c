#!/bin/sh
# Searches for inputs that stop the program, or yield wrong values: varies the bytes of inputs, guided by the code that they reach.
#
#     Scripts/fuzz.sh [SECONDS [TARGET ...]]
#
# Runs each target (all of FuzzTarget by default) for that many seconds (600 by default), and continues from the last run: the inputs
# that reach new code are kept in .build/fuzz. The first run starts with the inputs of Tests/Fuzzing/Corpus. An input that fails is
# written to Tests/Fuzzing/Corpus, where the tests run it.
set -eu
cd "$(dirname "$0")/.."
. Scripts/common.sh

seconds=${1:-600}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- $(sed -n 's/^    case \([a-z]*\)$/\1/p' Tests/Sources/FuzzTargets/FuzzTarget.swift)
scratch=$PWD/.build/fuzzing
swift_package build Tests/Fuzzing --sanitize=fuzzer
program=$(swift_package build Tests/Fuzzing --sanitize=fuzzer --show-bin-path)/fuzzer
# The fuzzer writes a failing input when the program gets a signal, which Swift's backtraces would intercept.
export SWIFT_BACKTRACE=enable=no
status=0
for target in "$@"; do
    echo "=== $target, $seconds seconds ==="
    mkdir -p ".build/fuzz/$target" "Tests/Fuzzing/Corpus/$target"
    # Longer inputs don't reach more code, and take longer.
    STRATA_FUZZ=$target "$program" -max_total_time="$seconds" -max_len=512 -timeout=20 -print_final_stats=1 \
        -artifact_prefix="Tests/Fuzzing/Corpus/$target/" ".build/fuzz/$target" "Tests/Fuzzing/Corpus/$target" \
        >".build/fuzz/$target.log" 2>&1 || status=1
    grep -E 'INFO: Seed|Fatal error|ERROR|stat::number_of_executed_units|artifact_prefix' ".build/fuzz/$target.log" || true
done
exit $status
