import ExampleSupport
import Foundation
import SQLiteDriver

/// Opens a database file for reading only.
func openReadOnly(_ path: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.readonly = true
    // A full path can't be taken for one of the URIs that SQLite also understands, such as "file:…".
    let file = URL(fileURLWithPath: path).resolvingSymlinksInPath()
    let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
    if let type = attributes?[.type] as? FileAttributeType, type != .typeRegular, type != .typeDirectory {
        // Opening a pipe would wait for somebody to write to it.
        throw ExampleError("it is no regular file")
    }
    if isResting(file), let path = file.path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) {
        return try DatabaseQueue(path: "file://\(path)?immutable=1", configuration: configuration)
    }
    return try DatabaseQueue(path: file.path, configuration: configuration)
}

/// Whether a file is a database in WAL mode that nobody uses.
///
/// In that mode, SQLite makes two more files beside the database even for readers, and a reader that may not write leaves them
/// there. When the `-wal` file is not there, nobody else has the database open: SQLite may then be told that the file won't
/// change, and makes none.
///
/// Source: <https://www.sqlite.org/wal.html#read_only_databases>, <https://www.sqlite.org/fileformat.html#the_database_header>
private func isResting(_ file: URL) -> Bool {
    guard let handle = FileHandle(forReadingAtPath: file.path), let header = try? handle.read(upToCount: 20), header.count == 20
    else { return false }
    let isInWALMode = header[18] == 2 && header[19] == 2
    return isInWALMode && !FileManager.default.fileExists(atPath: file.path + "-wal")
}
