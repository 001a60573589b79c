import Foundation
import Strata
import Testing

/// A value that must not be seen, in several types.
enum Secret {
    static let text = "Zyzzyva"
    static let number = 9_021_047
    static let data = Data(text.utf8)
    /// No INTEGER can hold it.
    static let large: UInt64 = 9_902_104_700_000_000_000
    /// A date after the year 9999.
    static let date = Date(timeIntervalSince1970: 9_021_047_000_000)
    static let components = DatabaseDateComponents(DateComponents(year: number), format: .YMD)

    /// A value that can't be JSON.
    struct Note: Codable, DatabaseValueConvertible {
        var name = Secret.text
        var ratio = Double(Secret.number) * .infinity
        var number = Secret.number
    }

    enum State: String, Codable, DatabaseValueConvertible { case on }
    enum Level: Int, Codable { case low }

    static func isContained(in text: String) -> Bool {
        let forms = [text.lowercased(), text.filter { $0 != "_" && $0 != "," }.lowercased()]
        return ["zyzzyva", "9021047", "5a797a7a797661", data.base64EncodedString().lowercased()].contains { form in
            forms.contains { $0.contains(form) }
        }
    }
}

/// What handles the secret, and reports everything that a program might log.
struct Secrets {
    private let isPublic: Bool

    private struct Person: Codable, FetchableRecord, PersistableRecord {
        var id: Int
        var name: String
        var state: String?
        var teamID: Int?
        static let team = belongsTo(Team.self)
    }

    private struct Team: Codable, FetchableRecord, PersistableRecord {
        var id: Int
    }

    private struct Membership: Codable, FetchableRecord, PersistableRecord {
        var person: Int
        var team: String
        var note: String?
    }

    private struct HandWritten: FetchableRecord {
        var score: Int
        init(row: Row) throws { score = try row.decode(forKey: "name") }
    }

    private struct Coded<Value: Codable>: Codable, FetchableRecord, PersistableRecord {
        static var databaseTableName: String { "item" }
        var name: Value
    }

    private struct Wrapped: Decodable, FetchableRecord {
        var level: Secret.State
        init(from decoder: any Decoder) throws { level = try decoder.singleValueContainer().decode(Secret.State.self) }
    }

    private struct Dated: Codable, PersistableRecord {
        static let databaseTableName = "item"
        static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy { .iso8601 }
        var name = Secret.date
    }

    private struct Text: Codable, PersistableRecord {
        static let databaseTableName = "item"
        static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy { .text }
        var name = Secret.data + [0xFF]
    }

    private struct TwoNames: Encodable, PersistableRecord {
        static let databaseTableName = "item"
        enum CodingKeys: String, CodingKey { case name, other = "Name" }
        var name = Secret.text
        var other = Secret.text
    }

    private struct Unknown: Codable, PersistableRecord {
        static let databaseTableName = "item"
        var name = Secret.text
        var nope = Secret.number
    }

    private static let schema = """
        CREATE TABLE team (id INTEGER PRIMARY KEY);
        CREATE TABLE person (
            id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, state TEXT CHECK (state <> name),
            teamID INTEGER REFERENCES team (id) DEFERRABLE INITIALLY DEFERRED);
        CREATE TABLE membership (person, team TEXT, note TEXT, PRIMARY KEY (person, team)) WITHOUT ROWID;
        CREATE TABLE item (name);
        CREATE TABLE strictItem (count INTEGER, name ANY) STRICT;
        CREATE VIEW people AS SELECT * FROM person;
        CREATE TRIGGER refuses BEFORE DELETE ON person BEGIN SELECT RAISE(ABORT, 'people stay'); END;
        """

    // MARK: - Reports

    private static func line(_ text: String) {
        FileHandle.standardError.write(Data((text.replacing("\n", with: "⏎") + "\n").utf8))
    }

    /// Runs something that throws, and reports all strings of its error.
    ///
    /// - Parameter shows: whether the value is in the description when arguments are public.
    private func expect(_ name: String, shows: Bool = true, _ body: () throws -> Void) {
        do {
            try body()
            Self.line("missing \(name)")
        } catch {
            report(name, shows: shows, error)
        }
    }

    private func report(_ name: String, shows: Bool, _ error: any Error) {
        let kind = shows ? "shows" : "hides"
        Self.line("\(kind) \(name): \(error)")
        Self.line("\(kind) \(name): \(String(reflecting: error))")
        Self.line("\(kind) \(name): \([error])")
        Self.line("\(shows ? "also" : "hides") \(name): \(error.localizedDescription)")
        if let error = error as? DatabaseError {
            Self.line("\(kind) \(name): \(error.errorUserInfo)")
            Self.line("also \(name): \(error.message ?? "") \(String(describing: error.constraint))")
            if let underlying = error.underlyingError { Self.line("also \(name): \(underlying)") }
            if isPublic, shows { Self.line("expanded \(name): \(error.expandedDescription)") }
        }
        if let error = error as? LoadError, let underlying = error.underlyingError as? DatabaseError {
            Self.line("also \(name): \(underlying)")
        }
    }

    /// Reports what becomes of the secret value.
    static func report(publicArguments: Bool) throws {
        Database.logError = { code, message in line("log \(code): \(message)") }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("privacy-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }

        var configuration = Configuration()
        configuration.publicStatementArguments = publicArguments
        configuration.prepareDatabase { db in
            db.trace(options: [.statement, .profile]) { event in
                line("trace \(event)")
                line("trace \(String(reflecting: event))")
                switch event {
                case .statement(let statement), .profile(let statement, _): line("trace \(statement)")
                }
            }
            db.add(
                function: DatabaseFunction("decoded", argumentCount: 1) { values in
                    try Row(["name": values[0]]).decode(Int.self, forKey: "name")
                })
            db.add(function: DatabaseFunction("huge", argumentCount: 0) { _ in Secret.large })
        }
        let pool = try DatabasePool(path: folder.appendingPathComponent("db.sqlite").path, configuration: configuration)
        try pool.write { db in
            try db.execute(sql: schema)
            try db.create(virtualTable: "page", using: FTS5()) { $0.column("text") }
        }
        let secrets = Secrets(isPublic: publicArguments)
        try secrets.connections(pool)
        try pool.writeWithoutTransaction { db in
            try Person(id: Secret.number, name: Secret.text).insert(db)
            try db.execute(sql: "INSERT INTO membership VALUES (1, ?, ?)", arguments: [Secret.text, Secret.text])
            secrets.statements(db)
            try secrets.rows(db)
            secrets.values(db)
            secrets.requests(db)
            try secrets.records(db)
            secrets.codable(db)
            secrets.loads(db)
        }
        try secrets.migrations(configuration)
        try pool.close()
        line("end")
    }

    // MARK: - Cases

    private func connections(_ pool: DatabasePool) throws {
        let insert = "INSERT INTO item VALUES (?)"
        expect("write in read") { try pool.read { try $0.execute(sql: insert, arguments: [Secret.text]) } }
        expect("after a rollback", shows: false) {
            try pool.write { db in
                try db.execute(sql: "ROLLBACK")
                try db.execute(sql: insert, arguments: [Secret.text])
            }
        }
        expect("interrupted") {
            try pool.read { db in
                let sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n WHERE i = ?"
                pool.interrupt()
                db.add(
                    function: DatabaseFunction("stop", argumentCount: 0) { _ in
                        pool.interrupt()
                        return 1
                    })
                _ = try Int.fetchOne(db, sql: sql + " OR stop() = 2", arguments: [Secret.number])
            }
        }
        expect("deferred foreign key", shows: false) {
            try pool.write { db in
                try db.execute(sql: "INSERT INTO person VALUES (1, ?, NULL, ?)", arguments: [Secret.text, Secret.number])
            }
        }
        expect("checked foreign key") {
            try pool.write { db in
                try db.execute(sql: "INSERT INTO person VALUES (?, 'x', NULL, ?)", arguments: [Secret.number, Secret.number])
                let violation = try db.foreignKeyViolations().next()
                Self.line("\(isPublic ? "also" : "hides") violation: \(String(describing: violation))")
                try db.checkForeignKeys()
            }
        }
        let observation = ValueObservation.tracking { db in
            try Row.fetchOne(db, sql: "SELECT ? AS name FROM item", arguments: [Secret.text])?.decode(Int.self, forKey: "name")
        }
        try pool.write { try $0.execute(sql: "INSERT INTO item VALUES (1)") }
        let failed = Semaphore("the observation has failed")
        nonisolated(unsafe) var failure: (any Error)?
        let cancellable = observation.start(in: pool, scheduling: .async(onQueue: DispatchQueue(label: "observation"))) { error in
            failure = error
            failed.signal()
        } onChange: { _ in
            failed.signal()
        }
        failed.wait()
        cancellable.cancel()
        expect("observation") { if let failure { throw failure } }
    }

    private func statements(_ db: Database) {
        let insert = "INSERT INTO person (id, name, state) VALUES (?, ?, ?)"
        expect("unique") { try db.execute(sql: insert, arguments: [1, Secret.text, nil]) }
        expect("primary key") { try db.execute(sql: insert, arguments: [Secret.number, "x", nil]) }
        expect("check") { try db.execute(sql: insert, arguments: [1, Secret.text + "x", Secret.text + "x"]) }
        expect("not null") { try db.execute(sql: insert, arguments: [Secret.number, nil, nil]) }
        expect("trigger") { try db.execute(sql: "DELETE FROM person WHERE name = ?", arguments: [Secret.text]) }
        expect("strict") { try db.execute(sql: "INSERT INTO strictItem VALUES (?, ?)", arguments: [Secret.text, Secret.text]) }
        expect("mismatch") { try db.execute(sql: "INSERT INTO person (id, name) VALUES (?, 'x')", arguments: [Secret.text]) }
        expect("syntax", shows: false) { try db.execute(sql: "SELEC ?", arguments: [Secret.text]) }
        expect("no table", shows: false) { try db.execute(sql: "SELECT * FROM nope WHERE name = ?", arguments: [Secret.text]) }
        expect("too few") { try db.execute(sql: insert, arguments: [Secret.text]) }
        expect("too many") { try db.execute(sql: "SELECT ?", arguments: [Secret.text, Secret.number]) }
        expect("too many for a script") { try db.execute(sql: "SELECT ?; SELECT ?", arguments: [1, Secret.text, Secret.number]) }
        expect("no such argument") { try db.execute(sql: "SELECT :name", arguments: ["nom": Secret.text]) }
        expect("large") { try db.execute(sql: "SELECT ?", arguments: [Secret.large]) }
        expect("large, unchecked") {
            let statement = try db.makeStatement(sql: "SELECT ?")
            statement.setUncheckedArguments([Secret.large])
            _ = try statement.step()
        }
        expect("no binding", shows: false) {
            try db.execute(sql: "SELECT ?", arguments: StatementArguments([[Secret.text: Secret.number] as Any]))
        }
        expect("no name", shows: false) {
            try db.execute(sql: "SELECT ?", arguments: StatementArguments([Secret.number: Secret.text] as [AnyHashable: Any]))
        }
        expect("function") { try db.execute(sql: "SELECT decoded(?)", arguments: [Secret.text]) }
        expect("function's result", shows: false) { try db.execute(sql: "SELECT huge()") }
        expect("aggregate of integers") { try db.execute(sql: "SELECT abs(? - 9223372036854775807 - 1 - ?1)", arguments: [Secret.number]) }
        for description in ["\((try? db.makeStatement(sql: insert)).map { "\($0)" } ?? "")", db.description, db.debugDescription] {
            Self.line("hides description: \(description)")
        }
    }

    private func rows(_ db: Database) throws {
        let sql = "SELECT ? AS name, ? AS photo, NULL AS gone"
        let arguments: StatementArguments = [Secret.text, Secret.data]
        let adapter = ScopeAdapter(["part": RangeRowAdapter(0..<2)])
        let rows = try Row.fetchCursor(db, sql: sql, arguments: arguments, adapter: adapter)
        guard let row = try rows.next(), let scope = row.scopes["part"] else { return Self.line("missing row") }
        for (kind, row) in [("row", row), ("copy", row.copy()), ("scope", scope), ("copied scope", scope.copy())] {
            expect("\(kind): type") { _ = try row.decode(Int.self, forKey: "name") }
            expect("\(kind): type at index") { _ = try row.decode(UUID.self, atIndex: 1) }
            expect("\(kind): optional") { _ = try row.decodeIfPresent(Date.self, forKey: "name") }
            expect("\(kind): coalesced") { _ = try row.decodeIfPresent(Int.self, coalescing: ["name"]) }
            expect("\(kind): column") { _ = try row.decode(Int.self, forKey: "nom") }
            expect("\(kind): index") { _ = try row.decode(Int.self, atIndex: 7) }
            expect("\(kind): scope") { _ = try row.decode(Person.self, forKey: "team") }
            expect("\(kind): prefetched") { _ = try row.decode([Person].self, forKey: "teams") }
            expect("\(kind): data") { _ = try row.withUnsafeData(atIndex: 9) { $0?.count } }
        }
        expect("null") { _ = try row.decode(Int.self, forKey: "gone") }
        expect("value") { _ = try Int.fetchOne(db, sql: sql, arguments: arguments) }
        expect("values") { _ = try Int.fetchAll(db, sql: sql, arguments: arguments) }
        expect("optional values") { _ = try Int?.fetchAll(db, sql: sql, arguments: arguments) }
        expect("cursor") { _ = try Date.fetchCursor(db, sql: sql, arguments: arguments).next() }
        expect("set") { _ = try Set<Int>(Int.fetchCursor(db, sql: sql, arguments: arguments)) }
        expect("record") { _ = try HandWritten.fetchOne(db, sql: sql, arguments: arguments) }
        expect("made row", shows: false) { _ = try Row(["name": Secret.text]).decode(Int.self, forKey: "name") }
        expect("key twice", shows: false) {
            let names = try String.fetchCursor(db, sql: "SELECT ? UNION ALL SELECT ?1", arguments: [Secret.text])
            _ = try Dictionary(uniqueKeysWithValues: names.map { ($0, 1) })
        }
        expect("adapter", shows: false) {
            _ = try Row.fetchOne(db, sql: sql, arguments: arguments, adapter: RangeRowAdapter(2..<9))
        }
        expect("mapping", shows: false) {
            _ = try Row.fetchOne(db, sql: sql, arguments: arguments, adapter: ColumnMapping(["nom": "nope"]))
        }
    }

    private func values(_ db: Database) {
        let values: [any DatabaseValueConvertible] = [
            Secret.large, Secret.date, Secret.components, NSNumber(value: Secret.large), NSDate(timeIntervalSince1970: 9_021_047_000_000),
        ]
        for value in values {
            let type = type(of: value)
            expect("\(type)") { try db.execute(sql: "SELECT ?", arguments: [value]) }
            expect("\(type) alone", shows: false) { _ = try value.bindingValue() }
            expect("\(type) in a request") { _ = try Person.filter(Column("name") == value).fetchOne(db) }
            expect("\(type) in SQL") { _ = try SQLRequest<Row>(literal: "SELECT \(value)").fetchOne(db) }
        }
        expect("JSON alone", shows: false) { _ = try DatabaseJSON(Secret.Note()).bindingValue() }
        expect("JSON", shows: false) { try db.execute(sql: "SELECT ?", arguments: [DatabaseJSON(Secret.Note())]) }
        expect("note", shows: false) { try db.execute(sql: "SELECT ?", arguments: [Secret.Note()]) }
        expect("encoded components", shows: false) { _ = try JSONEncoder().encode([Secret.components]) }
        expect("decoded components", shows: false) {
            _ = try JSONDecoder().decode([DatabaseDateComponents].self, from: Data("[\"\(Secret.text)\"]".utf8))
        }
    }

    private func requests(_ db: Database) {
        expect("find", shows: false) { _ = try Person.find(db, key: 1 + Secret.number) }
        expect("find by columns", shows: false) { _ = try Person.find(db, key: ["name": Secret.text + "!"]) }
        expect("no key", shows: false) { _ = try Person.fetchOne(db, key: ["state": Secret.text]) }
        expect("one value for two columns", shows: false) { _ = try Membership.fetchOne(db, key: Secret.text) }
        expect("no column", shows: false) { _ = try Person.filter(Column("nom") == Secret.text).fetchAll(db) }
        expect("alias", shows: false) {
            let column = Person.team.columns["id"]
            _ = try Person.filter(column == Secret.number).fetchAll(db)
        }
        expect("irreversible", shows: false) {
            _ = try Person.order(literal: "name = \(Secret.text)").reversed().fetchAll(db)
        }
        expect("view", shows: false) {
            _ = try Table<Person>("people").filter(Column("name") == Secret.text).limit(1).deleteAll(db)
        }
        expect("update") { _ = try Person.updateAll(db, Column("id").set(to: Secret.text)) }
        expect("decoded request") { _ = try Person.select(Column("name"), as: Int.self).fetchAll(db) }
        expect("two arguments of one name", shows: false) {
            let condition = SQL(sql: "name = :name", arguments: ["name": Secret.text])
            let other = SQL(sql: "name = :name", arguments: ["name": Secret.number])
            _ = try Person.filter(literal: "\(condition) OR \(other)").fetchAll(db)
        }
        expect("full text, no table", shows: false) {
            _ = try Person.matching(FTS5Pattern(matchingAnyTokenIn: Secret.text)).fetchAll(db)
        }
        expect("full text, type") {
            try db.execute(sql: "INSERT INTO page (text) VALUES (?)", arguments: [Secret.text])
            let pattern = FTS5Pattern(matchingAnyTokenIn: Secret.text)
            _ = try Int.fetchAll(db, sql: "SELECT text FROM page WHERE page MATCH ?", arguments: [pattern])
        }
        expect("rebuild") {
            try db.execute(sql: "CREATE TABLE old (id INTEGER PRIMARY KEY, number TEXT)")
            try db.execute(sql: "INSERT INTO old VALUES (1, '00' || ?)", arguments: [Secret.number])
            try db.rebuild(table: "old") { table in
                table.primaryKey("id", .integer)
                table.column("number", .integer)
            }
        }
    }

    private func records(_ db: Database) throws {
        expect("insert") { try Person(id: 2, name: Secret.text).insert(db) }
        expect("upsert") {
            _ = try Person(id: 2, name: Secret.text).upsert(db, onConflict: ["id"]) { _ in [Column("name").set(to: Secret.text)] }
        }
        try Person(id: 3, name: "Craig").insert(db)
        expect("update record") { try Person(id: 3, name: Secret.text).update(db) }
        expect("update and fetch") { _ = try Person(id: 3, name: Secret.text).updateAndFetch(db) }
        expect("save") { try Person(id: 3, name: Secret.text).save(db) }
        expect("delete") { try Person(id: Secret.number, name: Secret.text).delete(db) }
        expect("no row", shows: false) { try Person(id: Secret.number + 1, name: Secret.text).update(db) }
        expect("no row of two keys", shows: false) { try Membership(person: Secret.number, team: Secret.text).update(db) }
        expect("unknown column", shows: false) { try Unknown().insert(db) }
        expect("unknown update", shows: false) { try Person(id: 3, name: Secret.text).update(db, columns: ["nope"]) }
        expect("iso8601") { try Dated().insert(db) }
        expect("large integer") { try Coded(name: Secret.large).insert(db) }
        expect("date") { try Coded(name: Secret.date).insert(db) }
        expect("date alone", shows: false) { _ = try Coded(name: Secret.date).databaseDictionary }
        expect("text of data", shows: false) { try Text().insert(db) }
        expect("repeated column", shows: false) { try TwoNames().insert(db) }
        var container = PersistenceContainer()
        try Person(id: Secret.number, name: Secret.text).encode(to: &container)
        Self.line("hides container: \(container)")
    }

    private func codable(_ db: Database) {
        func check<Value: Codable>(_ type: Value.Type, _ value: any DatabaseValueConvertible, shows: Bool = true) {
            let sql = "SELECT ? AS name, ? AS other"
            let arguments: StatementArguments = [value, Secret.text]
            expect("coded \(type)", shows: shows) { _ = try Coded<Value>.fetchOne(db, sql: sql, arguments: arguments) }
            expect("copied \(type)", shows: shows) {
                _ = try Row.fetchOne(db, sql: sql, arguments: arguments).map { try Coded<Value>(row: $0) }
            }
            expect("optional \(type)", shows: shows) { _ = try Coded<Value?>.fetchOne(db, sql: sql, arguments: arguments) }
        }
        check(Int.self, Secret.text)
        check(Secret.State.self, Secret.text)
        check(Secret.Level.self, Secret.number)
        check(UUID.self, Secret.text)
        check(Date.self, Secret.text)
        check(Int8.self, Secret.number)
        check([Int].self, "[\"\(Secret.text)\"]")
        check([Int].self, "[\(Secret.text)")
        check([Int8].self, "[\(Secret.number)]")
        check([Int].self, "[1e999, \(Secret.number).5]")
        check([Secret.State].self, "[\"\(Secret.text)\"]")
        check(Range<Int>.self, "[\(Secret.number), 1]")
        check([String: Secret.Level].self, "{\"a\": \(Secret.number)}")
        check(Person.self, "{\"id\": \"\(Secret.text)\"}")
        check(Person.self, "{\"name\": \"\(Secret.text)\"}")
        expect("missing property") { _ = try Person.fetchOne(db, sql: "SELECT ? AS name", arguments: [Secret.text]) }
        expect("wrapped") { _ = try Wrapped.fetchOne(db, sql: "SELECT ? AS level", arguments: [Secret.text]) }
        expect("coded value") { _ = try Secret.Note.fetchOne(db, sql: "SELECT ?", arguments: [Secret.text]) }
        expect("JSON value") { _ = try DatabaseJSON<[Int]>.fetchOne(db, sql: "SELECT ?", arguments: [Secret.text]) }
        expect("encoded note", shows: false) { try Coded(name: [Secret.Note()]).insert(db) }
        expect("encoded JSON", shows: false) { try Coded(name: ["note": [Double(Secret.number) * .infinity]]).insert(db) }
    }

    private func loads(_ db: Database) {
        let text = Secret.text
        expect("CSV: header", shows: isPublic) { try db.load(.csv("\(text),\(Secret.number)\n1,2\n"), into: "person") }
        expect("CSV: count", shows: false) { try db.load(.csv("id,name\n\(text)\n"), into: "person") }
        expect("CSV: row", shows: false) { try db.load(.csv("id,name\n1,\(text)\n"), into: "person") }
        expect("CSV: type", shows: false) { try db.load(.csv("id,name\n\(text),x\n"), into: "person") }
        expect("CSV: quote", shows: false) { try db.load(.csv("id,name\n1,\"\(text)"), into: "person") }
        expect("CSV: quote inside", shows: false) { try db.load(.csv("id,name\n1,\"\(text)\"\(text)\n"), into: "person") }
        expect("CSV: UTF-8", shows: false) { try db.load(.csv(.data(Data("id,name\n1,\(text)".utf8) + [0xFF])), into: "person") }
        for format in [CSVFormat(blobs: .base64), CSVFormat(blobs: .hexadecimal)] {
            expect("CSV: blob", shows: false) {
                try db.execute(sql: "CREATE TABLE IF NOT EXISTS file (data BLOB)")
                try db.load(.csv("data\n\(text)!\n", format: format), into: "file")
            }
        }
        expect("JSON: no JSON", shows: false) { try db.load(.json("[{\"id\": \(text)}]"), into: "person") }
        expect("JSON: no object", shows: false) { try db.load(.json("[\"\(text)\"]"), into: "person") }
        expect("JSON: no end", shows: false) { try db.load(.json("[{\"name\": \"\(text)\""), into: "person") }
        expect("JSON: twice", shows: false) { try db.load(.json("[{\"name\": \"\(text)\", \"name\": \"\(text)\"}]"), into: "person") }
        expect("JSON: row", shows: false) { try db.load(.json("[{\"id\": 1, \"name\": \"\(text)\"}]"), into: "person") }
        expect("JSON: column", shows: false) { try db.load(.json("[{\"nope\": \"\(text)\"}]"), into: "person") }
        expect("JSON: mark", shows: false) { try db.load(.json("[{\"name\": {\"$base64\": \"\(text)!\"}}]"), into: "person") }
        expect("JSON: number", shows: false) { try db.load(.json("[{\"name\": {\"$real\": \"\(text)\"}}]"), into: "person") }
    }

    private func migrations(_ configuration: Configuration) throws {
        let queue = try DatabaseQueue(configuration: configuration)
        try queue.write { try $0.execute(sql: Self.schema) }
        func migrate(_ name: String, shows: Bool = true, _ body: @escaping @Sendable (Database) throws -> Void) {
            var migrator = DatabaseMigrator()
            migrator.registerMigration("m", migrate: body)
            expect(name, shows: shows) { try migrator.migrate(queue) }
        }
        migrate("migration") { db in
            try db.execute(sql: "INSERT INTO person VALUES (?, NULL, NULL, NULL)", arguments: [Secret.number])
        }
        migrate("migration's foreign key") { db in
            try db.execute(sql: "INSERT INTO person VALUES (?, ?, NULL, ?)", arguments: [Secret.number, Secret.text, Secret.number])
        }
        migrate("migration's record") { db in
            _ = try Person.fetchOne(db, sql: "SELECT ? AS id, ? AS name", arguments: [Secret.text, Secret.text])
        }
    }
}
