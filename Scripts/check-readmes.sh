#!/bin/sh
# Checks that each Swift sample of each README is in a test, line for line but for indentation, runs of spaces, empty lines and
# imports: so the samples that readers meet have been compiled and run. Pieces of a package manifest are left out, and samples
# that no test can hold, such as conformances of another module's type: they are marked "```swift untested".
set -eu
cd "$(dirname "$0")/.."

status=0
for readme in README.md Packages/*/README.md Packages/*/Package.swift; do
    case $readme in
    README.md) tests=Tests/Tests/SpecificationTests ;;
    */README.md) tests=$(dirname "$readme")/Tests/$(basename "$(dirname "$readme")")Tests ;;
    *)
        # A package without a README has not had its turn above.
        [ -e "$(dirname "$readme")/README.md" ] && continue
        readme=$(dirname "$readme")/README.md
        ;;
    esac
    for file in "$readme" "$tests/ReadmeTests.swift"; do
        if [ ! -e "$file" ]; then
            echo "$file is missing" >&2
            status=1
            continue 2
        fi
    done
    # A long README has its tests in several files: ReadmeErrorTests.swift, and so on.
    awk -v readme="$readme" -v tests="$tests/Readme*Tests.swift" '
        { sub(/^[ \t]+/, ""); sub(/[ \t\r]+$/, ""); gsub(/[ \t]+/, " ") }
        /^(@[a-zA-Z_]+ )?import / { next }
        FNR == NR {
            if (!inside && $0 == "```swift") { inside = 1; count[++samples] = 0; place[samples] = FNR; next }
            if (inside && $0 == "```") {
                inside = 0
                if (sample[samples, 1] ~ /^(dependencies: \[|targets: \[|\.package\(|\.(executableT|t)arget\()/) samples--
            }
            if (inside && $0 != "") sample[samples, ++count[samples]] = $0
            next
        }
        $0 != "" { code[++length_] = $0 }
        END {
            if (samples == 0) {
                print readme ": there is no Swift sample"
                exit 1
            }
            status = 0
            for (number = 1; number <= samples; number++) {
                # The place where most lines are as in the sample tells what is wrong with the next one.
                best = 0
                for (start = 1; start <= length_ && best < count[number]; start++) {
                    matched = 0
                    while (matched < count[number] && code[start + matched] == sample[number, matched + 1]) matched++
                    if (matched > best) best = matched
                }
                if (best < count[number]) {
                    print readme ": the sample of line " place[number] " is not in " tests ", from this line on:"
                    print "    " sample[number, best + 1]
                    status = 1
                }
            }
            exit status
        }
    ' "$readme" "$tests"/Readme*Tests.swift >&2 || status=1
done
exit $status
