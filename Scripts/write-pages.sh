#!/bin/sh
# Writes the package of tests .build/samples/pages, which runs the samples of READMEs, of llms.txt and of the pages in DocC catalogs.
#
# The context of a page, Tests/Samples/PACKAGE/PAGE.swift, is a file of tests; Scripts/samples.awk puts the samples into it. A page without
# context may only have samples of its package's README, or of the repository's.
set -eu
cd "$(dirname "$0")/.."
. Scripts/common.sh

folder=.build/samples/pages
# Files that stay the same keep their dates, and are not compiled again.
new=$folder/new
rm -rf "$new"
mkdir -p "$new/PageSupport"
status=0
targets=
for page in Tests/Samples/Expectations.md README.md llms.txt Packages/*/README.md Packages/*/Sources/*/*.docc/*.md; do
    name=$(basename "${page%.*}")
    case $page in
    README.md | llms.txt | Tests/*) package= ;;
    *) package=$(echo "$page" | cut -d / -f 2) ;;
    esac
    context=Tests/Samples/${package:+$package/}$name.swift
    if [ ! -e "$context" ]; then
        awk -v page="$page" -v originals="Packages/$package/README.md README.md" -f Scripts/samples.awk "$page" >/dev/null || status=1
        continue
    fi
    # A module has one file of each name, so that messages about it are clear. Its dependencies are the package, and those below it.
    target=${package:-Repository}Pages
    if [ ! -e "$new/$target" ]; then
        mkdir "$new/$target"
        below=$(for layer in "${package:-Strata}" $(layers_below "${package:-Strata}"); do printf '"%s", ' "$layer"; done)
        targets="$targets    page(\"$target\", [$below]),
"
    fi
    awk -v page="$page" -v context="$context" -f Scripts/samples.awk "$page" >"$new/$target/Page$name.swift" || status=1
done
cp Tests/Samples/Pages.swift "$new/PageSupport"
# Stand-ins for modules of other packages that guides use.
stubs=
for stub in Tests/Samples/Stubs/*; do
    cp -R "$stub" "$new/$(basename "$stub")"
    stubs="$stubs    .target(name: \"$(basename "$stub")\", path: \"$(basename "$stub")\"),
"
done
stub_names=$(ls Tests/Samples/Stubs | sed 's/.*/"&"/' | paste -sd , -)
cat >"$new/Package.swift" <<EOF
// swift-tools-version: 6.1

import PackageDescription

let layers = [$(layers | sed 's/.*/"&"/' | paste -sd , -)]

/// The stand-ins for modules of other packages, which guides use.
let stubs = [$stub_names].map { Target.Dependency(stringLiteral: \$0) }

/// The tests of a package's pages. They use only what the layers offer that they import.
func page(_ name: String, _ layers: [String]) -> Target {
    .testTarget(
        name: name,
        dependencies: ["PageSupport"] + layers.map { .product(name: \$0, package: \$0) } + (name == "StrataPages" ? stubs : []),
        path: name,
        swiftSettings: [.enableUpcomingFeature("MemberImportVisibility")])
}

let package = Package(
    name: "pages",
    platforms: [.macOS(.v13)],
    dependencies: layers.map { .package(path: "../../../Packages/\(\$0)") },
    targets: [
        .target(
            name: "PageSupport",
            dependencies: [
                .product(name: "CSQLite", package: "SQLiteDriver"), .product(name: "SQLiteDriver", package: "SQLiteDriver"),
            ],
            path: "PageSupport"),
$stubs$targets    ],
    swiftLanguageModes: [.v6]
)
EOF
for helpers in Databases Ports Values Waiting; do
    for target in "$new"/*Pages; do ln -s "$PWD/Tests/Helpers/$helpers" "$target/$helpers"; done
done
ln -s "$PWD/Tests/Helpers/Values" "$new/PageSupport/Values"
ln -s "$PWD/Tests/Helpers/Waiting" "$new/PageSupport/Waiting"
ln -s "$PWD/Tests/Helpers/Commands" "$new/RepositoryPages/Commands"
(cd "$new" && find . -type f) | while IFS= read -r file; do
    if cmp -s "$new/$file" "$folder/$file"; then touch -r "$folder/$file" "$new/$file"; fi
done
for target in Package.swift PageSupport $(ls Tests/Samples/Stubs) $(cd "$new" && echo *Pages); do
    rm -rf "${folder:?}/$target"
    mv "$new/$target" "$folder"
done
rm -r "$new"
exit $status
