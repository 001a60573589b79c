#!/bin/sh
# Builds the benchmarks in release mode and runs them with the given arguments.
#
#     Scripts/bench.sh [--since COMMIT] [--json] [--only NAME] ...
#
# The hand-written side is a program of its own, `baseline`. It is built once for its sources and the compiler, and kept: all later runs,
# whatever has changed in Strata, have the same machine code beside them. With Valgrind, the instructions of both sides are counted, too.
#
# With --since, Strata is compared with that of another commit, which is built in .build/bench: three programs take turns.
#
# If it runs all workloads, it also draws them as bars, .build/bench/speed.svg. The bars of Tests/SPEED.md and of the guide Performance
# are drawn from the table of that page: Scripts/speed-chart.sh Packages/Strata/Sources/Strata/Strata.docc/Resources <Tests/SPEED.md
set -eu
cd "$(dirname "$0")/.."
. Scripts/common.sh

since=
if [ "${1-}" = --since ]; then
    [ $# -ge 2 ] || { echo "--since needs a commit" >&2 && exit 1; }
    since=$(git rev-parse --quiet --verify "$2^{commit}") || { echo "There is no commit $2" >&2 && exit 1; }
    if ! git cat-file -e "$since:Tests/Sources/Baseline/Shared/Side.swift" 2>/dev/null; then
        echo "The benchmarks of $2 have both sides in one program: only later commits can be compared" >&2
        exit 1
    fi
    shift 2
fi

# build PRODUCT CHECKOUT COPY: builds a program of a checkout of Strata, and copies it without its debug information, which older versions
# of Valgrind can't read.
build() {
    swift_package build "$2/Tests" -c release --product "$1" >&2
    strip -S -o "$3" "$(swift_package build "$2/Tests" -c release --show-bin-path)/$1"
}

mkdir -p .build/bench
sources=$(find -L Tests/Sources/Baseline Tests/Sources/BlackBox Packages/SQLiteDriver/Sources/CSQLite -type f | LC_ALL=C sort)
# shellcheck disable=SC2086 # several files
key=$({ swift --version 2>/dev/null && echo "$sources" && cat $sources; } | cksum | tr ' ' -)
baseline=$PWD/.build/bench/baseline-$key
[ -x "$baseline" ] || build baseline . "$baseline"
# An incremental build can keep code that is inlined from older sources of Strata.
[ -z "$since" ] || rm -rf "$(swift_package build Tests -c release --show-bin-path)"
bench=$PWD/.build/bench/strata
build bench . "$bench"

# For the probe shared-commits.
if [ "$(uname)" = Linux ] && cc -O2 -shared -fPIC -o .build/bench/slow-sync.so Scripts/slow-sync.c -ldl; then
    export STRATA_SLOW_SYNC="$PWD/.build/bench/slow-sync.so"
fi
set -- --baseline "$baseline" "$@"
if command -v valgrind >/dev/null; then set -- --count "$@"; fi
if [ "$since" ]; then
    # Each commit has folders of its own, and so is built only once.
    other=.build/bench/$since
    if [ ! -d "$other" ]; then
        rm -rf "$other.new"
        mkdir "$other.new"
        git archive "$since" | tar -x -C "$other.new"
        mv "$other.new" "$other"
    fi
    scratch=$PWD/$other/.build/packages
    build bench "$other" "$other/.build/strata"
    exec "$bench" --other "$PWD/$other/.build/strata" "$@"
fi
case " $* " in
*" --json "* | *" --only "*) exec "$bench" "$@" ;;
esac
# All workloads: also draw them as bars.
"$bench" "$@" >.build/bench/table.txt
cat .build/bench/table.txt
Scripts/speed-chart.sh .build/bench <.build/bench/table.txt
echo "The workloads as bars: .build/bench/speed.svg" >&2
