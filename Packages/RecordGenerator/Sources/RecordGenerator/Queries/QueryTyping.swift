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
        /// The columns whose values come from one of two tables, with their type if both have the same.
        var merged: [SchemaName: QueryType?] = [:]
        /// The place where a subquery ends that has no name.
        var end: Int?

        func column(_ name: SchemaName) -> QuerySchema.Column? { table.columns.first { SchemaName($0.name) == name } }
    }

    /// The names that an expression can use.
    final class Scope {
        let parent: Scope?
        let sources: [Source]
        /// The tables of WITH, by their names.
        var tables: [SchemaName: QuerySchema.Table]
        /// Whether there may be no row: an aggregate of an empty table.
        var mayBeEmpty = false
        /// The scope of the rows that an aggregate reads.
        var rows: Scope?
        /// The columns that conditions have proven not to be NULL.
        var present: Set<[Int]> = []
        var presentSources: Set<Int> = []
        /// The selected expressions, by their aliases.
        var aliases: [SchemaName: SQLTerm] = [:]
        /// Whether an outer aggregate may be meant.
        var isAggregate = false

        init(parent: Scope?, sources: [Source] = [], tables: [SchemaName: QuerySchema.Table]) {
            (self.parent, self.sources, self.tables) = (parent, sources, tables)
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

    init(_ schema: QuerySchema, _ parser: SQLParser) {
        (self.schema, self.parser) = (schema, parser)
        parameters = parser.parameters.map { _ in
            var facts = ParameterFacts()
            facts.value.isPending = true
            return facts
        }
    }

    // MARK: - Statements

    /// Returns the columns and the number of rows of a statement.
    mutating func shape(of statement: SQLStatementTree) throws -> Shape {
        switch statement.kind {
        case .query: return try shape(of: statement.query!, in: Scope(parent: nil, tables: [:]))
        case .insert, .update, .delete: return try changeShape(statement)
        }
    }

    mutating func shape(of query: SQLQueryTree) throws -> Shape { try shape(of: query, in: Scope(parent: nil, tables: [:])) }

    mutating func changeShape(_ statement: SQLStatementTree) throws -> Shape {
        let outer = Scope(parent: nil, tables: [:])
        try addTables(statement.tables, to: outer)
        var table = try schema.table(statement.table)
        number(&table)
        // The triggers of a view decide what its rows are.
        if table.record == nil { for index in table.columns.indices { table.columns[index].value = table.columns[index].value.missing } }
        let target = Source(name: statement.alias ?? statement.table, table: table)
        // RETURNING does not know the alias.
        let returned = Source(name: statement.table, table: table)
        var rowCount = QueryFile.Cardinality.many
        var shape = Shape(columns: [], rowCount: .many)

        switch statement.kind {
        case .insert:
            let names = statement.columns ?? table.columns.filter { !$0.isHidden && !$0.isGenerated }.map(\.name)
            if let query = statement.query {
                try insert(query, names, into: table, outer)
                // A copy of all columns stays one.
                if statement.columns == nil { keepStars(of: query) }
                if query.operators.isEmpty, query.tables.isEmpty, query.cores[0].rows?.count == 1 { rowCount = .one }
            } else {
                rowCount = .one
            }
            if rowCount == .one, statement.mayIgnore || table.mayIgnoreRows { rowCount = .optional }
            let excluded = Scope(parent: outer, sources: [target, Source(name: "excluded", table: table)], tables: [:])
            for upsert in statement.upserts {
                for term in upsert.targets + [upsert.targetCondition].compactMap({ $0 }) { _ = try value(of: term, in: excluded) }
                try assign(upsert.assignments, table, excluded)
                try check(upsert.condition, in: excluded)
            }
        default:
            let scope: Scope
            var conditions: [SQLTerm] = []
            if let source = statement.source {
                let (others, joins, proven) = try sources(of: source, in: outer)
                scope = Scope(parent: outer, sources: [target] + others, tables: [:])
                conditions = proven
                for join in joins { try check(join, in: scope) }
            } else {
                scope = Scope(parent: outer, sources: [target], tables: [:])
            }
            try assign(statement.assignments, table, scope)
            try check(statement.condition, in: scope)
            for term in statement.orders { _ = try value(of: term, in: scope) }
            try expectLimits(statement.limit, statement.offset, in: scope)
            conditions += [statement.condition].compactMap { $0 }
            // With several tables, the condition may be about another table, and each row is still changed once.
            if isUnique(conditions, scope, source: 0) { rowCount = .optional }
            if statement.kind == .delete {
                try narrow(scope, by: conditions)
                shape.columns = try columns(statement.returning ?? [], in: narrowed(scope, to: returned))
                shape.rowCount = rowCount
                return shape
            }
        }
        shape.columns = try columns(statement.returning ?? [], in: Scope(parent: outer, sources: [returned], tables: [:]))
        shape.rowCount = rowCount
        return shape
    }

    /// The scope of RETURNING, which sees only the changed table.
    func narrowed(_ scope: Scope, to target: Source) -> Scope {
        let result = Scope(parent: scope.parent, sources: [target], tables: [:])
        result.present = scope.present.filter { $0[0] == 0 }
        return result
    }

    mutating func insert(_ query: SQLQueryTree, _ names: [String], into table: QuerySchema.Table, _ outer: Scope) throws {
        try expect(query, names.map { Part(name: $0, value: stored($0, in: table)) }, isStored: true)
        _ = try shape(of: query, in: outer)
    }

    mutating func assign(_ assignments: [SQLAssignment], _ table: QuerySchema.Table, _ scope: Scope) throws {
        for assignment in assignments {
            let parts = assignment.columns.map { Part(name: $0, value: stored($0, in: table)) }
            try expect(assignment.value, parts, isStored: true)
            _ = try value(of: assignment.value, in: scope)
        }
    }

    /// The value that a column stores. The column of a row ID accepts NULL.
    func stored(_ name: String, in table: QuerySchema.Table) -> QueryValue? {
        let column = table.columns.first { SchemaName($0.name) == SchemaName(name) }
        guard var value = column?.value, column?.isGenerated == false else {
            return column == nil && SchemaName.isRowID(name) ? .integer(isNullable: false) : nil
        }
        if table.uniqueKeys.first == [SchemaName(name)], value.storage == .integer, value.magnitude == 63,
            table.record?.table.rowIDColumn != nil
        {
            value.isNullable = true
        }
        return value
    }

    mutating func check(_ condition: SQLTerm?, in scope: Scope) throws {
        guard let condition else { return }
        try expect(condition, .boolean(isNullable: false), condition.range)
        _ = try value(of: condition, in: scope)
    }

    mutating func expectLimits(_ limit: SQLTerm?, _ offset: SQLTerm?, in scope: Scope) throws {
        for (term, name) in [(limit, "limit"), (offset, "offset")] {
            guard let term else { continue }
            try expect(term, .integer(isNullable: false), term.range)
            self.name(term, name)
            _ = try value(of: term, in: Scope(parent: scope.parent, tables: scope.tables))
        }
    }
}

extension SchemaName {
    /// Whether SQLite has this name for row IDs.
    static func isRowID(_ name: String) -> Bool { ["rowid", "oid", "_rowid_"].contains(name.foldingASCIICase) }
}
