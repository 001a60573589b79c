import Foundation
import SQLiteDriver

extension Database {
    /// The values of the leftmost column.
    func values(_ sql: String, _ arguments: StatementArguments = []) throws -> [DatabaseValue] {
        let statement = try makeStatement(sql: sql)
        try statement.setArguments(arguments)
        var values: [DatabaseValue] = []
        while try statement.step() { values.append(statement.databaseValue(at: 0)) }
        return values
    }

    /// The integers of the leftmost column.
    func integers(_ sql: String) throws -> [Int64] {
        try values(sql).compactMap { if case .int64(let value) = $0.storage { value } else { nil } }
    }

    /// The first integer of the leftmost column.
    func integer(_ sql: String) throws -> Int64? { try integers(sql).first }

    /// The strings in the leftmost column.
    func texts(_ sql: String) throws -> [String] {
        try values(sql).compactMap { if case .string(let value) = $0.storage { value } else { nil } }
    }

    /// The rows, each with SQL literals as values, separated by spaces: `["1 'Arthur' NULL"]`.
    func rows(_ sql: String) throws -> [String] {
        let statement = try makeStatement(sql: sql)
        var rows: [String] = []
        while try statement.step() {
            rows.append((0..<statement.columnCount).map { statement.databaseValue(at: $0).literal }.joined(separator: " "))
        }
        return rows
    }

    /// The schema and all rows, to compare databases.
    func contents() throws -> [String] {
        var lines = try texts("SELECT type || ' ' || name || ' ' || ifnull(sql, '') FROM sqlite_master ORDER BY 1")
        for table in try texts("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name") {
            lines += try rows("SELECT * FROM \(table.quotedDatabaseIdentifier)").map { "\(table): \($0)" }
        }
        return lines
    }
}

extension DatabaseValue {
    /// The value as an SQL literal.
    fileprivate var literal: String {
        switch storage {
        case .string(let text): "'\(text.replacing("'", with: "''"))'"
        case .blob(let data): "x'\(data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())'"
        case .null, .int64, .double: description
        }
    }

    static func integer(_ value: Int64) -> DatabaseValue { DatabaseValue(storage: .int64(value)) }
    static func real(_ value: Double) -> DatabaseValue { DatabaseValue(storage: .double(value)) }
    static func text(_ value: String) -> DatabaseValue { DatabaseValue(storage: .string(value)) }
    static func blob(_ bytes: [UInt8]) -> DatabaseValue { DatabaseValue(storage: .blob(Data(bytes))) }
}
