#!/bin/sh
# Builds a SQLite other than the system's, and prints the path of its shared library, for `make test SQLITE=path`.
#
#     Scripts/build-sqlite.sh debug    Debian's release, with SQLite's own assertions and checks of arguments, and without the
#                                      extensions of the C API and of SQL that Debian adds
#     Scripts/build-sqlite.sh apple    Debian's release with the options of the SQLite of Apple's systems: statements are not reset
#                                      automatically, no memory statistics, recursive triggers; connections are defensive, and keep the
#                                      write-ahead log
#     Scripts/build-sqlite.sh 3.38     the oldest release that a Python package contains, older than those of all systems in README.md
#     Scripts/build-sqlite.sh 3.51     3.51.3, the first release without the WAL-reset bug
#     Scripts/build-sqlite.sh 3.54     the newest release that a Python package contains
#
# Sources are requested by name from the archives that the machine's own apt and pip are configured with.
#
# The library is built once. All files are below .build/sqlite. Needs Debian, and root or the packages that it installs.
set -eu
cd "$(dirname "$0")/.."

fail() {
    echo "$1" >&2
    exit 1
}

# Downloads the source of a Python package, checks it, and unpacks it.
# fetch NAME VERSION SHA256
fetch() {
    # To download a source, pip requests its metadata from the backend that builds it, whose setup.py may install and download more. This one
    # answers with the metadata in the archive, and runs none of its code.
    mkdir -p backend/setuptools
    : >backend/setuptools/__init__.py
    cat >backend/setuptools/build_meta.py <<'END'
import email, os, shutil, sys


def prepare_metadata_for_build_wheel(folder, config_settings=None):
    with open("PKG-INFO", encoding="utf-8") as file:
        metadata = email.message_from_file(file)
    name = metadata["Name"].replace("-", "_") + "-" + metadata["Version"] + ".dist-info"
    os.mkdir(os.path.join(folder, name))
    shutil.copy("PKG-INFO", os.path.join(folder, name, "METADATA"))
    return name


# The backend of packages that name none.
__legacy__ = sys.modules[__name__]
END
    echo "$1==$2 --hash=sha256:$3" >requirement
    PYTHONPATH=$PWD/backend pip3 download --quiet --disable-pip-version-check --no-deps --no-binary :all: --no-build-isolation --use-pep517 \
        --dest archive --requirement requirement >&2
    tar -xzf archive/*
}

[ $# -eq 1 ] || fail "usage: Scripts/build-sqlite.sh debug|apple|3.38|3.51|3.54"
# Debian's sources are unpacked by dpkg-dev. Tcl and lemon generate SQLite's amalgamation from them.
case $1 in
debug | apple) tools="make tcl lemon dpkg-dev xz-utils patch" ;;
3.38 | 3.51 | 3.54) tools=python3-pip ;;
*) fail "build-sqlite.sh knows debug, apple, 3.38, 3.51 and 3.54, and not $1" ;;
esac
folder=$PWD/.build/sqlite/$1
library=$folder/libsqlite3.so.0
if [ -e "$library" ]; then
    echo "$library"
    exit 0
fi

missing=
for package in gcc libc6-dev $tools; do
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
    # The system's lists of packages, as lists of sources. They don't change the system's settings, and don't need root.
    mkdir -p lists/partial sources
    eval "$(apt-config shell list Dir::Etc::sourcelist/f parts Dir::Etc::sourceparts/d)"
    for file in "$list" "$parts"*.list "$parts"*.sources; do
        [ -e "$file" ] || continue
        case $file in
        *.sources) sed 's/^Types:.*/Types: deb-src/' "$file" ;;
        *) sed -n 's/^deb[[:space:]]/deb-src /p' "$file" ;;
        esac >"sources/$(basename "$file")"
    done
    apt="apt-get -qq -o Dir::Etc::sourcelist=- -o Dir::Etc::sourceparts=$PWD/sources -o Dir::State::Lists=$PWD/lists
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
3.38)
    fetch pysqlite-binary 0.5.1.3380300 bc869079d69f9e41fa79bc67c508c0b716d7f4ae5780eb6686989f42509562e9
    source=$PWD/$(echo pysqlite-binary-*/src/sqlite3.c)
    ;;
# The copies of this package add encryption, for databases that are opened with a key.
3.51)
    fetch apsw-sqlite3mc 3.51.3.1 0efc5d8bd633ef62fb5bc804c3d4687816c8182b5ae3ec043ae954f553beb48c
    source=$PWD/$(echo apsw_sqlite3mc-*/sqlite3/sqlite3.c)
    ;;
3.54)
    fetch apsw-sqlite3mc 3.54.0.0 60a021cd9f6c8f3e2aa6cb54e197cb344379d5eb9a688b7647a136fc24956db4
    source=$PWD/$(echo apsw_sqlite3mc-*/sqlite3/sqlite3.c)
    ;;
esac
# shellcheck disable=SC2086 # several words
gcc -shared -fPIC -O1 -g -Wl,-soname,libsqlite3.so.0 $options "$source" -o "$library.part" -lm -ldl -lpthread >&2
mv "$library.part" "$library"
echo "$library"
