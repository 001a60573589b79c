import RowDecoding

/// A query of a relation on a connection, with names for its tables, ready to generate SQL.
struct ResolvedQuery {
    let root: ResolvedTable
    private let db: Database

    /// Whether columns are qualified: the query has several tables, or one table with an alias.
    private let qualifies: Bool

    private let aliasNames: [ObjectIdentifier: String]
    private var aliasKeys: [ObjectIdentifier: @Sendable (Database) throws -> [String]]
    private let aliasColumns: [ObjectIdentifier: @Sendable (Database) throws -> [String]]
    private let aliasRecordTypes: [ObjectIdentifier: Any.Type]

    /// The aliases of selected expressions that are not columns of the first table.
    private let outputNames: Set<SchemaName>

    /// - Parameters:
    ///   - relation: the relation.
    ///   - renderer: the context. Its reserved names are those of outer queries, which a subquery must not use.
    init(_ relation: Relation, in renderer: SQLRenderer) throws {
        let db = renderer.database
        self.db = db
        root = try ResolvedTable(relation, db: db)
        let tables = root.tables
        guard tables.count <= Relation.maximumDepth else {
            throw DatabaseError(
                resultCode: .SQLITE_TOOBIG,
                message: "a request of \(root.name) joins \(tables.count) tables, and SQLite joins \(Relation.maximumDepth) at most")
        }
        guard renderer.reservedNames.count <= 1_000 else {
            throw DatabaseError(
                resultCode: .SQLITE_TOOBIG, message: "a request of \(root.name) is nested in requests with more than 1000 tables")
        }
        try root.assignNames(reserved: renderer.reservedNames)
        qualifies = tables.count > 1 || !relation.aliases.isEmpty
        var names = renderer.aliasNames
        var keys = renderer.aliasKeys
        var columns = renderer.aliasColumns
        var recordTypes = renderer.aliasRecordTypes
        for table in tables {
            for alias in table.relation.aliases {
                guard names.updateValue(table.name, forKey: ObjectIdentifier(alias)) == nil else {
                    throw DatabaseError(
                        resultCode: .SQLITE_MISUSE,
                        message: "a table alias is used for two tables of a request: create an alias for each")
                }
                keys[ObjectIdentifier(alias)] = table.presenceColumns
                columns[ObjectIdentifier(alias)] = table.sourceColumns
                recordTypes[ObjectIdentifier(alias)] = table.relation.recordType
            }
        }
        aliasNames = names
        aliasKeys = keys
        aliasColumns = columns
        aliasRecordTypes = recordTypes
        outputNames = qualifies ? try Self.outputNames(of: root, db: db) : []
        try makeGroups(below: root, in: nil, renderer)
        // Rows in parentheses have no hidden row IDs.
        for table in tables where table.isInGroup {
            for alias in table.relation.aliases { aliasKeys[ObjectIdentifier(alias)] = table.presenceColumns }
        }
    }

    /// Joins optional tables in parentheses if their conditions refer to tables that are joined to them: the condition of a LEFT JOIN can
    /// only refer to tables on its left.
    ///
    /// - Parameters:
    ///   - table: a table of the query.
    ///   - group: the table in parentheses that contains the table, if any.
    ///   - renderer: the context of the query.
    /// - Throws: ``DatabaseError`` if a condition refers to a table that SQLite does not allow there.
    private func makeGroups(below table: ResolvedTable, in group: ResolvedTable?, _ renderer: SQLRenderer) throws {
        for joined in table.joins {
            let isOptional = joined.join?.isRequired == false
            // SQLite moves the condition of a JOIN to the WHERE clause.
            if isOptional || group != nil, let names = try referencedTables(of: joined, with: table, renderer) {
                let below = joined.joins.flatMap(\.tables)
                if isOptional, !joined.isGroup, below.contains(where: { names.contains($0.name) }) { joined.becomeGroup() }
                try checkCondition(of: joined, referringTo: names, in: group)
            }
            try makeGroups(below: joined, in: joined.isGroup ? joined : group, renderer)
        }
    }

    /// Returns the names of the tables that the ON clause of a table refers to, or nil if it can only refer to the joined tables.
    private func referencedTables(of joined: ResolvedTable, with table: ResolvedTable, _ renderer: SQLRenderer) throws -> Set<String>? {
        if joined.relation.filters.isEmpty, case .foreignKey? = joined.join?.condition { return nil }
        // Nothing is joined after the last table.
        if root.tables.last === joined, !table.isInGroup { return nil }
        var nested = renderer.nested()
        try inContext(&nested) { nested in
            nested.referencedTables = []
            try renderCondition(of: joined, with: table, to: &nested)
        }
        return nested.referencedTables
    }

    /// Checks that the ON clause of a table refers to tables to which SQLite allows it to refer.
    ///
    /// - Throws: ``DatabaseError``, with advice.
    private func checkCondition(of joined: ResolvedTable, referringTo names: Set<String>, in group: ResolvedTable?) throws {
        let tables = root.tables.filter { names.contains($0.name) }
        let advice: (table: ResolvedTable, text: String)? =
            if let group, let outside = tables.first(where: { table in !group.tables.contains { $0 === table } }) {
                (
                    outside,
                    "from which it is separated by parentheses around \(group.name): add the condition to the filter of the request, or of "
                        + "the association to \(group.name)"
                )
            } else if joined.join?.isRequired == false, let later = tables.first(where: { isJoined($0, after: joined) }) {
                (later, "which the request joins after it: join \(later.name) first, or add the condition to the filter of the request")
            } else {
                nil
            }
        guard let advice else { return }
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "the association to \(joined.name) has a condition on columns of \(advice.table.name), \(advice.text)")
    }

    /// Returns whether a table is joined after another one, and not to it.
    private func isJoined(_ table: ResolvedTable, after other: ResolvedTable) -> Bool {
        let (tables, below) = (root.tables, other.tables)
        guard let position = tables.firstIndex(where: { $0 === other }) else { return false }
        return tables[position...].contains { $0 === table } && !below.contains { $0 === table }
    }

    /// Returns whether a condition on rows may refer to a selected expression by its alias.
    func filtersByAliases() throws -> Bool {
        if root.relation.filters.isEmpty { return false }
        let names = try Self.outputNames(of: root, db: db)
        return try !names.isEmpty && root.relation.filters.contains { try $0.resolve(db).mayRefer(to: names) }
    }

    /// Writes the key columns of the rows, as a query.
    ///
    /// - Parameters:
    ///   - columns: the columns of the key.
    ///   - renderer: the renderer.
    func render(key columns: [String], to renderer: inout SQLRenderer) throws {
        func write(_ renderer: inout SQLRenderer) throws {
            try renderer.append(columns, separator: ", ") { try $0.append(Column($1).sqlExpression) }
        }
        let isOrdered = root.relation.limit != nil
        guard try filtersByAliases() else { return try render(to: &renderer, isOrdered: isOrdered, selecting: write) }
        // The conditions refer to selected expressions, which a query of the keys alone would not have.
        let aliased = try root.relation.selection.resolve(db).filter { $0.name != nil }
        renderer.append("SELECT ")
        try write(&renderer)
        renderer.append(" FROM (")
        try render(to: &renderer, isOrdered: isOrdered) { renderer in
            try write(&renderer)
            for selection in aliased {
                renderer.append(", ")
                try renderer.append(selection)
            }
        }
        renderer.append(")")
    }

    private static func outputNames(of root: ResolvedTable, db: Database) throws -> Set<SchemaName> {
        let names = try root.relation.selection.resolve(db).compactMap { $0.name.map(SchemaName.init) }
        return names.isEmpty ? [] : Set(names).subtracting(try root.columnNames(db).map(SchemaName.init))
    }

    // MARK: - Statements

    /// Prepares the SELECT statement.
    ///
    /// - Parameter extraColumns: columns that the caller needs in addition to those of the relation.
    /// - Returns: the statement, and the layout of its columns.
    func prepareStatement(
        extraColumns: [(table: ResolvedTable, name: String)] = []
    ) throws -> (statement: Statement, columns: RelationColumns) {
        let columns = try RelationColumns(self, extraColumns: extraColumns, db: db)
        return (try db.cachedStatement { try render(to: &$0, hiddenColumns: columns.hiddenColumns) }, columns)
    }

    /// Writes the WITH clause, and then SQL in the context of this query, which has the names of this query's tables instead of those of
    /// the outer query.
    private func inContext(_ renderer: inout SQLRenderer, _ write: (inout SQLRenderer) throws -> Void) throws {
        // Common table expressions can't refer to the tables of the query.
        try CommonTable.renderAll(root.commonTables, to: &renderer)
        let (names, keys, columns) = (renderer.aliasNames, renderer.aliasKeys, renderer.aliasColumns)
        let (reserved, outputs, recordTypes) = (renderer.reservedNames, renderer.outputNames, renderer.aliasRecordTypes)
        let outerTables = renderer.queryTables
        renderer.aliasNames = aliasNames
        renderer.aliasKeys = aliasKeys
        renderer.aliasColumns = aliasColumns
        renderer.aliasRecordTypes = aliasRecordTypes
        renderer.outputNames = outputNames
        renderer.queryTables = root
        if !root.joins.isEmpty { renderer.joinedQueries.append(root) }
        // Subqueries can refer to these tables, so their own tables need other names. If columns are not qualified, nothing refers
        // to a table by its name.
        if qualifies { renderer.reservedNames.formUnion(root.tables.map { SchemaName($0.name) }) }
        try root.write(to: &renderer, qualifies: qualifies, write)
        (renderer.aliasNames, renderer.aliasKeys, renderer.aliasColumns) = (names, keys, columns)
        renderer.aliasRecordTypes = recordTypes
        (renderer.reservedNames, renderer.outputNames, renderer.queryTables) = (reserved, outputs, outerTables)
    }

    /// Writes the SELECT statement.
    ///
    /// - Parameters:
    ///   - renderer: the renderer.
    ///   - hiddenColumns: columns to select after those of the relation.
    func render(to renderer: inout SQLRenderer, hiddenColumns: [HiddenColumn] = []) throws {
        try inContext(&renderer) { renderer in
            renderer.append(root.relation.isDistinct ? "SELECT DISTINCT " : "SELECT ")
            var isFirst = true
            var count = 0
            for table in root.tables where table.join?.isIncluded ?? true {
                let selection = try table.relation.selection.resolve(db)
                count += selection.count
                try table.write(to: &renderer, qualifies: qualifies) { renderer in
                    for item in selection {
                        if !isFirst { renderer.append(", ") }
                        isFirst = false
                        try renderer.append(item)
                    }
                }
            }
            for column in hiddenColumns {
                if !isFirst { renderer.append(", ") }
                isFirst = false
                try column.table.write(to: &renderer, qualifies: qualifies) { try $0.append(Column(column.name).sqlExpression) }
            }
            if isFirst {
                throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "a request of \(root.name) selects nothing")
            }
            try renderer.checkColumnCount(count, of: root.name)
            try renderSource(to: &renderer)
            try renderGroups(to: &renderer)
            try renderOrder(to: &renderer)
            root.relation.limit?.render(to: &renderer)
        }
    }

    /// Writes a SELECT statement with another selection, and the other clauses of the relation.
    ///
    /// - Parameters:
    ///   - renderer: the renderer.
    ///   - isOrdered: whether to write the ORDER BY clause.
    ///   - selection: writes the selection.
    func render(
        to renderer: inout SQLRenderer, isOrdered: Bool, selecting selection: (inout SQLRenderer) throws -> Void
    ) throws {
        try inContext(&renderer) { renderer in
            renderer.append("SELECT ")
            try selection(&renderer)
            try renderSource(to: &renderer)
            try renderGroups(to: &renderer)
            if isOrdered { try renderOrder(to: &renderer) }
            root.relation.limit?.render(to: &renderer)
        }
    }

    /// Writes a DELETE or UPDATE statement.
    ///
    /// - Parameters:
    ///   - renderer: the renderer.
    ///   - action: writes the SQL between the WITH and WHERE clauses, given a function that writes the name of the table.
    func renderChange(
        to renderer: inout SQLRenderer, action: (inout SQLRenderer, (inout SQLRenderer) -> Void) throws -> Void
    ) throws {
        try inContext(&renderer) { renderer in
            try action(&renderer) { root.renderName(to: &$0) }
            try renderConditions(of: root, keyword: " WHERE ", to: &renderer)
        }
    }

    // MARK: - Clauses

    private func renderSource(to renderer: inout SQLRenderer) throws {
        renderer.append(" FROM ")
        root.renderName(to: &renderer)
        try renderJoins(of: root, to: &renderer)
        try renderConditions(of: root, keyword: " WHERE ", to: &renderer)
    }

    private func renderJoins(of table: ResolvedTable, to renderer: inout SQLRenderer) throws {
        for joined in table.joins {
            guard let join = joined.join else { continue }
            renderer.append(join.isRequired ? " JOIN " : " LEFT JOIN ")
            // Tables required by an optional table are joined to it first: either all of them have a match, or none is joined.
            if joined.isGroup {
                renderer.append("(")
                joined.renderName(to: &renderer)
                try renderJoins(of: joined, to: &renderer)
                renderer.append(")")
            } else {
                joined.renderName(to: &renderer)
            }
            try renderCondition(of: joined, with: table, to: &renderer)
            if !joined.isGroup { try renderJoins(of: joined, to: &renderer) }
        }
    }

    /// Writes the ON clause, with the filters of the joined table.
    private func renderCondition(of joined: ResolvedTable, with table: ResolvedTable, to renderer: inout SQLRenderer) throws {
        guard let join = joined.join else { return }
        let left = TableAlias<Void>(name: table.name, recordType: table.relation.recordType)
        let right = TableAlias<Void>(name: joined.name, recordType: joined.relation.recordType)
        var conditions: [SQLExpression] = []
        if let columns = try join.condition.columns(db) {
            conditions = columns.map { right[Column($0.right)] == left[Column($0.left)] }
        } else if case .expression(let predicate?) = join.condition {
            conditions = [predicate.expression(left: left, right: right)]
        }
        conditions += try joined.relation.filters.map { try $0.resolve(db) }
        guard !conditions.isEmpty else { return }
        try joined.write(to: &renderer, qualifies: true) { try $0.append(conditions, keyword: " ON ") }
    }

    private func renderConditions(of table: ResolvedTable, keyword: String, to renderer: inout SQLRenderer) throws {
        try renderer.append(table.relation.filters.map { try $0.resolve(db) }, keyword: keyword)
    }

    private func renderGroups(to renderer: inout SQLRenderer) throws {
        let groups = try resolvedGroups()
        try renderer.checkColumnCount(groups.count, of: root.name)
        if !groups.isEmpty {
            renderer.append(" GROUP BY ")
            try renderer.append(groups, separator: ", ") { renderer, expression in
                try renderer.append(renderer.writesConstant(expression.sqlOrdering) ? .null : renderer.unfolded(expression))
            }
        } else if !root.relation.havings.isEmpty, try root.relation.selection.resolve(db).allSatisfy(\.isPlain) {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "a request of \(root.relation.source.name) has conditions on groups, but is not grouped: "
                    + "add group(_:), or use filter(_:) for conditions on rows")
        }
        try renderer.append(root.relation.havings.map { try $0.resolve(db) }, keyword: " HAVING ")
        guard !root.relation.windows.isEmpty else { return }
        renderer.append(" WINDOW ")
        try renderer.append(root.relation.windows, separator: ", ") { renderer, window in
            renderer.append(identifier: window.name)
            renderer.append(" AS ")
            try window.definition.render(to: &renderer)
        }
    }

    /// Returns the groups of the relation. A relation that uses aggregates of associations repeats its rows only for rows of which it selects
    /// something: by default, its rows are the groups, with each of those rows.
    private func resolvedGroups() throws -> [SQLExpression] {
        let groups = try root.relation.groups.resolve(db)
        guard groups.isEmpty, root.relation.usesAggregates else { return groups }
        let selection = try root.relation.selection.resolve(db)
        let repeating = root.repeatingTables(selection: selection)
        let selected = repeating.filter(\.isSelected).map(\.table)
        // Selected aggregate functions make one group of all rows.
        guard selected.count < repeating.count, selected.isEmpty || selection.allSatisfy(\.isPlain) else { return [] }
        let keys = try ([root] + selected).map { table in
            let alias = TableAlias<Void>(name: table.name, recordType: table.relation.recordType)
            return try table.visibleKey(db).map { alias[Column($0)] }
        }
        return keys.contains(where: \.isEmpty) ? [] : keys.flatMap(\.self)
    }

    /// Whether the groups are rows, and not what the request groups them by.
    var groupsRows: Bool {
        get throws { try root.relation.groups.resolve(db).isEmpty && !resolvedGroups().isEmpty }
    }

    private func renderOrder(to renderer: inout SQLRenderer) throws {
        var keyword = " ORDER BY "
        func append(_ terms: [SQLOrdering], of table: ResolvedTable) throws {
            if terms.isEmpty { return }
            try renderer.checkColumnCount(terms.count, of: root.name)
            let terms = table.relation.ordering.isReversed ? terms.map(\.node.reversed) : terms
            try table.write(to: &renderer, qualifies: qualifies) { renderer in
                for term in terms where try !renderer.writesConstant(term) {
                    renderer.append(keyword)
                    keyword = ", "
                    try renderer.append(renderer.unfolded(term))
                }
            }
        }
        let tables = root.tables
        for table in tables { try append(table.relation.ordering.terms.flatMap { try $0.resolve(db) }, of: table) }
        guard tables.contains(where: \.relation.ordering.isStable) else { return }
        // The terms that decide between otherwise equal rows come after the order of all tables.
        for table in root.tablesInStableOrder { try append(table.distinguishingColumns(db).map { Column($0).sqlOrdering }, of: table) }
    }

    // MARK: - Columns

    /// Returns the number of columns that a table of the query selects.
    func columnCount(of table: ResolvedTable) throws -> Int {
        var count = 0
        var renderer = SQLRenderer(database: db)
        let selection = try table.relation.selection.resolve(db)
        try table.write(to: &renderer, qualifies: qualifies) { renderer in
            for item in selection {
                guard let columns = try item.node.columnCount(in: renderer) else {
                    count = try probedColumnCount(of: table, selection: selection)
                    return
                }
                count += columns
            }
        }
        return count
    }

    /// Prepares the selection to get its number of columns from SQLite.
    private func probedColumnCount(of table: ResolvedTable, selection: [SQLSelection]) throws -> Int {
        let statement = try db.cachedStatement { renderer in
            try inContext(&renderer) { renderer in
                renderer.append("SELECT ")
                try table.write(to: &renderer, qualifies: qualifies) { renderer in
                    try renderer.append(selection, separator: ", ") { try $0.append($1) }
                }
                renderer.append(" FROM ")
                root.renderName(to: &renderer)
                try renderJoins(of: root, to: &renderer)
            }
        }
        return statement.columnCount
    }
}

extension SQLRenderer {
    /// Checks the connection's limit on the number of result columns, of GROUP BY and ORDER BY terms, and of assignments.
    func checkColumnCount(_ count: Int, of table: String) throws {
        if count < 32 { return }
        try check(count, atMost: .columnCount) {
            "a request of \(table) has \($0) columns or terms in one clause, and the connection's limit is \($1)"
        }
    }

    /// Writes a keyword and conditions joined by AND, or nothing if there are no conditions.
    mutating func append(_ conditions: [SQLExpression], keyword: String) throws {
        guard !conditions.isEmpty else { return }
        append(keyword)
        try append(AssociativeNode.expression(.and, conditions))
    }
}

extension SQLSelection {
    /// Returns whether the selection may refer to a joined table.
    func mayRefer(to table: ResolvedTable) -> Bool {
        switch node {
        case let node as QualifiedSelectionNode: return table.mayHave(node.alias)
        case is AllColumnsNode, is AllColumnsExcludingNode: return false
        case let node as AliasedSelectionNode: return node.expression.mayRefer(to: table)
        // The content of SQL is unknown, but it can't refer to a table without aliases.
        default: return expression?.mayRefer(to: table) ?? !table.relation.aliases.isEmpty
        }
    }

    /// The alias of a selected expression, if it has one.
    var name: String? {
        switch node {
        case let node as AliasedSelectionNode: node.key
        case let node as QualifiedSelectionNode: node.content.name
        default: nil
        }
    }
}

/// A column selected after those of the relation, for internal use.
struct HiddenColumn {
    let table: ResolvedTable
    let name: String
}
