#!/bin/sh
# Installs the tools and libraries that the build needs, unless they are already installed.
#
#     Scripts/bootstrap.sh [PACKAGE ...]
#
# Each further package has a program of the same name. SWIFT=6.2 in the environment is the version of Swift that is needed, instead of 6.1.
set -eu
packages=$*
needed=${SWIFT:-6.1}

if ! command -v swift >/dev/null; then
    echo "This command needs Swift $needed or later, and there is no swift on the PATH. See https://www.swift.org/install/" >&2
    exit 1
fi
version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\)\.\([0-9]*\).*/\1 \2/p' | head -n 1)
# shellcheck disable=SC2086 # two words on purpose: the major and the minor version
set -- ${version:-0 0}
if [ "$1" -lt "${needed%.*}" ] || { [ "$1" -eq "${needed%.*}" ] && [ "$2" -lt "${needed#*.}" ]; }; then
    echo "This command needs Swift $needed or later; $(command -v swift) is version $1.$2. See https://www.swift.org/install/" >&2
    exit 1
fi

# Apple's SDKs contain SQLite.
[ "$(uname)" = Darwin ] && exit 0

# These are Debian's package names. Without pkg-config, SwiftPM warns at each build that it can't look for SQLite.
missing=
for package in git $packages; do
    command -v "$package" >/dev/null || missing="$missing $package"
done
command -v pgrep >/dev/null || missing="$missing procps"
if command -v pkg-config >/dev/null; then
    pkg-config --exists sqlite3 || missing="$missing libsqlite3-dev"
else
    missing="$missing libsqlite3-dev pkg-config"
fi

# install_dqlite: installs libdqlite, which the nodes of DqliteCluster load, if the system has it. Without it, their tests are skipped.
install_dqlite() {
    if [ "$(id -u)" -ne 0 ] || ! command -v apt-cache >/dev/null || ldconfig -p | grep -q 'libdqlite\.so\.0'; then
        return
    fi
    # A fresh image has no package lists.
    if ! find /var/lib/apt/lists -name '*_Packages*' 2>/dev/null | grep -q .; then
        timeout 120 apt-get -qq update >/dev/null 2>&1 || true
    fi
    if apt-cache show libdqlite0 >/dev/null 2>&1; then
        DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=120 install -y --no-install-recommends libdqlite0 >/dev/null 2>&1 ||
            echo "libdqlite0 could not be installed: the tests of nodes will be skipped" >&2
    fi
}

if [ -z "$missing" ]; then
    install_dqlite
    exit 0
fi

if ! command -v apt-get >/dev/null; then
    echo "Strata needs git, pkg-config and SQLite's development files. Install them; on Fedora, for example, run" >&2
    echo "    sudo dnf install git pkgconf-pkg-config sqlite-devel $packages" >&2
    exit 1
fi
if [ "$(id -u)" -eq 0 ]; then
    as_root=
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    as_root=sudo
else
    echo "Strata needs packages that are not installed. Install them, and run this again:" >&2
    echo "    sudo apt-get update && sudo apt-get install -y$missing" >&2
    exit 1
fi

echo "Installing$missing" >&2
# shellcheck disable=SC2086 # the words of $missing are packages; $as_root may be no word at all
apt_install() {
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=120 install -y --no-install-recommends $missing
}
# The first attempt fails if the package lists are missing, as in a fresh image, or outdated.
if ! output=$(apt_install 2>&1); then
    $as_root apt-get -qq update >&2
    if ! output=$(apt_install 2>&1); then
        echo "$output" >&2
        echo "Could not install$missing." >&2
        exit 1
    fi
fi
install_dqlite
