import Foundation
import Strata

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
            COPY appears when it is complete, and SQLite's integrity check has found nothing in it. If the backup fails, there is no new file,
            and an old one stays as it was. In WAL mode, COPY is the state at the beginning; otherwise, the backup begins again when another
            program writes.
            """
    ) { arguments, console in
        let source = arguments.operands[0]
        let target = URL(fileURLWithPath: arguments.operands[1])
        let files = FileManager.default
        var isFolder: ObjCBool = false
        if files.fileExists(atPath: target.path, isDirectory: &isFolder) {
            guard !isFolder.boolValue else { throw ToolError("\(target.path) is a folder") }
            guard arguments.has("--replace") else { throw ToolError("\(arguments.operands[1]) exists; --replace replaces it") }
            guard target.resolvingSymlinksInPath().path != URL(fileURLWithPath: source).resolvingSymlinksInPath().path else {
                throw ToolError("\(source) can't be a copy of itself")
            }
        }
        guard let pages = arguments["--pages"].map({ CInt($0) }) ?? 1024, pages > 0 else {
            throw UsageError("--pages needs a number greater than 0")
        }

        // A name in the same folder, so that the complete file can be moved in one step.
        let partial = target.deletingLastPathComponent().appendingPathComponent(".\(target.lastPathComponent).\(UUID().uuidString)")
        defer {
            for suffix in ["", "-journal", "-wal", "-shm"] { try? files.removeItem(atPath: partial.path + suffix) }
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
            let copy = try DatabaseQueue(path: partial.path)
            func copyPages(_ db: Database) throws {
                // In WAL mode, a transaction that has read keeps one state, and does not block writers.
                if db.isInsideTransaction { _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") }
                try copy.writeWithoutTransaction { copy in
                    try db.backup(to: copy, pagesPerStep: pages) { progress in
                        pageCount = progress.totalPageCount
                        let fraction = pageCount > 0 ? Double(progress.completedPageCount) / Double(pageCount) : 1
                        console.showProgress(fraction, "\(progress.completedPageCount) of \(pageCount) pages")
                    }
                }
            }
            if isInWALMode { try database.read(copyPages) } else { try database.unsafeRead(copyPages) }
            if !arguments.has("--no-check"), let finding = try copy.writeWithoutTransaction({ integrityFindings($0, isQuick: false) }).first
            {
                throw ToolError(
                    "no copy was written, because its integrity check found: \(finding); strata check shows whether \(source) is damaged, "
                        + "too, and --no-check skips the check")
            }
            try copy.close()
        }
        // SQLite would use the files of the previous database at this path for the new one.
        for suffix in ["-journal", "-wal", "-shm"] where files.fileExists(atPath: target.path + suffix) {
            try files.removeItem(atPath: target.path + suffix)
        }
        guard rename(partial.path, target.path) == 0 else {
            throw ToolError("can't write \(target.path): \(String(cString: strerror(errno)))")
        }
        console.print("\(pageCount) pages (\(byteCount(pageCount * pageSize))) copied to \(arguments.operands[1])")
        return true
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
