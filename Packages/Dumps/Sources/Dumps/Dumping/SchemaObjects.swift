/// A table, an index, a trigger or a view of the main schema.
struct SchemaObject {
    let type: String
    let name: String
    let tableName: String
    let sql: String
    /// Whether it is a table that keeps the content of a virtual table.
    let isShadow: Bool

    var isVirtual: Bool { type == "table" && sql.utf8.starts(with: "CREATE VIRTUAL".utf8) }

    /// The SQL with a semicolon, on separate lines.
    var statement: String { terminated(sql) }

    /// The SQL of a table, which may exist.
    var statementIfNeeded: String {
        // SQLite stores the first words in this form.
        terminated("CREATE TABLE IF NOT EXISTS" + sql.dropFirst("CREATE TABLE".count))
    }

    private func terminated(_ sql: String) -> String {
        // A semicolon would be part of a comment at the end.
        let lastLine = sql.split(separator: "\n", omittingEmptySubsequences: false).last ?? ""
        return sql + (lastLine.contains("--") ? "\n;\n" : ";\n")
    }
}

extension Database {
    /// The objects of the main schema that users have created, for a listing: each table with its indexes and triggers, then the views.
    func schemaObjects() throws -> [SchemaObject] {
        let objects = try allSchemaObjects()
        let views = Set(objects.filter { $0.type == "view" }.map(\.name))
        return objects.filter { object in
            !object.isShadow && !Database.isStrataInternalTable(object.name) && !Database.isStrataInternalTable(object.tableName)
        }.sorted { first, second in
            let keys = [first, second].map { object in
                (views.contains(object.tableName) ? 1 : 0, object.tableName.foldingASCIICase, object.rankInTable, object.name)
            }
            return keys[0] < keys[1]
        }
    }

    /// All objects of the main schema that have been created by SQL, in the order of their creation.
    func allSchemaObjects() throws -> [SchemaObject] {
        let shadows = try shadowTables()
        return try values("SELECT type, name, tbl_name, sql FROM main.sqlite_master WHERE sql IS NOT NULL ORDER BY rowid") { row in
            let (type, name) = (row.string(at: 0) ?? "", row.string(at: 1) ?? "")
            if Database.isSQLiteInternalTable(name) { return nil }
            return SchemaObject(
                type: type, name: name, tableName: row.string(at: 2) ?? "",
                sql: try firstStatement(of: row.string(at: 3) ?? "", creating: "\(type) \(name)"), isShadow: shadows.contains(name))
        }
    }

    /// Returns the statement that SQLite reads in the SQL of the schema. It ignores what comes after it, but who runs a script would run that:
    /// other statements, or commands of SQLite's shell.
    ///
    /// - Throws: ``DatabaseError`` if SQLite can't tell where the statement ends.
    private func firstStatement(of sql: String, creating object: String) throws -> String {
        let tokens = SQLTokens(sql)
        // After its first words, the statement would create the object again.
        let words = ["TABLE", "INDEX", "TRIGGER", "VIEW"]
        guard let kind = tokens.tokens.indices.prefix(3).first(where: { words.contains(tokens.keyword($0)) }) else {
            throw DatabaseError(message: "the SQL of the \(object) in the schema is not a statement that creates it")
        }
        let beginning = tokens.text(0..<tokens[kind].range.upperBound)
        let addition = " IF NOT EXISTS"
        do {
            let asked = beginning + addition + tokens.text(tokens[kind].range.upperBound..<tokens.bytes.count)
            guard let read = try allStatements(sql: asked).next()?.sql else { return sql }
            let statement = beginning + read.dropFirst((beginning + addition).count)
            // White space and comments at the end are kept.
            return SQLTokens(sql).trimmedSQL == SQLTokens(statement).trimmedSQL ? sql : statement
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            // In defensive mode, SQLite compiles no statement for a shadow table. Without a semicolon, there is one statement.
            if tokens.tokens.contains(where: { $0.kind == .sign && tokens.text($0.range) == ";" }) { throw error }
            return sql
        }
    }
}

extension SchemaObject {
    fileprivate var rankInTable: Int {
        switch type {
        case "table", "view": 0
        case "index": 1
        default: 2
        }
    }
}
