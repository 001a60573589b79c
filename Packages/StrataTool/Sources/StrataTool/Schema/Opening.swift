import Foundation
import Strata

/// Opens a database file for reading.
///
/// - Throws: ``ToolError`` if there is no regular file at the path.
func openReadOnly(_ path: String) throws -> DatabaseQueue {
    var configuration = toolConfiguration
    configuration.readonly = true
    let file = try databaseFile(path)
    if isResting(file), let path = file.path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) {
        return try DatabaseQueue(path: "file://\(path)?immutable=1", configuration: configuration)
    }
    return try DatabaseQueue(path: file.path, configuration: configuration)
}

/// Opens a database file that exists for writing.
///
/// - Throws: ``ToolError`` if there is no regular file at the path.
func openForWriting(_ path: String) throws -> DatabaseQueue {
    let file = try databaseFile(path)
    guard FileManager.default.fileExists(atPath: file.path) else { throw ToolError("\(path) does not exist") }
    return try DatabaseQueue(path: file.path, configuration: toolConfiguration)
}

/// The configuration for databases of any program.
private var toolConfiguration: Configuration {
    var configuration = Configuration()
    // Views and triggers of other programs have texts in double quotes.
    configuration.acceptsDoubleQuotedStringLiterals = true
    return configuration
}

private func databaseFile(_ path: String) throws -> URL {
    guard !path.isEmpty else { throw UsageError("the path of the database is empty") }
    // SQLite never interprets a full path as a URI such as "file:…".
    let file = URL(fileURLWithPath: path).resolvingSymlinksInPath()
    let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
    if let type = attributes?[.type] as? FileAttributeType, type != .typeRegular, type != .typeDirectory {
        // Opening a pipe would block until something writes to it.
        throw ToolError("\(path) is no regular file")
    }
    return file
}

/// Calls the closure with a connection in a read-only transaction: what it sees is one state of the database, even while others write.
///
/// - Throws: ``ToolError`` with the name of the file.
func reading<T>(_ path: String, _ body: (Database) throws -> T) throws -> T {
    do {
        return try openReadOnly(path).read(body)
    } catch let error as DatabaseError {
        throw ToolError("can't read \(path): \(error)")
    }
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
