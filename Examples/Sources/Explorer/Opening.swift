import ExampleSupport
import Foundation
import SQLiteDriver

/// Opens a database file for reading.
func openReadOnly(_ path: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.readonly = true
    // SQLite never interprets a full path as a URI such as "file:…".
    let file = URL(fileURLWithPath: path).resolvingSymlinksInPath()
    let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
    if let type = attributes?[.type] as? FileAttributeType, type != .typeRegular, type != .typeDirectory {
        // Opening a pipe would block until something writes to it.
        throw ExampleError("it is no regular file")
    }
    if isResting(file), let path = file.path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) {
        return try DatabaseQueue(path: "file://\(path)?immutable=1", configuration: configuration)
    }
    return try DatabaseQueue(path: file.path, configuration: configuration)
}

/// Returns whether a file is a database in WAL mode that nothing uses.
///
/// In WAL mode, SQLite creates two more files next to the database even for readers, and a read-only connection leaves them there. If
/// the `-wal` file does not exist, nothing else has the database open. SQLite can then be told that the file will not change, and
/// creates no other files.
///
/// Source: <https://www.sqlite.org/wal.html#read_only_databases>, <https://www.sqlite.org/fileformat.html#the_database_header>
private func isResting(_ file: URL) -> Bool {
    guard let handle = FileHandle(forReadingAtPath: file.path), let header = try? handle.read(upToCount: 20), header.count == 20
    else { return false }
    let isInWALMode = header[18] == 2 && header[19] == 2
    return isInWALMode && !FileManager.default.fileExists(atPath: file.path + "-wal")
}
