#!/bin/sh
# Runs the tests that change schemas at random between reads and writes, for longer than `make test` does. A failure prints the seed and
# the step; the same seed repeats the run. Then it kills processes that migrate a database, 300 times, and processes that write, 1,000
# times; makes each operation of the file system fail; and opens and closes databases
# 10,000 times.
#
#     Scripts/soak.sh [SEED [STEPS]]
set -eu
cd "$(dirname "$0")/.."
. Scripts/common.sh

STRATA_SEED=${1:-$(date +%s)}
STRATA_STEPS=${2:-10000}
STRATA_KILLS=${STRATA_KILLS:-300}
STRATA_WRITER_KILLS=${STRATA_WRITER_KILLS:-1000}
STRATA_FAULT_STRIDE=${STRATA_FAULT_STRIDE:-1}
STRATA_LEAK_ROUNDS=${STRATA_LEAK_ROUNDS:-10000}
export STRATA_SEED STRATA_STEPS STRATA_KILLS STRATA_WRITER_KILLS STRATA_FAULT_STRIDE STRATA_LEAK_ROUNDS
echo "seed $STRATA_SEED, $STRATA_STEPS steps of each kind of connection"
swift_package test Tests --disable-xctest --filter 'RandomSchemaTests|MigrationKillTests|FaultTests|WriterKillTests|LeakTests'
