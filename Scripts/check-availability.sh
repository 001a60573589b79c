#!/bin/sh
# Type-checks the packages, their tests, Tests/ and Examples/ for Apple's platforms, without a Mac: reports what the lowest declared versions of
# the systems don't have, and code for these systems that does not compile.
#
#     Scripts/check-availability.sh [--all]
#
# Tests take minutes: without --all, they are checked if they have changes that are not committed, or have changed since they were last checked.
#
# The toolchain's modules for Linux know since when Apple's systems have each declaration. Copies of these modules name macOS as their target.
# The name is a text in a binary file, so the new one has the same length. Headers are still compiled for Linux. Stand-ins take the place of
# Apple's modules Darwin (Tests/Availability), Combine (Tests/Combine) and SQLite3.
#
# Only macOS is checked: the declared versions of Apple's systems are of one year, and so have the same declarations.
#
# A target that passes is checked again when it has changed. All files are in .build/availability. The script does nothing on other systems
# than Linux, and with toolchains without such modules.
set -u
cd "$(dirname "$0")/.." || exit 1
. Scripts/common.sh

# skip REASON: ends the script, with a note.
skip() {
    echo "availability on Apple's platforms: not checked, as $1"
    exit 0
}

[ "$(uname)" = Linux ] || skip "this is not Linux"
information=$(swiftc -print-target-info) || exit 1
linux=$(printf '%s\n' "$information" | sed -n 's/.*"moduleTriple": "\(.*\)".*/\1/p')
resources=$(printf '%s\n' "$information" | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')
tools=$(dirname "$(readlink -f "$(command -v swiftc)")")
[ -f "$resources/linux/Foundation.swiftmodule/$linux.swiftmodule" ] || skip "the toolchain has no module of Foundation for $linux"
sqlite=$(echo '#include <sqlite3.h>' | "$tools/clang" -E - 2>/dev/null | sed -n 's/^# 1 "\(.*sqlite3\.h\)".*/\1/p' | head -n 1)
[ "$sqlite" ] || skip "sqlite3.h is not installed"

# The lowest macOS of the manifests, with zeros until the target is as long as that of Linux.
architecture=${linux%%-*}
[ "$architecture" != aarch64 ] || architecture=arm64
target=$architecture-apple-macosx$(sed -n 's/^    platforms: .*\.macOS(\.v\([0-9]*\)).*/\1/p' Package.swift).
while [ ${#target} -lt ${#linux} ]; do target=${target}0; done
[ ${#target} -eq ${#linux} ] || skip "no target for macOS is as long as $linux"

all=${1:-}
root=$PWD
work=$root/.build/availability
# The packages, a line for those that build only on those of the lines above.
levels=$(direct_graph | awk '
    {
        level = 0
        for (i = 2; i <= NF; i++) if (level_of[$i] >= level) level = level_of[$i] + 1
        level_of[$1] = level
        names[level] = names[level] " " $1
        if (level > last) last = level
    }
    END { for (level = 0; level <= last; level++) print names[level] }
')

# MARK: The toolchain

# copy_modules: makes a folder of resources in which the compiler finds modules for its target.
copy_modules() {
    rm -rf "$work"
    mkdir -p "$work/resources/macosx" "$work/modules" "$work/logs" "$work/checked"
    # By this path of the SDK, none of our modules is one of the system's.
    ln -s / "$work/sdk"
    for part in "$resources"/*; do ln -s "$part" "$work/resources/"; done
    for module in "$resources"/linux/*.swiftmodule; do
        copy=$work/resources/macosx/$(basename "$module")
        mkdir "$copy"
        # Swift Testing is an interface in text, which the compiler compiles when a file first imports it.
        for kind in swiftmodule swiftinterface; do
            [ ! -f "$module/$linux.$kind" ] ||
                LC_ALL=C sed "s/$linux/$target/g" "$module/$linux.$kind" >"$copy/$architecture-apple-macos.$kind"
        done
    done
    # The modules of C's library. The compiler finds them by itself only for Linux.
    glibc=$resources/linux/${linux%%-*}
    cat >"$work/headers.yaml" <<YAML
{ "version": 0, "case-sensitive": "true", "roots": [ { "name": "/usr/include", "type": "directory", "contents": [
    { "name": "module.modulemap", "type": "file", "external-contents": "$glibc/glibc.modulemap" },
    { "name": "SwiftGlibc.h", "type": "file", "external-contents": "$glibc/SwiftGlibc.h" } ] } ] }
YAML
}

state=$(printf '%s\n' "$information" "$target" "$sqlite" && cat Scripts/check-availability.sh)
if [ "$state" != "$(cat "$work/state" 2>/dev/null)" ]; then
    copy_modules
    printf '%s\n' "$state" >"$work/state"
fi

# MARK: The sources

# Conditions that no stand-in makes false are replaced in copies. The copies keep the lines, and their paths in a folder that is the current
# one from here on: so the compiler's messages name the sources.
rm -rf "$work/sources"
mkdir "$work/sources"
find -L Packages/*/Sources Packages/*/Tests Tests Examples -name .build -prune -o -type f \
    \( -name '*.swift' -o -name '*.h' -o -name module.modulemap \) -print | tar -c -h -T - | tar -x -C "$work/sources"
cd "$work/sources" || exit 1
grep -rlE 'canImport\((FoundationEssentials|Glibc|Musl)\)|defined\(__APPLE__\)' . |
    xargs sed -i -E 's/canImport\((FoundationEssentials|Glibc|Musl)\)/false/g; s/defined\(__APPLE__\)/1/'

# c_module NAME CONTENT: declares a C module, and adds it to the options.
options=
c_module() {
    mkdir -p "$work/maps/$1"
    echo "module $1 $2" >"$work/maps/$1/module.modulemap"
    options="$options -I $work/maps/$1"
}

c_module SQLite3 "[system] { header \"$sqlite\" export * }"
for headers in Packages/*/Sources/*/include Tests/Sources/*/include; do
    c_module "$(basename "$(dirname "$headers")")" "{ umbrella \"$PWD/$headers\" export * }"
    options="$options -Xcc -I$headers"
done

# MARK: The targets

# The modules with which a module is checked again: those that it may import. They change with their interfaces. Other targets are checked
# again only with their own files, as these alone decide what they use of the system.
below=
# The options of the package.
own=
# The first line of an error, from the compiler.
error='^[^ ].*: error: '

# check FOLDER MODULE [OPTION ...]: type-checks the Swift files of a folder. The log of what is wrong has the folder's name.
check() {
    folder=$1
    module=$2
    shift 2
    name=$(echo "$folder" | tr / -)
    files=$(find "$folder" -name '*.swift' | LC_ALL=C sort)
    # shellcheck disable=SC2086 # several files, and options
    set -- "$@" $own
    # shellcheck disable=SC2086
    key=$({ echo "$files" "$@" && cat $files $below 2>/dev/null; } | cksum)
    [ "$key" != "$(cat "$work/checked/$name" 2>/dev/null)" ] || return 0
    rm -f "$work/checked/$name"
    case $files in *main.swift*) ;; *) set -- "$@" -parse-as-library ;; esac
    # shellcheck disable=SC2086
    if "$tools/swift-frontend" "$@" -module-name "$module" -swift-version 6 -enable-testing -target "$target" -clang-target "$linux" \
        -disable-objc-interop -resource-dir "$work/resources" -sdk "$work/sdk" -vfsoverlay "$work/headers.yaml" -Xcc -fblocks \
        -Xcc -fmodule-map-file=/usr/include/module.modulemap -plugin-path "$resources/host/plugins" -module-cache-path "$work/cache" \
        -I "$resources" -I "$work/modules" $options $files >"$work/logs/$name" 2>&1 &&
        # A module with errors is no failure of the compiler.
        ! grep -q "$error" "$work/logs/$name"; then
        echo "$key" >"$work/checked/$name"
    fi
}

# check_modules FOLDER ...: type-checks modules that don't import each other, side by side. Later targets may import them, even if they have
# errors. Folders that don't exist are ignored.
check_modules() {
    new=
    for folder in "$@"; do
        [ -d "$folder" ] || continue
        module=$(basename "$folder")
        output=$work/modules/$module.swiftmodule
        check "$folder" "$module" -emit-module -experimental-allow-module-with-compiler-errors -o "$output" &
        new="$new $output"
    done
    wait
    below="$below $new"
}

# check_last FOLDER ...: type-checks targets that no other one imports, as many at a time as there are processors.
check_last() {
    below=
    running=0
    for last in "$@"; do
        # A module's name begins with a letter. The names of programs are in small letters; some sources use the name of their module.
        module=$(basename "$last" | sed 's/[^A-Za-z0-9]/_/g; s/^[0-9]/_&/')
        [ ! -f "$last/main.swift" ] || module=$(echo "$module" | tr A-Z a-z)
        check "$last" "$module" -typecheck &
        running=$((running + 1))
        [ $((running % $(nproc))) -ne 0 ] || wait
    done
    wait
}

# due FOLDER ...: prints those of the folders of tests that are to be checked.
due() {
    for tests in "$@"; do
        if [ "$all" ] || [ -e "$work/checked/$(echo "$tests" | tr / -)" ] ||
            ! git -C "$root" diff --quiet HEAD -- "$tests" 2>/dev/null; then echo "$tests"; fi
    done
}

rm -f "$work"/logs/*
check_modules Tests/Availability/Darwin Tests/Combine/Sources/Combine
# Apple's Foundation exports Darwin, as that of Linux exports Glibc.
own="-import-module Darwin -package-name strata"
while read -r level; do
    # shellcheck disable=SC2046 # several folders
    check_modules $(for package in $level; do echo Packages/"$package"/Sources/[!C]*Shims Packages/"$package"/Sources/*CommandSupport; done)
    # shellcheck disable=SC2046
    check_modules $(for package in $level; do echo Packages/"$package"/Sources/"$package"; done)
done <<EOF
$levels
EOF
layers=$below
# shellcheck disable=SC2046
check_last Packages/*/Sources/*Command $(due Packages/*/Tests/*)

own="-import-module Darwin -I Packages/SQLiteDriver/Sources/CSQLite"
below=$layers
libraries=
programs=
for folder in Tests/Sources/* Examples/Sources/*; do
    # The others are C targets.
    if [ -f "$folder/main.swift" ]; then programs="$programs $folder"; elif [ ! -d "$folder/include" ]; then libraries="$libraries $folder"; fi
done
# shellcheck disable=SC2086
check_modules $libraries
# shellcheck disable=SC2046,SC2086
check_last $programs Tests/Fuzzing/Sources/* $(due Tests/Tests/* Tests/Combine/Tests/*)

status=0
for log in "$work"/logs/*; do
    name=$(basename "$log")
    if [ ! -f "$log" ] || [ -f "$work/checked/$name" ]; then continue; fi
    # Without the message of an error, the compiler itself has failed.
    grep "$error" "$log" | sort -u >&2 || cat "$log" >&2
    status=1
done
exit $status
