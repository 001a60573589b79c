import SQLiteDriver

// The state that depends on the position in the query. It is set at the beginning of a part of the query, and restored at its end.

extension SQLRenderer {
    /// The state that is restored at the end of a part of the query.
    ///
    /// A deferred expression is rendered later in the context of its position: all state that nodes read while rendering must be here.
    struct Context {
        var qualifier: String?
        var sourceName: String?
        var sourceColumns: (@Sendable (Database) throws -> [String])?
        var sourceRecordType: Any.Type?
        var outputNames: Set<SchemaName> = []
        var reservedNames: Set<SchemaName> = []
        var writesLiterals = false
        var packsLists = false
        var aliasNames: [ObjectIdentifier: String] = [:]
        var aliasKeys: [ObjectIdentifier: @Sendable (Database) throws -> [String]] = [:]
        var aliasColumns: [ObjectIdentifier: @Sendable (Database) throws -> [String]] = [:]
        var aliasRecordTypes: [ObjectIdentifier: Any.Type] = [:]
        var queryTables: AnyObject?
        var expressionDepth = 0
    }

    /// The name that qualifies columns without a table, or nil if the query has only one table.
    package var qualifier: String? {
        get { context.qualifier }
        set { context.qualifier = newValue }
    }

    /// The name of the current table, to which columns without a table belong, whether they are qualified or not.
    package var sourceName: String? {
        get { context.sourceName }
        set { context.sourceName = newValue }
    }

    /// Returns the columns that `*` selects, in a query with one table, or in the part of a query that belongs to one table.
    package var sourceColumns: (@Sendable (Database) throws -> [String])? {
        get { context.sourceColumns }
        set { context.sourceColumns = newValue }
    }

    /// The record type of the current table, if known. It may define how the columns of the table store values.
    package var sourceRecordType: Any.Type? {
        get { context.sourceRecordType }
        set { context.sourceRecordType = newValue }
    }

    /// The aliases of the query's selected expressions. Columns with these names are never qualified.
    package var outputNames: Set<SchemaName> {
        get { context.outputNames }
        _modify { yield &context.outputNames }
    }

    /// The names of the tables of this query and of outer queries. The tables of subqueries must not have these names.
    package var reservedNames: Set<SchemaName> {
        get { context.reservedNames }
        _modify { yield &context.reservedNames }
    }

    /// Whether values are written as literals, because SQLite allows no parameters, as in the definitions of tables and views.
    package var writesLiterals: Bool {
        get { context.writesLiterals }
        set { context.writesLiterals = newValue }
    }

    /// Whether long lists of values are packed into one argument, because the SQL would have more parameters than SQLite allows.
    package var packsLists: Bool {
        get { context.packsLists }
        set { context.packsLists = newValue }
    }

    /// The names of the query's table aliases. An alias is an object, which gets its name only here, so that several requests can use
    /// the same alias.
    package var aliasNames: [ObjectIdentifier: String] {
        get { context.aliasNames }
        _modify { yield &context.aliasNames }
    }

    /// For each table alias of the query, returns columns of which at least one is not NULL in every row of its table.
    package var aliasKeys: [ObjectIdentifier: @Sendable (Database) throws -> [String]] {
        get { context.aliasKeys }
        _modify { yield &context.aliasKeys }
    }

    /// For each table alias of the query, returns the columns that `*` selects.
    package var aliasColumns: [ObjectIdentifier: @Sendable (Database) throws -> [String]] {
        get { context.aliasColumns }
        _modify { yield &context.aliasColumns }
    }

    /// The record types of the query's table aliases.
    package var aliasRecordTypes: [ObjectIdentifier: Any.Type] {
        get { context.aliasRecordTypes }
        _modify { yield &context.aliasRecordTypes }
    }

    /// The tables of the query, in the form of the layer that joins them, or nil if the query has only one table.
    package var queryTables: AnyObject? {
        get { context.queryTables }
        set { context.queryTables = newValue }
    }

    /// The depth of the current position in SQLite's expression tree, as far as it is known: see ``checkLimits()``.
    ///
    /// It increases when an expression is rendered. A node that writes a chain of operators itself adds their number for its first
    /// operands.
    package var expressionDepth: Int {
        get { context.expressionDepth }
        set {
            context.expressionDepth = newValue
            maximumExpressionDepth = max(maximumExpressionDepth, newValue)
        }
    }
}
