import RowDecoding

/// A common table expression, without the type of its rows.
struct CommonTable: Sendable {
    // Described: see "Kept plans" in CONTRIBUTING.md before you add a property.
    let name: String
    let columns: [String]?
    let isRecursive: Bool
    let query: SQLSubquery

    /// Identifies the common table expression.
    var key: SchemaName { SchemaName(name) }

    init(name: String, columns: [String]?, isRecursive: Bool, query: SQLSubquery) {
        self.name = name
        // SQL has no empty list of columns.
        self.columns = columns?.isEmpty == true ? nil : columns
        self.isRecursive = isRecursive
        self.query = query
    }

    /// Writes the definition for a WITH clause: `"best" AS (SELECT …)`.
    func render(to renderer: inout SQLRenderer) throws {
        renderer.append(identifier: name)
        if let columns { renderer.append(parenthesizedNames: columns) }
        try renderer.parenthesize(" AS ") { try query.render(to: &$0) }
    }

    /// Returns the names of the columns. If the definition does not list them, SQLite provides them.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - others: the common table expressions of the query, which this one can use. An expression with the same name replaces this one.
    func columnNames(_ db: Database, among others: [CommonTable] = []) throws -> [String] {
        let table = others.first { $0.key == key } ?? self
        if let columns = table.columns { return columns }
        return try db.columnNames { renderer in
            try Self.renderAll(others.isEmpty ? [self] : others, to: &renderer)
            renderer.append("SELECT * FROM ")
            renderer.append(identifier: name)
        }
    }

    /// Writes the WITH clause, if there is one.
    static func renderAll(_ tables: [CommonTable], to renderer: inout SQLRenderer) throws {
        guard !tables.isEmpty else { return }
        renderer.append(tables.contains(where: \.isRecursive) ? "WITH RECURSIVE " : "WITH ")
        try renderer.append(tables, separator: ", ") { try $1.render(to: &$0) }
        renderer.append(" ")
    }
}
