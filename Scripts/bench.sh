#!/bin/sh
# Builds the benchmarks in release mode and runs them with the given arguments.
#
#     Scripts/bench.sh [--json] [--only NAME] ...
#
# If it runs all workloads, it also draws them as bars, .build/bench/speed.svg. The bars of the README and of the guide Performance are
# drawn from the README's table: Scripts/speed-chart.sh Packages/Strata/Sources/Strata/Strata.docc/Resources <README.md
set -eu
cd "$(dirname "$0")/.."
. Scripts/common.sh

swift_package build Tests -c release --product bench >&2
bench="$(swift_package build Tests -c release --show-bin-path)/bench"
case " $* " in
*" --json "* | *" --only "*) exec "$bench" "$@" ;;
esac
# All workloads: also draw them as bars.
mkdir -p .build/bench
"$bench" "$@" >.build/bench/table.txt
cat .build/bench/table.txt
Scripts/speed-chart.sh .build/bench <.build/bench/table.txt
echo "The workloads as bars: .build/bench/speed.svg" >&2
