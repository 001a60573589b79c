#!/bin/sh
# Names the public symbols of a version of Strata that were removed or have changed since, by package: these break its users.
#
#     Scripts/api-changes.sh [TAG]
#
# Without a tag, it compares with the latest tag. It reads the lists of symbols, PublicSymbols.txt. Fails if there is such a symbol.
set -eu
cd "$(dirname "$0")/.."

tag=${1:-}
[ -n "$tag" ] || tag=$(git describe --tags --abbrev=0 2>/dev/null) || {
    echo "This repository has no tag to compare with: name a commit, as in make api-changes SINCE=main" >&2
    exit 1
}
git rev-parse --quiet --verify "$tag^{commit}" >/dev/null || {
    echo "There is no version $tag" >&2
    exit 1
}
lists=$(mktemp -d)
trap 'rm -rf "$lists"' EXIT
status=0
for list in $(git ls-tree -r --name-only "$tag" Packages | grep '/PublicSymbols\.txt$'); do
    package=$(basename "$(dirname "$list")")
    git show "$tag:$list" | LC_ALL=C sort >"$lists/before"
    if [ -e "$list" ]; then LC_ALL=C sort "$list" >"$lists/now"; else : >"$lists/now"; fi
    LC_ALL=C comm -23 "$lists/before" "$lists/now" >"$lists/gone"
    added=$(LC_ALL=C comm -13 "$lists/before" "$lists/now" | wc -l)
    echo "$package: $(wc -l <"$lists/gone" | tr -d ' ') removed or changed, $(echo "$added" | tr -d ' ') new"
    if [ -s "$lists/gone" ]; then
        sed 's/^/    - /' "$lists/gone"
        status=1
    fi
done
exit $status
