# Sourced by the other scripts, from the root of the repository.

# Without this, swift colours what it writes into some logs.
export NO_COLOR=1

# One build folder for all packages: a layer that one of them compiled is not compiled again for the next. It is not .build
# itself, where a plain `swift build` at the root compiles the same modules with other options.
scratch="$PWD/.build/packages"

# Warnings are errors with the compiler that Strata is developed with. Another one may know other warnings, and that should
# not keep anybody from the tests.
case $(swift --version 2>/dev/null) in
*"Swift version 6.3"*) warnings="-Xswiftc -warnings-as-errors" ;;
*) warnings= ;;
esac

# Without its cache, SwiftPM plans each build anew: in a folder that several packages share, it does not notice new files.
#
# swift_package COMMAND FOLDER [OPTION ...]: `swift build` or `swift test` of the package in a folder. Always with the same
# options, since to change one compiles everything again.
swift_package() {
    command=$1
    folder=$2
    shift 2
    # shellcheck disable=SC2086 # several words, or none
    swift "$command" --package-path "$folder" --scratch-path "$scratch" --disable-build-manifest-caching $warnings "$@"
}

# layers_below NAME: the layers that Packages/NAME declares to be below it, one per line.
layers_below() {
    sed -n '/^let layersBelow = \[/,/\]/p' "Packages/$1/Package.swift" | grep -o '"[^"]*"' | tr -d '"'
}

# layers: every package under Packages/, one per line, a layer after those below it.
layers() {
    for manifest in Packages/*/Package.swift; do
        name=$(basename "$(dirname "$manifest")")
        # A layer declares all those below it, so the number of them puts it in its place.
        echo "$(layers_below "$name" | wc -l) $name"
    done | sort -n | awk '{ print $2 }'
}
