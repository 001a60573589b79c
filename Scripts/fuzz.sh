#!/bin/sh
# Looks for inputs that make Strata stop, or give wrong values: varies the bytes of inputs, guided by the code that they reach.
#
#     Scripts/fuzz.sh [SECONDS [TARGET ...]]
#
# Runs each target (all of FuzzTarget by default) for that many seconds (600 by default), and goes on where the last run has ended: the
# inputs that reach new code are kept in .build/fuzz. The inputs of Tests/Fuzzing/Corpus are where it begins. An input that fails is
# written to Tests/Fuzzing/Corpus, where the tests run it from then on.
set -eu
cd "$(dirname "$0")/.."
. Scripts/common.sh

seconds=${1:-600}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- $(sed -n 's/^    case \([a-z]*\)$/\1/p' Tests/Sources/FuzzTargets/FuzzTarget.swift)
scratch=$PWD/.build/fuzzing
swift_package build Tests/Fuzzing --sanitize=fuzzer
program=$(swift_package build Tests/Fuzzing --sanitize=fuzzer --show-bin-path)/fuzzer
# The fuzzer writes the input that fails when the program gets the signal, which the backtraces of Swift would take.
export SWIFT_BACKTRACE=enable=no
status=0
for target in "$@"; do
    echo "=== $target, $seconds seconds ==="
    mkdir -p ".build/fuzz/$target" "Tests/Fuzzing/Corpus/$target"
    # Longer inputs reach nothing more, and take longer.
    STRATA_FUZZ=$target "$program" -max_total_time="$seconds" -max_len=512 -timeout=20 -print_final_stats=1 \
        -artifact_prefix="Tests/Fuzzing/Corpus/$target/" ".build/fuzz/$target" "Tests/Fuzzing/Corpus/$target" \
        >".build/fuzz/$target.log" 2>&1 || status=1
    grep -E 'INFO: Seed|Fatal error|ERROR|stat::number_of_executed_units|artifact_prefix' ".build/fuzz/$target.log" || true
done
exit $status
