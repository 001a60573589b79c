#!/bin/sh
# Checks that each Swift sample of each README, and of each page of a DocC catalog, is in a test, so that it has been compiled and run.
# The comparison is line by line, and ignores indentation, repeated spaces, empty lines and imports. It skips package manifests, their
# parts, and samples that no test can contain, such as conformances of another module's type, or code of another library. Those are marked
# "```swift untested" or, so that docc colours them, by the line "<!-- untested -->" before them.
#
# Also checks that no sample in a catalog or a comment has lines that readers would have to scroll.
set -eu
cd "$(dirname "$0")/.."

status=0
for readme in README.md Packages/*/README.md Packages/*/Package.swift Packages/*/Sources/*/*.docc/*.md; do
    case $readme in
    *.docc/*)
        [ -e "$readme" ] || continue
        package=${readme%%/Sources/*}
        tests=$package/Tests/$(basename "$package")Tests
        ;;
    README.md) tests=Tests/Tests/SpecificationTests ;;
    */README.md) tests=$(dirname "$readme")/Tests/$(basename "$(dirname "$readme")")Tests ;;
    *)
        # The pattern for READMEs did not match this package, as it has no README.
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
    # The tests of a long README may be in several files, such as ReadmeErrorTests.swift. Those of a guide are in files such as
    # ConcurrencyGuideTests.swift. find prints them in any order, which does not matter.
    files=$(find "$tests" -name 'Readme*Tests.swift' -o -name '*GuideTests.swift')
    # shellcheck disable=SC2086 # several files
    awk -v readme="$readme" -v tests="$tests" '
        { sub(/^[ \t]+/, ""); sub(/[ \t\r]+$/, ""); gsub(/[ \t]+/, " ") }
        /^(@[a-zA-Z_]+ )?import / { next }
        FNR == NR {
            if (!inside && $0 == "```swift" && previous != "<!-- untested -->") { inside = 1; count[++samples] = 0; place[samples] = FNR; next }
            if (inside && $0 == "```") {
                inside = 0
                if (sample[samples, 1] ~ /^(platforms: \[|dependencies: \[|targets: \[|\.package\(|\.(executableT|t)arget\(|\/\/ swift-tools-version)/) samples--
            }
            if (inside && $0 != "") sample[samples, ++count[samples]] = $0
            previous = $0
            next
        }
        $0 != "" { code[++length_] = $0 }
        END {
            if (samples == 0 && readme !~ /\.docc\//) {
                print readme ": no Swift sample"
                exit 1
            }
            status = 0
            for (number = 1; number <= samples; number++) {
                # The best partial match tells which line of the sample is missing.
                best = 0
                for (start = 1; start <= length_ && best < count[number]; start++) {
                    matched = 0
                    while (matched < count[number] && code[start + matched] == sample[number, matched + 1]) matched++
                    if (matched > best) best = matched
                }
                if (best < count[number]) {
                    print readme ": the sample of line " place[number] " is not in " tests ". The first line that differs:"
                    print "    " sample[number, best + 1]
                    status = 1
                }
            }
            exit status
        }
    ' "$readme" $files >&2 || status=1
done

# The pages of documentation show about 85 columns beside their navigation, and lines that are longer only by scrolling.
find Packages/*/Sources \( -name '*.md' -o -name '*.swift' \) -print0 | LC_ALL=C xargs -0 awk '
    FNR == 1 { inside = 0 }
    /^ *(\/\/\/ )?```swift$/ { inside = 1; next }
    /^ *(\/\/\/ )?```$/ { inside = 0 }
    inside {
        line = $0
        sub(/^ *\/\/\/ ?/, "", line)
        # Bytes that continue a character are left out.
        gsub(/[\200-\277]/, "", line)
        if (length(line) > 90) { print FILENAME ":" FNR ": a line of a sample has over 90 columns"; status = 1 }
    }
    END { exit status }
' >&2 || status=1
exit $status
