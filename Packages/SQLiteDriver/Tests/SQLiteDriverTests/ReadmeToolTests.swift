import Foundation
import SQLiteDriver
import Testing

// The README's samples of the schema, of SQL functions, errors, tracing and maintenance.

@Suite struct ReadmeToolTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("library.sqlite")
    }

    @Test("Schema questions")
    func schemaQuestions() throws {
        let queue = try DatabaseQueue()
        try queue.makeBooks()
        try queue.read { (db) throws in
            let columns = try db.columns(in: "book")  // name, type, isNotNull, defaultValueSQL, …
            let primaryKey = try db.primaryKey("book")  // columns, isRowID, tableHasRowID, …
            let indexes = try db.indexes(on: "book")  // those of constraints included
            let foreignKeys = try db.foreignKeys(on: "book")  // destinationTable, mapping
            let isUnique = try db.table("book", hasUniqueKey: ["title"])
            let exists = try db.tableExists("BOOK")  // viewExists, triggerExists

            #expect(columns.map(\.name) == ["id", "title", "year", "price", "cover"])
            #expect(primaryKey.columns == ["id"])
            #expect(indexes.map(\.columns) == [["title"]])
            #expect(foreignKeys.isEmpty)
            #expect(isUnique && exists)
        }
    }

    @Test("Functions aggregates and collations")
    func functionsAggregatesAndCollations() throws {
        struct Longest: DatabaseAggregate {
            var text: String?

            mutating func step(_ values: [DatabaseValue]) {
                guard case .string(let candidate) = values[0].storage else { return }
                if candidate.count > text?.count ?? -1 { text = candidate }
            }

            func finalize() -> String? { text }
        }

        let initials = DatabaseFunction("initials", argumentCount: 1, pure: true) { values in
            guard case .string(let name) = values[0].storage else { return nil }
            return String(name.split(separator: " ").compactMap(\.first))
        }
        let longest = DatabaseFunction("longest", argumentCount: 1, pure: true, aggregate: Longest.self)
        let byLength = DatabaseCollation("by_length") { lhs, rhs in
            lhs.count < rhs.count ? .ascending : lhs.count == rhs.count ? .same : .descending
        }

        var configuration = Configuration()
        configuration.prepareDatabase { db in
            db.add(function: initials)
            db.add(function: longest)
            db.add(collation: byLength)
        }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        // SELECT initials(name) FROM author; SELECT longest(name) FROM author; SELECT name FROM author ORDER BY name COLLATE by_length

        try queue.write { (db) throws in
            try db.execute(sql: "CREATE TABLE author (name); INSERT INTO author VALUES ('Herman Melville'), ('Homer')")
            #expect(try db.texts("SELECT initials(name) FROM author") == ["HM", "H"])
            #expect(try db.texts("SELECT longest(name) FROM author") == ["Herman Melville"])
            #expect(try db.texts("SELECT name FROM author ORDER BY name COLLATE by_length") == ["Homer", "Herman Melville"])
        }
    }

    @Test("Errors")
    func errors() throws {
        let output = ReadmeOutput()
        func print(_ item: Any) { output.print(item) }
        let queue = try DatabaseQueue()
        try queue.makeBooks()

        do {
            try queue.write { try $0.execute(sql: "INSERT INTO book (title) VALUES (?)", arguments: [nil]) }
        } catch DatabaseError.SQLITE_CONSTRAINT_UNIQUE {
            print("there is one already")
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            print(error.extendedResultCode)  // 1299 (SQLITE_CONSTRAINT_NOTNULL)
            print(error.message ?? "")  // NOT NULL constraint failed: book.title
            print(error.sql ?? "")  // INSERT INTO book (title) VALUES (?)
        }
        #expect(
            output.lines == [
                "1299 (SQLITE_CONSTRAINT_NOTNULL)", "NOT NULL constraint failed: book.title",
                "INSERT INTO book (title) VALUES (?)",
            ])

        let error = expectError(.SQLITE_ERROR) { try queue.read { try $0.execute(sql: "SELECT * FROM bok") } }
        #expect(
            error?.description
                == "SQLite error 1 (SQLITE_ERROR): no such table: bok - while executing `SELECT * FROM bok`. "
                + "Check the spelling, and that the schema was created in this database file.")
    }

    @Test("Tracing")
    func tracing() throws {
        let output = ReadmeOutput()
        @Sendable func print(_ item: Any) { output.print(item) }
        var configuration = Configuration()

        configuration.prepareDatabase { db in
            db.trace { print($0) }  // SELECT * FROM book WHERE id = ?
            // db.trace { print($0.expandedDescription) }  // SELECT * FROM book WHERE id = 1
            // db.trace(options: .profile) { print($0) }   // 0.012s SELECT * FROM book WHERE id = ?
        }

        let queue = try DatabaseQueue(configuration: configuration)
        try queue.makeBooks()
        try queue.read { try $0.execute(sql: "SELECT * FROM book WHERE id = ?", arguments: [1]) }
        #expect(output.lines.contains("SELECT * FROM book WHERE id = ?"))
        try queue.read { (db) throws in
            db.trace { print($0.expandedDescription) }
            try db.execute(sql: "SELECT * FROM book WHERE id = ?", arguments: [1])
            #expect(output.lines.last == "SELECT * FROM book WHERE id = 1")
            db.trace(options: .profile) { print($0) }
            try db.execute(sql: "SELECT * FROM book WHERE id = ?", arguments: [1])
            #expect(output.lines.last?.hasSuffix("s SELECT * FROM book WHERE id = ?") == true)
        }
    }

    @Test("The error log")
    func theErrorLog() async {
        // The log belongs to the whole process, and must be set before the process uses SQLite.
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            Database.logError = { resultCode, message in
                print("SQLite \(resultCode): \(message)")
            }

            try DatabaseQueue().writeWithoutTransaction { db in
                try? db.execute(sql: "SELECT * FROM bok")
            }
        }
        let text = result.map { String(decoding: $0.standardOutputContent, as: UTF8.self) }
        #expect(text?.contains("SQLite 1 (SQLITE_ERROR): no such table: bok") == true)
    }

    @Test("Copies and maintenance")
    func copiesAndMaintenance() throws {
        let output = ReadmeOutput()
        func print(_ item: Any) { output.print(item) }
        let pool = try DatabasePool(path: path)
        try pool.makeBooks()
        let queue = try DatabaseQueue(path: folder.path("queue.sqlite"))
        try queue.makeBooks()
        let copyPath = folder.path("copy.sqlite")
        let compactPath = folder.path("compact.sqlite")

        let copy = try DatabaseQueue(path: copyPath)
        try queue.backup(to: copy, pagesPerStep: 100) { progress in
            print("\(progress.completedPageCount) of \(progress.totalPageCount) pages")
        }
        try queue.vacuum(into: compactPath)  // a copy without free pages, to a file that does not exist
        try queue.vacuum()  // the file itself
        try copy.erase()  // no table, view, index or trigger is left
        try pool.writeWithoutTransaction { db in
            _ = try db.checkpoint(.truncate)  // the write-ahead log goes into the database file, and is empty
        }
        pool.releaseMemory()  // caches, and the pool's idle connections

        #expect(output.lines == ["3 of 3 pages"])
        #expect(try DatabaseQueue(path: compactPath).read { try $0.tableExists("book") })
        #expect(try copy.read { try !$0.tableExists("book") })
    }

    @Test("The progress of a backup")
    func theProgressOfABackup() async throws {
        let output = ReadmeOutput()
        func print(_ item: Any) { output.print(item) }
        let queue = try DatabaseQueue(path: folder.path("queue.sqlite"))
        try queue.makeBooks()
        let copy = try DatabaseQueue()

        for try await step in queue.backupSteps(to: copy) {
            print("\(step.completedPageCount) of \(step.totalPageCount) pages")
        }

        #expect(output.lines == ["3 of 3 pages"])
    }

    @Test("The defects of SQLite")
    func theDefectsOfSQLite() throws {
        let output = ReadmeOutput()
        func print(_ item: Any) { output.print(item) }
        for defect in SQLiteLibrary.current.defects {
            print("\(SQLiteLibrary.current): \(defect)")  // SQLite 3.40.1: WAL-reset bug: …
        }
        #expect(output.lines.count == SQLiteLibrary.current.defects.count)
        if SQLiteLibrary.current.version == "3.40.1" { #expect(output.lines.first?.hasPrefix("SQLite 3.40.1: WAL-reset bug: ") == true) }
    }

    @Test("The parts of a constraint")
    func thePartsOfAConstraint() throws {
        let output = ReadmeOutput()
        func print(_ item: Any) { output.print(item) }
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: "CREATE TABLE book (title TEXT UNIQUE); INSERT INTO book VALUES ('Emma')") }
        do {
            try queue.write { try $0.execute(sql: "INSERT INTO book VALUES ('Emma')") }
        } catch let error as DatabaseError where error.constraint?.kind == .unique {
            print(error.constraint?.columns ?? [])  // ["title"]
        }
        #expect(output.lines == ["[\"title\"]"])
    }
}
