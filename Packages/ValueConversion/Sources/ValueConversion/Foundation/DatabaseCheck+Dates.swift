import Foundation
import SQLiteDriver

extension DatabaseCheck {
    /// Looks for columns that contain dates in several forms, such as `2026-11-28 10:00:00` and `2026-11-28 10:00:00.000`: SQL compares
    /// them as strings, and not as dates.
    ///
    /// ```swift
    /// let findings = try pool.verify([.integrity, .foreignKeys, .dateForms])
    /// for finding in findings { print(finding) }
    /// // dates: event.createdAt has dates in 2 forms: 12 as YYYY-MM-DD HH:MM:SS,
    /// // 3 as YYYY-MM-DD HH:MM:SS.SSS
    /// ```
    ///
    /// A column contains dates if `Date` reads each of its strings. What `Date` writes is one form, and so is what ``DatabaseTimestamp``
    /// writes: whole seconds without a fraction, and other dates with milliseconds. Numbers are ignored.
    ///
    /// - Complexity: each column is read up to its first string that is not a date.
    public static let dateForms = DatabaseCheck("dates") { db in
        let sql = "SELECT name FROM main.sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL TABLE%' ORDER BY name"
        let tables = try db.values(sql) { $0.string(at: 0) }
        let ofVirtualTables = Set(try db.tablesOfVirtualTables().map(SchemaName.init))
        var findings: [String] = []
        for table in tables where !Database.isSQLiteInternalTable(table) && !ofVirtualTables.contains(SchemaName(table)) {
            do {
                for column in try db.columns(in: table, in: "main") where !column.isGenerated {
                    if let forms = try db.dateForms(column.name, table) { findings.append("\(table).\(column.name) has \(forms)") }
                }
            } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
                findings.append("\(table) can't be checked: \(error.message ?? error.extendedResultCode.errorString)")
            }
        }
        return findings
    }
}

extension Database {
    /// Describes the forms of a column's dates; nil if all have one form, or if it contains other strings.
    fileprivate func dateForms(_ column: String, _ table: String) throws -> String? {
        let statement = try makeStatement(
            sql: "SELECT \(column.quotedDatabaseIdentifier) FROM main.\(table.quotedDatabaseIdentifier)")
        var counts: [String: Int] = [:]
        // Whether a date has milliseconds of zero, which a timestamp leaves out.
        var hasZeroMilliseconds = false
        while try statement.step() {
            guard statement.storage(at: 0) == .text, let text = statement.string(at: 0) else { continue }
            if Date.fromDatabaseValue(text.databaseValue) == nil { return nil }
            let form = text.dateForm
            if form == Self.millisecondForm, text.hasSuffix(".000") { hasZeroMilliseconds = true }
            counts[form, default: 0] += 1
        }
        if Set(counts.keys) == [Self.millisecondForm, Self.secondForm], !hasZeroMilliseconds { return nil }
        guard counts.count > 1 else { return nil }
        let list = counts.sorted { $0.key < $1.key }.map { "\($0.value) as \($0.key)" }.joined(separator: ", ")
        return "dates in \(counts.count) forms: \(list)"
    }

    private static let millisecondForm = "YYYY-MM-DD HH:MM:SS.SSS"
    private static let secondForm = "YYYY-MM-DD HH:MM:SS"
}

extension String {
    /// The form of a string that contains a date: the letters that stand for its digits, and its other characters.
    fileprivate var dateForm: String {
        let letters = Array("YYYY-MM-DD HH:MM:SS.")
        var isInZone = false
        return String(
            enumerated().map { position, character -> Character in
                if position > 10, character == "+" || character == "-" { isInZone = true }
                guard character.isNumber else { return character }
                return isInZone ? "Z" : position < letters.count ? letters[position] : "S"
            })
    }
}
