#!/bin/sh
# Writes the documentation of all layers as one web site, .build/docs/site, with the toolchain's docc. Any warning is a failure.
#
#     [BASE=strata] Scripts/docs.sh
#
# BASE is the folder of the server in which the site will be, if it is not at the server's root.
#
# A layer's documentation can link to symbols of the layers below it: docc resolves such links in the archives of those layers.
set -eu
cd "$(dirname "$0")/.."
. Scripts/common.sh

docc=$(command -v docc || xcrun --find docc 2>/dev/null) || {
    echo "docc, which is part of the Swift toolchain, is not on the PATH." >&2
    exit 1
}
archives=.build/docs/archives
graphs=.build/docs/graphs
rm -rf .build/docs
mkdir -p "$archives" "$graphs"

# The symbols come from the modules that `make test` has built: compiling them again would take minutes.
build_layers
set --
while IFS= read -r option; do set -- "$@" "$option"; done <<EOF
$(module_options)
EOF
target=$(swift -print-target-info | sed -n 's/.*"triple": "\(.*\)".*/\1/p' | head -n 1)

# A layer's extensions of lower layers' types have separate symbol graphs. docc merges all symbol graphs of a folder.
for layer in $(layers); do
    mkdir -p "$graphs/$layer"
    swift symbolgraph-extract -module-name "$layer" -target "$target" "$@" \
        -minimum-access-level public -skip-synthesized-members -emit-extension-block-symbols -output-dir "$graphs/$layer"
done
# shellcheck disable=SC2046 # a word for each layer
swift Scripts/link-symbols.swift "$graphs" $(layers)

status=0
for layer in $(layers); do
    dependencies=
    for lower in $(layers_below "$layer"); do
        dependencies="$dependencies --dependency $archives/$lower.doccarchive"
    done
    catalog=Packages/$layer/Sources/$layer/$layer.docc
    [ -d "$catalog" ] || catalog=
    # shellcheck disable=SC2086 # several words, or none
    "$docc" convert $catalog --additional-symbol-graph-dir "$graphs/$layer" --fallback-display-name "$layer" \
        --fallback-bundle-identifier "strata.$layer" --enable-experimental-external-link-support $dependencies \
        ${BASE:+--hosting-base-path "$BASE"} --transform-for-static-hosting --warnings-as-errors \
        --output-path "$archives/$layer.doccarchive" || status=1
done
[ $status = 0 ] || exit $status

# Strata has the guides, so it comes first.
set -- "$archives/Strata.doccarchive"
for layer in $(layers); do
    [ "$layer" = Strata ] || set -- "$@" "$archives/$layer.doccarchive"
done
"$docc" merge "$@" --synthesized-landing-page-name Strata --synthesized-landing-page-kind Toolkit \
    --synthesized-landing-page-topics-style list --output-path .build/docs/site
# The docc of another compiler version than Strata is developed with may write other files: its site then lacks what this script adds.
swift Scripts/finish-site.swift .build/docs/site || [ -z "$warnings" ]

# The summary for assistants, with the guides that it links to: the pages of the site need JavaScript.
guides=Packages/Strata/Sources/Strata/Strata.docc
mkdir -p ".build/docs/site/$guides"
cp "$guides"/*.md ".build/docs/site/$guides"
cp llms.txt .build/docs/site

# docc does not create a page at the root of the site: this page redirects to the guides. The path is relative, so that the site can be in a
# folder of a server.
echo '<!doctype html><title>Strata</title><meta http-equiv="refresh" content="0; url=documentation/strata/">' >.build/docs/site/index.html
echo "The site is .build/docs/site: serve this folder with a web server."
