import CSQLite
import Foundation
import Strata

/// A copy of what a connection sees, changes that are not committed included, for a connection that has never seen it before.
struct FreshCopy {
    /// Whose view is copied.
    enum Source {
        case connection(Database)
        case other(DatabaseQueue)
    }

    private let folder: TemporaryFolder
    private let bytes: Data

    /// SQL that makes the temporary tables and what belongs to them, each with the rows of a table, which begin with their row ids.
    private let temporaryObjects: [(sql: String, table: String?, columns: [String], rows: [[DatabaseValue]])]

    init(of source: Source, temporaryOf db: Database, in folder: TemporaryFolder) throws {
        self.folder = folder
        switch source {
        case .connection(let db): bytes = try db.serialized()
        case .other(let queue): bytes = try queue.unsafeRead { try $0.serialized() }
        }
        temporaryObjects = try db.freshRows("SELECT type, name, sql FROM sqlite_temp_master WHERE sql IS NOT NULL ORDER BY rowid").map {
            row in
            let (type, name, sql) = (row[0].text, row[1].text, row[2].text)
            guard type == "table" else {
                // An index is in the database of its table; the other ones say that they are temporary.
                return (type == "index" ? sql : sql.replacing("CREATE ", with: "CREATE TEMP ", maxReplacements: 1), nil, [], [])
            }
            let table = "temp.\(name.quotedDatabaseIdentifier)"
            let columns = try db.freshRows("SELECT name FROM pragma_table_info('\(name)', 'temp')")
                .map { $0[0].text.quotedDatabaseIdentifier }
            return (
                sql.replacing("CREATE ", with: "CREATE TEMP ", maxReplacements: 1), table, ["rowid"] + columns,
                try db.freshRows("SELECT rowid, * FROM \(table)")
            )
        }
    }

    func withDatabase<Result>(_ body: (Database) throws -> Result) throws -> Result {
        let path = folder.path("fresh.sqlite")
        try bytes.write(to: URL(fileURLWithPath: path))
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.writeWithoutTransaction { db in
            for object in temporaryObjects {
                try db.execute(sql: object.sql)
                for row in object.rows {
                    try db.execute(
                        sql: "INSERT INTO \(object.table!) (\(object.columns.joined(separator: ", "))) "
                            + "VALUES (\(row.map { _ in "?" }.joined(separator: ", ")))",
                        arguments: StatementArguments(row))
                }
            }
            return try body(db)
        }
    }
}

extension DatabaseValue {
    fileprivate var text: String { String.fromDatabaseValue(self) ?? "" }
}

extension Database {
    /// The bytes of the database file as this connection sees it, in rollback mode.
    fileprivate func serialized() throws -> Data {
        var count: sqlite3_int64 = 0
        guard let memory = sqlite3_serialize(sqliteConnection, "main", &count, 0) else {
            throw DatabaseError(
                resultCode: ResultCode(rawValue: sqlite3_extended_errcode(sqliteConnection)),
                message: "the database can't be copied: \(String(cString: sqlite3_errmsg(sqliteConnection)))")
        }
        defer { sqlite3_free(memory) }
        var bytes = Data(bytes: memory, count: Int(count))
        // The versions that the header gives for reading and writing: 2 is WAL mode, whose other file the copy lacks.
        bytes[18] = 1
        bytes[19] = 1
        return bytes
    }

    /// The rows of a query that is compiled for this, without Strata's statements, rows and caches.
    fileprivate func freshRows(_ sql: String) throws -> [[DatabaseValue]] {
        var handle: OpaquePointer?
        guard sqlite3_prepare_v2(sqliteConnection, sql, -1, &handle, nil) == SQLITE_OK, let handle else {
            throw DatabaseError(resultCode: .SQLITE_ERROR, message: String(cString: sqlite3_errmsg(sqliteConnection)), sql: sql)
        }
        defer { sqlite3_finalize(handle) }
        var rows: [[DatabaseValue]] = []
        while sqlite3_step(handle) == SQLITE_ROW {
            rows.append((0..<sqlite3_column_count(handle)).map { DatabaseValue(sqliteStatement: handle, index: $0) })
        }
        return rows
    }

    /// The tables with their rows.
    func contents() throws -> String {
        try ["main", "temp"].flatMap { schema in
            try freshRows("SELECT name FROM \(schema).sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name").map {
                row in
                let name = row[0].text
                return "\(schema).\(name): \(try freshRows("SELECT * FROM \(schema).\(name.quotedDatabaseIdentifier)"))"
            }
        }.joined(separator: "\n")
    }
}
