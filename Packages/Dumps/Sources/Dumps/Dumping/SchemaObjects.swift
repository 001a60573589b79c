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
        var objects: [SchemaObject] = []
        let statement = try makeStatement(
            sql: "SELECT type, name, tbl_name, sql FROM main.sqlite_master WHERE sql IS NOT NULL ORDER BY rowid")
        while try statement.step() {
            let name = statement.string(at: 1) ?? ""
            if Database.isSQLiteInternalTable(name) { continue }
            objects.append(
                SchemaObject(
                    type: statement.string(at: 0) ?? "", name: name, tableName: statement.string(at: 2) ?? "",
                    sql: statement.string(at: 3) ?? "", isShadow: shadows.contains(name)))
        }
        return objects
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
