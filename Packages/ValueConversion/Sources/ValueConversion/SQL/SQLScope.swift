import SQLiteDriver

/// What names mean at a place of the SQL: the tables of the query and of outer queries, and the table that columns belong to.
///
/// Scopes are values. A query, a table's part of a query, and an aliased expression derive theirs from the outer one.
package struct SQLScope {
    private var query: Query?

    /// The table to which columns without an alias belong, whether they are qualified or not.
    package private(set) var table: (any SQLScopeTable)?

    /// Whether columns without an alias are qualified by the name of ``table``.
    private var isQualified = false

    /// The aliases of the query's selected expressions. Columns with these names are never qualified.
    private var outputNames: Set<SchemaName> = []

    /// The tables of a query.
    private final class Query {
        let outer: Query?
        let tables: [any SQLScopeTable]
        /// The names that tables of subqueries must not have.
        let reservedNames: [String]

        init(outer: Query?, tables: [any SQLScopeTable], reservedNames: [String]) {
            (self.outer, self.tables, self.reservedNames) = (outer, tables, reservedNames)
        }
    }

    package init() {}

    // MARK: - Deriving scopes

    /// Returns the scope of a query in this scope.
    ///
    /// - Parameters:
    ///   - tables: its tables. The first one is the table to which columns belong.
    ///   - isQualified: whether its columns are qualified.
    ///   - outputNames: the aliases of selected expressions that are not columns of the first table.
    package func query(_ tables: [any SQLScopeTable], isQualified: Bool, outputNames: Set<SchemaName>) -> SQLScope {
        var scope = self
        // If columns are not qualified, nothing refers to a table by its name.
        scope.query = Query(outer: query, tables: tables, reservedNames: isQualified ? tables.map(\.name) : [])
        scope.table = tables.first
        scope.isQualified = isQualified
        scope.outputNames = outputNames
        return scope
    }

    /// Returns the scope of a query of a single table without an alias, in this scope. Its columns are not qualified, and nothing refers to
    /// the table by its name.
    package func query(_ table: any SQLScopeTable) -> SQLScope {
        var scope = withoutTable
        scope.table = table
        return scope
    }

    /// Returns the scope of a table's part of this query. Its columns are qualified like the others of the query.
    package func at(_ table: any SQLScopeTable) -> SQLScope {
        var scope = self
        // Unqualified names can be aliases of selected expressions in the part of the first table only.
        if let query, query.tables.first !== table { scope.outputNames = [] }
        scope.table = table
        return scope
    }

    /// Returns the scope of an expression whose columns are those of one table, by its name.
    package func qualified(by table: any SQLScopeTable) -> SQLScope {
        var scope = self
        (scope.table, scope.isQualified, scope.outputNames) = (table, true, [])
        return scope
    }

    /// The scope of SQL that belongs to no table, such as a subquery that defines its own tables.
    package var withoutTable: SQLScope {
        var scope = self
        (scope.table, scope.isQualified, scope.outputNames) = (nil, false, [])
        return scope
    }

    /// Returns a scope in which SQL can refer to the current table of this scope by its name, even if no other column is qualified.
    package var reservingTableName: SQLScope {
        var scope = withoutTable
        scope.query = Query(outer: query, tables: [], reservedNames: (table?.name).map { [$0] } ?? [])
        return scope
    }

    // MARK: - Looking names up

    /// The name that qualifies columns without an alias, or nil if the query has only one table.
    package func qualifier(of column: String) -> String? {
        guard isQualified, let table, outputNames.isEmpty || !outputNames.contains(SchemaName(column)) else { return nil }
        return table.name
    }

    /// The name that qualifies `*`, or nil if the query has only one table.
    package var qualifier: String? { isQualified ? table?.name : nil }

    /// Returns the table with an alias, of the query or of an outer one.
    package func table(withAlias alias: ObjectIdentifier) -> (any SQLScopeTable)? {
        firstTable { $0.hasAlias(alias) }
    }

    /// Returns the table with a name, of the query or of an outer one.
    package func table(named name: String) -> (any SQLScopeTable)? {
        firstTable { $0.name == name }
    }

    private func firstTable(where isFound: (any SQLScopeTable) -> Bool) -> (any SQLScopeTable)? {
        var next = query
        while let query = next {
            if let table = query.tables.first(where: isFound) { return table }
            next = query.outer
        }
        return nil
    }

    /// The names of the tables of this query and of outer queries. The tables of subqueries must not have these names.
    package var reservedNames: Set<SchemaName> {
        var names: Set<SchemaName> = []
        var next = query
        while let query = next {
            names.formUnion(query.reservedNames.map(SchemaName.init))
            next = query.outer
        }
        return names
    }
}

/// A table of a query.
package protocol SQLScopeTable: AnyObject {
    /// The name of the table in the query.
    var name: String { get }

    /// The name by which the request or the record type names the table in the schema.
    var databaseTableName: String { get }

    /// The record type whose instances are the rows of the table, or nil if it is unknown. It may define how columns store values.
    var recordType: Any.Type? { get }

    /// Returns whether an alias refers to the table.
    func hasAlias(_ alias: ObjectIdentifier) -> Bool

    /// Returns the columns that `*` selects.
    func columnNames(_ db: Database) throws -> [String]

    /// Returns columns of which at least one is not NULL in every row of the table.
    func presenceColumns(_ db: Database) throws -> [String]

    /// Returns the table that is joined to this one by an association.
    ///
    /// - Parameter key: the key of the association.
    func table(joinedBy key: String) -> (any SQLScopeTable)?
}
