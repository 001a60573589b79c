#!/bin/sh
# Writes the documentation of each layer as a DocC archive under .build/docs, with the docc of the toolchain.
set -eu
cd "$(dirname "$0")/.."
. Scripts/common.sh

docc=$(command -v docc || xcrun --find docc 2>/dev/null) || {
    echo "There is no docc on the PATH; it is part of the Swift toolchain." >&2
    exit 1
}
# The root package has all the layers as targets. Its symbol graphs come with a build of their own.
graphs=$(swift package --scratch-path .build/symbols dump-symbol-graph --minimum-access-level public --skip-synthesized-members |
    sed -n 's/^Files written to //p')

for layer in $(layers); do
    # docc documents all the graphs of a folder as one; extensions of a lower layer's types have a graph of their own.
    inputs=.build/symbols/docs/$layer
    rm -rf "$inputs"
    mkdir -p "$inputs" .build/docs
    cp "$graphs/$layer.symbols.json" "$inputs"
    for extension in "$graphs/$layer"@*.symbols.json; do
        [ ! -e "$extension" ] || cp "$extension" "$inputs"
    done
    "$docc" convert --additional-symbol-graph-dir "$inputs" --fallback-display-name "$layer" \
        --fallback-bundle-identifier "strata.$layer" --output-path ".build/docs/$layer.doccarchive"
    echo ".build/docs/$layer.doccarchive"
done
echo "Each is a web site: serve its folder with any web server, and open /documentation."
