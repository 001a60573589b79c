import Foundation
import Strata

private let rowQueue = openFuzzDatabase()

/// Decodes a row from its statement, from its copy, and from its values: the results must be the same.
func checkRows(_ input: inout FuzzInput) throws {
    let values = (0..<1 + Int(input.byte() % 6)).map { _ in input.sqlValue() }
    let sql = "SELECT " + values.enumerated().map { "\($1.sql) AS c\($0)" }.joined(separator: ", ")
    let arguments = StatementArguments(values.map(\.argument))
    try rowQueue.get().read { db in
        let cursor = try Row.fetchCursor(db, sql: sql, arguments: arguments)
        guard let row = try cursor.next() else { throw FuzzFailure("no row") }
        let copy = row.copy()
        for index in values.indices {
            try checkValue(row, copy, index)
        }
        try checkRecord(Loose.self, row, copy)
        try checkRecord(Strict.self, row, copy)
        try checkRecord(Narrow.self, row, copy)
        let fetched = outcome { try Loose.fetchAll(db, sql: sql, arguments: arguments) }
        try expectEqual(fetched, outcome { [try Loose(row: copy)] }, "a record that is fetched, and of a copied row")
    }
}

private func checkValue(_ row: Row, _ copy: Row, _ index: Int) throws {
    func check<Value: DatabaseValueConvertible & StatementColumnConvertible>(_ type: Value.Type) throws {
        let direct = outcome { try row.decodeIfPresent(Value.self, atIndex: index) }
        try expectEqual(
            direct, outcome { try copy.decodeIfPresent(Value.self, atIndex: index) }, "\(type) of a row, and of its copy")
        let databaseValue: DatabaseValue = copy[index]
        if !databaseValue.isNull {
            let value = Value.fromDatabaseValue(databaseValue) ?? Value.fromOtherStorageClass(databaseValue)
            try expectEqual(
                direct, value.map { "\(Value?.some($0) as Any)" } ?? "an error", "\(type) of a row, and of the value \(databaseValue)")
        }
    }
    try check(Bool.self)
    try check(Int.self)
    try check(Int8.self)
    try check(Int16.self)
    try check(Int32.self)
    try check(Int64.self)
    try check(UInt.self)
    try check(UInt8.self)
    try check(UInt16.self)
    try check(UInt32.self)
    try check(UInt64.self)
    try check(Float.self)
    try check(Double.self)
    try check(String.self)
    try check(Data.self)
    try check(Date.self)
    try check(UUID.self)
    try check(Decimal.self)
    try check(DatabaseValue.self)
}

private func checkRecord<Record: FetchableRecord>(_ type: Record.Type, _ row: Row, _ copy: Row) throws {
    try expectEqual(outcome { try Record(row: row) }, outcome { try Record(row: copy) }, "\(type) of a row, and of its copy")
}

private struct Loose: Codable, FetchableRecord {
    var c0: Int?
    var c1: String?
    var c2: Data?
    var c3: Double?
    var c4: Date?
    var c5: [[Int]]?
}

private struct Strict: Codable, FetchableRecord {
    enum Level: Int, Codable { case low, high }

    var c5: String
    var c4: UInt8
    var c3: UUID
    var c2: Level
    var c1: Decimal
    var c0: URL
}

private struct Narrow: Codable, FetchableRecord {
    struct Inner: Codable {
        var a: Int?
        var b: [String]
    }

    var c0: Inner
    var c1: Bool
}
