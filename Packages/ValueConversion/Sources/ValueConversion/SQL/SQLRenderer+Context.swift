import SQLiteDriver

// What depends on the place in the query. Each is set where a part of the query begins, and set back where it ends.

extension SQLRenderer {
    /// What is the same again where a part of the query ends.
    ///
    /// An expression that is put off keeps it, so all that nodes ask for while they write belongs here.
    struct Context {
        var qualifier: String?
        var sourceName: String?
        var sourceColumns: (@Sendable (Database) throws -> [String])?
        var sourceRecordType: Any.Type?
        var outputNames: Set<String> = []
        var reservedNames: Set<String> = []
        var writesLiterals = false
        var packsLists = false
        var aliasNames: [ObjectIdentifier: String] = [:]
        var aliasKeys: [ObjectIdentifier: @Sendable (Database) throws -> [String]] = [:]
        var aliasColumns: [ObjectIdentifier: @Sendable (Database) throws -> [String]] = [:]
        var aliasRecordTypes: [ObjectIdentifier: Any.Type] = [:]
        var expressionDepth = 0
    }

    /// The name by which columns that name no table are qualified, or nil where there is one table only.
    public var qualifier: String? {
        get { context.qualifier }
        set { context.qualifier = newValue }
    }

    /// The name of the table to which columns belong that name none, whether they are qualified or not.
    public var sourceName: String? {
        get { context.sourceName }
        set { context.sourceName = newValue }
    }

    /// The columns that `*` stands for where the query has one table, or in the part of it that belongs to one table.
    public var sourceColumns: (@Sendable (Database) throws -> [String])? {
        get { context.sourceColumns }
        set { context.sourceColumns = newValue }
    }

    /// The type of the records that the table holds, where it is known: it may have a say in how values are stored in the table's columns.
    public var sourceRecordType: Any.Type? {
        get { context.sourceRecordType }
        set { context.sourceRecordType = newValue }
    }

    /// The names that the query gives to results, in lower case: columns that only look like those of a table.
    public var outputNames: Set<String> {
        get { context.outputNames }
        _modify { yield &context.outputNames }
    }

    /// The names of the tables of this query and of those around it that subqueries must not use for theirs.
    public var reservedNames: Set<String> {
        get { context.reservedNames }
        _modify { yield &context.reservedNames }
    }

    /// Whether values are written into the SQL: where SQLite takes no parameters, as in the definitions of tables and views.
    public var writesLiterals: Bool {
        get { context.writesLiterals }
        set { context.writesLiterals = newValue }
    }

    /// Whether a long list of values becomes one argument, so that their number does not exceed the one that SQLite allows.
    public var packsLists: Bool {
        get { context.packsLists }
        set { context.packsLists = newValue }
    }

    /// The names that stand for table aliases in this query. An alias is an object, whose name is decided here, late, so that
    /// the same one can be used in several requests.
    public var aliasNames: [ObjectIdentifier: String] {
        get { context.aliasNames }
        _modify { yield &context.aliasNames }
    }

    /// For each table alias of this query, the columns of which one at least is not NULL in every row of its table.
    public var aliasKeys: [ObjectIdentifier: @Sendable (Database) throws -> [String]] {
        get { context.aliasKeys }
        _modify { yield &context.aliasKeys }
    }

    /// For each table alias of this query, the columns that `*` stands for.
    public var aliasColumns: [ObjectIdentifier: @Sendable (Database) throws -> [String]] {
        get { context.aliasColumns }
        _modify { yield &context.aliasColumns }
    }

    /// For each table alias of this query, the type of the records that its table holds.
    public var aliasRecordTypes: [ObjectIdentifier: Any.Type] {
        get { context.aliasRecordTypes }
        _modify { yield &context.aliasRecordTypes }
    }

    /// How many levels of SQLite's tree are above what is being written, as far as they are known. See ``checkLimits()``.
    ///
    /// Expressions are counted when they are written. A node that writes a row of operators itself adds their number for the first
    /// operands.
    public var expressionDepth: Int {
        get { context.expressionDepth }
        set {
            context.expressionDepth = newValue
            maximumExpressionDepth = max(maximumExpressionDepth, newValue)
        }
    }
}
