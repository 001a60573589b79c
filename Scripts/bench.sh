#!/bin/sh
# Builds the benchmarks in release mode and runs them with the given arguments.
#
#     Scripts/bench.sh [--json] [--only NAME] ...
set -eu
cd "$(dirname "$0")/.."
. Scripts/common.sh

swift_package build Tests -c release --product bench >&2
exec "$(swift_package build Tests -c release --show-bin-path)/bench" "$@"
