import Foundation
import Strata
import Testing

@testable import StrataTool

/// POSIX drops all locks of a process on a file when the process closes any descriptor of it: a program that runs the command keeps its own.
@Suite(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fdinfo"), "the system does not list the locks of a process"))
struct LockTests {
    let folder: TemporaryFolder
    let path: String
    let other: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("app.sqlite").path
        other = try Maker.library.makeDatabase(named: "other.sqlite", in: folder, sql: "CREATE TABLE t (a)").path
    }

    /// The locks of this process on a database and the files beside it, as Linux lists them for each open descriptor.
    private func locks() throws -> [String] {
        let files = FileManager.default
        var locks: [String] = []
        for descriptor in try files.contentsOfDirectory(atPath: "/proc/self/fd") {
            guard let file = try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)"), file.hasPrefix(path),
                let information = try? String(contentsOfFile: "/proc/self/fdinfo/\(descriptor)", encoding: .utf8)
            else { continue }
            // "lock: 1: POSIX ADVISORY READ 4711 08:01:815 1073741826 1073742335", with a number that means nothing.
            for line in information.split(separator: "\n") where line.hasPrefix("lock:") {
                locks.append(([Substring(file)] + line.split(whereSeparator: \.isWhitespace).dropFirst(2)).joined(separator: " "))
            }
        }
        return Set(locks).sorted()
    }

    /// Command lines that read the database, and command lines that are refused because a file that should be a text file belongs to it.
    private var reading: [[String]] {
        let copy = folder.file("copy.sqlite").path
        let output = folder.file("Records.swift").path
        return [
            ["show", path], ["sql", path, "SELECT * FROM t"], ["check", path, "--sizes"], ["dump", path], ["dump", path, "--format=csv"],
            ["schema", path], ["schema", path, "--sql"], ["schema", path, "--diff", other], ["schema", other, "--diff", path],
            ["backup", path, copy], ["backup", path, copy, "--replace"], ["backup", other, path], ["swift", path],
            ["swift", path, "--output", output], ["swift", path, "--output", output],
            // Texts.
            ["swift", "--sql", path], ["swift", other, "--settings", path], ["swift", other, "--output", path],
            ["load", other, "t", path, "--format=csv"], ["load", other, "t", path, "--format=json"],
            ["load", other, "t", path + "-shm", "--format=csv"], ["swift", "--sql", path + "-wal"], ["swift", "--sql", path + "-journal"],
            // Files beside a database, and a file that is not one.
            ["show", path + "-shm"], ["check", path + "-wal"], ["backup", path + "-shm", copy, "--replace"], ["show", output],
        ].flatMap { [$0, $0 + ["--immutable"]] }
    }

    @Test
    func `In WAL mode, no subcommand drops the program's locks, so another program does not remove its log`() throws {
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        }
        let before = try locks()
        #expect(before.contains { $0.hasPrefix(path + " ") }, "\(before)")
        let source = folder.file("rows.csv").path
        try Data("a\n2\n".utf8).write(to: URL(fileURLWithPath: source))
        let writing = [["sql", path, "INSERT INTO t VALUES (3)", "--write"], ["load", path, "t", source]]
        for arguments in reading + writing {
            let result = strata(arguments)
            #expect(try locks() == before, "\(result)")
        }

        // Closing the last connection removes the log. The program's connection is one.
        let process = try runProgram([strataCommand().path, "sql", path, "--write", "INSERT INTO t VALUES (4)"])
        #expect(process.status == 0, "\(process)")
        #expect(try folder.files().filter { $0.hasPrefix("app") } == ["app.sqlite", "app.sqlite-shm", "app.sqlite-wal"])
        try queue.write { db in try db.execute(sql: "INSERT INTO t VALUES (5)") }
        let rows = try runProgram([strataCommand().path, "sql", path, "SELECT a FROM t ORDER BY a", "--format=csv"])
        #expect(rows.lines == ["a", "1", "2", "3", "4", "5"], "\(rows)")
        try queue.close()
    }

    @Test
    func `With a rollback journal, no subcommand drops the locks of the program's transaction`() throws {
        _ = try Maker.library.makeDatabase(named: "app.sqlite", in: folder, sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN IMMEDIATE; INSERT INTO t VALUES (2)")
            let before = try locks()
            #expect(before.contains { $0.contains(" WRITE ") }, "\(before)")
            for arguments in reading {
                let result = strata(arguments)
                #expect(try locks() == before, "\(result)")
            }
            try db.commit()

            // Without a wait for the lock: text files, and reads without locks.
            try db.execute(sql: "BEGIN EXCLUSIVE; INSERT INTO t VALUES (3)")
            let exclusive = try locks()
            for arguments in [["swift", "--sql", path], ["show", path, "--immutable"]] {
                let result = strata(arguments)
                #expect(try locks() == exclusive, "\(result)")
            }
            if hasProgram("sqlite3") {
                // The program is made for the system's library.
                let process = try runProgram(["-u", "LD_LIBRARY_PATH", "sqlite3", path, "INSERT INTO t VALUES (4)"])
                #expect(process.errors.contains("locked"), "\(process)")
            }
            try db.commit()
        }
        #expect(strata("sql", path, "SELECT a FROM t", "--format=csv").lines == ["a", "1", "2", "3"])
        try queue.close()
    }
}
