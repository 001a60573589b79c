import Foundation
import SQLiteDriver

extension Option {
    /// The option of the subcommands that only read.
    package static let immutable = Option(
        "--immutable", "Reads without locks: only for a file that no program can change, such as one on a CD.")

    /// The option of the subcommands that read views.
    package static let timeout = Option("--timeout", value: "SECONDS", "Limits each query of a view, to 5 seconds by default.")
}

/// Calls the closure with a queue that only reads a database file, and closes the queue.
///
/// In WAL mode, SQLite creates two more files next to the database even for readers, and a read-only connection leaves them there.
/// This function removes them again, unless another program uses them. It also removes the files of a reader that was killed.
///
/// Source: <https://www.sqlite.org/wal.html#read_only_databases>
///
/// - Parameters:
///   - isImmutable: whether no program can change the file, as ``Option/immutable`` declares. SQLite then uses neither locks nor other
///     files: if a program does change the file, the result is inconsistent.
///   - limit: how long each statement may run.
/// - Throws: ``ToolError`` if there is not a regular file at the path, or if it can't be read without harm to other programs.
package func withReadOnlyDatabase<T>(
    _ path: String, isImmutable: Bool, statementTimeLimit limit: Duration? = nil, _ body: (DatabaseQueue) throws -> T
) throws -> T {
    let configuration = changed(toolConfiguration) { ($0.readonly, $0.statementTimeLimit) = (true, limit) }
    let file = try DatabaseFile(path)
    if isImmutable {
        try file.checkIsComplete()
        guard let escaped = file.path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) else {
            throw ToolError("\(path) can't be written as a URI, which --immutable needs")
        }
        return try withQueue(DatabaseQueue(path: "file://\(escaped)?immutable=1", configuration: configuration), body)
    }
    let isInWALMode = DatabaseFileFormat(path: file.path) == .writeAheadLog
    let missing = isInWALMode ? try file.missingLogFiles() : []
    // The log of a writer has content, which belongs to the database.
    let removesLog = isInWALMode && !file.hasContent(DatabaseFile.log)
    defer { if removesLog { file.removeLogIfUnused() } }
    do {
        return try withQueue(DatabaseQueue(path: file.path, configuration: configuration), body)
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CANTOPEN && !missing.isEmpty {
        throw file.refusal("SQLite can't create \(missing.joined(separator: " and ")) beside it")
    } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_READONLY_ROLLBACK {
        throw ToolError(
            "can't read \(path): a program ended in the middle of a transaction, which has to be rolled back first",
            advice: "Roll it back with strata sql --write FILE 'SELECT 1'.")
    }
}

private func withQueue<T>(_ queue: DatabaseQueue, _ body: (DatabaseQueue) throws -> T) throws -> T {
    let result = Result { try body(queue) }
    // Nothing was written: a failure to close loses nothing.
    try? queue.close()
    return try result.get()
}

/// Calls the closure with a connection in a read-only transaction: it sees one state of the database, even while others write.
///
/// - Throws: ``ToolError`` with the name of the file.
package func reading<T>(_ path: String, isImmutable: Bool, _ body: (Database) throws -> T) throws -> T {
    do {
        return try withReadOnlyDatabase(path, isImmutable: isImmutable) { try $0.read(body) }
    } catch let error as DatabaseError {
        throw ToolError("can't read \(path): \(error)")
    }
}

extension ParsedArguments {
    /// The limit of each query of a view, whose rows may have no end.
    ///
    /// - Throws: ``UsageError`` if it is not a positive number.
    package func viewTimeLimit() throws -> Duration {
        guard let text = self[Option.timeout.name] else { return .seconds(5) }
        guard let seconds = Double(text), seconds > 0, seconds <= 1e6 else {
            throw UsageError("\(Option.timeout.name) needs a number of seconds, not \(text)")
        }
        return .seconds(seconds)
    }
}

extension DatabaseTimeoutError {
    /// The limit that a statement has reached.
    package var problem: String { "its query took longer than \(timeout)" }
}

/// Calls the closure with a queue that writes a database file, and closes the queue.
///
/// - Parameter creates: whether a file that does not exist is created, if the closure writes something.
/// - Throws: ``ToolError`` if there is not a regular file at the path.
package func withWritableDatabase<T>(_ path: String, creates: Bool, _ body: (DatabaseQueue) throws -> T) throws -> T {
    let file = try DatabaseFile(path)
    let isNew = !FileManager.default.fileExists(atPath: file.path)
    if isNew, !creates { throw ToolError("\(path) does not exist") }
    let queue = try DatabaseQueue(path: file.path, configuration: toolConfiguration)
    let result = Result { try body(queue) }
    let closing = Result { try queue.close() }
    // An interruption also keeps the closing connection from copying the log into the file.
    if Interruption.endingSignal != nil { file.removeLogIfUnused() }
    if isNew, file.isUnused {
        try? FileManager.default.removeItem(atPath: file.path)
        // A mistyped path must not become a new database.
        if case .success = result { throw ToolError("\(path) does not exist, and the SQL does not create anything in it") }
    }
    let value = try result.get()
    try closing.get()
    return value
}

/// The configuration for databases of any program.
package var toolConfiguration: Configuration {
    var configuration = Configuration()
    // An interruption of the command suspends its databases.
    configuration.observesSuspensionNotifications = true
    // Views and triggers of other programs may have strings in double quotes.
    configuration.acceptsDoubleQuotedStringLiterals = true
    // A command leaves no files beside a database that no program uses.
    configuration.prepareDatabase { $0.removeLogWhenClosed() }
    return configuration
}

/// The configuration for removing the files that a command leaves. It neither waits nor ends early.
package var cleaningConfiguration: Configuration {
    changed(toolConfiguration) { ($0.observesSuspensionNotifications, $0.busyMode) = (false, .immediateError) }
}

/// A database file, and the files that SQLite keeps beside it.
private struct DatabaseFile {
    /// The suffix of the write-ahead log's path.
    static let log = "-wal"

    /// The path that the user gave.
    let givenPath: String

    /// The full path. SQLite never interprets it as a URI such as "file:…".
    let path: String

    private let files = FileManager.default

    /// - Throws: ``ToolError`` if the path leads to anything other than a regular file.
    init(_ givenPath: String) throws {
        guard !givenPath.isEmpty else { throw UsageError("the path of the database is empty") }
        self.givenPath = givenPath
        path = URL(fileURLWithPath: givenPath).resolvingSymlinksInPath().path
        let attributes = try? files.attributesOfItem(atPath: path)
        if let type = attributes?[.type] as? FileAttributeType, type != .typeRegular, type != .typeDirectory {
            // Opening a pipe would block until something writes to it.
            throw ToolError("\(givenPath) is not a regular file")
        }
        if DatabaseFileFormat.isBesideDatabase(path: path) {
            throw ToolError("\(givenPath) belongs to a database, and is not a database itself", advice: "Give the file without the ending.")
        }
    }

    /// Returns which of the two files of a database in WAL mode are missing: a read-only connection would create them.
    ///
    /// SQLite gives them the permissions of the database. If this user can't write the database, the files would belong to a user without
    /// that permission, and the programs of other users could no longer change the database.
    ///
    /// - Throws: ``ToolError`` in that case.
    func missingLogFiles() throws -> [String] {
        let missing = [Self.log, "-shm"].filter { !files.fileExists(atPath: path + $0) }
        guard missing.isEmpty || files.isWritableFile(atPath: path) else {
            throw refusal(
                "this user may not write it, so other programs could not use the files \(missing.joined(separator: " and ")) that SQLite "
                    + "would create beside it")
        }
        return missing
    }

    /// An error for a database in WAL mode, with what to do instead.
    func refusal(_ reason: String) -> ToolError {
        let advice =
            hasContent(Self.log)
            ? "Copy it together with \(givenPath)\(Self.log) to a folder that you can write, and read the copy."
            : "If no program can change the file, read it with --immutable."
        return ToolError("can't read \(givenPath): it is in WAL mode, and \(reason)", advice: advice)
    }

    /// Checks that all of the database is in the file: without locks, SQLite reads no other files.
    ///
    /// - Throws: ``ToolError`` if a log or a journal belongs to the state of the database.
    func checkIsComplete() throws {
        if let suffix = [Self.log, "-journal"].first(where: hasContent) {
            throw ToolError("can't read \(givenPath) with --immutable: \(givenPath)\(suffix) belongs to the database, and would be ignored")
        }
    }

    /// Whether nothing was put into the database.
    var isUnused: Bool {
        let sql = """
            SELECT (SELECT count(*) FROM sqlite_master) + (SELECT user_version <> 0 FROM pragma_user_version)
            + (SELECT application_id <> 0 FROM pragma_application_id)
            """
        let counts = try? DatabaseQueue(path: path, configuration: cleaningConfiguration).read { try $0.values(sql) { $0.int64(at: 0) } }
        return counts == [0]
    }

    /// Lets SQLite remove the files that a reader has created, unless another connection uses them.
    func removeLogIfUnused() {
        // The last connection that may write removes the files when it is closed: https://www.sqlite.org/wal.html#the_wal_file
        try? DatabaseQueue(path: path, configuration: cleaningConfiguration).close()
    }

    /// Whether a file beside the database has content.
    func hasContent(_ suffix: String) -> Bool {
        let attributes = try? files.attributesOfItem(atPath: path + suffix)
        return (attributes?[.size] as? Int ?? 0) > 0
    }
}
