#!/bin/sh
# Updates the files that depend on the list of packages in the root's Package.swift:
#
# - the manifests of Packages/, Tests/ and Examples/: the names of the layers; a missing manifest is created
# - the Exports.swift of each package: the packages that it builds on directly
# - the guides in llms.txt, with their abstracts, in the order of the front page
# - the rows of the README's table, whose last two cells come from the comment `<!-- table: … | … -->` in each package's README
#
#     Scripts/write-packages.sh [--check]
#
# With --check it writes nothing, and fails if a file is out of date.
set -eu
cd "$(dirname "$0")/.."
. Scripts/common.sh

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# put FILE: writes standard input to a file, or checks that the file has that content.
put() {
    cat >"$scratch/new"
    case $1 in
    *.swift)
        swift format --configuration .swift-format "$scratch/new" >"$scratch/formatted"
        mv "$scratch/formatted" "$scratch/new"
        ;;
    esac
    [ ! -e "$1" ] || ! cmp -s "$1" "$scratch/new" || return 0
    if [ "$check" ]; then
        echo "$1 does not match the list of packages in Package.swift: run make packages" >&2
        # A variable would be lost: as a part of a pipe, this runs in a process of its own.
        touch "$scratch/is-outdated"
    else
        mkdir -p "$(dirname "$1")"
        cp "$scratch/new" "$1"
        echo "$1"
    fi
}

# replace FILE FIRST LAST: prints the file, with standard input in place of the lines from the first one that matches FIRST to the next
# one that matches LAST.
replace() {
    cat >"$scratch/lines"
    awk -v first="$2" -v last="$3" -v lines="$scratch/lines" '
        !done && $0 ~ first { while ((getline line < lines) > 0) print line; inside = 1; done = 1 }
        !inside { print }
        inside && $0 ~ last { inside = 0 }
    ' "$1"
}

# quoted NAME ...: prints the names as the elements of a Swift array literal.
quoted() {
    [ $# -eq 0 ] || printf '"%s", ' "$@" | sed 's/, $//'
}

# new_manifest NAME: prints the manifest for a package that has none, before the layers below it are filled in.
new_manifest() {
    sed "s/CodableSupport/$1/g" Packages/CodableSupport/Package.swift
}

check=
[ "${1-}" != --check ] || check=1
graph >"$scratch/graph"
direct_graph >"$scratch/direct"

# The manifests of the packages. The driver has no layers below it.
while read -r name below; do
    [ "$below" ] || continue
    manifest=Packages/$name/Package.swift
    if [ -e "$manifest" ]; then cat "$manifest"; else new_manifest "$name"; fi >"$scratch/manifest"
    # shellcheck disable=SC2086 # the words of $below are names
    echo "let layersBelow = [$(quoted $below)]" | replace "$scratch/manifest" '^let layersBelow = ' '\]$' | put "$manifest"
done <"$scratch/graph"

# The manifests of Tests/ and Examples/.
# shellcheck disable=SC2046 # the words are names
echo "let layers = [$(quoted $(layers | sed '1!G;h;$!d'))]" | replace Tests/Package.swift '^let layers = ' '\]$' | put Tests/Package.swift
{
    echo 'let layersBelow: [String: [String]] = ['
    while read -r name below; do
        # shellcheck disable=SC2086 # the words of $below are names
        echo "    \"$name\": [$(quoted $below)],"
    done <"$scratch/graph"
    echo ']'
} | replace Examples/Package.swift '^let layersBelow: ' '^]$' | put Examples/Package.swift

# The Exports.swift of each package.
while read -r name direct; do
    [ "$direct" ] || continue
    exports=Packages/$name/Sources/$name/Exports.swift
    {
        [ ! -e "$exports" ] || grep -v '^@_exported import' "$exports" || true
        for each in $direct; do echo "@_exported import $each"; done
    } | put "$exports"
done <"$scratch/direct"

# The guides of llms.txt: the abstract is the first paragraph below the title.
catalog=Packages/Strata/Sources/Strata/Strata.docc
sed -n 's/^- <doc:\(.*\)>$/\1/p' "$catalog/Strata.md" | while read -r guide; do
    awk -v path="$catalog/$guide.md" '
        NR == 1 { title = substr($0, 3); next }
        abstract != "" && $0 == "" { exit }
        $0 != "" { abstract = abstract (abstract == "" ? "" : " ") $0 }
        END { print "- [" title "](" path "): " abstract }
    ' "$catalog/$guide.md"
done >"$scratch/guides"
awk -v lines="$scratch/guides" '
    $0 == "## Guides" { print; print ""; while ((getline line <lines) > 0) print line; inside = 1; next }
    inside && /^## / { print ""; inside = 0 }
    !inside { print }
' llms.txt | put llms.txt

# The README's table.
{
    echo '| depend on | which builds on | when you want | for example |'
    echo '|---|---|---|---|'
    while read -r name direct; do
        readme=Packages/$name/README.md
        cells=$(sed -n 's/^<!-- table: \(.* | .*\) -->$/\1/p' "$readme" 2>/dev/null || true)
        if [ -z "$cells" ]; then
            echo "$readme has no line \"<!-- table: when you want … | for example … -->\"" >&2
            exit 1
        fi
        echo "| [$name](Packages/$name) | $(echo "$direct" | sed 's/  */, /g') | $cells |"
    done <"$scratch/direct"
} >"$scratch/table"
replace README.md '^[|] depend on [|]' '^[|] [[]'"$(layers | tail -n 1)"']' <"$scratch/table" | put README.md
[ ! -e "$scratch/is-outdated" ]
