#!/bin/sh
# Checks that the root manifest and the packages' manifests declare the same targets; check-manifests.swift does the comparison.
set -eu
cd "$(dirname "$0")/.."

dumps=$(mktemp -d)
trap 'rm -rf "$dumps"' EXIT
for manifest in Package.swift Packages/*/Package.swift Tests/Package.swift Examples/Package.swift; do
    [ -e "$manifest" ] || continue
    folder=$(dirname "$manifest")
    mkdir -p "$dumps/$folder"
    swift package --package-path "$folder" --scratch-path "$PWD/.build/manifests" dump-package >"$dumps/$folder/manifest.json"
done
swift Scripts/check-manifests.swift "$dumps"
