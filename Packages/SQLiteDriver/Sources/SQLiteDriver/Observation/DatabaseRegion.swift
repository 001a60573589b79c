/// A part of a database: tables, and in each of them some columns of some rows.
///
/// ```swift
/// let statement = try db.makeStatement(sql: "SELECT name FROM player")
/// // player(name)
/// statement.databaseRegion
/// // true
/// statement.databaseRegion.isModified(byEventsOfKind: .insert(tableName: "player"))
///
/// let (_, region) = try db.recordingAccesses { try Player.fetchOne(db, id: 1) }
/// // player(id,name,score)[1]
/// region
/// ```
///
/// A table is in the region together with a set of columns and a set of row IDs; either can be "all". A table without columns stands for
/// the existence of its rows, as in `SELECT count(*) FROM player`. A table without rows is not in the region.
///
/// Names of databases, tables and columns are compared as in SQLite, ignoring the case of ASCII letters.
public struct DatabaseRegion: Equatable, Sendable {
    /// The columns and rows of each table; nil for the full database.
    private(set) var tables: [TableID: TableRegion]?

    /// Creates an empty region.
    public init() {
        tables = [:]
    }

    private init(tables: [TableID: TableRegion]?) {
        self.tables = tables
    }

    /// Creates the region of a table with all its columns and rows: `player(*)`.
    ///
    /// - Parameters:
    ///   - table: the table's name.
    ///   - schemaName: "main", "temp", or the name of an attached database.
    public init(table: String, in schemaName: String = "main") {
        self.init(tables: [TableID(table, schemaName): .all])
    }

    /// Creates the region of some columns, in all rows of a table: `player(id,name)`.
    ///
    /// ```swift
    /// let region = DatabaseRegion(table: "player", columns: ["id", "name"])
    /// ```
    ///
    /// A generated column changes with the columns that it is computed from: name these columns, too. (The regions of statements and of
    /// recordings contain them.)
    ///
    /// - Parameters:
    ///   - table: the table's name.
    ///   - columns: the names of the columns. An empty set stands for the existence of the rows.
    ///   - schemaName: "main", "temp", or the name of an attached database.
    public init(table: String, columns: Set<String>, in schemaName: String = "main") {
        self.init(tables: [
            TableID(table, schemaName): TableRegion(columns: Set(columns.map { SchemaName($0) }))
        ])
    }

    /// Creates the region of all columns in some rows of a table: `player(*)[1,2]`.
    ///
    /// ```swift
    /// let region = DatabaseRegion(table: "player", rowIds: [1, 2])
    /// // What the statement reads in those rows:
    /// let narrowed = statement.databaseRegion.intersection(region)
    /// ```
    ///
    /// - Parameters:
    ///   - table: the table's name.
    ///   - rowIds: the row IDs. If there are none, the region is empty.
    ///   - schemaName: "main", "temp", or the name of an attached database.
    public init(table: String, rowIds: Set<Int64>, in schemaName: String = "main") {
        self.init(tables: rowIds.isEmpty ? [:] : [TableID(table, schemaName): TableRegion(rows: rowIds)])
    }

    /// The region of all tables with all their columns and rows.
    public static let fullDatabase = DatabaseRegion(tables: nil)

    /// Whether the region is the full database.
    public var isFullDatabase: Bool { tables == nil }

    /// Whether the region is empty.
    public var isEmpty: Bool { tables?.isEmpty ?? false }

    // MARK: - Statements

    /// Adds a column. An empty name adds the rows of the table, without columns.
    mutating func insert(column: String, ofTable table: String, in schema: String) {
        insert(TableRegion(columns: column.isEmpty ? [] : [SchemaName(column)]), table, schema)
    }

    /// Adds a table with all its columns.
    mutating func insert(table: String, in schema: String) {
        insert(.all, table, schema)
    }

    private mutating func insert(_ region: TableRegion, _ table: String, _ schema: String) {
        tables?[TableID(table, schema.isEmpty ? "main" : schema), default: region].formUnion(region)
    }

    /// Adds all columns of the tables that have a column in the region.
    mutating func formTables() {
        tables = tables?.mapValues { TableRegion(rows: $0.rows) }
    }

    /// Returns whether the region contains any of some columns of a table.
    func contains(_ columns: Set<SchemaName>, ofTable id: TableID) -> Bool {
        tables?[id]?.columns?.isDisjoint(with: columns) != true
    }

    /// The names of the tables; empty for the full database.
    var tableNames: [String] { (tables ?? [:]).keys.map(\.table.text) }

    /// The names of the tables and of their columns that are in the region one by one.
    var names: Set<SchemaName> {
        (tables ?? [:]).reduce(into: []) { names, table in
            names.insert(table.key.table)
            names.formUnion(table.value.columns ?? [])
        }
    }
}

// MARK: - Tables

extension DatabaseRegion {
    /// A table of a database.
    struct TableID: Hashable {
        let schema: SchemaName
        let table: SchemaName

        init(_ table: String, _ schema: String) {
            self.schema = SchemaName(schema)
            self.table = SchemaName(table)
        }
    }

    /// The part of a table that is in a region.
    struct TableRegion: Equatable {
        /// The columns; nil for all columns.
        var columns: Set<SchemaName>?
        /// The row IDs; nil for all rows.
        var rows: Set<Int64>?

        /// All columns of all rows.
        static let all = TableRegion()

        mutating func formUnion(_ other: TableRegion) {
            if let others = other.columns { columns?.formUnion(others) } else { columns = nil }
            if let others = other.rows { rows?.formUnion(others) } else { rows = nil }
        }

        /// Returns nil if the regions have no row in common.
        func intersection(_ other: TableRegion) -> TableRegion? {
            var result = self
            if let others = other.columns { result.columns = columns?.intersection(others) ?? others }
            if let others = other.rows { result.rows = rows?.intersection(others) ?? others }
            return result.rows?.isEmpty == true ? nil : result
        }

        func isDisjoint(with other: TableRegion) -> Bool {
            guard let rows, let others = other.rows else { return false }
            return rows.isDisjoint(with: others)
        }

        /// Returns whether an update of some columns changes the columns of the region. An empty set stands for any columns.
        func isModified(byUpdateOf updated: Set<String>) -> Bool {
            guard let columns, !updated.isEmpty else { return true }
            return updated.contains { columns.contains(SchemaName($0)) }
        }
    }

    /// Returns the part of a table that is in the region.
    private func table(_ id: TableID) -> TableRegion? {
        guard let tables else { return .all }
        // Hashing two names costs more than comparing them with the names of a small region.
        return tables.count < 3 ? tables.first { $0.key == id }?.value : tables[id]
    }

    // MARK: - Algebra

    /// Returns a region that contains two regions.
    ///
    /// In each table, it has the columns of both, in the rows of both: the union of `player(name)[1]` and `player(score)[2]` is
    /// `player(name,score)[1,2]`.
    public func union(_ other: DatabaseRegion) -> DatabaseRegion {
        changed(self) { $0.formUnion(other) }
    }

    /// Adds another region, as ``union(_:)`` does.
    public mutating func formUnion(_ other: DatabaseRegion) {
        guard let others = other.tables else {
            tables = nil
            return
        }
        if tables?.isEmpty == true {
            tables = others
        } else {
            for (id, table) in others { tables?[id, default: table].formUnion(table) }
        }
    }

    /// Returns the part that two regions have in common: in each table, their common columns in their common rows.
    ///
    /// Regions of different columns of the same rows have the existence of the rows in common: the intersection of `player(name)[1,2]`
    /// and `player(score)[2,3]` is `player()[2]`.
    public func intersection(_ other: DatabaseRegion) -> DatabaseRegion {
        guard let tables else { return other }
        guard let others = other.tables else { return self }
        var result: [TableID: TableRegion] = [:]
        for (id, table) in tables {
            if let other = others[id] { result[id] = table.intersection(other) }
        }
        return DatabaseRegion(tables: result)
    }

    /// Removes everything that another region does not contain, as ``intersection(_:)`` does.
    public mutating func formIntersection(_ other: DatabaseRegion) {
        self = intersection(other)
    }

    /// Restricts a table to some rows, and keeps all other tables.
    ///
    /// ```swift
    /// // player(name)[1],team(*)
    /// region.narrowed(toRows: [1], ofTable: "player")
    /// ```
    ///
    /// - Parameters:
    ///   - rowIDs: the row IDs. If there are none, the table is removed.
    ///   - tableName: the table's name. If the region has tables of several databases with this name, the result is the same region.
    public func narrowed(toRows rowIDs: Set<Int64>, ofTable tableName: String) -> DatabaseRegion {
        let name = SchemaName(tableName)
        guard let ids = tables?.keys.filter({ $0.table == name }), ids.count == 1, let table = tables?[ids[0]] else { return self }
        return changed(self) { $0.tables?[ids[0]] = table.intersection(TableRegion(rows: rowIDs)) }
    }

    /// Returns whether ``intersection(_:)`` of two regions is empty, without computing it: they have no row in common.
    public func isDisjoint(with other: DatabaseRegion) -> Bool {
        guard let tables else { return other.isEmpty }
        guard let others = other.tables else { return tables.isEmpty }
        if others.count < tables.count { return other.isDisjoint(with: self) }
        return tables.allSatisfy { id, table in others[id].map { table.isDisjoint(with: $0) } ?? true }
    }

    // MARK: - Changes

    /// Returns whether events of a kind may change the content of the region: insertions and deletions in its tables, and updates
    /// of its columns.
    ///
    /// The rows are not known before a statement runs, so rows, and the database of the table, are not compared.
    public func isModified(byEventsOfKind kind: DatabaseEventKind) -> Bool {
        guard let tables else { return true }
        let name = SchemaName(kind.tableName)
        return tables.contains { id, table in
            guard id.table == name else { return false }
            guard case .update(_, let updated) = kind else { return true }
            return table.isModified(byUpdateOf: updated)
        }
    }

    /// Returns whether an event may change the content of the region: the insertion or deletion of one of its rows, or an update of
    /// one of its columns in one of its rows.
    ///
    /// An event has only the row ID after the change, and some changes have no events. ``TransactionObserver/databaseDidChange(in:)``
    /// reports changed row IDs, and changes without events.
    public func isModified(by event: DatabaseEvent) -> Bool {
        guard let table = table(TableID(event.tableName, event.databaseName)) else { return false }
        if let rows = table.rows, !rows.contains(event.rowID) { return false }
        return event.updatedColumnNames.map { table.isModified(byUpdateOf: $0) } ?? true
    }
}

extension DatabaseRegion: CustomStringConvertible {
    /// The tables with their columns and rows: `player(id,name)[1,2],team(*)`, "empty", or "full database".
    public var description: String {
        guard let tables else { return "full database" }
        if tables.isEmpty { return "empty" }
        return tables.map { id, region -> (schema: String, text: String) in
            let schema = id.schema.text.foldingASCIICase
            let names = region.columns?.map { $0.text.foldingASCIICase }.sorted().joined(separator: ",") ?? "*"
            let rows = region.rows.map { "[\($0.sorted().map(String.init).joined(separator: ","))]" } ?? ""
            return (schema, (schema == "main" ? "" : schema + ".") + id.table.text.foldingASCIICase + "(\(names))\(rows)")
        }
        .sorted { $0 < $1 }.map(\.text).joined(separator: ",")
    }
}
