#!/bin/sh
# Checks that no layer imports another one that its manifest does not declare to be below it. SwiftPM does not: once a
# module lies in the build folder, any other one can import it. (Of a cycle in the manifests SwiftPM does complain.)
# Also keeps the C API behind one door: only SQLiteDriver's sources import it.
set -eu
cd "$(dirname "$0")/.."
. Scripts/common.sh

everything="$(layers) CSQLite CSQLiteShims SQLite3 CValueConversion"
status=0
for package in $(layers); do
    below=$(layers_below "$package")
    for kind in Sources Tests; do
        [ -d "Packages/$package/$kind" ] || continue
        allowed=$below
        if [ "$kind" = Tests ]; then
            allowed="$below $package CSQLite CSQLiteShims SQLite3"
        elif [ "$package" = SQLiteDriver ]; then
            allowed=CSQLiteShims
        elif [ "$package" = ValueConversion ]; then
            allowed="$below CValueConversion"
        fi
        # Attributes, an access level, `import`, the kind of a single declaration, the module: whatever precedes the module
        # is removed, and what follows it.
        find "Packages/$package/$kind" -name '*.swift' -exec awk \
            -v package="$package" -v everything="$everything" -v allowed="$allowed" '
            BEGIN {
                count = split(everything, words); for (i = 1; i <= count; i++) known[words[i]] = 1
                count = split(allowed, words); for (i = 1; i <= count; i++) fine[words[i]] = 1
            }
            /^[ \t]*(@[A-Za-z_]+(\([^)]*\))?[ \t]+|(public|package|internal|fileprivate|private)[ \t]+)*import[ \t]/ {
                module = $0
                sub(/^.*import[ \t]+/, "", module)
                sub(/^(typealias|struct|class|enum|protocol|let|var|func)[ \t]+/, "", module)
                sub(/[^A-Za-z0-9_].*/, "", module)
                if (module in known && !(module in fine)) {
                    printf "%s:%d: %s must not import %s\n", FILENAME, FNR, package, module
                    bad = 1
                }
            }
            END { exit bad }
        ' {} + >&2 || status=1
    done
done
exit $status
