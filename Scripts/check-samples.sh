#!/bin/sh
# Type-checks the Swift samples of the documentation comments. It builds the packages, which takes seconds after their tests.
#
#     Scripts/check-samples.sh [PACKAGE ...]
#
# The samples of a package become one Swift file, .build/samples/NAME.swift, each in a function of its own. What samples use and don't
# declare, such as `db` and `Player`, is in Tests/Samples/AllPackages.swift, and for one package in Tests/Samples/NAME.swift.
#
# In a sample, `…` stands for code that is left out: a line, or the body of a closure or a function. A comment that begins with `error: ` or
# `warning: ` quotes what the compiler says of its line, or of the next one if it has a line of its own. Unused results are no fault.
#
# Prints the number of samples. Errors have the file and the line of the comment.
set -u
cd "$(dirname "$0")/.." || exit 1
. Scripts/common.sh

# extract FILE ...: writes the samples of Swift files as functions.
extract() {
    awk '
        # Messages of the compiler are about the line of the comment.
        function location(line) { return "#sourceLocation(file: \"" FILENAME "\", line: " line ")" }

        function declares(line) {
            return line ~ /^(@[A-Za-z]+ )*((public|private|final|indirect) )*(struct|class|enum|actor|protocol|extension) /
        }
        function name_of(line) {
            sub(/^(@[A-Za-z]+ )*((public|private|final|indirect) )*(struct|class|enum|actor|protocol|extension) /, "", line)
            sub(/[^A-Za-z0-9_].*/, "", line)
            return line
        }
        function rename(line, types,    result, word) {
            while (match(line, /[A-Za-z_][A-Za-z0-9_]*/)) {
                word = substr(line, RSTART, RLENGTH)
                result = result substr(line, 1, RSTART - 1) (word in types ? word "_" number : word)
                line = substr(line, RSTART + RLENGTH)
            }
            return result line
        }

        # A function contains no extension: in samples that have one, the declarations stand before the function. Their types get names
        # of their own, as the context and other samples have a `Player`, too.
        function separate(    i, inDeclaration, types) {
            for (i = 1; i <= count; i++) {
                isDeclaration[i] = inDeclaration || declares(code[i])
                if (!inDeclaration && isDeclaration[i]) {
                    if (code[i] !~ /^((public|private) )?extension /) types[name_of(code[i])] = 1
                    inDeclaration = code[i] !~ /}$/
                } else if (code[i] ~ /^}/) inDeclaration = 0
            }
            for (i = 1; i <= count; i++) code[i] = rename(code[i], types)
        }
        function write_lines(declarations,    i) {
            for (i = 1; i <= count; i++) {
                if (isDeclaration[i] != declarations) continue
                if (i == 1 || isDeclaration[i - 1] != declarations) print location(first + i - 1)
                print code[i]
            }
        }
        function write_sample(    i) {
            number++
            for (i = 1; i <= count; i++) isDeclaration[i] = 0
            if (extends) separate()
            for (i = 1; i <= depth; i++) print conditions[i]
            write_lines(1)
            print location(first)
            print "func sample" number "() " (awaits ? "async " : "") "throws {"
            write_lines(0)
            print location(first + count)
            print "}"
            for (i = 1; i <= depth; i++) print "#endif"
        }

        FNR == 1 { inside = depth = 0 }
        # A sample is compiled where its symbol is.
        !inside && /^ *#if / { conditions[++depth] = $0 }
        !inside && /^ *#else/ { conditions[depth] = conditions[depth] "\n" $0 }
        !inside && /^ *#endif/ { depth-- }

        /^ *\/\/\/ ```swift$/ { inside = 1; count = awaits = extends = 0; first = FNR + 1; next }
        inside && /^ *\/\/\/ ```$/ { inside = 0; write_sample(); next }
        inside && !/^ *\/\/\// { inside = 0; print location(first - 1) "\n#error(\"the sample has no end\")" }
        inside {
            sub(/^ *\/\/\/ ?/, "")
            if (match($0, /\/\/ (error|warning): /)) {
                line = $0 ~ /^ *\/\// ? FNR + 1 : FNR
                print "// expected: " FILENAME ":" line ": " substr($0, RSTART + 3)
            }
            if ($0 ~ /^import /) { print; $0 = "" }
            if ($0 ~ /^ *… *(\/\/.*)?$/) $0 = ""
            gsub(/… }/, "fatalError() }")
            if ($0 ~ /(^|[^A-Za-z])await /) awaits = 1
            if ($0 ~ /^((public|private) )?extension /) extends = 1
            code[++count] = $0
        }
        END { print "// samples: " number + 0 }
    ' "$@"
}

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
        extract $(find "Packages/$package/Sources" -name '*.swift' | LC_ALL=C sort)
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
