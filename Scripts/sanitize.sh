#!/bin/sh
# Runs the tests of the given packages, or of all packages, under the thread sanitizer and the address sanitizer.
#
#     Scripts/sanitize.sh [--only thread|address] [--unsafe] [PACKAGE ...]
#
# With --unsafe, it runs the suites that Packages/UNSAFE.md names, and those of subclasses, and compiles no file of others: tests take long to
# optimize. With CONFIGURATION=release in the environment, the build is optimized.
#
# Each sanitizer has its own build folder, because its options recompile everything.
set -eu
cd "$(dirname "$0")/.."
. Scripts/common.sh

sanitizers="thread address"
if [ "${1:-}" = --only ]; then
    sanitizers=$2
    shift 2
fi

# write_unsafe_tests PACKAGE SUITES: writes a package with those files of another one's tests that contain no test, or a suite of a name.
write_unsafe_tests() {
    # The name of the folder is the identity of the package, which must differ from the other one's.
    unsafe=.build/unsafe/$1Unsafe
    rm -rf "$unsafe"
    mkdir -p "$unsafe/$1Tests"
    find -L "Packages/$1/Tests" -name '*.swift' | while IFS= read -r file; do
        if ! grep -q '@Test' "$file" || grep -qE "(struct|class) ($2)\b" "$file"; then ln -s "$PWD/$file" "$unsafe/$1Tests"; fi
    done
    cat >"$unsafe/Package.swift" <<EOF
// swift-tools-version: 6.1

import PackageDescription

let layers = [$(for layer in "$1" $(layers_below "$1"); do printf '"%s", ' "$layer"; done)]

let package = Package(
    name: "$1Unsafe",
    platforms: [.macOS(.v13)],
    dependencies: layers.map { .package(path: "../../../Packages/\(\$0)") },
    targets: [
        .testTarget(
            name: "$1Tests", dependencies: layers.map { .product(name: \$0, package: \$0) }, path: "$1Tests", packageAccess: false,
            swiftSettings: [.unsafeFlags(["-package-name", "strata"])])
    ],
    swiftLanguageModes: [.v6]
)
EOF
}

suites=.
names=
if [ "${1:-}" = --unsafe ]; then
    # Optimized builds have taken the declared class of an object for its own.
    names="$(grep -o '`[A-Za-z]*Tests`' Packages/UNSAFE.md | tr -d '`' | sort -u | paste -sd '|' -)|SubclassTests"
    suites="[./]($names)/"
    shift
fi
[ $# -gt 0 ] || set -- $(layers) Tests
export LSAN_OPTIONS="suppressions=$PWD/Scripts/leaks.txt:print_suppressions=0"
for sanitizer in $sanitizers; do
    scratch="$PWD/.build/sanitize-$sanitizer"
    for package in "$@"; do
        echo "=== $package, $sanitizer sanitizer ==="
        folder=Packages/$package
        # Tests run other programs, and those of StrataTool link one, which are built without the sanitizer.
        skipped=CompiledRecordTests
        # Under the thread sanitizer, functions need more than the small stacks of these tests.
        [ "$sanitizer" != thread ] || skipped="$skipped|DeepExpressionTests"
        if [ "$package" = Tests ]; then
            folder=Tests
            skipped='ClientTests|TutorialTests'
        elif [ "$names" ]; then
            write_unsafe_tests "$package" "$names"
            folder=.build/unsafe/${package}Unsafe
        fi
        swift_package test "$folder" --sanitize="$sanitizer" --disable-xctest --filter "$suites" --skip "$skipped"
    done
done
