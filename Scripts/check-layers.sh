#!/bin/sh
# Checks that each layer imports only the layers that its manifest declares to be below it. SwiftPM does not check this: any module can
# import any other module in the build folder. (SwiftPM does report cycles in the manifests.) Also checks that only SQLiteDriver's
# sources import the C API, and that the C targets link without the Swift code that is built on them.
set -eu
cd "$(dirname "$0")/.."
. Scripts/common.sh

everything="$(layers) StrataCommandSupport CSQLite CSQLiteShims SQLite3 CFullTextSearch CDqliteCluster"
status=0
for package in $(layers); do
    below=$(layers_below "$package")
    for kind in Sources Tests; do
        [ -d "Packages/$package/$kind" ] || continue
        allowed=$below
        if [ "$kind" = Tests ]; then
            # Not CSQLite, which Apple's platforms don't have, nor SQLite3, which the others don't have.
            allowed="$below $package CSQLiteShims StrataCommandSupport"
        elif [ "$package" = SQLiteDriver ]; then
            allowed=CSQLiteShims
        elif [ "$package" = FullTextSearch ]; then
            allowed="$below CFullTextSearch"
        elif [ "$package" = DqliteCluster ]; then
            allowed="$below CDqliteCluster"
        elif [ "$package" = StrataTool ] || [ "$package" = RecordGenerator ]; then
            # The executable imports the library.
            allowed="$below $package StrataCommandSupport"
        fi
        # An import has attributes, an access level, `import`, the kind of a single declaration, and the module. The module is extracted
        # by removing everything else.
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

# Where a layer is a framework, a symbol of a layer above it does not link.
clang=$(dirname "$(readlink -f "$(command -v swiftc)")")/clang
[ -x "$clang" ] || clang=clang
case $(uname) in
Darwin) set -- -dynamiclib ;;
*) set -- -shared -fPIC -Wl,--no-undefined -ldl ;;
esac
for headers in Packages/*/Sources/C*/include; do set -- "$@" "-I$headers"; done
library=$(mktemp)
trap 'rm -f "$library"' EXIT
"$clang" "$@" -o "$library" Packages/*/Sources/*/*.c -lsqlite3 >&2 || status=1
exit $status
