#!/bin/sh
# Checks that Packages/UNSAFE.md names each source file with an unsafe construct, no other files, only existing tests, and the purpose of
# each construct: a lock with the lock, speed with figures that no other row has.
set -eu
cd "$(dirname "$0")/.."

page=Packages/UNSAFE.md
constructs='Unsafe(Mutable)?(Raw)?(Buffer)?Pointer|withUnsafe(Bytes|Pointer|Mutable|Buffer|Temporary|Text|Blob|Data)|withMemoryRebound'
constructs="$constructs|[uU]nsafeBitCast|unsafeDowncast|unsafelyUnwrapped|Unmanaged|assumingMemoryBound|bindMemory|loadUnaligned"
constructs="$constructs|unowned\\(unsafe\\)|nonisolated\\(unsafe\\)|@unchecked|exclusivity\\(unchecked\\)|isKnownUniquelyReferenced"
constructs="$constructs|OwnedMemory|bytesNoCopy|strata_current_thread\\(|withUnsafeCurrentTask|unownedExecutor|asUnownedSerialExecutor"
constructs="$constructs|withUTF8|withContiguousStorage|withContiguousMutableStorage|_withUnsafeGuaranteedRef|unsafeAddress|unsafeMutableAddress|unsafeUninitializedCapacity"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Comments may mention unsafe constructs. The page names `Packages/X/Sources/X/Folder/File.swift` as X/Folder/File.swift.
find Packages/*/Sources -name '*.swift' -exec awk -v constructs="$constructs" '
    !/^[ \t]*\/\// && $0 ~ constructs { print FILENAME; nextfile }
' {} + | sed 's,^Packages/[^/]*/Sources/,,' | sort >"$scratch/found"
grep -o '`[A-Za-z]*/[^`]*\.swift`' "$page" | tr -d '`' | sort -u >"$scratch/named"
grep -o '`[A-Za-z]*Tests`' "$page" | tr -d '`' | sort -u >"$scratch/tests"

status=0
for file in $(comm -23 "$scratch/found" "$scratch/named"); do
    echo "$page does not justify the unsafe constructs of $file" >&2
    status=1
done
for file in $(comm -13 "$scratch/found" "$scratch/named"); do
    echo "$page names $file, which has no unsafe construct" >&2
    status=1
done
while IFS= read -r row; do
    [ "$row" ] || continue
    echo "$page has a row without a kind (C API, lock, confined), or with speed and no figure: $row" >&2
    status=1
done <<EOF
$(grep '^| `[A-Za-z]*/[^`]*\.swift` |' "$page" | grep -vE '^\| `[^`]*` \| (C API|lock|confined|speed: [a-z-]+ [0-9]\.[0-9][0-9](, [a-z-]+ [0-9]\.[0-9][0-9])* \([0-9-]{10}\)) \|' |
    cut -d '|' -f 2,3)
EOF
while IFS= read -r row; do
    [ "$row" ] || continue
    echo "$page has a row of kind lock that names no lock and no atomic word: $row" >&2
    status=1
done <<EOF
$(awk -F ' [|] ' '$2 == "lock" && tolower($3) !~ /lock|atomic/ { print $1 }' "$page")
EOF
while IFS= read -r figures; do
    [ "$figures" ] || continue
    echo "$page has rows with the same figures, which were not measured alone: $figures" >&2
    status=1
done <<EOF
$(awk -F ' [|] ' '$2 ~ /^speed: / { sub(/ [(].*/, "", $2); print $2 }' "$page" | sort | uniq -d)
EOF
while read -r suite; do
    if ! grep -rqE "(struct|class) $suite\b" --include='*.swift' Packages/*/Tests Tests/Tests Tests/Combine/Tests; then
        echo "$page names the tests $suite, which do not exist" >&2
        status=1
    fi
done <"$scratch/tests"
exit $status
