#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Opens, creates, closes and deletes the files of a folder.
///
/// **Deletion while others open the file.** A process may open a file, wait for its lock, and get it only after another process has removed
/// the file. It would commit into a file without a name, or, after the name was given to a new file, use the log of the new one. Therefore:
///
/// - Each file is in the WAL mode before it gets its name, and leaves this mode before it loses it. Leaving it needs a lock that SQLite gives
///   only if no other connection has the file open. So a file that was opened before its removal is not in the WAL mode when its lock is
///   given, and its log is not touched.
/// - While a file is opened and while it is deleted, its name is locked: see ``NameLocks``. What follows also holds for files that other
///   programs open without that lock.
/// - Whoever opens a file asks whether it still has its name when it has its first lock, and before it enters the WAL mode: see
///   `Configuration.requiresFile`. From then on, the lock keeps others from deleting the file.
struct FileOpener: Sendable {
    let folder: String
    let configuration: Configuration
    let options: DatabaseFolder.Options
    let preparation: @Sendable (any DatabaseWriter) throws -> Void
    let locks: NameLocks

    private static let newPrefix = ".strata-new-"

    // MARK: - What follows the changes of the table

    func perform(_ action: FileTable.Action, _ table: FileTable) {
        switch action {
        case .open(let entry): Workers.open { table.hasOpened(entry, Result { try openFile(entry, table) }) }
        case .close(let entry, let pool):
            Workers.close {
                // Statements that the program keeps keep the connection open, until they are released.
                try? pool.close()
                table.hasClosed(entry)
            }
        case .delete(let entry, let pool, let deletions):
            Workers.open { table.hasDeleted(entry, deletions, Result { try delete(entry, pool) }) }
        case .grant(let request, let lease, let mustCheck):
            if mustCheck, !lease.pool.isFileInPlace { return table.replace(lease.entry, for: request) }
            if !request.end(.success(lease)), !request.isKept { table.endUse(lease.entry) }
        case .fail(let request, let error): request.end(.failure(error))
        case .sweep(let duration): DatabaseTimer.call(after: duration) { [weak table] in table?.sweep() }
        case .failIfStuck(let duration): DatabaseTimer.call(after: duration) { [weak table] in table?.failIfStuck() }
        case .call(let body): body()
        }
    }

    // MARK: - Opening

    private func openFile(_ entry: FileEntry, _ table: FileTable) throws -> DatabasePool {
        let path = try options.path(of: entry.name, in: folder)
        while true {
            guard let identity = FileIdentity(path: path) else {
                try table.reserve(nil, at: path, for: entry)
                guard entry.creates, !configuration.readonly else { throw DatabaseFileError(.notFound, name: entry.name, detail: path) }
                try create(entry, path)
                continue
            }
            if identity.linkCount > 1 { throw DatabaseFileError(.severalLinks, name: entry.name, detail: path) }
            try table.reserve(identity, at: path, for: entry)
            do {
                let pool = try locks.withLock(.shared, on: path) { try DatabasePool(path: path, configuration: configuration) }
                // Another process may have replaced the file before it was opened.
                guard FileIdentity(path: path) == identity else { continue }
                entry.logIdentity = FileIdentity(path: "\(path)-wal")
                try prepare(pool)
                return pool
            } catch is DatabaseError where FileIdentity(path: path) != identity {
                // Another process has removed the file meanwhile.
            }
        }
    }

    /// Prepares a database without the limits of the configuration.
    private func prepare(_ pool: DatabasePool) throws {
        guard configuration.hasLimits, !configuration.readonly else { return try preparation(pool) }
        let queue = try DatabaseQueue(path: pool.path, configuration: configuration.withoutLimits)
        defer { try? queue.close() }
        try preparation(queue)
    }

    /// Creates a file. It gets its name when it is complete, unless another process has created it meanwhile.
    private func create(_ entry: FileEntry, _ path: String) throws {
        let parent = String(path[..<path.lastIndex(of: "/")!])
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        try locks.withLock(.shared, on: path) {
            guard let log = ["-wal", "-journal"].map({ path + $0 }).first(where: { NewFile.exists($0) }), FileIdentity(path: path) == nil
            else { return }
            throw DatabaseFileError(.leftoverLog, name: entry.name, detail: log)
        }
        let temporary = "\(parent)/\(Self.newPrefix)\(UUID().uuidString.lowercased())"
        defer { for suffix in ["", "-wal", "-shm", "-journal"] { NewFile.remove(temporary + suffix) } }
        var configuration = configuration.withoutLimits
        configuration.requiresFile = false
        configuration.journalMode = .wal
        let queue = try DatabaseQueue(path: temporary, configuration: configuration)
        do {
            try preparation(queue)
            try queue.close()
        } catch {
            try? queue.close()
            throw error
        }
        let code = locks.withLock(.shared, on: path) { NewFile.name(temporary, path) }
        if code != 0, FileIdentity(path: path) == nil {
            throw DatabaseError(
                code: .SQLITE_CANTOPEN, message: "the file can't be given its name: \(String(cString: strerror(code))): \(path)",
                advice: "Check the permissions of the folder.")
        }
    }

    /// Removes the files that processes left behind when they ended while they created a database.
    func removeLeftovers() {
        if configuration.readonly { return }
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] where name.hasPrefix(Self.newPrefix) {
            let attributes = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
            // Another process may still migrate a younger one.
            guard let date = attributes?[.modificationDate] as? Date, date.timeIntervalSinceNow < -86400 else { continue }
            NewFile.remove("\(folder)/\(name)")
        }
    }

    // MARK: - Deletion

    /// Deletes a file that this process does not use.
    ///
    /// - Returns: false if there is no file.
    private func delete(_ entry: FileEntry, _ pool: DatabasePool?) throws -> Bool {
        do { try pool?.close() } catch {
            throw DatabaseFileError(.inUse, name: entry.name, detail: "the program keeps statements")
        }
        let path = try options.path(of: entry.name, in: folder)
        if configuration.readonly {
            throw DatabaseError(code: .SQLITE_READONLY, message: "a read-only folder deletes no file: \(path)", advice: nil)
        }
        return try locks.withLock(.exclusive, on: path) { try delete(entry, path) }
    }

    private func delete(_ entry: FileEntry, _ path: String) throws -> Bool {
        while let identity = FileIdentity(path: path) {
            if identity.linkCount > 1 { throw DatabaseFileError(.severalLinks, name: entry.name, detail: path) }
            do {
                var configuration = configuration.withoutLimits
                configuration.journalMode = .default
                configuration.monitors = []
                let queue = try DatabaseQueue(path: path, configuration: configuration)
                defer { try? queue.close() }
                if try queue.writeWithoutTransaction({ db in try remove(path, db) }) { return true }
            } catch let error as DatabaseError {
                if FileIdentity(path: path) != identity { continue }
                guard error.resultCode == .SQLITE_BUSY || error.resultCode == .SQLITE_LOCKED else { throw error }
                throw DatabaseFileError(.inUse, name: entry.name, detail: path)
            }
        }
        return false
    }

    /// Removes the file of a connection, in an exclusive transaction.
    ///
    /// - Returns: false if another process has entered the WAL mode again meanwhile.
    /// - Throws: `SQLITE_BUSY` if another connection has the file open.
    private func remove(_ path: String, _ db: Database) throws -> Bool {
        let mode = { (sql: String) throws -> String? in
            let statement = try db.makeStatement(sql: sql)
            return try statement.step() ? statement.string(at: 0) : nil
        }
        _ = try mode("PRAGMA main.journal_mode = DELETE")
        var isRemoved = false
        try db.inTransaction(.exclusive) {
            if try mode("PRAGMA main.journal_mode") == "delete", !db.hasMoved {
                let code = NewFile.remove(path)
                if code != 0 {
                    throw DatabaseError(
                        code: .SQLITE_IOERR_DELETE, message: "the file can't be removed: \(String(cString: strerror(code))): \(path)",
                        advice: "Check the permissions of the folder.")
                }
                isRemoved = true
            }
            return .rollback
        }
        if isRemoved { NewFile.synchronizeFolder(of: path) }
        return isRemoved
    }
}
