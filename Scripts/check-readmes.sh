#!/bin/sh
# Checks that the first Swift sample of each README is in a test, line for line but for indentation, empty lines and imports: so
# the sample that readers meet first has been compiled and run.
set -eu
cd "$(dirname "$0")/.."

status=0
for readme in README.md Packages/*/README.md Packages/*/Package.swift; do
    case $readme in
    README.md) tests=Tests/Tests/SpecificationTests/ReadmeTests.swift ;;
    */README.md) tests=$(dirname "$readme")/Tests/$(basename "$(dirname "$readme")")Tests/ReadmeTests.swift ;;
    *)
        # A package without a README has not had its turn above.
        [ -e "$(dirname "$readme")/README.md" ] && continue
        readme=$(dirname "$readme")/README.md
        ;;
    esac
    for file in "$readme" "$tests"; do
        if [ ! -e "$file" ]; then
            echo "$file is missing" >&2
            status=1
            continue 2
        fi
    done
    awk -v readme="$readme" -v tests="$tests" '
        { sub(/^[ \t]+/, ""); sub(/[ \t\r]+$/, "") }
        /^(@[a-zA-Z_]+ )?import / { next }
        FNR == NR {
            if (!inside && !ended && $0 == "```swift") { inside = 1; next }
            if (inside && $0 == "```") { inside = 0; ended = 1 }
            if (inside && $0 != "") sample[++count] = $0
            next
        }
        $0 != "" { code[++length_] = $0 }
        END {
            if (count == 0) {
                print readme ": there is no Swift sample"
                exit 1
            }
            # The place where most lines are as in the sample tells what is wrong with the next one.
            best = 0
            for (start = 1; start <= length_; start++) {
                for (matched = 0; matched < count && code[start + matched] == sample[matched + 1]; matched++) continue
                if (matched > best) best = matched
                if (matched == count) exit 0
            }
            print readme ": the first sample is not in " tests ", from this line on:"
            print "    " sample[best + 1]
            exit 1
        }
    ' "$readme" "$tests" >&2 || status=1
done
exit $status
