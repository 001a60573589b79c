#!/bin/sh
# Runs the tests of reliability for longer than `make test` does: changes schemas at random between reads and writes; kills processes that
# migrate a database, 300 times, processes that write, 1,000 times, processes that load a file, 100 times in each journal mode, and the
# leader of a cluster, 20 times, which it also pauses, cuts off and unplugs, also while it is migrated and observed and tasks are cancelled;
# changes the schema of a cluster at random; lets a node join a cluster after 10,000 writes; makes each operation of the file system and
# each allocation of SQLite fail; lets processes contend for a database for 30 seconds; lets commits overtake checkpoints in 1,500 random
# orders; opens and closes databases 10,000 times; compares 10,000 random requests with plain SQL; runs 4 times as many random requests and
# 2,000 random programs of observers; tries 20 times as many random values, records, round trips, damaged files and cancelled tasks; makes
# databases of gigabytes; builds clients of single folders, with the plugin, and with aliases of modules; copies a database 100 times while
# it is written; interrupts each kind of statement 200 times; runs 10,000 random programs of accesses, and each access with each end from
# each place; runs 1,000 random histories of migrations; runs 20,000 random operations on 200 files of a folder, in processes that are
# killed; compiles the records of 20 random schemas with hostile names; leaves out each statement that describes requests for kept plans;
# type-checks all tests for Apple's platforms; and at last looks for inputs that fail, ten minutes for each target of Scripts/fuzz.sh.
# A failure prints its seed: the same seed makes the same random choices.
#
#     Scripts/soak.sh [SEED [STEPS]]
#
# With STRATA_FUZZ_SECONDS=0 in the environment, the fuzzer does not run.
set -eu
cd "$(dirname "$0")/.."
. Scripts/common.sh

STRATA_SEED=${1:-$(date +%s)}
STRATA_STEPS=${2:-10000}
STRATA_KILLS=${STRATA_KILLS:-300}
STRATA_WRITER_KILLS=${STRATA_WRITER_KILLS:-1000}
STRATA_LEADER_KILLS=${STRATA_LEADER_KILLS:-20}
STRATA_LOAD_KILLS=${STRATA_LOAD_KILLS:-100}
STRATA_LATE_WRITES=${STRATA_LATE_WRITES:-10000}
STRATA_FAULT_STRIDE=${STRATA_FAULT_STRIDE:-1}
STRATA_MEMORY_STRIDE=${STRATA_MEMORY_STRIDE:-1}
STRATA_CONTENTION=${STRATA_CONTENTION:-30s}
STRATA_LEAK_ROUNDS=${STRATA_LEAK_ROUNDS:-10000}
STRATA_CHECKPOINT_ROUNDS=${STRATA_CHECKPOINT_ROUNDS:-1500}
STRATA_INPUTS=${STRATA_INPUTS:-20}
STRATA_COPIES=${STRATA_COPIES:-100}
STRATA_REQUESTS=${STRATA_REQUESTS:-10000}
STRATA_PROGRAMS=${STRATA_PROGRAMS:-2000}
STRATA_INTERRUPTIONS=${STRATA_INTERRUPTIONS:-200}
STRATA_MIGRATIONS=${STRATA_MIGRATIONS:-1000}
STRATA_TRANSACTIONS=${STRATA_TRANSACTIONS:-5000}
STRATA_QUERIES=${STRATA_QUERIES:-100000}
STRATA_MUTATIONS=${STRATA_MUTATIONS:-10000}
STRATA_FOLDERS=${STRATA_FOLDERS:-400}
STRATA_STARS=${STRATA_STARS:-250}
STRATA_FULL_TEXT=${STRATA_FULL_TEXT:-500}
STRATA_ACCESS_PROGRAMS=${STRATA_ACCESS_PROGRAMS:-10000}
STRATA_FILE_STEPS=${STRATA_FILE_STEPS:-20000}
STRATA_LARGE=1
STRATA_CLIENTS=1
export STRATA_SEED STRATA_STEPS STRATA_KILLS STRATA_WRITER_KILLS STRATA_LEADER_KILLS STRATA_LOAD_KILLS STRATA_LATE_WRITES \
    STRATA_FAULT_STRIDE \
    STRATA_MEMORY_STRIDE STRATA_CONTENTION STRATA_LEAK_ROUNDS STRATA_CHECKPOINT_ROUNDS STRATA_INPUTS STRATA_COPIES \
    STRATA_REQUESTS STRATA_PROGRAMS STRATA_INTERRUPTIONS STRATA_MIGRATIONS STRATA_TRANSACTIONS STRATA_QUERIES \
    STRATA_MUTATIONS STRATA_FOLDERS STRATA_STARS STRATA_FULL_TEXT STRATA_ACCESS_PROGRAMS STRATA_FILE_STEPS STRATA_LARGE STRATA_CLIENTS
echo "seed $STRATA_SEED, $STRATA_STEPS steps of each kind of connection"
for tests in RandomSchemaTests MigrationKillTests WriterKillTests FaultTests ContentionTests RandomCheckpointTests LeakTests FailoverTests \
    PausedNodeTests OperationFaultTests DisturbedClusterTests RandomClusterSchemaTests MatrixTests ClusterCostTests HostileValueTests \
    RandomRecordTests RoundTripTests RandomAssociationTests DamagedFileTests CancelledTaskTests LargeTests OtherClientTests ServerTests; do
    filter=${filter:+$filter|}$tests
done
status=0
swift_package test Tests --disable-xctest --filter "$filter" || status=1
swift_package test Packages/SQLiteDriver --disable-xctest --filter "InterruptionTests|RandomSchemaTests|RandomTransactionTests|RandomAccessTests|AccessTableTests" || status=1
swift_package test Packages/Migrations --disable-xctest --filter RandomMigrationTests || status=1
swift_package test Packages/QueryInterface --disable-xctest --filter "RandomRequestTests|RequestPlanTests" || status=1
swift_package test Packages/DatabaseObservation --disable-xctest --filter RandomProgramTests || status=1
swift_package test Packages/FullTextSearch --disable-xctest --filter ReplaceTests || status=1
swift_package test Packages/DatabaseFiles --disable-xctest --filter RandomFileTests || status=1
swift_package test Packages/Dumps --disable-xctest --filter ExactValueTests || status=1
swift_package test Packages/RecordGenerator --disable-xctest --filter "RandomQueryTests|MutatedQueryTests|RandomFolderTests|StarTests|NestedRowTests" || status=1
swift_package test Packages/StrataTool --disable-xctest --filter "OpeningTests|CompiledRecordTests|LoadKillTests" || status=1
Scripts/mutants.sh || status=1
Scripts/check-availability.sh --all || status=1
if [ "${STRATA_FUZZ_SECONDS:-600}" -gt 0 ]; then Scripts/fuzz.sh "${STRATA_FUZZ_SECONDS:-600}" || status=1; fi
exit $status
