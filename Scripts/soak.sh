#!/bin/sh
# Runs the tests that change schemas at random between reads and writes, for longer than `make test` does. A failure prints the seed and
# the step; the same seed repeats the run.
#
#     Scripts/soak.sh [SEED [STEPS]]
set -eu
cd "$(dirname "$0")/.."
. Scripts/common.sh

STRATA_SEED=${1:-$(date +%s)}
STRATA_STEPS=${2:-10000}
export STRATA_SEED STRATA_STEPS
echo "seed $STRATA_SEED, $STRATA_STEPS steps of each kind of connection"
swift_package test Tests --disable-xctest --filter RandomSchemaTests
