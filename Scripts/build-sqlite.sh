#!/bin/sh
# Builds a SQLite other than the system's, and prints the path of its shared library, for `make test SQLITE=path`.
#
#     Scripts/build-sqlite.sh debug    Debian's release, with SQLite's own assertions and checks of arguments, and without the
#                                      extensions of the C API and of SQL that Debian adds
#     Scripts/build-sqlite.sh apple    Debian's release with the options of the SQLite of Apple's systems: statements are not reset
#                                      automatically, no memory statistics, recursive triggers; connections are defensive, and keep the
#                                      write-ahead log
#     Scripts/build-sqlite.sh 3.50     later releases, from the sources of Python packages that contain them
#     Scripts/build-sqlite.sh 3.54
#
# The library is built once. All files are below .build/sqlite. Needs Debian, and root or the packages that it installs.
set -eu
cd "$(dirname "$0")/.."

fail() {
    echo "$1" >&2
    exit 1
}

# Downloads the source of a Python package, checks it, and unpacks it.
# fetch URL SHA256
fetch() {
    archive=${1##*/}
    curl --silent --show-error --fail --location --max-time 300 --output "$archive" "$1"
    echo "$2  $archive" | sha256sum --check --quiet || fail "$1 is not the file that was expected"
    tar -xzf "$archive"
}

[ $# -eq 1 ] || fail "usage: Scripts/build-sqlite.sh debug|apple|3.50|3.54"
case $1 in debug | apple | 3.50 | 3.54) ;; *) fail "build-sqlite.sh knows debug, apple, 3.50 and 3.54, and not $1" ;; esac
folder=$PWD/.build/sqlite/$1
library=$folder/libsqlite3.so.0
if [ -e "$library" ]; then
    echo "$library"
    exit 0
fi

# dpkg-dev unpacks Debian's sources, from which Tcl and lemon generate SQLite's amalgamation.
missing=
for package in gcc libc6-dev curl ca-certificates make tcl lemon dpkg-dev xz-utils patch; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
if [ "$missing" ]; then
    [ "$(id -u)" -eq 0 ] || fail "Install these packages, and run this again:$missing"
    install="env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=120 install -y --no-install-recommends$missing"
    $install >/dev/null 2>&1 || { apt-get -qq update >&2 && $install >&2; }
fi

rm -rf "$folder"
mkdir -p "$folder/source"
cd "$folder/source"
options="-DSQLITE_THREADSAFE=1 -DSQLITE_ENABLE_FTS3 -DSQLITE_ENABLE_FTS3_PARENTHESIS -DSQLITE_ENABLE_FTS3_TOKENIZER
    -DSQLITE_ENABLE_FTS5 -DSQLITE_ENABLE_RTREE -DSQLITE_ENABLE_DBSTAT_VTAB"
case $1 in
debug | apple)
    # A separate list of sources, which does not change the system's settings, and does not need root.
    mkdir -p lists/partial
    . /etc/os-release
    cat >debian.sources <<END
Types: deb-src
URIs: http://deb.debian.org/debian
Suites: $VERSION_CODENAME
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
END
    apt="apt-get -qq -o Dir::Etc::sourcelist=$PWD/debian.sources -o Dir::Etc::sourceparts=- -o Dir::State::Lists=$PWD/lists
        -o APT::Sandbox::User=$(id -un)"
    $apt update >&2
    $apt source sqlite3 >log 2>&1 || { cat log >&2 && exit 1; }
    cd sqlite3-*/
    { ./configure --disable-tcl && make sqlite3.c; } >../log 2>&1 || { cat ../log >&2 && exit 1; }
    source=$PWD/sqlite3.c
    options="$options -DSQLITE_ENABLE_API_ARMOR"
    if [ "$1" = debug ]; then
        options="$options -DSQLITE_DEBUG"
    else
        # The later definition of an option replaces the earlier one. "PRAGMA compile_options" lists them on Apple's systems; what they
        # have on Debian, too, or what needs their kernel, is omitted here.
        options="$options -USQLITE_THREADSAFE -DSQLITE_THREADSAFE=2 -DSQLITE_OMIT_AUTORESET -DSQLITE_DEFAULT_MEMSTATUS=0
            -DSQLITE_DEFAULT_RECURSIVE_TRIGGERS=1 -DSQLITE_DEFAULT_DEFENSIVE -DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_USE_URI
            -DSQLITE_DEFAULT_JOURNAL_SIZE_LIMIT=32768 -DSQLITE_DEFAULT_WAL_SYNCHRONOUS=1 -DSQLITE_DEFAULT_CACHE_SIZE=2000
            -DSQLITE_MAX_VARIABLE_NUMBER=500000 -DSQLITE_STMTJRNL_SPILL=131072 -DSQLITE_BUG_COMPATIBLE_20160819
            -DSQLITE_ENABLE_BYTECODE_VTAB -DSQLITE_ENABLE_COLUMN_METADATA -DSQLITE_ENABLE_DBPAGE_VTAB -DSQLITE_ENABLE_NORMALIZE
            -DSQLITE_ENABLE_PREUPDATE_HOOK -DSQLITE_ENABLE_SESSION -DSQLITE_ENABLE_SNAPSHOT -DSQLITE_ENABLE_STMT_SCANSTATUS"
        # SQLite has no option for SQLITE_FCNTL_PERSIST_WAL.
        sed -i 's/^  pNew->ctrlFlags = (u8)ctrlFlags;$/  pNew->ctrlFlags = (u8)(ctrlFlags | UNIXFILE_PERSIST_WAL);/' sqlite3.c
        grep -q '(ctrlFlags | UNIXFILE_PERSIST_WAL)' sqlite3.c || fail "the source does not open files as was expected"
    fi
    ;;
3.50)
    fetch https://files.pythonhosted.org/packages/ec/61/5332f923ec20c0b3ae9b3cf05731049bd4d17714dce1dbbc69129264664e/sqlean_py-3.50.4.5.tar.gz \
        9764b565e7ab430ab6e9e43cb2816199c2b39926dffc93c212a52f0019278459
    # This copy adds a call of the extensions of that package.
    sed -i 's/return sqlite3_auto_extension((void\*)sqlite3_sqlean_init);/return SQLITE_OK;/' sqlean_py-*/sqlite/sqlite3.c
    source=$PWD/$(echo sqlean_py-*/sqlite/sqlite3.c)
    ;;
3.54)
    # This copy adds encryption, for databases that are opened with a key.
    fetch https://files.pythonhosted.org/packages/db/8f/bca0cdff784541de327f61b055efad355b14d390b36615548715dc6e9d55/apsw_sqlite3mc-3.54.0.0.tar.gz \
        60a021cd9f6c8f3e2aa6cb54e197cb344379d5eb9a688b7647a136fc24956db4
    source=$PWD/$(echo apsw_sqlite3mc-*/sqlite3/sqlite3.c)
    ;;
esac
# shellcheck disable=SC2086 # several words
gcc -shared -fPIC -O1 -g -Wl,-soname,libsqlite3.so.0 $options "$source" -o "$library.part" -lm -ldl -lpthread >&2
mv "$library.part" "$library"
echo "$library"
