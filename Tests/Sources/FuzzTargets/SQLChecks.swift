import Foundation
import Strata

private let sqlQueue = openFuzzDatabase()

/// Puts values and names into SQL: each value comes back as it is, and each name names its table or column.
func checkInterpolation(_ input: inout FuzzInput) throws {
    let (table, column) = (input.text(), input.text())
    let number = input.int64()
    let text = input.remainingText()
    try sqlQueue.get().write { db in
        guard let row = try SQLRequest<Row>(literal: "SELECT \(text), \(number), \(text) || \(text)").fetchOne(db) else {
            throw FuzzFailure("no row")
        }
        try expectEqual("\(row[0] as String)", text, "a text")
        try expectEqual("\(row[1] as Int64)", "\(number)", "a number")

        // SQLite keeps some names for itself, and a NUL ends the SQL.
        var tableExists = false
        try db.inSavepoint {
            do {
                try db.create(table: table) { $0.column(column, .text) }
                tableExists = true
            } catch let error as DatabaseError {
                guard table.utf8.contains(0) || column.utf8.contains(0) || table.lowercased().hasPrefix("sqlite_") else { throw error }
                return .rollback
            }
            try db.execute(literal: "INSERT INTO \(identifier: table) (\(identifier: column)) VALUES (\(text))")
            let found = try Table<Row>(table).filter(Column(column) == text).select(Column(column), as: String.self).fetchAll(db)
            try expectEqual("\(found)", "\([text])", "the text in a table \(table.debugDescription)")
            guard try db.columns(in: table).map(\.name) == [column] else { throw FuzzFailure("columns of \(table.debugDescription)") }
            return .rollback
        }
        if tableExists, try db.tableExists(table) { throw FuzzFailure("\(table.debugDescription) is still there") }
    }
}
