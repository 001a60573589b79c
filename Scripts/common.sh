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

# graph: the packages that the root's Package.swift lists, one per line: the name, and all those below it, nearest first.
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

# direct_graph: the same with only those that a package builds on directly, and for an umbrella ("*") those above it on which
# no other one builds.
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

# layers: the names of the packages, one per line, each after those below it.
layers() {
    graph | sed 's/ .*//'
}

# layers_below NAME: those below a package, one per line, nearest first.
layers_below() {
    graph | awk -v name="$1" '$1 == name { for (i = 2; i <= NF; i++) print $i }'
}
