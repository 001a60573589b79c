import Foundation

extension Statement {
    /// A value of the current row as SQL that yields exactly this value.
    ///
    /// - Parameters:
    ///   - index: the index of the column.
    ///   - db: the connection, on which the digits of numbers are checked.
    func exactSQL(at index: Int, _ db: Database) throws -> String {
        let value = databaseValue(at: index)
        switch value.storage {
        case .double(let real): return try real.exactSQL(db)
        case .string(let text):
            if let invalid = invalidUTF8(at: index, text) { return "CAST(\(invalid.sqlLiteral) AS TEXT)" }
            // SQLite's shell drops a CR at the end of a line.
            return text.sqlLiteral(escaping: [0, UInt8(ascii: "\r")])
        case .null, .int64, .blob: return value.sqlLiteral
        }
    }

    /// The bytes of a TEXT in the current row that is not valid UTF-8, and differs from the Swift string; nil for valid UTF-8.
    private func invalidUTF8(at index: Int, _ text: String) -> Data? {
        // This character replaces invalid bytes.
        guard text.unicodeScalars.contains("\u{FFFD}") else { return nil }
        return withUnsafeBytes(at: index) { bytes in
            bytes.flatMap { String(validUTF8: $0) == nil ? Data($0) : nil }
        }
    }

    /// The values of the current row, for a format that can only represent valid UTF-8.
    ///
    /// - Throws: ``DatabaseError`` with the code `SQLITE_MISMATCH` for a string that is not valid UTF-8.
    func validValues() throws -> [DatabaseValue] {
        try (0..<columnCount).map { index in
            let value = databaseValue(at: index)
            if case .string(let text) = value.storage, invalidUTF8(at: index, text) != nil {
                throw DatabaseError(
                    resultCode: .SQLITE_MISMATCH,
                    message: "the format can't represent the string in column \(columnNames[index].debugDescription), which is not UTF-8",
                    sql: sql, advice: "Dump it as SQL, or select CAST(… AS BLOB).")
            }
            return value
        }
    }
}

extension DatabaseValue {
    /// The value as an SQL literal, to be read by people.
    var sqlLiteral: String {
        switch storage {
        case .null: "NULL"
        case .int64(let integer): "\(integer)"
        case .double(let real): real.sqlLiteral
        case .string(let text): text.sqlLiteral
        case .blob(let data): data.sqlLiteral
        }
    }
}

extension Double {
    /// The shortest decimal digits that stand for this number. SQLite has no literal for the infinities, but reads 9e999 as one.
    var sqlLiteral: String {
        isFinite ? description : self < 0 ? "-9e999" : "9e999"
    }

    /// SQL that yields exactly this number.
    ///
    /// Older versions of SQLite read some digits as a neighbouring number. The number is then written as an integer below 2⁵³, multiplied
    /// or divided by powers of two: all steps are exact.
    fileprivate func exactSQL(_ db: Database) throws -> String {
        let literal = sqlLiteral
        let statement = try db.cachedStatement(sql: "SELECT CAST(? AS REAL)")
        try statement.setArguments([literal])
        defer { statement.reset() }
        if try statement.step(), statement.double(at: 0) == self { return literal }

        let integer = significand * 0x1p52
        var sql = "(\(self < 0 ? "-" : "")\(Int64(integer)).0"
        var remaining = Int(exponent) - 52
        while remaining != 0 {
            let step = min(abs(remaining), 60)
            sql += " \(remaining < 0 ? "/" : "*") \(Int64(1) << Int64(step))"
            remaining += remaining < 0 ? step : -step
        }
        return sql + ")"
    }
}

extension String {
    /// The string as an SQL literal. SQLite ends a statement at a NUL, so NULs are written as `char(0)`.
    var sqlLiteral: String { sqlLiteral(escaping: [0]) }

    /// The string as SQL without some of its bytes, which SQL inserts: `replace('a\0b', '\0', char(0))`.
    ///
    /// A chain of `||` could have at most 1,000 parts: <https://www.sqlite.org/limits.html#max_expr_depth>.
    func sqlLiteral(escaping escaped: [UInt8]) -> String {
        var bytes = Array(utf8)
        let found = escaped.filter(bytes.contains)
        var marks: [(byte: UInt8, mark: String)] = []
        for byte in found {
            var mark = byte == 0 ? "\\0" : "\\r"
            while utf8.containsSequence(mark.utf8) { mark += "_" }
            marks.append((byte, mark))
            bytes = bytes.flatMap { $0 == byte ? Array(mark.utf8) : [$0] }
        }
        let literal = String(decoding: bytes, as: UTF8.self).quoted(with: UInt8(ascii: "'"))
        // The NUL comes last: `replace` would not find anything after it.
        return marks.sorted { $0.byte > $1.byte }.reduce(literal) { sql, mark in
            "replace(\(sql), '\(mark.mark)', char(\(mark.byte)))"
        }
    }

    /// The string between two quotes, with the quotes in it doubled.
    ///
    /// This works on bytes: a quote and a combining mark after it are one character, but parsers see a quote.
    func quoted(with quote: UInt8) -> String {
        var bytes: [UInt8] = [quote]
        for byte in utf8 {
            if byte == quote { bytes.append(quote) }
            bytes.append(byte)
        }
        bytes.append(quote)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension String.UTF8View {
    /// Returns whether these bytes contain other bytes.
    ///
    /// This works on bytes: a backslash and a combining mark after it are one character.
    fileprivate func containsSequence(_ other: String.UTF8View) -> Bool {
        indices.contains { self[$0...].starts(with: other) }
    }
}

extension Data {
    /// The bytes as an SQL literal.
    var sqlLiteral: String { "X'\(hexadecimal)'" }

    /// The bytes as hexadecimal digits.
    var hexadecimal: String {
        let digits = Array("0123456789ABCDEF".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(2 * count)
        for byte in self {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
