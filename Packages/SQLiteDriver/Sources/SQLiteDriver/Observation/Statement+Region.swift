extension Statement {
    /// The region that the statement reads, with the tables and columns of its views and subqueries.
    ///
    /// It reflects the current schema: if the schema has changed since the statement was prepared, `SELECT *` may read other
    /// columns, and a view other tables.
    ///
    /// The region contains everything that its content depends on, such as the other columns of a table whose generated columns are
    /// read, and the table behind a full-text index. It is the full database for a statement that reads tables that SQLite changes
    /// without calling the update hook, such as `sqlite_sequence`, or virtual tables of modules whose sources are unknown.
    public var databaseRegion: DatabaseRegion {
        database.checkAccess()
        describe()
        return completeRegion()
    }

    /// Returns the region of the current effects, with all that its content depends on.
    ///
    /// It depends on the effects and on the schema, and is computed again when one of them changes.
    func completeRegion() -> DatabaseRegion {
        let region = effects.region
        if !effects.readsTables { return region }
        do {
            let generation = try database.schemaGeneration()
            let description = state.pointee.description
            if let known = state.pointee.knownRegion, known.generation == generation,
                known.describedGeneration == description.generation, known.repreparationCount == description.repreparationCount
            {
                return known.region
            }
            let complete = try database.complete(region, of: self)
            state.pointee.knownRegion = (generation, description.generation, description.repreparationCount, complete)
            return complete
        } catch {
            // The schema can't be read now.
            return .fullDatabase
        }
    }
}

extension Database {
    /// Adds to a region the dependencies of its content that SQLite's authorizer does not report.
    fileprivate func complete(_ region: DatabaseRegion, of statement: Statement) throws -> DatabaseRegion {
        var region = region
        for table in statement.effects.unqualifiedTables {
            // A view of another database may refer to a table of that database.
            let first = try locateTable(table.text, in: nil)?.id.schemaID ?? .main
            let schemas = try statement.effects.mayJoinByColumnNames ? schemaIDs() : [first]
            for schema in schemas where try schema == first || locateTable(table.text, in: schema.name) != nil {
                region.insert(column: "", ofTable: table.text, in: schema.name)
            }
        }
        if statement.effects.mayJoinByColumnNames {
            try addTables(namedIn: statement, to: &region)
        }
        for id in (region.tables ?? [:]).keys {
            if Self.isSQLiteInternalTable(id.table.text) {
                // SQLite changes `sqlite_sequence` and the statistics without calling the update hook.
                if !Self.isSchemaTable(id.table.text) { return .fullDatabase }
                continue
            }
            // The table-valued functions of pragmas: https://www.sqlite.org/pragma.html#pragfunc
            if id.table.text.hasPrefixIgnoringASCIICase("pragma_") { region.insert(table: "sqlite_master", in: "main") }
            switch try dependency(of: id) {
            case .none: break
            case .ownColumns(let generated):
                if region.contains(generated, ofTable: id) { region.insert(table: id.table.text, in: id.schema.text) }
            case .table(let table): region.insert(table: table, in: id.schema.text)
            case .unknown: return .fullDatabase
            }
        }
        return region
    }

    /// The dependencies of a table's content besides its own rows.
    enum TableDependency {
        case none
        /// Generated columns depend on other columns of their row.
        case ownColumns(generated: Set<SchemaName>)
        /// A full-text index may read its content from a table.
        case table(String)
        case unknown
    }

    private func dependency(of id: DatabaseRegion.TableID) throws -> TableDependency {
        _ = try schemaGeneration()
        if let dependency = schemaCache.dependencies[id] { return dependency }
        let dependency = try findDependency(of: id)
        schemaCache.dependencies[id] = dependency
        return dependency
    }

    private func findDependency(of id: DatabaseRegion.TableID) throws -> TableDependency {
        let schema: DatabaseSchemaID = id.schema == SchemaName("temp") ? .temp : .attached(id.schema.text)
        let query = InternalQuery(
            "SELECT sql FROM \(schema.schemaTableName) WHERE type = 'table' AND name = ? COLLATE NOCASE", [id.table.text])
        // Table-valued functions and views are not tables.
        guard let sql = try query.first(in: self, { $0.string(at: 0) }) else { return .none }
        if sql.isVirtualTable { return Self.dependency(ofVirtualTable: sql) }
        let generated = try columns(in: id.table.text, in: schema.name).filter(\.isGenerated)
        return generated.isEmpty ? .none : .ownColumns(generated: Set(generated.map { SchemaName($0.name) }))
    }

    /// Source: <https://www.sqlite.org/fts5.html#external_content_tables>
    private static func dependency(ofVirtualTable sql: String) -> TableDependency {
        guard let definition = VirtualTableDefinition(sql),
            ["fts3", "fts4", "fts5", "rtree", "rtree_i32", "geopoly"].contains(definition.module)
        else { return .unknown }
        // A contentless index has an empty option.
        guard let table = definition.value(ofOption: "content"), !table.isEmpty else { return .none }
        return .table(table)
    }

    /// Adds the tables that a statement, or a view that it reads, names.
    ///
    /// SQLite does not report the columns by which `USING` and natural joins compare rows, nor a table that is read only for them.
    private func addTables(namedIn statement: Statement, to region: inout DatabaseRegion) throws {
        var texts = statement.sql
        var tables: [(name: String, schema: String)] = []
        var views: [(name: String, sql: String)] = []
        for schema in try schemaIDs() {
            let query = InternalQuery("SELECT type, name, sql FROM \(schema.schemaTableName) WHERE type IN ('table', 'view')")
            try query.forEachRow(in: self) { row in
                let name = row.string(at: 1) ?? ""
                if row.string(at: 0) == "table" {
                    tables.append((name, schema.name))
                } else {
                    views.append((name, row.string(at: 2) ?? ""))
                }
            }
        }
        while let index = views.firstIndex(where: { texts.names($0.name) }) {
            texts += "\n" + views.remove(at: index).sql
        }
        guard texts.hasJoinByColumnNames else { return }
        for table in tables where texts.names(table.name) {
            region.insert(table: table.name, in: table.schema)
        }
    }
}

extension String {
    /// Whether SQL may contain an identifier. An identifier with quotes counts as contained, because the SQL may double the quotes.
    fileprivate func names(_ identifier: String) -> Bool {
        if identifier.contains("\"") || identifier.contains("`") { return true }
        let (sql, name) = (foldingASCIICase.utf8, identifier.foldingASCIICase.utf8)
        return sql.indices.contains { sql[$0...].starts(with: name) }
    }
}
