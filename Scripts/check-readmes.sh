#!/bin/sh
# Checks that each package has a README with a sample, and that no sample in a catalog or a comment has lines that readers would have to
# scroll. `make test` compiles and runs the samples: see write-pages.sh.
set -eu
cd "$(dirname "$0")/.."

status=0
for readme in README.md $(find Packages/*/Package.swift | sed 's,Package.swift,README.md,'); do
    if ! grep -q '^```swift' "$readme"; then
        echo "$readme has no Swift sample" >&2
        status=1
    fi
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
