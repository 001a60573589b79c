#!/bin/sh
# Writes the documentation of each layer as a DocC archive under .build/docs, with the toolchain's docc.
set -eu
cd "$(dirname "$0")/.."
. Scripts/common.sh

docc=$(command -v docc || xcrun --find docc 2>/dev/null) || {
    echo "docc, which is part of the Swift toolchain, is not on the PATH." >&2
    exit 1
}
# All layers are targets of the root package. Dumping their symbol graphs builds the package once more.
graphs=$(swift package --scratch-path .build/symbols dump-symbol-graph --minimum-access-level public --skip-synthesized-members |
    sed -n 's/^Files written to //p')

for layer in $(layers); do
    # docc merges all symbol graphs of a folder. A layer's extensions of lower layers' types have symbol graphs of their own.
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
echo "Each archive is a web site: serve its folder with a web server, and open /documentation."
