#!/bin/sh
# Checks that nothing but SQLite opens, copies or replaces database files: POSIX drops all locks that a process has on a file when it closes
# any descriptor of the file (https://www.sqlite.org/howtocorrupt.html). Each call that opens a file by its path, or closes a descriptor, is
# in the list below, with the reason why its file is not a database.
set -eu
cd "$(dirname "$0")/.."

# Path, call, and reason. A file with two such calls has two lines.
allowed=$(
    cat <<'EOF'
Packages/DatabaseFiles/Sources/DatabaseFiles/Files/NameLocks.swift|close(|the lock file, which is no database
Packages/DatabaseFiles/Sources/DatabaseFiles/Files/NameLocks.swift|open(|the lock file, which is no database
Packages/DatabaseFiles/Sources/DatabaseFiles/Files/NameLocks.swift|open(|the lock file of a folder that can't be written
Packages/DqliteCluster/Sources/DqliteCluster/Connection/NodeSocket.swift|close(|the socket's own method, if the connection fails
Packages/DqliteCluster/Sources/DqliteCluster/Connection/NodeSocket.swift|close(|the socket's own method, at its end
Packages/DqliteCluster/Sources/DqliteCluster/Connection/NodeSocket.swift|close(|a socket
Packages/DqliteCluster/Sources/DqliteCluster/Cluster/DqliteCluster+Backup.swift|.write(to:|a new file, on which nobody has locks
Packages/DqliteCluster/Sources/DqliteCluster/Node/DqliteNode.swift|open(|the lock file of a node's folder
Packages/DqliteCluster/Sources/DqliteCluster/Node/DqliteNode.swift|close(|the lock file, if the lock is taken
Packages/DqliteCluster/Sources/DqliteCluster/Node/DqliteNode.swift|close(|the lock file, when the node stops
Packages/DqliteCluster/Sources/DqliteCluster/Node/NodeFolder.swift|Data(contentsOf|the files of libraft, which has no locks on them
Packages/DqliteCluster/Sources/DqliteCluster/Node/NodeFolder.swift|.write(to:|the new metadata1
Packages/DqliteCluster/Sources/DqliteCluster/Node/NodeFolder.swift|FileHandle(|the new metadata1
Packages/DqliteCluster/Sources/DqliteCluster/Node/NodeFolder.swift|open(|the lock file of a node's folder
Packages/DqliteCluster/Sources/DqliteCluster/Node/NodeFolder.swift|close(|the lock file, after the folder was read
Packages/DqliteCluster/Sources/DqliteCluster/Node/NodeFolder.swift|close(|the lock file, if a node uses the folder
Packages/DqliteCluster/Sources/DqliteCluster/Node/NodeIdentity.swift|Data(contentsOf|strata.node
Packages/DqliteCluster/Sources/DqliteCluster/Node/NodeIdentity.swift|.write(to:|the new strata.node
Packages/DqliteCluster/Sources/DqliteCluster/Node/NodeIdentity.swift|FileHandle(|the new strata.node
Packages/Dumps/Sources/Dumps/Dumping/DumpedFile.swift|.write(to:|a new file: an existing one is refused
Packages/Dumps/Sources/Dumps/Dumping/DumpedFile.swift|FileHandle(|the new file
Packages/Dumps/Sources/Dumps/Dumping/DumpedFile.swift|FileHandle(|a pipe or a device, which is not a regular file
Packages/Dumps/Sources/Dumps/Loading/RejectsFile.swift|.createFile(|a new file: an existing one is refused
Packages/Dumps/Sources/Dumps/Loading/RejectsFile.swift|FileHandle(|the text that was created, or that has the size that it had: files that belong to a database are refused
Packages/Dumps/Sources/Dumps/Loading/RejectsFile.swift|FileHandle(|its beginning, which must be what this load has written: files that belong to a database are refused
Packages/Dumps/Sources/Dumps/Loading/RejectsFile.swift|FileHandle(|the same file, which becomes shorter
Packages/Dumps/Sources/Dumps/Loading/TextSource.swift|FileHandle(|a text: files that belong to a database are refused
Packages/RecordGenerator/Sources/StrataCommandSupport/Interruption.swift|open(|the null device
Packages/RecordGenerator/Sources/StrataCommandSupport/Interruption.swift|dup2(|a pipe, a socket or a terminal: regular files are left alone
Packages/RecordGenerator/Sources/RecordGenerator/Command/RecordCommand.swift|Data(contentsOf|a script or settings: files that belong to a database are refused
Packages/RecordGenerator/Sources/RecordGenerator/Command/RecordCommand.swift|.write(to:|code: files that belong to a database are refused
Packages/SQLiteDriver/Sources/CSQLiteShims/shims.c|open(|a new file: a file that exists is not opened
Packages/SQLiteDriver/Sources/CSQLiteShims/shims.c|close(|the new file, on which nobody has locks
Packages/SQLiteDriver/Sources/CSQLiteShims/shims.c|open(|the folder of a file that was replaced
Packages/SQLiteDriver/Sources/CSQLiteShims/shims.c|close(|the folder
Examples/Sources/13-Cluster/main.swift|close(|a socket
Examples/Sources/15-Server/Socket.swift|close(|a socket
EOF
)

# Calls with a colon or a point count anywhere; `open(` and `close(` only as functions of C, and not as methods or declarations.
calls='FileHandle\((for|file)|(Data|String|NSData|NSString)\((mappedIn|contentsOf)|InputStream\((url|file)|OutputStream\((url|to)'
calls="$calls|\\.write\\(to(File)?: [^&]|\\.(copyItem|linkItem|replaceItem[A-Za-z]*|contentsEqual|contents\\(atPath|createFile)\\("
calls="$calls|\\.contents\\(atPath|fileSystemRepresentation|DispatchIO\\(|makeFileSystemObjectSource"
functions='open|openat|creat|close|fopen|freopen|fdopen|fclose|dup|dup2|mmap|sendfile|copy_file_range|posix_spawn_file_actions_addopen'

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
find Packages/*/Sources Packages/*/Plugins Examples/Sources \( -name '*.swift' -o -name '*.c' -o -name '*.h' \) -exec awk \
    -v calls="$calls" -v functions="$functions" '
    # Comments and literals may name calls.
    /^[ \t]*(\/\/|\*)/ { next }
    {
        line = $0
        gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
        if (line ~ /(func|case)[ \t]/) sub(/(func|case)[ \t]+[a-zA-Z]+\(/, "", line)
        rest = line
        while (match(rest, calls)) {
            call = substr(rest, RSTART, RLENGTH)
            if (call ~ /^FileHandle/) call = "FileHandle("
            if (call ~ /^\.write/) sub(/ .$/, "", call)
            print FILENAME "|" call
            rest = substr(rest, RSTART + RLENGTH)
        }
        rest = line
        while (match(rest, "(^|[^A-Za-z0-9_.>])(" functions ")\\(")) {
            call = substr(rest, RSTART, RLENGTH)
            sub(/^[^a-z]/, "", call)
            print FILENAME "|" call
            rest = substr(rest, RSTART + RLENGTH)
        }
    }
' {} + | sort >"$scratch/found"
printf '%s\n' "$allowed" | cut -d '|' -f 1,2 | sort >"$scratch/allowed"
if printf '%s\n' "$allowed" | grep -vE '^[^|]+\|[^|]+\|[^|]+$' >&2; then
    echo "Scripts/check-files.sh: each line needs a path, a call and a reason" >&2
    exit 1
fi

status=0
comm -23 "$scratch/found" "$scratch/allowed" >"$scratch/new"
comm -13 "$scratch/found" "$scratch/allowed" >"$scratch/gone"
while IFS= read -r call; do
    echo "Scripts/check-files.sh does not allow a call that opens or closes a file: $call" >&2
    status=1
done <"$scratch/new"
while IFS= read -r call; do
    echo "Scripts/check-files.sh allows a call that does not exist: $call" >&2
    status=1
done <"$scratch/gone"
exit $status
