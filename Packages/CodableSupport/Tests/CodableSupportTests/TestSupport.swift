import CodableSupport
import Foundation
import Testing

/// Gives access to a new database in memory, in a transaction.
func withDatabase<Result>(_ sql: String, _ body: (Database) throws -> Result) throws -> Result {
    try DatabaseQueue().write { db in
        try db.execute(sql: sql)
        return try body(db)
    }
}

/// A record of which nothing is asked but to be there.
typealias CodableRecord = Codable & FetchableRecord & PersistableRecord

/// Writes a record to a table of columns without types, reads it, and gives the row as SQL literals.
@discardableResult
func roundTrip<Record: CodableRecord & Equatable>(
    _ record: Record, sourceLocation: SourceLocation = #_sourceLocation
) throws -> String {
    let columns = try record.databaseDictionary.keys.sorted()
    let table = Record.databaseTableName
    return try withDatabase("CREATE TABLE \(table) (\(columns.map(\.quotedDatabaseIdentifier).joined(separator: ", ")))") { db in
        // Twice, since the second record takes other paths.
        try record.insert(db)
        try record.insert(db)
        let records = try Record.fetchAll(db)
        #expect(records == [record, record], sourceLocation: sourceLocation)
        // From a copied row.
        let rows = try Row.fetchAll(db, sql: "SELECT * FROM \(table)")
        #expect(try rows.map { try Record(row: $0) } == [record, record], sourceLocation: sourceLocation)
        let literals = try db.rows("SELECT * FROM \(table)")
        #expect(literals.count == 2 && literals[0] == literals[1], sourceLocation: sourceLocation)
        return literals[0]
    }
}

/// The only record of a query.
func decode<Record: FetchableRecord>(_ type: Record.Type = Record.self, _ sql: String) throws -> Record {
    try DatabaseQueue().read { db in try Record.fetchOne(db, sql: sql)! }
}

/// A coding key of any name.
struct RecordKey: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { return nil }
}
