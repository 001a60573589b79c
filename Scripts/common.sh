# The functions and settings of the other scripts, which source this file from the root of the repository.

# Disables colours in swift's output, which would end up in the logs.
export NO_COLOR=1

# How many cases of tests run at the same time. With all of them at once, Swift Testing takes a core for nothing on Linux: its thread that
# waits for the processes of exit tests spins while one has ended whose test still waits for a thread.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=12

# All packages share one build folder, so that each layer is compiled only once. The folder is not .build itself, where a plain
# `swift build` at the root compiles the same modules with other options.
scratch="$PWD/.build/packages"

# Warnings are errors with the compiler version that Strata is developed with. Other versions may have other warnings, which should not
# prevent anyone from running the tests.
case $(swift --version 2>/dev/null) in
*"Swift version 6.3"*) warnings="-Xswiftc -warnings-as-errors" ;;
*) warnings= ;;
esac

# swift_package COMMAND FOLDER [OPTION ...]: runs `swift build` or `swift test` for the package in a folder. The options are always the
# same, because a changed option recompiles everything.
#
# The build manifest is not cached: with the cache, SwiftPM misses new files in a build folder that several packages share.
# With CONFIGURATION=release in the environment, the build is optimized, and can be tested. Builds that are not optimized check kept plans: see
# CONTRIBUTING.md. Of the debug information, they have the lines, for stacks: all of it would take an eighth of the time of a build.
swift_package() {
    command=$1
    folder=$2
    shift 2
    case " ${CONFIGURATION:-debug} $* " in
    " release "*) checks="-Xswiftc -enable-testing" ;;
    *" release "*) checks= ;;
    *) checks="-Xswiftc -DSTRATA_CHECK_PLANS" ;;
    esac
    # shellcheck disable=SC2086 # several words, or none
    swift "$command" --package-path "$folder" --scratch-path "$scratch" --disable-build-manifest-caching $warnings $checks \
        -Xswiftc -gline-tables-only \
        --configuration "${CONFIGURATION:-debug}" "$@"
}

# graph: prints the packages that the root's Package.swift lists, one per line: the name, and all packages below it, nearest first.
graph() {
    direct_graph | awk '
        {
            split("", below)
            for (i = 2; i <= NF; i++) {
                if (!($i in position)) {
                    print "Package.swift lists " $1 ", which builds on " $i ", before " $i > "/dev/stderr"
                    exit 1
                }
                below[$i] = 1
                number = split(closure[$i], further, " ")
                for (j = 1; j <= number; j++) below[further[j]] = 1
            }
            closure[$1] = ""
            for (i = count; i >= 1; i--) if (names[i] in below) closure[$1] = closure[$1] " " names[i]
            names[++count] = $1
            position[$1] = count
            print $1 closure[$1]
        }
    '
}

# direct_graph: prints the same, but only the packages that each one builds on directly. An umbrella ("*") builds on those packages above it
# in the list on which no other package builds.
direct_graph() {
    sed -n '/^let packages: /,/^]/s/^    "\([A-Za-z0-9]*\)": \[\(.*\)\],.*/\1 \2/p' Package.swift | tr -d '",' | awk '
        $2 == "*" {
            line = $1
            for (i = 1; i <= count; i++) if (!(names[i] in used)) line = line " " names[i]
            $0 = line
        }
        {
            names[++count] = $1
            for (i = 2; i <= NF; i++) used[$i] = 1
            print
        }
    '
}

# layers: prints the names of the packages, one per line, each after the packages below it.
layers() {
    graph | sed 's/ .*//'
}

# layers_below NAME: prints the packages below a package, one per line, nearest first.
layers_below() {
    graph | awk -v name="$1" '$1 == name { for (i = 2; i <= NF; i++) print $i }'
}

# build_layers: builds all packages. Building a package builds those below it. It builds no plugin, as the tool of one would compile the layers
# once more.
build_layers() {
    graph | awk '
        { names[NR] = $1; for (i = 2; i <= NF; i++) below[$i] }
        END { for (i = 1; i <= NR; i++) if (!(names[i] in below)) print names[i] }
    ' | while IFS= read -r package; do
        swift_package build "Packages/$package" --target "$package" </dev/null || return
    done
}

# module_options: prints the compiler's options to import the modules of all packages, which are built, one per line.
module_options() {
    products=$(swift_package build "Packages/$(layers | tail -n 1)" --show-bin-path) || return
    printf '%s\n' -I "$products/Modules" -I Packages/SQLiteDriver/Sources/CSQLite
    for map in "$products"/C*.build/module.modulemap Packages/SQLiteDriver/Sources/CSQLite/module.modulemap; do
        # SwiftPM builds the tools of plugins apart, with modules of the same names.
        case $map in *-tool.build/*) continue ;; esac
        printf '%s\n' -Xcc "-fmodule-map-file=$map"
    done
    for headers in Packages/*/Sources/C*/include; do
        printf '%s\n' -Xcc "-I$headers"
    done
    [ "$(uname)" != Darwin ] || printf '%s\n' -sdk "$(xcrun --show-sdk-path)"
}
