#!/bin/sh
# Compares Strata with the drivers of other languages: see Tests/Peers/README.md.
#
#     Scripts/peers.sh [ROUNDS]
#
# Without the packages of a language, which are Debian's, the others are compared. The table is kept in .build/bench/peers/table.md.
set -eu
cd "$(dirname "$0")/.."
. Scripts/common.sh
rounds=${1:-5}
built=$PWD/.build/bench/peers
mkdir -p "$built/data"

# has PACKAGE ...: installs Debian's packages, and returns whether they are there.
has() {
    command -v apt-get >/dev/null || return 1
    dpkg -s "$@" >/dev/null 2>&1 && return 0
    [ "$(id -u)" -eq 0 ] || { echo "Not installed: $*" >&2 && return 1; }
    echo "Installing $*" >&2
    DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=120 install -y --no-install-recommends "$@" >"$built/install.log" 2>&1 ||
        { echo "Could not be installed: $*; see $built/install.log" >&2 && return 1; }
}

# add FILE NAME COMMAND [WORD ...]: adds a program to the comparison. A file keeps its name and the words of its command, a line each.
names=
add() {
    names="$names $1"
    file=$built/$1.program
    shift
    printf '%s\n' "$@" >"$file"
}

swift_package build Tests -c release --product bench >&2
bench=$(swift_package build Tests -c release --show-bin-path)/bench

cc -O2 -o "$built/c" Tests/Peers/peer.c -lsqlite3 -lpthread
add c "C API" "$built/c"
add strata Strata "$bench" --peer hand
add strata-codable "Strata, Codable" "$bench" --peer codable

# Debian's crates are folders of sources, which Cargo takes in the place of its registry. It writes a file beside the manifest.
if has cargo librust-rusqlite-dev; then
    rm -rf "$built/rusqlite"
    cp -R Tests/Peers/rust "$built/rusqlite"
    if /usr/bin/cargo build --quiet --offline --release --manifest-path "$built/rusqlite/Cargo.toml" --target-dir "$built/rust" \
        --config 'source.crates-io.replace-with="debian"' --config 'source.debian.directory="/usr/share/cargo/registry"' >&2; then
        add rusqlite rusqlite "$built/rust/release/peer"
    fi
fi
if has golang-go golang-github-mattn-go-sqlite3-dev; then
    if GO111MODULE=off GOPATH=/usr/share/gocode GOCACHE="$built/go-cache" go build -tags libsqlite3 -o "$built/go" Tests/Peers/peer.go >&2; then
        add go go-sqlite3 "$built/go"
    fi
fi
if has python3; then add python "Python's sqlite3" /usr/bin/python3 Tests/Peers/peer.py sqlite3; fi
if has python3 python3-apsw; then add apsw APSW /usr/bin/python3 Tests/Peers/peer.py apsw; fi

set -- "$rounds" Tests/Peers/sql "$built/data"
for name in $names; do
    set -- "$@" "$(cat "$built/$name.program")"
done
"$bench" --compare-peers "$@" >"$built/table.md"
cat "$built/table.md"
Scripts/peers-chart.sh "$built" <"$built/table.md"
echo "Some of the workloads as bars: $built/peers.svg" >&2
