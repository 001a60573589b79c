import ValueConversion

extension FetchRequest {
    /// The SQL of the query, with the values of its arguments: `SELECT * FROM "player" WHERE "score" > 1000`.
    ///
    /// Some SQL depends on the schema of the database, such as the SQL of associations, and of requests by primary key. The description
    /// then says so, and ``sql(_:)`` returns the SQL.
    ///
    /// It is the description of the request types that conform to `CustomStringConvertible`.
    public var description: String {
        let sql: String?? = try? RequestDescriptions.database?.unsafeReentrantRead { db in
            var renderer = SQLRenderer(database: db)
            try sqlSubquery.render(to: &renderer)
            if renderer.arguments.isEmpty { return renderer.sql }
            // Arguments of handwritten SQL may have names.
            let hasOnlyValues = renderer.arguments == StatementArguments(renderer.values)
            let expanded = hasOnlyValues ? renderer.sql.expanding(renderer.values) : nil
            return expanded ?? "\(renderer.sql) with arguments \(renderer.arguments)"
        }
        return (sql ?? nil) ?? "\(Self.self): its SQL depends on the schema; call sql(_:)"
    }
}

extension SQLRequest: CustomStringConvertible {}
extension AnyFetchRequest: CustomStringConvertible {}

/// The database without tables that renders the SQL of descriptions.
private enum RequestDescriptions {
    static let database = try? DatabaseQueue(configuration: changed(Configuration()) { $0.label = "Strata.descriptions" })
}

extension String {
    /// Returns the SQL with values in place of its parameters, or nil if its parameters are not one `?` for each value.
    fileprivate func expanding(_ values: [DatabaseValue]) -> String? {
        var result: [UInt8] = []
        var rest = values[...]
        var lexer = SQLLexer(self)
        while let token = lexer.next() {
            let bytes = lexer.bytes[token.range]
            guard token.kind == .sign, bytes.elementsEqual([UInt8(ascii: "?")]) else {
                result += bytes
                continue
            }
            guard let value = rest.popFirst() else { return nil }
            result += value.sqlLiteral.utf8
        }
        return rest.isEmpty ? String(decoding: result, as: UTF8.self) : nil
    }
}
