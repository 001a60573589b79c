import Foundation
import Strata
import StrataCommandSupport

extension Subcommand {
    static let backup = Subcommand(
        name: "backup",
        summary: "Copies a database to another file, while other programs use it.",
        operands: "FILE COPY",
        options: [
            Option("--replace", "Replaces the file COPY if it exists."),
            Option("--pages", value: "N", "Copies N pages at a time, 1024 by default; other programs can write between two steps."),
            Option("--no-check", "Reports success without the integrity check of the copy."),
            .immutable,
        ],
        discussion: """
            COPY has the permissions of FILE. It appears when it is complete, and SQLite's integrity check has found nothing in it. If the backup fails, or a signal ends it,
            there is no new file, and an old one stays as it was. Only SIGKILL leaves a hidden file, .COPY.UUID, which the next backup to COPY
            removes. In WAL mode, COPY is the state at the beginning; otherwise, the backup begins again when another program writes.
            """
    ) { arguments, console in
        let source = arguments.operands[0]
        let target = URL(fileURLWithPath: arguments.operands[1])
        let files = FileManager.default
        var isFolder: ObjCBool = false
        if files.fileExists(atPath: target.path, isDirectory: &isFolder) {
            guard !isFolder.boolValue else { throw ToolError("\(target.path) is a folder") }
            guard arguments.has("--replace") else {
                throw ToolError("\(arguments.operands[1]) exists", advice: "Replace it with --replace.")
            }
            guard target.resolvingSymlinksInPath().path != URL(fileURLWithPath: source).resolvingSymlinksInPath().path else {
                throw ToolError("\(source) can't be a copy of itself")
            }
        }
        guard let pages = arguments["--pages"].map({ CInt($0) }) ?? 1024, pages > 0 else {
            throw UsageError("--pages needs a number greater than 0")
        }

        var pageCount = 0
        var pageSize = 0
        try withReadOnlyDatabase(source, isImmutable: arguments.has(Option.immutable.name)) { database in
            // A file that is not a database is an error before another file is created.
            let isInWALMode = try database.read { db in
                _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master")
                pageSize = try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0
                return try String.fetchOne(db, sql: "PRAGMA journal_mode") == "wal"
            }
            let copy = try UnfinishedCopy(of: target, like: URL(fileURLWithPath: source).resolvingSymlinksInPath().path)
            defer { copy.remove() }
            func copyPages(_ db: Database) throws {
                // In WAL mode, a transaction that has read keeps one state, and does not block writers.
                if db.isInsideTransaction { _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") }
                try copy.queue.writeWithoutTransaction { copy in
                    try db.backup(to: copy, pagesPerStep: pages) { progress in
                        try Interruption.check()
                        pageCount = progress.totalPageCount
                        let fraction = pageCount > 0 ? Double(progress.completedPageCount) / Double(pageCount) : 1
                        console.showProgress(fraction, "\(progress.completedPageCount) of \(pageCount.counted("page"))")
                    }
                }
            }
            if isInWALMode { try database.read(copyPages) } else { try database.unsafeRead(copyPages) }
            if !arguments.has("--no-check"),
                let finding = try copy.queue.writeWithoutTransaction(DatabaseCheck.integrity.findings).first?.message
            {
                throw ToolError(
                    "no copy was written, because its integrity check found: \(finding)",
                    advice: "Run strata check to see whether \(source) is damaged, too, or skip the check with --no-check.")
            }
            try copy.finish()
        }
        console.print("\(pageCount.counted("page")) (\(byteCount(pageCount * pageSize))) copied to \(arguments.operands[1])")
        return true
    }
}

/// A database file under a hidden name beside the copy that it will be.
///
/// Its connection locks the file until it is moved: an unlocked file of such a name was left by a process that was killed.
private struct UnfinishedCopy {
    let queue: DatabaseQueue
    private let target: URL

    /// The suffixes of the files that SQLite keeps for a database.
    private static let suffixes = ["", "-journal", "-wal", "-shm"]

    /// - Parameter source: the file whose permissions the copy has.
    init(of target: URL, like source: String) throws {
        self.target = target
        try? Self.removeAbandoned(of: target)
        var queue: DatabaseQueue
        repeat {
            let path = Self.folder(of: target) + Self.prefix(of: target) + UUID().uuidString
            _ = NewFile.create(path, like: source)
            do {
                queue = try DatabaseQueue(path: path, configuration: toolConfiguration)
                try queue.writeWithoutTransaction { db in
                    try db.execute(sql: "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT")
                }
            } catch {
                Self.remove(path)
                throw error
            }
            // Before it was locked, another backup may have taken the file for an abandoned one.
        } while !FileManager.default.fileExists(atPath: queue.path)
        self.queue = queue
    }

    /// The folder of the target: there, the complete file can be moved in one step.
    private static func folder(of target: URL) -> String { target.deletingLastPathComponent().path + "/" }

    /// The beginning of the names of unfinished copies.
    private static func prefix(of target: URL) -> String { ".\(target.lastPathComponent)." }

    /// Moves the file to its final name.
    func finish() throws {
        let files = FileManager.default
        try Interruption.complete()
        // SQLite would use the files of the previous database at this path for the new one.
        for suffix in Self.suffixes.dropFirst() where files.fileExists(atPath: target.path + suffix) {
            try files.removeItem(atPath: target.path + suffix)
        }
        // SQLite has synchronized the content.
        let code = NewFile.replace(target.path, with: queue.path)
        guard code == 0 else { throw ToolError("can't write \(target.path): \(String(cString: strerror(code)))") }
    }

    /// Closes the connection, and removes the files that remain under the hidden name.
    func remove() {
        try? queue.close()
        Self.remove(queue.path)
    }

    private static func remove(_ path: String) {
        for suffix in suffixes { try? FileManager.default.removeItem(atPath: path + suffix) }
    }

    /// Removes the files that killed processes have left.
    private static func removeAbandoned(of target: URL) throws {
        let (folder, prefix) = (folder(of: target), prefix(of: target))
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix(prefix) }
        for uuid in Set(names.map { $0.dropFirst(prefix.count).prefix(36) }) where UUID(uuidString: String(uuid)) != nil {
            let path = folder + prefix + uuid
            let lock = Result {
                let queue = try DatabaseQueue(path: path, configuration: cleaningConfiguration)
                try queue.writeWithoutTransaction { db in
                    try db.execute(sql: "BEGIN EXCLUSIVE")
                    remove(path)
                    try db.rollback()
                }
            }
            // A file that was left behind may not be a database yet.
            if case .failure(let error as DatabaseError) = lock, ![.SQLITE_NOTADB, .SQLITE_CORRUPT].contains(error.resultCode) { continue }
            remove(path)
        }
    }
}

/// A number of bytes for people: `4.0 KB`.
func byteCount(_ count: Int) -> String {
    if count < 1024 { return "\(count) B" }
    var number = Double(count) / 1024
    for unit in ["KB", "MB"] {
        if number < 1024 { return String(format: "%.1f %@", number, unit) }
        number /= 1024
    }
    return String(format: "%.1f GB", number)
}
