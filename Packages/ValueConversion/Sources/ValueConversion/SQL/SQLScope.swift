import SQLiteDriver

/// The meaning of names at a position in the SQL: the tables of the query and of outer queries, and the table that columns belong to.
///
/// Scopes are values. A query, a table's part of a query, and an aliased expression derive theirs from the outer one.
package struct SQLScope {
    private var query: Query?

    /// The table whose part of the query the SQL belongs to. SQL that belongs to no table keeps the table of the query around it.
    private var current: (any SQLScopeTable)?

    private var qualification = Qualification.unknown

    /// How columns without an alias are written.
    private enum Qualification {
        /// By their names only: their tables are unknown.
        case unknown
        /// By their names only: the query has one table.
        case unqualified
        /// With the name of the current table, unless they are aliases of the query's selected expressions.
        case qualified(except: Set<SchemaName>)
        /// With the name of the current table, to which an alias refers.
        case aliased
    }

    /// The tables of a query.
    private final class Query {
        let outer: Query?
        /// The table of the outer query whose part contains this query.
        let outerTable: (any SQLScopeTable)?
        let tables: [any SQLScopeTable]
        /// The names that tables of subqueries must not have.
        let reservedNames: [String]

        init(in scope: SQLScope, tables: [any SQLScopeTable], reservedNames: [String]) {
            (outer, outerTable) = (scope.query, scope.current)
            (self.tables, self.reservedNames) = (tables, reservedNames)
        }
    }

    package init() {}

    /// The table to which columns without an alias belong, whether they are qualified or not.
    package var table: (any SQLScopeTable)? {
        if case .unknown = qualification { nil } else { current }
    }

    // MARK: - Deriving scopes

    /// Returns the scope of a query in this scope.
    ///
    /// - Parameters:
    ///   - tables: its tables. The first one is the table to which columns belong.
    ///   - isQualified: whether its columns are qualified.
    ///   - outputNames: the aliases of selected expressions that are not columns of the first table.
    package func query(_ tables: [any SQLScopeTable], isQualified: Bool, outputNames: Set<SchemaName>) -> SQLScope {
        var scope = self
        // If columns are not qualified, tables of subqueries may have the same name: see `owner(isClause:isTable:)`.
        scope.query = Query(in: self, tables: tables, reservedNames: isQualified ? tables.map(\.name) : [])
        scope.current = tables.first
        scope.qualification = isQualified ? .qualified(except: outputNames) : .unqualified
        return scope
    }

    /// Returns the scope of a table's part of this query. Its columns are qualified like the others of the query.
    package func at(_ table: any SQLScopeTable) -> SQLScope {
        var scope = self
        switch qualification {
        // Unqualified names can be aliases of selected expressions in the part of the first table only.
        case .qualified where query?.tables.first !== table: scope.qualification = .qualified(except: [])
        case .aliased: scope.qualification = .qualified(except: [])
        case .unknown: scope.qualification = .unqualified
        case .unqualified, .qualified: break
        }
        scope.current = table
        return scope
    }

    /// Returns the scope of an expression whose columns belong to one table, which its name qualifies.
    package func qualified(by table: any SQLScopeTable) -> SQLScope {
        changed(self) { ($0.current, $0.qualification) = (table, .aliased) }
    }

    /// The scope of SQL that belongs to no table, such as a subquery that defines its own tables.
    package var withoutTable: SQLScope {
        changed(self) { $0.qualification = .unknown }
    }

    /// Returns a scope in which SQL can refer to the current table of this scope by its name, even if no other column is qualified.
    package var reservingTableName: SQLScope {
        changed(withoutTable) { $0.query = Query(in: self, tables: [], reservedNames: (table?.name).map { [$0] } ?? []) }
    }

    // MARK: - Looking names up

    /// The name that qualifies columns without an alias, or nil if the query has only one table.
    package func qualifier(of column: String) -> String? {
        if case .qualified(let names) = qualification, !names.isEmpty, names.contains(SchemaName(column)) { return nil }
        return qualifier
    }

    /// The name that qualifies `*`, or nil if the query has only one table.
    package var qualifier: String? {
        switch qualification {
        case .unknown, .unqualified: nil
        case .qualified, .aliased: current?.name
        }
    }

    /// The table that a column refers to, for columns that know their table.
    package enum Owner {
        /// The current table, which has the column's name in the schema, or an alias.
        case current
        /// Another table of the query, or a table of an outer query.
        case other(any SQLScopeTable)
        /// One of several tables of the query, or of an outer one.
        case ambiguous([any SQLScopeTable], isOuter: Bool)
        /// A table of an outer query, which SQL can't refer to: an inner query has a table of the same name.
        case hidden(any SQLScopeTable)
        /// The column belongs to none of the tables, and is written like a column that does not know its table.
        case none
    }

    /// Returns the table of a column that knows its table: the table whose part of the query contains the column, or else the only matching
    /// table of the query, or else of the outer queries.
    ///
    /// - Parameters:
    ///   - isClause: returns whether the column belongs to a table whose part of the query contains it.
    ///   - isTable: returns whether the column belongs to a table.
    package func owner(
        isClause: (any SQLScopeTable) throws -> Bool, isTable: (any SQLScopeTable) throws -> Bool
    ) rethrows -> Owner {
        guard table != nil else { return .none }
        if case .aliased = qualification { return .current }
        var (clause, next) = (current, query)
        var innerNames: Set<SchemaName>?
        while true {
            var found: [any SQLScopeTable] = []
            if let clause, try isClause(clause) {
                if innerNames == nil { return .current }
                found = [clause]
            } else if let tables = next?.tables {
                found = try tables.filter(isTable)
            }
            if found.count > 1 { return .ambiguous(found, isOuter: innerNames != nil) }
            if let table = found.first { return innerNames?.contains(SchemaName(table.name)) == true ? .hidden(table) : .other(table) }
            guard let query = next else { return .none }
            innerNames = (innerNames ?? []).union(query.tables.map { SchemaName($0.name) })
            (clause, next) = (query.outerTable, query.outer)
        }
    }

    /// Returns the table with an alias, of the query or of an outer one.
    package func table(withAlias alias: ObjectIdentifier) -> (any SQLScopeTable)? {
        firstTable { $0.hasAlias(alias) }
    }

    /// Returns the table with a name, of the query or of an outer one.
    package func table(named name: String) -> (any SQLScopeTable)? {
        firstTable { $0.name == name }
    }

    /// Returns the first table of the query, or else of the outer queries, that satisfies a condition.
    package func firstTable(where isFound: (any SQLScopeTable) throws -> Bool) rethrows -> (any SQLScopeTable)? {
        var next = query
        while let query = next {
            if let table = try query.tables.first(where: isFound) { return table }
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

    /// Returns whether a name, as requests and record types write it, is the name of the table in the schema.
    func isTable(_ name: String, _ db: Database) throws -> Bool

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
