import Foundation
import SQLiteDriver
import Testing

@Suite struct DatabaseFileFormatTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test
    func `The format of a file is read from its header, which creates no files`() throws {
        for (mode, format) in [("DELETE", DatabaseFileFormat.rollbackJournal), ("WAL", .writeAheadLog)] {
            let path = folder.path("\(mode).sqlite")
            let queue = try DatabaseQueue(path: path, configuration: Configuration().removingLog)
            try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = \(mode); CREATE TABLE t (a)") }
            try queue.close()
            #expect(DatabaseFileFormat(path: path) == format)
            #expect(DatabaseFileFormat.isOfDatabase(path: path))
        }
        #expect(try folder.files() == ["DELETE.sqlite", "WAL.sqlite"])
    }

    @Test
    func `Other files, folders and missing files have no format`() throws {
        try folder.write("CREATE TABLE t (a); -- longer than the header", to: "long.sql")
        try folder.write("short", to: "short")
        try folder.write("SQLite format 3", to: "beginning")
        try folder.write("a log", to: "long.sql-wal")
        for name in ["long.sql", "short", "beginning", "long.sql-wal", "missing", ""] {
            #expect(DatabaseFileFormat(path: folder.path(name)) == nil, "\(name)")
            #expect(!DatabaseFileFormat.isOfDatabase(path: folder.path(name)), "\(name)")
        }
        try folder.write("", to: "empty")
        #expect(DatabaseFileFormat(path: folder.path("empty")) == .empty)
        #expect(!DatabaseFileFormat.isOfDatabase(path: folder.path("empty")))
        #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
        #expect(DatabaseFileFormat(path: folder.path("pipe")) == nil)
    }

    @Test
    func `The files beside a database belong to it`() throws {
        let queue = try DatabaseQueue(path: folder.path("a.sqlite"))
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA journal_mode = WAL; CREATE TABLE t (a)")
            for suffix in ["-wal", "-shm", "-journal"] {
                let path = folder.path("a.sqlite" + suffix)
                #expect(DatabaseFileFormat.isBesideDatabase(path: path))
                #expect(DatabaseFileFormat.isOfDatabase(path: path))
                #expect(DatabaseFileFormat(path: path) == nil)
            }
        }
        try queue.close()
    }
}
