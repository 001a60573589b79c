import SQLiteDriver

/// Proves types, and where NULL is impossible.
///
/// Whatever is not understood is an error (``SQLParser/NotUnderstood``), after which the caller assumes nothing.
struct QueryTyping {
    /// The columns of a query, and how many rows it returns.
    struct Shape {
        struct Column {
            var name: String
            var value: QueryValue
            /// The place of the expression.
            var range: Range<Int>
            /// Whether SQLite defines the name: it is an alias, or the name of a column.
            var hasOwnName: Bool
            /// Whether `*` comes before the column, so that a change of a table may move it.
            var followsStar: Bool
            /// The column of the FROM clause that it is, under its own name.
            var place: Place?
        }

        var columns: [Column]
        var rowCount: QueryFile.Cardinality
        /// The tables that the places are about; nil for several queries with an operator between them.
        var scope: Scope?
    }

    /// What a parameter has met.
    struct ParameterFacts {
        struct Meeting {
            var value: QueryValue
            /// The place of the parameter, and of the expression that it meets.
            var range: Range<Int>
            var partner: Range<Int>
        }

        var meetings: [Meeting] = []
        /// Whether it meets an ANY column, for values of any type.
        var meetsAny = false
        /// Whether NULL makes sense as a value.
        var isOptional = false
        /// Whether the SQL tests for NULL.
        var isNullTested = false
        /// The name of the first column or function that it meets.
        var name: String?
        /// The type that is used for expressions with the parameter.
        var value = QueryValue.unknown
    }

    /// A table of a FROM clause.
    struct Source {
        var name: String
        var table: QuerySchema.Table
        /// The columns that another table shows: those of USING.
        var joined: Set<SchemaName> = []
        /// Whether outer joins may replace the row by NULL.
        var mayBeMissing = false
        /// The columns whose values come from one of several tables: those of USING in a RIGHT or FULL JOIN.
        var merged: [SchemaName: QueryValue] = [:]
        /// The place where a subquery ends that has no name.
        var end: Int?

        /// The names of the columns that `*` shows.
        var shownNames: [SchemaName] { table.columns.filter { !$0.isHidden }.map { SchemaName($0.name) } }

        func column(_ name: SchemaName) -> QuerySchema.Column? { table.columns.first { SchemaName($0.name) == name } }
    }

    /// The tables of a WITH clause, which hide the tables of the schema.
    ///
    /// Each of them sees all others, also those after it, and those of the WITH clauses around it. SQLite compiles only those that a statement
    /// uses: the others may be wrong.
    ///
    /// Source: <https://www.sqlite.org/lang_with.html>
    final class CommonTables {
        let definitions: [SchemaName: SQLCommonTable]
        /// The scope around the WITH clause.
        let scope: Scope
        /// What is proven about the tables.
        var known: [SchemaName: QuerySchema.Table] = [:]
        var inProgress: Set<SchemaName> = []

        init(_ tables: [SQLCommonTable], in scope: Scope) {
            definitions = Dictionary(tables.map { (SchemaName($0.name), $0) }) { first, _ in first }
            self.scope = scope
        }
    }

    /// The names that an expression can use.
    ///
    /// SQLite looks a name up in the tables of the query, then among the aliases of its selected expressions, and then in the queries around it.
    final class Scope {
        let parent: Scope?
        let sources: [Source]
        /// The tables of the next WITH clause.
        let common: CommonTables?
        /// Whether there may be no row: an aggregate of an empty table.
        var mayBeEmpty = false
        /// The scope of the rows that an aggregate reads.
        var rows: Scope?
        /// The columns that conditions have proven not to be NULL.
        var present: Set<Place> = []
        var presentSources: Set<Int> = []
        /// The selected expressions, by their aliases, and their scope, which does not see the aliases: `SELECT b AS a, a AS b` is no circle.
        private(set) var aliases: [SchemaName: SQLTerm] = [:]
        private(set) var selection: Scope?
        /// Whether an outer aggregate may be meant.
        var isAggregate = false

        init(parent: Scope?, sources: [Source] = [], common: CommonTables?) {
            (self.parent, self.sources, self.common) = (parent, sources, common)
        }

        /// Creates a scope with the names of another one, and with the tables of a WITH clause.
        init(_ other: Scope, common: CommonTables? = nil) {
            (parent, sources, self.common) = (other.parent, other.sources, common ?? other.common)
            (mayBeEmpty, rows, isAggregate) = (other.mayBeEmpty, other.rows, other.isAggregate)
            (present, presentSources, aliases, selection) = (other.present, other.presentSources, other.aliases, other.selection)
        }

        /// The scope of WHERE, ON, GROUP BY, HAVING and ORDER BY, which see the aliases of the selected expressions.
        func seeing(_ aliases: [SchemaName: SQLTerm]) -> Scope {
            let scope = Scope(self)
            (scope.aliases, scope.selection) = (aliases, self)
            return scope
        }
    }

    let schema: QuerySchema
    var parameters: [ParameterFacts]
    let parser: SQLParser
    var sourceCount = 0
    /// The stars whose columns matter, by their places.
    var stars: [Range<Int>: Star] = [:]
    /// Whether only the stars matter, and not the values.
    var isAboutStars = false
    /// The views whose queries are not understood, at the places where the statement names them.
    var unknownViews: [(name: String, range: Range<Int>)] = []

    init(_ schema: QuerySchema, _ parser: SQLParser) {
        (self.schema, self.parser) = (schema, parser)
        parameters = parser.parameters.map { _ in changed(ParameterFacts()) { $0.value.isPending = true } }
    }

    // MARK: - Statements

    /// Returns the columns and the number of rows of a statement.
    mutating func shape(of statement: SQLStatementTree) throws -> Shape {
        switch statement.kind {
        case .query: return try shape(of: statement.query!, in: Scope(parent: nil, common: nil))
        case .insert, .update, .delete: return try changeShape(statement)
        }
    }

    mutating func shape(of query: SQLQueryTree) throws -> Shape { try shape(of: query, in: Scope(parent: nil, common: nil)) }

    /// The columns of RETURNING, and the number of rows of an INSERT, UPDATE or DELETE.
    ///
    /// RETURNING does not know the alias of the table, nor the other tables of an UPDATE FROM. Its values of a view are those that the
    /// statement gives, of any type: only the triggers of the view store them.
    ///
    /// Source: <https://www.sqlite.org/lang_returning.html>
    private mutating func changeShape(_ statement: SQLStatementTree) throws -> Shape {
        let outer = adding(statement.tables, to: Scope(parent: nil, common: nil))
        var table = try schemaTable(statement.table)
        number(&table)
        let target = Source(name: statement.alias ?? statement.table, table: table)
        var returned = Source(name: statement.table, table: table)
        if table.isView { for index in table.columns.indices { returned.table.columns[index].value = .unknown } }
        let scope = Scope(parent: outer, sources: [returned], common: outer.common)
        var rowCount: QueryFile.Cardinality
        if statement.kind == .insert {
            rowCount = try insert(statement, into: target, outer)
        } else {
            let (changed, conditions) = try change(statement, target, outer)
            // With several tables, the condition may be about another table, and each row is still changed once.
            rowCount = isUnique(conditions, changed, source: 0) ? .optional : .many
            if statement.kind == .delete {
                // An UPDATE may have changed what its condition has tested.
                narrow(changed, by: conditions)
                scope.present = changed.present.filter { $0.source == 0 }
            }
        }
        return Shape(columns: try columns(statement.returning ?? [], in: scope), rowCount: rowCount)
    }

    /// Types an INSERT.
    ///
    /// - Returns: the number of rows: one for one row of VALUES, unless a trigger or a conflict can skip it.
    private mutating func insert(_ statement: SQLStatementTree, into target: Source, _ outer: Scope) throws -> QueryFile.Cardinality {
        let table = target.table
        let names = statement.columns ?? table.columns.filter { !$0.isHidden && !$0.isGenerated }.map(\.name)
        if let query = statement.query {
            try expect(query, names.map { Part(name: $0, value: stored($0, in: table)) }, isStored: true)
            _ = try shape(of: query, in: outer)
            // A copy of all columns stays one.
            if statement.columns == nil { keepStars(of: query) }
        }
        let excluded = Scope(parent: outer, sources: [target, Source(name: "excluded", table: table)], common: outer.common)
        for upsert in statement.upserts {
            for term in upsert.targets + [upsert.targetCondition].compactMap({ $0 }) { _ = try value(of: term, in: excluded) }
            try assign(upsert.assignments, table, excluded)
            try check(upsert.condition, in: excluded)
        }
        // DEFAULT VALUES is one row, too.
        let isOne = statement.query.map { $0.operators.isEmpty && $0.tables.isEmpty && $0.cores[0].rows?.count == 1 } ?? true
        return !isOne ? .many : statement.mayIgnore || table.mayIgnoreRows ? .optional : .one
    }

    /// Types an UPDATE or DELETE.
    ///
    /// - Returns: the scope of its conditions, and the conditions that hold for each changed row.
    private mutating func change(_ statement: SQLStatementTree, _ target: Source, _ outer: Scope) throws -> (Scope, [SQLTerm]) {
        let (others, joins, proven) = try statement.source.map { try sources(of: $0, in: outer) } ?? ([], [], [])
        let scope = Scope(parent: outer, sources: [target] + others, common: outer.common)
        for join in joins { try check(join, in: scope) }
        try assign(statement.assignments, target.table, scope)
        try check(statement.condition, in: scope)
        for term in statement.orders { _ = try value(of: term, in: scope) }
        try expectLimits(statement.limit, statement.offset, in: scope)
        return (scope, proven + [statement.condition].compactMap { $0 })
    }

    mutating func assign(_ assignments: [SQLAssignment], _ table: QuerySchema.Table, _ scope: Scope) throws {
        for assignment in assignments {
            let parts = assignment.columns.map { Part(name: $0, value: stored($0, in: table)) }
            try expect(assignment.value, parts, isStored: true)
            _ = try value(of: assignment.value, in: scope)
        }
    }

    /// The value that a column stores. The column of a row ID accepts NULL, in place of which SQLite chooses an ID.
    ///
    /// Source: <https://www.sqlite.org/lang_createtable.html#rowids_and_the_integer_primary_key>
    func stored(_ name: String, in table: QuerySchema.Table) -> QueryValue? {
        let column = table.columns.first { SchemaName($0.name) == SchemaName(name) }
        guard let value = column?.value, column?.isGenerated == false else {
            return column == nil && SchemaName.isRowID(name) ? .integer(isNullable: false) : nil
        }
        let isRowID = table.uniqueKeys.first == [SchemaName(name)] && table.record?.table.rowIDColumn != nil
        return isRowID && value.storage == .integer && value.magnitude == 63 ? value.nullable() : value
    }

    /// Types a condition. Any number other than 0 is true.
    ///
    /// Source: <https://www.sqlite.org/lang_expr.html#boolean_expressions>
    mutating func check(_ condition: SQLTerm?, in scope: Scope) throws {
        guard let condition else { return }
        try expect(condition, .boolean(isNullable: false), condition.range)
        _ = try value(of: condition, in: scope)
    }

    /// Types LIMIT and OFFSET, which must be integers, and can't use the tables of their query.
    ///
    /// Source: <https://www.sqlite.org/lang_select.html#limitoffset>
    mutating func expectLimits(_ limit: SQLTerm?, _ offset: SQLTerm?, in scope: Scope) throws {
        for (term, name) in [(limit, "limit"), (offset, "offset")] {
            guard let term else { continue }
            try expect(term, .integer(isNullable: false), term.range)
            self.name(term, name)
            _ = try value(of: term, in: Scope(parent: scope.parent, common: scope.common))
        }
    }
}

extension SchemaName {
    /// Whether SQLite has this name for row IDs.
    static func isRowID(_ name: String) -> Bool { ["rowid", "oid", "_rowid_"].contains(name.foldingASCIICase) }
}
