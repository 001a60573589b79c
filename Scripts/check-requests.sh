#!/bin/sh
# Checks that record types and `Table` have the same methods that begin requests: static methods and instance methods.
set -eu
cd "$(dirname "$0")/../Packages/QueryInterface/Sources/QueryInterface/Tables"

# Prints one line for each public method: its attributes and its signature, with the type of the rows as `RowDecoder`.
signatures() {
    sed -e 's,^ *//.*,,' "$1" | tr -s ' \n' ' ' | grep -oE '(@[a-zA-Z_]+ )*public (static )?func [^{]*' |
        sed -E -e 's/static //' -e 's/\bSelf\b/RowDecoder/g' -e 's/RowDecoder\.(ID|DatabaseComponents)/\1/g' -e 's/ $//' \
            -e '/func all\(\)/d' | sort
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
signatures TableRecord+Requests.swift >"$scratch/records"
signatures Table+Requests.swift >"$scratch/tables"
[ -s "$scratch/records" ] || { echo "found no requests in TableRecord+Requests.swift" >&2; exit 1; }
if ! diff "$scratch/records" "$scratch/tables" >"$scratch/difference"; then
    echo "TableRecord+Requests.swift (<) and Table+Requests.swift (>) differ in their methods:" >&2
    grep '^[<>]' "$scratch/difference" >&2
    exit 1
fi
