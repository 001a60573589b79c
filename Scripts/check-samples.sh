#!/bin/sh
# Type-checks the Swift samples of the documentation comments. It builds the packages, which takes seconds after their tests.
#
#     Scripts/check-samples.sh [PACKAGE ...]
#
# The samples of a package become one Swift file, .build/samples/NAME.swift, each in a function of its own: see Scripts/samples.awk. What
# samples use and don't declare, such as `db` and `Player`, is in Tests/Samples/AllPackages.swift, and for one package in
# Tests/Samples/NAME.swift.
#
# In a sample, `…` stands for code that is left out: a line, or the body of a closure or a function. A comment that begins with `error: ` or
# `warning: ` quotes what the compiler says of its line, or of the next one if it has a line of its own. Unused results are no fault.
#
# Prints the number of samples. Errors have the file and the line of the comment.
set -u
cd "$(dirname "$0")/.." || exit 1
. Scripts/common.sh

# problems SOURCE LOG: prints the compiler's errors and warnings that the samples don't expect, and what they expect in vain.
problems() {
    awk '
        FNR == NR {
            if (sub(/^\/\/ expected: /, "")) {
                match($0, / (error|warning): /)
                place[++expected] = substr($0, 1, RSTART - 1)
                text[expected] = substr($0, RSTART + RLENGTH)
            }
            next
        }
        !/^[^ ]*: (error|warning): / { next }
        / warning: .*(unused|never used|never mutated|never read|never be executed)/ { next }
        {
            isExpected = 0
            for (i = 1; i <= expected; i++) if (index($0, place[i]) == 1 && index($0, text[i])) { found[i] = 1; isExpected = 1 }
            if (!isExpected) print
        }
        END { for (i = 1; i <= expected; i++) if (!(i in found)) print place[i] " error: the compiler does not say: " text[i] }
    ' "$1" "$2"
}

build_layers >&2 || exit 1
[ $# -gt 0 ] || set -- $(layers)
packages=$*
set --
while IFS= read -r option; do set -- "$@" "$option"; done <<EOF
$(module_options)
EOF
# The macros of Swift Testing are not where the compiler looks for macros.
plugins=$(dirname "$(command -v swiftc)")/../lib/swift/host/plugins/testing
[ ! -d "$plugins" ] || set -- "$@" -plugin-path "$plugins"

mkdir -p .build/samples
status=0
all=0
for package in $packages; do
    source=.build/samples/$package.swift
    log=.build/samples/$package.log
    {
        echo "import $package"
        for context in Tests/Samples/AllPackages.swift "Tests/Samples/$package.swift"; do
            [ -e "$context" ] || continue
            echo "#sourceLocation(file: \"$context\", line: 1)"
            cat "$context"
        done
        # shellcheck disable=SC2046 # several files, whose names have no spaces
        awk -f Scripts/samples.awk $(find "Packages/$package/Sources" -name '*.swift' | LC_ALL=C sort)
    } >"$source"
    count=$(sed -n 's,^// samples: ,,p' "$source")
    [ "$count" -gt 0 ] || continue
    swiftc -typecheck -parse-as-library -swift-version 6 -module-name Samples -diagnostic-style llvm "$@" "$source" >"$log" 2>&1
    result=$?
    found=$(problems "$source" "$log")
    # Without the message of an error, the compiler itself has failed, or another program.
    if [ -z "$found" ] && [ $result -ne 0 ] && ! grep -q ': error: ' "$log"; then found=$(cat "$log"); fi
    if [ "$found" ]; then
        printf '%s\n' "$found" >&2
        status=1
    fi
    all=$((all + count))
done
echo "$all samples of documentation comments"
exit $status
