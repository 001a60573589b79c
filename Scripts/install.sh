#!/bin/sh
# Installs the command strata, its manual page, and its completions for bash and zsh.
#
#     [DESTDIR=FOLDER] Scripts/install.sh [PREFIX]
#
# PREFIX is /usr/local if it is not given. The executable is an optimized build without debug information, which needs no Swift libraries,
# and on Linux only libsqlite3-0 and libstdc++6. With DESTDIR, files are put below that folder, for packages of a system.
set -eu
prefix=${1:-/usr/local}
case $prefix in
/*) ;;
"~/"*) prefix=$HOME/${prefix#??} ;; # which not every shell expands in an argument of make
*) prefix=$PWD/$prefix ;;
esac
cd "$(dirname "$0")/.."
. Scripts/common.sh

# A build folder of its own: the option is for a whole build.
scratch=$PWD/.build/install
set -- --product strata
# Swift is a part of Apple's systems.
[ "$(uname)" = Darwin ] || set -- "$@" --static-swift-stdlib
CONFIGURATION=release swift_package build Packages/StrataTool "$@"
built=$(CONFIGURATION=release swift_package build Packages/StrataTool "$@" --show-bin-path)/strata

# put FILE FOLDER NAME MODE
put() {
    mkdir -p "${DESTDIR-}$prefix/$2"
    # The installed file is replaced in one step, also while it runs.
    temporary=${DESTDIR-}$prefix/$2/.$3.$$
    cp "$1" "$temporary"
    chmod "$4" "$temporary"
    mv "$temporary" "${DESTDIR-}$prefix/$2/$3"
    echo "$prefix/$2/$3"
}

texts=$(mktemp -d)
trap 'rm -rf "$texts"' EXIT
strip -o "$texts/strata" "$built"
"$built" completion bash >"$texts/bash"
"$built" completion zsh >"$texts/zsh"
"$built" manual >"$texts/manual"
put "$texts/strata" bin strata 755
put "$texts/manual" share/man/man1 strata.1 644
put "$texts/bash" share/bash-completion/completions strata 644
put "$texts/zsh" share/zsh/site-functions _strata 644
