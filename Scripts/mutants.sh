#!/bin/sh
# Tests the tests of kept plans: leaves out each statement that describes a request, one at a time, and runs them.
#
#     Scripts/mutants.sh [NUMBER ...]
#
# The statements are changed in a copy of the packages, which is built once. Each is behind a number, which STRATA_MUTANT in the environment
# chooses. With numbers, only these statements are left out. A statement that no test misses is an error, unless Scripts/mutants.txt has it.
set -eu
cd "$(dirname "$0")/.."
. Scripts/common.sh

work=$PWD/.build/mutants
list=$work/list
program=$work/program

# try NUMBER TESTS: runs tests without a statement. A crash prints no stacks, and an endless loop ends.
try() {
    (
        ulimit -t 600
        STRATA_MUTANT=$1 SWIFT_BACKTRACE=enable=no "$program" --testing-library swift-testing --filter "$2"
    ) >"$work/logs/$1" 2>&1
}

# The call for one statement, by xargs below. The fixed pairs find most; the random requests take longer.
if [ "${1:-}" = --one ]; then
    # The shell would report each crash.
    if { try "$2" RequestPairTests && try "$2" 'RequestPlanTests|RandomRequestTests'; } 2>/dev/null; then echo "$2" >>"$work/survivors"; fi
    exit 0
fi

copy=$work/tree
new=$work/new
rm -rf "$new"
mkdir -p "$work/logs" "$new/Packages" "$copy"
for package in QueryInterface $(layers_below QueryInterface); do
    tar -cf - --exclude .build "Packages/$package" | tar -xf - -C "$new"
done
tar -cf - Tests/Helpers | tar -xf - -C "$new"
# Other tests take long to build.
find "$new/Packages/QueryInterface/Tests" -name '*Tests.swift' ! -name 'Request[P]*Tests.swift' ! -name RandomRequestTests.swift \
    -exec rm {} +

: >"$list"
grep -rl SQLShape Packages/*/Sources --include='*.swift' | LC_ALL=C sort | while IFS= read -r source; do
    awk -v first=$(($(wc -l <"$list") + 1)) -v list="$list" -f Scripts/mutants.awk "$source" >"$new/$source"
done
cat >"$new/Packages/ValueConversion/Sources/ValueConversion/SQL/ChosenMutant.swift" <<'END'
import Foundation

/// The number of the statement that is left out.
@usableFromInline
package let chosenMutant = ProcessInfo.processInfo.environment["STRATA_MUTANT"].flatMap { Int($0) } ?? 0
END

# Files that are the same stay as they are, so that a second run builds what has changed.
(cd "$copy" && find . ! -type d) | while IFS= read -r file; do [ -e "$new/$file" ] || rm "$copy/$file"; done
(cd "$new" && find . ! -type d) | while IFS= read -r file; do
    if [ -L "$copy/$file" ] || cmp -s "$new/$file" "$copy/$file"; then continue; fi
    mkdir -p "$(dirname "$copy/$file")"
    cp -P "$new/$file" "$copy/$file"
done

scratch=$work/build
swift_package build "$copy/Packages/QueryInterface" --build-tests >"$work/logs/build" 2>&1 || { tail -n 40 "$work/logs/build" && exit 1; }
ln -sf "$(swift_package build "$copy/Packages/QueryInterface" --show-bin-path)/QueryInterfacePackageTests.xctest" "$program"
try 0 'RequestPairTests|RequestPlanTests|RandomRequestTests' || { tail -n 40 "$work/logs/0" && exit 1; }

: >"$work/survivors"
[ $# -gt 0 ] || set -- $(cut -f 1 "$list")
echo "$@" | tr ' ' '\n' | xargs -n 1 -P "$(getconf _NPROCESSORS_ONLN)" Scripts/mutants.sh --one
# The entries of Scripts/mutants.txt begin with a file and a statement.
sort -n "$work/survivors" | awk -F '\t' -v count=$# '
    FILENAME ~ /mutants.txt$/ { if (!/^#/ && NF) { equivalents[$1 "\t" $2]; entries++ } next }
    FILENAME ~ /list$/ { place[$1] = $2; statement[$1] = $3; next }
    {
        file = place[$1]
        sub(/.*\//, "", file)
        sub(/:.*/, "", file)
        if ((file "\t" statement[$1]) in equivalents) { equivalent++; next }
        print "no test misses " place[$1] ": " statement[$1]
        survived++
    }
    END {
        print count " statements were left out: " survived + 0 " are not missed, and " equivalent + 0 " need not be"
        if (entries > 15) { print "Scripts/mutants.txt has more than 15 entries"; survived++ }
        exit survived > 0
    }
' Scripts/mutants.txt "$list" -
