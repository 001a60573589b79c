import RowDecoding

extension TableDefinition {
    /// Returns the statements that create the table and its indexes.
    ///
    /// - Throws: the error of a value that can't be stored, or ``DatabaseError`` when the definition does not fit the schema.
    func statements(_ db: Database, table: TableReference, options: TableOptions) throws -> [String] {
        let context = context(db, table: table, options: options)
        let creation = try context.database.definitionSQL { try renderTable(table, to: &$0, options: options, in: context) }
        let indexes = try indexes(on: table, options: options, in: context)
        return try [creation] + indexes.map { index in try context.database.definitionSQL { try index.render(to: &$0) } }
    }

    /// Returns the SQL that follows the name of the table in `CREATE TABLE`, and the indexes, for a table that exists.
    ///
    /// - Parameter droppedIndexes: the names of indexes of the table that are dropped.
    /// - Throws: the error of a value that can't be stored, or ``DatabaseError`` when the definition does not fit the schema.
    func rebuildParts(
        _ db: Database, table: TableReference, options: TableOptions, droppingIndexes droppedIndexes: Set<String>
    ) throws -> (definition: String, indexes: [(name: String, sql: String)]) {
        let context = context(db, table: table, options: options)
        let definition = try context.database.definitionSQL { try renderDefinition(to: &$0, options: options, in: context) }
        let indexes = try indexes(on: table, options: options, in: context, dropping: droppedIndexes)
        return (definition, try indexes.map { index in (index.name, try context.database.definitionSQL { try index.render(to: &$0) }) })
    }

    private func context(_ db: Database, table: TableReference, options: TableOptions) -> DefinitionContext {
        let schema = table.schema ?? (options.contains(.temporary) ? "temp" : "main")
        var context = DefinitionContext(
            database: db, tableName: table.name, schema: schema, isStrict: { options.contains(.strict) })
        let outerContext = context
        context.definedKey = { [self] in try primaryKey(in: outerContext) }
        return context
    }

    private func renderTable(
        _ table: TableReference, to renderer: inout SQLRenderer, options: TableOptions, in context: DefinitionContext
    ) throws {
        renderer.append("CREATE ")
        if options.contains(.temporary) { renderer.append("TEMPORARY ") }
        renderer.append("TABLE ")
        if options.contains(.ifNotExists) { renderer.append("IF NOT EXISTS ") }
        renderer.append(table.sql)
        renderer.append(" ")
        try renderDefinition(to: &renderer, options: options, in: context)
    }

    private func renderDefinition(to renderer: inout SQLRenderer, options: TableOptions, in context: DefinitionContext) throws {
        renderer.append("(")
        if items.isEmpty { throw DatabaseError.misuse("the table \(context.tableName) has no columns") }
        var separator = ""
        for item in items {
            switch item {
            case .column(let column):
                renderer.append(separator)
                try column.render(to: &renderer, in: context)
            case .foreignKey(let foreignKey):
                for column in try foreignKey.columns(in: context) {
                    renderer.append(separator)
                    separator = ", "
                    try column.render(to: &renderer, in: context)
                }
            case .sql(let sql):
                renderer.append(separator)
                try renderer.appendUncommented { try sql.render(to: &$0) }
            }
            separator = ", "
        }
        for constraint in try constraints + foreignKeyConstraints(in: context) {
            renderer.append(separator)
            try render(constraint, to: &renderer, in: context)
        }

        renderer.append(")")
        var names: [String] = []
        if options.contains(.withoutRowID) { names.append("WITHOUT ROWID") }
        if options.contains(.strict) { names.append("STRICT") }
        if !names.isEmpty { renderer.append(" " + names.joined(separator: ", ")) }
    }

    private func render(_ constraint: Constraint, to renderer: inout SQLRenderer, in context: DefinitionContext) throws {
        switch constraint {
        case .primaryKey(let parts, let resolution):
            let names = try parts.flatMap { try columns(of: $0, in: context).map(\.name) }
            if names.isEmpty { throw DatabaseError.misuse("the primary key of table \(context.tableName) has no columns") }
            renderer.append("PRIMARY KEY ")
            renderer.append(parenthesizedNames: names)
            renderer.append(onConflict: resolution)
        case .uniqueKey(let names, let resolution):
            renderer.append("UNIQUE ")
            renderer.append(parenthesizedNames: names)
            renderer.append(onConflict: resolution)
        case .foreignKey(let names, let reference):
            renderer.append("FOREIGN KEY ")
            renderer.append(parenthesizedNames: names)
            renderer.append(" ")
            try reference.render(to: &renderer, columnCount: names.count, in: context)
        case .check(let condition):
            renderer.append("CHECK ")
            try renderer.append(parenthesized: condition)
        case .sql(let sql):
            try renderer.appendUncommented { try sql.render(to: &$0) }
        }
    }

    private func foreignKeyConstraints(in context: DefinitionContext) throws -> [Constraint] {
        try items.flatMap { item -> [Constraint] in
            guard case .foreignKey(let foreignKey) = item else { return [] }
            return try foreignKey.constraints(in: context)
        }
    }

    // MARK: - The primary key

    /// Returns the columns of the primary key: an empty array without a primary key, nil if handwritten SQL may define one.
    private func primaryKey(in context: DefinitionContext) throws -> [DefinitionContext.KeyColumn]? {
        for case .column(let column) in items where column.primaryKey != nil {
            return [DefinitionContext.KeyColumn(name: column.name, type: column.type)]
        }
        for case .primaryKey(let parts, _) in constraints {
            return try parts.flatMap { try columns(of: $0, in: context) }
        }
        let hasSQL =
            items.contains { if case .sql = $0 { true } else { false } }
            || constraints.contains { if case .sql = $0 { true } else { false } }
        return hasSQL ? nil : []
    }

    private func columns(of part: KeyPart, in context: DefinitionContext) throws -> [DefinitionContext.KeyColumn] {
        switch part {
        case .foreignKey(let foreignKey):
            if try context.isOwnTable(foreignKey.table(in: context)) {
                throw DatabaseError.misuse(
                    "the primary key of table \(context.tableName) contains a reference to itself: belongsTo(\"\(foreignKey.name)\")")
            }
            return try foreignKey.parts(in: context).map { DefinitionContext.KeyColumn(name: $0.name, type: $0.type) }
        case .column(let name):
            return [DefinitionContext.KeyColumn(name: name, type: try type(ofColumn: name, in: context))]
        case .sql:
            throw DatabaseError.misuse(
                "the primary key of table \(context.tableName) contains a column that is defined by SQL",
                advice: "Define the column with column(_:_:), or outside of the primary key, and pass its name.")
        }
    }

    /// Returns the type of a column of the primary key.
    private func type(ofColumn name: String, in context: DefinitionContext) throws -> Database.ColumnType? {
        for item in items {
            switch item {
            case .column(let column):
                if column.name.isEqualIgnoringASCIICase(to: name) { return column.type }
            case .foreignKey(let foreignKey):
                // The columns of a reference to the table itself depend on the primary key, which is being determined here.
                if try context.isOwnTable(foreignKey.table(in: context)) { continue }
                let part = try foreignKey.parts(in: context).first { $0.name.isEqualIgnoringASCIICase(to: name) }
                if let part { return part.type }
            case .sql:
                continue
            }
        }
        return nil
    }

    // MARK: - Indexes

    private func indexes(
        on table: TableReference, options: TableOptions, in context: DefinitionContext, dropping droppedIndexes: Set<String> = []
    ) throws -> [IndexDefinition] {
        let key = try context.primaryKey(of: context.tableName)?.map(\.name) ?? []
        // A temporary table with the same name would take precedence, unless the name of the database is given.
        let isHidden = try !options.contains(.temporary) && context.database.tableExists(context.tableName, in: "temp")

        func index(on columns: [String]) -> IndexDefinition {
            IndexDefinition(
                name: IndexDefinition.name(table: context.tableName, columns: columns), table: context.tableName,
                terms: columns.map { .column($0) }, options: options.contains(.ifNotExists) ? .ifNotExists : [],
                schema: table.schema ?? (isHidden ? context.schema : nil))
        }

        let columnLists = try items.compactMap { item -> [String]? in
            switch item {
            case .column(let column) where column.isIndexed:
                return [column.name]
            case .foreignKey(let foreignKey) where foreignKey.isIndexed && !foreignKey.isUnique:
                let columns = try foreignKey.parts(in: context).map(\.name)
                // The index of the primary key also serves its first columns.
                let isInKey =
                    columns.count <= key.count && zip(columns, key).allSatisfy { $0.isEqualIgnoringASCIICase(to: $1) }
                return isInKey ? nil : columns
            default:
                return nil
            }
        }
        let existing = try existingIndexes(in: context).filter { index in
            !droppedIndexes.contains { $0.isEqualIgnoringASCIICase(to: index.name) }
        }
        var definitions: [IndexDefinition] = []
        for columns in columnLists where !existing.contains(where: { $0.isNamedOtherwise(onTable: context.tableName, columns: columns) }) {
            var definition = index(on: columns)
            // Columns "b" and "c" would give the same index name as one column "b_c".
            while definitions.contains(where: { $0.name.isEqualIgnoringASCIICase(to: definition.name) }) { definition.name += "_" }
            definitions.append(definition)
        }
        return definitions
    }

    /// Returns the indexes of the table, if it exists: `CREATE TABLE IF NOT EXISTS` must not add an index that has another name already.
    private func existingIndexes(in context: DefinitionContext) throws -> [IndexInfo] {
        guard try context.database.tableExists(context.tableName, in: context.schema) else { return [] }
        return try context.database.indexes(on: context.tableName, in: context.schema)
    }
}

extension IndexInfo {
    /// Whether the index is on columns of a table, with the name that `create(indexOn:columns:)` derives from them, and that `belongsTo`
    /// gave to its indexes before.
    fileprivate func isNamedOtherwise(onTable table: String, columns: [String]) -> Bool {
        !isPartial && !hasExpressions && self.columns.count == columns.count
            && zip(self.columns, columns).allSatisfy { $0.isEqualIgnoringASCIICase(to: $1) }
            && name.isEqualIgnoringASCIICase(to: IndexDefinition.defaultName(table: table, columns: columns))
    }
}

extension ColumnDefinition {
    /// Returns the name of the index that ``indexed()`` creates.
    func indexName(onTable table: String) -> String { IndexDefinition.name(table: table, columns: [name]) }
}
