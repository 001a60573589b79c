import RowDecoding

/// A query of a relation on a connection, with names for its tables, ready to generate SQL.
struct ResolvedQuery {
    let root: ResolvedTable
    private let db: Database

    /// Whether columns are qualified: the query has several tables, or one table with an alias.
    private let qualifies: Bool

    /// The aliases of selected expressions that are not columns of the first table.
    private let outputNames: Set<SchemaName>

    /// The tables, in the order of the query.
    let tables: [ResolvedTable]

    /// The names of the tables to which the selection refers, if they determine whether rows are repeated.
    private var selectedTables: Set<String> = []

    /// - Parameters:
    ///   - relation: the relation.
    ///   - db: a connection.
    ///   - renderer: the renderer that will write the query, if it is part of another one. The names of outer queries' tables are
    ///     reserved: a subquery must not use them.
    init(_ relation: Relation, _ db: Database, in renderer: SQLRenderer? = nil) throws {
        self.db = db
        let scope = renderer?.scope ?? SQLScope()
        root = try ResolvedTable(relation, db: db)
        tables = root.joins.isEmpty ? [root] : root.tables
        guard tables.count <= Relation.maximumDepth else {
            throw DatabaseError(
                resultCode: .SQLITE_TOOBIG,
                message: "a request of \(root.name) joins \(tables.count) tables, and SQLite joins \(Relation.maximumDepth) at most")
        }
        try root.assignNames(reserved: scope.reservedNames)
        qualifies = tables.count > 1 || !relation.aliases.isEmpty
        outputNames = qualifies ? try Self.outputNames(of: root, db: db) : []
        guard qualifies else { return }
        try checkAliases(in: scope)
        guard tables.count > 1 else { return }
        try makeGroups(below: root, in: nil, renderer ?? SQLRenderer(database: db))
        selectedTables = try tablesOfSelection(renderer ?? SQLRenderer(database: db))
    }

    /// Checks that each alias belongs to a single table.
    private func checkAliases(in outer: SQLScope) throws {
        var aliases: Set<TableAliasBase> = []
        for table in tables {
            for alias in table.relation.aliases {
                guard aliases.insert(alias).inserted, outer.table(withAlias: ObjectIdentifier(alias)) == nil else {
                    throw DatabaseError.misuse(
                        "a table alias is used for two tables of a request", advice: "Create an alias for each table.")
                }
            }
        }
    }

    /// Joins optional tables in parentheses if their conditions refer to tables that are joined to them: the condition of a LEFT JOIN can
    /// only refer to tables on its left.
    ///
    /// - Parameters:
    ///   - table: a table of the query.
    ///   - group: the table in parentheses that contains the table, if any.
    ///   - renderer: the renderer that will write the query.
    /// - Throws: ``DatabaseError`` if a condition refers to a table that SQLite does not allow there.
    private func makeGroups(below table: ResolvedTable, in group: ResolvedTable?, _ renderer: SQLRenderer) throws {
        for joined in table.joins {
            let isOptional = joined.join?.isRequired == false
            // The condition of a required join has no such limit: SQLite moves it to the WHERE clause.
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
        // No table is joined after the last one.
        if tables.last === joined, !table.isInGroup { return nil }
        var probe = renderer.probe
        try inScope(&probe) { probe in
            probe.counts.referencedTables = []
            try renderCondition(of: joined, with: table, to: &probe)
        }
        return probe.counts.referencedTables
    }

    /// Checks that the ON clause of a table refers to tables to which SQLite allows it to refer.
    ///
    /// - Throws: ``DatabaseError``, with advice.
    private func checkCondition(of joined: ResolvedTable, referringTo names: Set<String>, in group: ResolvedTable?) throws {
        let tables = root.tables.filter { names.contains($0.name) }
        let problem: (table: ResolvedTable, reason: String, advice: String)? =
            if let group, let outside = tables.first(where: { table in !group.tables.contains { $0 === table } }) {
                (
                    outside,
                    "from which it is separated by parentheses around \(group.name)",
                    "Add the condition to the filter of the request, or of the association to \(group.name)."
                )
            } else if joined.join?.isRequired == false, let later = tables.first(where: { isJoined($0, after: joined) }) {
                (
                    later, "which the request joins after it",
                    "Join \(later.name) first, or add the condition to the filter of the request."
                )
            } else {
                nil
            }
        guard let problem else { return }
        throw DatabaseError.misuse(
            "the association to \(joined.name) has a condition on columns of \(problem.table.name), \(problem.reason)",
            advice: problem.advice)
    }

    /// Returns whether a table is joined after another one, and not to it.
    private func isJoined(_ table: ResolvedTable, after other: ResolvedTable) -> Bool {
        let below = other.tables
        guard let position = tables.firstIndex(where: { $0 === other }) else { return false }
        return tables[position...].contains { $0 === table } && !below.contains { $0 === table }
    }

    /// Returns the table of a column that knows its table: the first table, unless only another one has the column.
    func table(of column: ColumnTable?) throws -> ResolvedTable {
        guard let column, try !root.relation.owns(column, db) else { return root }
        let others = try tables.filter { try $0.isTable(column.name, db) }
        return others.count == 1 ? others[0] : root
    }

    /// Returns whether another selected column would change the rows: the query is distinct, grouped, or aggregates its rows.
    func dependsOnSelection() throws -> Bool {
        let relation = root.relation
        return try relation.isDistinct || !relation.groups.resolve(db).isEmpty
            || relation.selection.resolve(db).contains { $0.selectedExpression?.isKnownToAggregate == true }
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
        func write(_ renderer: inout SQLRenderer) { renderer.append(columns: columns) }
        let isOrdered = root.relation.limit != nil
        guard try filtersByAliases() else { return try render(to: &renderer, isOrdered: isOrdered, selecting: write) }
        // The conditions refer to selected expressions, which a query of the keys alone would not have.
        let aliased = try root.relation.selection.resolve(db).filter { $0.name != nil }
        renderer.append(query: "SELECT ")
        write(&renderer)
        renderer.append(" FROM (")
        try render(to: &renderer, isOrdered: isOrdered) { renderer in
            write(&renderer)
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
    /// - Parameters:
    ///   - extraColumns: columns that the caller needs in addition to the relation's columns.
    ///   - limit: the limit, if it is not the relation's limit.
    ///   - keepsHandwrittenSQL: whether to keep handwritten SQL. By default, this is true while accesses are being recorded.
    ///   - tracesArguments: whether to record where the arguments come from.
    func write(
        extraColumns: [ExtraColumn] = [], limit: Relation.Limit? = nil, keepsHandwrittenSQL: Bool? = nil,
        tracesArguments: Bool = false
    ) throws -> WrittenQuery {
        let columns = try RelationColumns(self, extraColumns: extraColumns, db: db)
        return try db.writtenQuery(columns: columns, keepsHandwrittenSQL: keepsHandwrittenSQL, tracesArguments: tracesArguments) {
            try render(to: &$0, hiddenColumns: columns?.hiddenColumns ?? [], limit: limit)
        }
    }

    /// Prepares the SELECT statement for the first rows of each group: of the rows that have the same values in some columns.
    ///
    /// A window function numbers the rows of each group, in the order of the relation. The outer query restores the names of the columns,
    /// several of which may be equal.
    ///
    /// - Parameters:
    ///   - groupColumns: the columns whose values are equal in a group. They are returned in addition to the relation's columns.
    ///   - limit: the greatest number of rows of a group.
    ///   - tracesArguments: whether to record where the arguments come from.
    func write(
        groupedBy groupColumns: [ExtraColumn], limit: Relation.Limit, tracesArguments: Bool
    ) throws -> WrittenQuery {
        if root.relation.isDistinct {
            throw DatabaseError.misuse(
                "an association to \(root.name) has both distinct() and a limit", advice: "Use group(_:) instead of distinct().")
        }
        let columns = try RelationColumns(self, extraColumns: groupColumns, db: db)
        func renderNumbered(to renderer: inout SQLRenderer) throws {
            try renderSelect(to: &renderer, isOrdered: false, limit: nil) { renderer in
                try renderSelection(hiddenColumns: columns?.hiddenColumns ?? [], to: &renderer)
                renderer.append(", row_number() OVER (PARTITION BY ")
                renderer.append(groupColumns, separator: ", ") { renderer, column in
                    renderer.append(in: renderer.scope.at(column.table)) { $0.append(column: column.name) }
                }
                try renderOrder(to: &renderer)
                renderer.append(")")
            }
        }
        let names = try db.columnNames { try renderNumbered(to: &$0) }.dropLast()
        return try db.writtenQuery(columns: columns, queries: 2, tracesArguments: tracesArguments) { renderer in
            let number = "n"
            let aliases = names.indices.map { "c\($0)" }
            renderer.append("WITH strata_numbered(\((aliases + [number]).joined(separator: ", "))) AS (")
            try renderNumbered(to: &renderer)
            renderer.append(query: ") SELECT ")
            renderer.append(zip(aliases, names), separator: ", ") { $0.append("\($1.0) AS \($1.1.quotedDatabaseIdentifier)") }
            renderer.append(" FROM strata_numbered")
            let first = max(limit.offset ?? 0, 0)
            var conditions = first > 0 ? ["\(number) > \(first)"] : []
            // A negative limit means no limit.
            let (last, isTooLarge) = first.addingReportingOverflow(limit.count)
            if limit.count >= 0, !isTooLarge { conditions.append("\(number) <= \(last)") }
            if !conditions.isEmpty { renderer.append(" WHERE \(conditions.joined(separator: " AND "))") }
            renderer.append(" ORDER BY \(number)")
        }
    }

    /// Writes the WITH clause, and then SQL in the scope of this query.
    private func inScope(_ renderer: inout SQLRenderer, _ write: (inout SQLRenderer) throws -> Void) throws {
        let outerPlaces = renderer.places
        if root.relation.hasRareClauses { renderer.places += root.relation.places }
        defer { renderer.places = outerPlaces }
        // Common table expressions can't refer to the tables of the query.
        try CommonTable.renderAll(root.commonTables, to: &renderer)
        if !root.joins.isEmpty { renderer.counts.joins.append(tables) }
        try renderer.append(in: scope(in: renderer.scope), write)
    }

    private func scope(in outer: SQLScope) -> SQLScope {
        outer.query(tables, isQualified: qualifies, outputNames: outputNames)
    }

    /// Writes the SELECT statement.
    ///
    /// - Parameters:
    ///   - renderer: the renderer.
    ///   - hiddenColumns: columns to select after the relation's columns.
    ///   - limit: the limit, if it is not the relation's limit.
    func render(to renderer: inout SQLRenderer, hiddenColumns: [HiddenColumn] = [], limit: Relation.Limit? = nil) throws {
        try renderSelect(to: &renderer, isOrdered: true, limit: limit ?? root.relation.limit) { renderer in
            try renderSelection(hiddenColumns: hiddenColumns, to: &renderer)
        }
    }

    private func renderSelection(hiddenColumns: [HiddenColumn], to renderer: inout SQLRenderer) throws {
        if root.relation.isDistinct { renderer.append("DISTINCT ") }
        var isFirst = true
        var count = 0
        func append(of table: ResolvedTable, _ selection: [SQLSelection]) throws {
            func append(_ renderer: inout SQLRenderer) throws {
                for item in selection {
                    if !isFirst { renderer.append(", ") }
                    isFirst = false
                    try renderer.append(item)
                }
            }
            if table === root { try append(&renderer) } else { try renderer.append(in: renderer.scope.at(table), append) }
        }
        for table in tables where table.join?.isIncluded ?? true {
            let selection = try table.relation.selection.resolve(db)
            count += selection.count
            try append(of: table, selection)
        }
        for column in hiddenColumns { try append(of: column.table, [Column(column.name).sqlSelection]) }
        if isFirst { throw DatabaseError.misuse("a request of \(root.name) selects nothing") }
        try renderer.checkColumnCount(count, of: root.name)
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
        try renderSelect(to: &renderer, isOrdered: isOrdered, limit: root.relation.limit, selection)
    }

    private func renderSelect(
        to renderer: inout SQLRenderer, isOrdered: Bool, limit: Relation.Limit?, _ selection: (inout SQLRenderer) throws -> Void
    ) throws {
        try inScope(&renderer) { renderer in
            renderer.append(query: "SELECT ")
            try selection(&renderer)
            renderer.append(" FROM ")
            root.renderName(to: &renderer)
            try renderJoins(of: root, to: &renderer)
            try renderConditions(to: &renderer)
            try renderGroups(to: &renderer)
            if isOrdered { try renderOrder(to: &renderer) }
            limit?.render(to: &renderer)
        }
    }

    /// Writes a DELETE or UPDATE statement.
    ///
    /// - Parameters:
    ///   - renderer: the renderer.
    ///   - action: writes the SQL between the WITH and WHERE clauses, given a function that writes the name of the table.
    ///   - returned: the selection of the RETURNING clause, if any.
    func renderChange(
        to renderer: inout SQLRenderer, action: (inout SQLRenderer, (inout SQLRenderer) -> Void) throws -> Void,
        returning returned: [SQLSelection]?
    ) throws {
        try inScope(&renderer) { renderer in
            try action(&renderer) { root.renderName(to: &$0) }
            try renderConditions(to: &renderer)
        }
        guard let returned else { return }
        renderer.append(" RETURNING ")
        // Columns are never qualified here.
        try renderer.append(in: renderer.scope.at(root)) { renderer in
            try renderer.append(returned, separator: ", ") { try $0.append($1) }
        }
    }

    // MARK: - Clauses

    private func renderJoins(of table: ResolvedTable, to renderer: inout SQLRenderer) throws {
        for joined in table.joins {
            guard let join = joined.join else { continue }
            renderer.append(join.isRequired ? " JOIN " : " LEFT JOIN ")
            // Tables required by an optional table are joined to it first: either all of them have a match, or the tables are not joined.
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
        let (left, right) = (table.ownAlias, joined.ownAlias)
        var conditions: [SQLExpression] = []
        if let columns = try join.condition.columns(db) {
            conditions = columns.map { right[Column($0.right)] == left[Column($0.left)] }
        } else if let condition = join.condition.expression {
            conditions = [condition.expression]
        }
        conditions += try joined.relation.filters.map { try $0.resolve(db) }
        guard !conditions.isEmpty else { return }
        try renderer.append(in: renderer.scope.at(joined)) { try $0.append(conditions, keyword: " ON ") }
    }

    private func renderConditions(to renderer: inout SQLRenderer) throws {
        if let filter = root.relation.filters.only {
            renderer.append(" WHERE ")
            try renderer.append(filter.resolve(db))
        } else if !root.relation.filters.isEmpty {
            try renderer.append(root.relation.filters.map { try $0.resolve(db) }, keyword: " WHERE ")
        }
    }

    private func renderGroups(to renderer: inout SQLRenderer) throws {
        if !root.relation.hasRareClauses { return }
        let groups = try resolvedGroups()
        try renderer.checkColumnCount(groups.count, of: root.name)
        if !groups.isEmpty {
            renderer.append(" GROUP BY ")
            try renderer.append(groups, separator: ", ") { renderer, expression in
                try renderer.append(renderer.writesConstant(expression.sqlOrdering) ? .null : renderer.unfolded(expression))
            }
        } else if !root.relation.havings.isEmpty, try root.relation.selection.resolve(db).allSatisfy(\.isPlain) {
            throw DatabaseError.misuse(
                "a request of \(root.relation.source.name) has conditions on groups, but is not grouped",
                advice: "Add group(_:), or use filter(_:) for conditions on rows.")
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

    /// Returns the groups of the relation. A relation that uses aggregates of associations repeats its rows only for joined rows of which
    /// it selects something. By default, it is grouped by its own rows and those joined rows.
    private func resolvedGroups() throws -> [SQLExpression] {
        let groups = try root.relation.groups.resolve(db)
        guard groups.isEmpty, root.rowsAreRepeated, try usesAggregates else { return groups }
        let selection = try root.relation.selection.resolve(db)
        let repeating = root.repeatingTables(selection: selection, referringTo: selectedTables)
        let selected = repeating.filter(\.isSelected).map(\.table)
        // Selected aggregate functions make one group of all rows.
        guard selected.count < repeating.count, selected.isEmpty || selection.allSatisfy(\.isPlain) else { return [] }
        let keys = try ([root] + selected).map { table in
            try table.visibleKey(db).map { table.ownAlias[Column($0)] }
        }
        return keys.contains(where: \.isEmpty) ? [] : keys.flatMap(\.self)
    }

    /// Returns ``selectedTables``.
    private func tablesOfSelection(_ renderer: SQLRenderer) throws -> Set<String> {
        guard root.rowsAreRepeated, try usesAggregates, try root.relation.groups.resolve(db).isEmpty else { return [] }
        var probe = renderer.probe
        try inScope(&probe) { probe in
            probe.counts.referencedTables = []
            for item in try root.relation.selection.resolve(db) { try probe.append(item) }
        }
        return probe.counts.referencedTables
    }

    /// Whether the filters, or the selections added to the first one, contain aggregates of associations of the request's own table.
    private var usesAggregates: Bool {
        get throws {
            let relation = root.relation
            if let usesAggregates = relation.usesAggregates { return usesAggregates }
            let isOwn = relation.aliases.contains
            return try relation.filters.contains { try $0.resolve(db).aggregatesAssociation(ofTable: isOwn) }
                || relation.selection.additions.contains { try $0.resolve(db).contains { $0.aggregatesAssociation(ofTable: isOwn) } }
        }
    }

    /// Whether the groups are rows, and not groups that the request defines.
    var groupsRows: Bool {
        get throws { try root.relation.groups.resolve(db).isEmpty && !resolvedGroups().isEmpty }
    }

    private func renderOrder(to renderer: inout SQLRenderer) throws {
        if !root.relation.hasRareClauses { return }
        var keyword = " ORDER BY "
        func append(_ terms: [SQLOrdering], of table: ResolvedTable) throws {
            if terms.isEmpty { return }
            try renderer.checkColumnCount(terms.count, of: root.name)
            let terms = table.relation.ordering.isReversed ? terms.map(\.reversed) : terms
            try renderer.append(in: renderer.scope.at(table)) { renderer in
                for term in terms where try !renderer.writesConstant(term) {
                    renderer.append(keyword)
                    keyword = ", "
                    try renderer.append(renderer.unfolded(term))
                }
            }
        }
        for table in tables { try append(table.relation.ordering.terms?.resolve(db) ?? [], of: table) }
        guard tables.contains(where: \.relation.ordering.isStable) else { return }
        // The terms that decide between otherwise equal rows come after the order of all tables.
        for table in root.tablesInStableOrder { try append(table.distinguishingColumns(db).map { Column($0).sqlOrdering }, of: table) }
    }

    // MARK: - Columns

    /// Returns the number of columns that the query selects from a table.
    ///
    /// - Throws: ``DatabaseError`` when the schema can't be read, or the SQL of the selection is not valid.
    func columnCount(of table: ResolvedTable) throws -> Int {
        var count = 0
        let selection = try table.relation.selection.resolve(db)
        var renderer = SQLRenderer(database: db)
        try renderer.append(in: scope(in: SQLScope()).at(table)) { renderer in
            for item in selection {
                guard let columns = try item.columnCount(in: renderer) else {
                    count = try probedColumnCount(of: table, selection: selection)
                    return
                }
                count += columns
            }
        }
        return count
    }

    /// Returns the position of a column among the selected columns of its table; nil if it is not selected.
    func position(of name: String, in table: ResolvedTable) throws -> Int? {
        var names: [String?] = []
        var renderer = SQLRenderer(database: db)
        try renderer.append(in: scope(in: SQLScope()).at(table)) { renderer in
            for item in try table.relation.selection.resolve(db) {
                guard let columns = try item.columnNames(of: table.relation, in: renderer) else { return }
                names += columns
            }
        }
        return names.firstIndex { $0?.isEqualIgnoringASCIICase(to: name) == true }
    }

    /// Prepares a query to count the columns of a selection.
    private func probedColumnCount(of table: ResolvedTable, selection: [SQLSelection]) throws -> Int {
        return try db.columnNames { renderer in
            try inScope(&renderer) { renderer in
                renderer.append("SELECT ")
                try renderer.append(in: renderer.scope.at(table)) { renderer in
                    try renderer.append(selection, separator: ", ") { try $0.append($1) }
                }
                renderer.append(" FROM ")
                root.renderName(to: &renderer)
                try renderJoins(of: root, to: &renderer)
            }
        }.count
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
        try append(SQLExpression.chain(.and, conditions))
    }
}

/// A column selected after the relation's columns, for internal use.
struct HiddenColumn {
    let table: ResolvedTable
    let name: String
}
