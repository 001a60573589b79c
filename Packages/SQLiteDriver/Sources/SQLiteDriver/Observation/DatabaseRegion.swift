/// A part of a database: tables, and their columns.
///
/// ```swift
/// let statement = try db.makeStatement(sql: "SELECT name FROM player")
/// statement.databaseRegion                                                // player(name)
/// statement.databaseRegion.isModified(byEventsOfKind: .insert(tableName: "player"))  // true
/// ```
public struct DatabaseRegion: Equatable, Sendable {
    private struct TableID: Hashable, Comparable {
        let schema: String
        let table: String

        init(_ table: String, _ schema: String) {
            // SQLite ignores the case of ASCII letters in names. SQLite's functions return the names as the schema spells them.
            self.schema = schema.lowercased()
            self.table = table.lowercased()
        }

        static func < (lhs: TableID, rhs: TableID) -> Bool { (lhs.schema, lhs.table) < (rhs.schema, rhs.table) }
    }

    /// The columns of a table that are in the region.
    private enum Columns: Equatable {
        case all
        case some(Set<String>)

        func union(_ other: Columns) -> Columns {
            guard case .some(let lhs) = self, case .some(let rhs) = other else { return .all }
            return .some(lhs.union(rhs))
        }

        func contains(_ name: String) -> Bool {
            guard case .some(let names) = self else { return true }
            return names.contains(name.lowercased())
        }
    }

    /// The columns of each table; nil for the full database.
    private var tables: [TableID: Columns]?

    /// Creates an empty region.
    public init() {
        tables = [:]
    }

    private init(tables: [TableID: Columns]?) {
        self.tables = tables
    }

    /// The region of all tables with all their columns.
    public static let fullDatabase = DatabaseRegion(tables: nil)

    /// Whether the region is the full database.
    public var isFullDatabase: Bool { tables == nil }

    /// Whether the region is empty.
    public var isEmpty: Bool { tables?.isEmpty ?? false }

    /// Adds a column. An empty name adds the rows of the table, and none of its columns.
    mutating func insert(column: String, ofTable table: String, in schema: String) {
        insert(.some(column.isEmpty ? [] : [column.lowercased()]), table, schema)
    }

    /// Adds a table with all its columns.
    mutating func insert(table: String, in schema: String) {
        insert(.all, table, schema)
    }

    private mutating func insert(_ columns: Columns, _ table: String, _ schema: String) {
        guard tables != nil else { return }
        let id = TableID(table, schema.isEmpty ? "main" : schema)
        let union = tables?[id]?.union(columns) ?? columns
        tables?[id] = union
    }

    /// Adds all columns of the tables that have a column in the region.
    mutating func formTables() {
        tables = tables?.mapValues { _ in .all }
    }

    /// Returns the union of two regions.
    public func union(_ other: DatabaseRegion) -> DatabaseRegion {
        guard let tables, let others = other.tables else { return .fullDatabase }
        return DatabaseRegion(tables: tables.merging(others) { $0.union($1) })
    }

    /// Adds another region.
    public mutating func formUnion(_ other: DatabaseRegion) {
        self = union(other)
    }

    /// Returns whether events of a kind may change the content of the region: insertions and deletions in its tables, and updates
    /// of its columns.
    public func isModified(byEventsOfKind kind: DatabaseEventKind) -> Bool {
        guard let tables else { return true }
        return tables.contains { id, columns in
            guard id.table == kind.tableName.lowercased() else { return false }
            guard case .update(_, let updated) = kind else { return true }
            return updated.isEmpty || updated.contains { columns.contains($0) }
        }
    }

    /// Returns whether an event may change the content of the region.
    ///
    /// An event does not name the columns of an update. To tell them apart, call ``isModified(byEventsOfKind:)`` before the update.
    public func isModified(by event: DatabaseEvent) -> Bool {
        guard let tables else { return true }
        return tables[TableID(event.tableName, event.databaseName)] != nil
    }

    /// The names of the tables; empty for the full database.
    var tableNames: [String] { (tables ?? [:]).keys.map(\.table) }
}

extension DatabaseRegion: CustomStringConvertible {
    /// The tables with their columns: `player(id,name),team(*)`, "empty", or "full database".
    public var description: String {
        guard let tables else { return "full database" }
        if tables.isEmpty { return "empty" }
        return tables.sorted { $0.key < $1.key }.map { id, columns in
            let names = if case .some(let names) = columns { names.sorted().joined(separator: ",") } else { "*" }
            return (id.schema == "main" ? "" : id.schema + ".") + id.table + "(\(names))"
        }.joined(separator: ",")
    }
}

/// A type whose values stand for a part of a database, such as a request.
public protocol DatabaseRegionConvertible {
    /// Returns the region.
    ///
    /// - Throws: an error, for example if a table of the region does not exist.
    func databaseRegion(_ db: Database) throws -> DatabaseRegion
}

extension DatabaseRegion: DatabaseRegionConvertible {
    /// Returns the region itself.
    public func databaseRegion(_ db: Database) throws -> DatabaseRegion { self }
}

extension DatabaseRegionConvertible where Self == DatabaseRegion {
    /// The region of all tables with all their columns.
    public static var fullDatabase: DatabaseRegion { .fullDatabase }
}

/// A type-erased ``DatabaseRegionConvertible``.
public struct AnyDatabaseRegionConvertible: DatabaseRegionConvertible {
    private let region: (Database) throws -> DatabaseRegion

    /// Creates a value from a function.
    public init(_ region: @escaping (Database) throws -> DatabaseRegion) {
        self.region = region
    }

    /// Wraps a region.
    public init(_ base: any DatabaseRegionConvertible) {
        region = { try base.databaseRegion($0) }
    }

    /// Returns the region.
    public func databaseRegion(_ db: Database) throws -> DatabaseRegion { try region(db) }
}

extension Statement {
    /// The region that the statement reads, with the tables and columns of its views and subqueries.
    ///
    /// It reflects the current schema: if the schema has changed since the statement was prepared, `SELECT *` may read other
    /// columns, and a view other tables.
    public var databaseRegion: DatabaseRegion {
        database.checkAccess()
        describe()
        return effects.region
    }
}
