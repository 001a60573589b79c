extension DatabaseValue {
    /// The value as an SQL literal, for SQL that can't have parameters: `NULL`, `12`, `1.5`, `'it''s'`, `x'c0ffee'`.
    ///
    /// SQLite reads exactly the same value from the literal: reals have as many digits as necessary, infinities are numbers that overflow,
    /// and a string with a NUL character, which would end the SQL, is cast from a blob. NaN is `NULL`, as SQLite stores it.
    ///
    /// Source: <https://www.sqlite.org/lang_expr.html#literal_values_constants_>
    package var sqlLiteral: String {
        switch storage {
        case .null: "NULL"
        case .int64(let value): String(value)
        case .double(let value): Self.literal(value)
        case .string(let value):
            value.utf8.contains(0)
                ? "CAST(\(Self.literal(value.utf8)) AS TEXT)" : Self.literal(value)
        case .blob(let value): Self.literal(value)
        }
    }

    private static func literal(_ value: String) -> String {
        // This works on scalars: a quote with a combining mark is part of another `Character`.
        let scalars = value.unicodeScalars.split(separator: "'", omittingEmptySubsequences: false)
        return "'" + scalars.map { String($0) }.joined(separator: "''") + "'"
    }

    private static func literal(_ value: Double) -> String {
        if value.isNaN { return "NULL" }
        if value.isInfinite { return value < 0 ? "-9e999" : "9e999" }
        return "\(value)"
    }

    private static func literal(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text = Array("x'".utf8)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        text.append(UInt8(ascii: "'"))
        return String(decoding: text, as: UTF8.self)
    }
}
