#!/bin/sh
# Checks that each package has a README with a sample, that no sample in a catalog or a comment has lines that readers would have to scroll,
# that the links of pages lead to files and headings that exist, and that the bars of speed show the figures of their table. `make test`
# compiles and runs the samples: see write-pages.sh.
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

# Links of catalogs are checked by docc.
git ls-files '*.md' llms.txt | grep -v '\.docc/' | LC_ALL=C xargs awk '
    function slug(text) {
        gsub(/`|\*/, "", text)
        gsub(/[^-A-Za-z0-9_ \200-\377]/, "", text)
        gsub(/ /, "-", text)
        return tolower(text)
    }
    function exists(path) { return system("test -e \"" path "\"") == 0 }
    function has_heading(path, anchor,    line, inside) {
        while ((getline line <path) > 0) {
            if (line ~ /^```/) inside = !inside
            if (!inside && line ~ /^#+ / && slug(substr(line, index(line, " ") + 1)) == anchor) { close(path); return 1 }
        }
        close(path)
        return 0
    }
    FNR == 1 { inside = 0; folder = FILENAME; if (!sub(/\/[^\/]*$/, "", folder)) folder = "." }
    /^```/ { inside = !inside }
    inside { next }
    {
        line = $0
        gsub(/`[^`]*`/, "", line)
        while (match(line, /\]\([^)]*\)|(src|srcset)="[^"]*"/)) {
            link = substr(line, RSTART, RLENGTH)
            line = substr(line, RSTART + RLENGTH)
            gsub(/^\]\(|\)$|^src(set)?="|"$/, "", link)
            if (link ~ /^[a-z]+:/) continue
            anchor = link
            if (!sub(/^[^#]*#/, "", anchor)) anchor = ""
            sub(/#.*/, "", link)
            path = link == "" ? FILENAME : folder "/" link
            if (!exists(path)) { print FILENAME ":" FNR ": the link leads to nothing: " link; status = 1 }
            else if (anchor != "" && !has_heading(path, anchor)) { print FILENAME ":" FNR ": no heading is #" anchor; status = 1 }
        }
    }
    END { exit status }
' >&2 || status=1

bars=$(mktemp -d)
trap 'rm -rf "$bars"' EXIT
Scripts/speed-chart.sh "$bars" <Tests/SPEED.md
for picture in "$bars"/*; do
    if ! cmp -s "$picture" "Packages/Strata/Sources/Strata/Strata.docc/Resources/${picture##*/}"; then
        echo "${picture##*/} does not show the figures of Tests/SPEED.md: run Scripts/speed-chart.sh as that page says" >&2
        status=1
    fi
done
exit $status
