/// A part of a database: tables, and some of their columns.
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
            // SQLite ignores the case of ASCII letters in names; its own functions give them as they are in the schema.
            self.schema = schema.lowercased()
            self.table = table.lowercased()
        }

        static func < (lhs: TableID, rhs: TableID) -> Bool { (lhs.schema, lhs.table) < (rhs.schema, rhs.table) }
    }

    /// Some columns of a table.
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

    /// The columns of each table; nil is the full database.
    private var tables: [TableID: Columns]?

    /// Makes an empty region.
    public init() {
        tables = [:]
    }

    private init(tables: [TableID: Columns]?) {
        self.tables = tables
    }

    /// All tables with all their columns.
    public static let fullDatabase = DatabaseRegion(tables: nil)

    /// Whether the region is all of the database.
    public var isFullDatabase: Bool { tables == nil }

    /// Whether nothing is in the region.
    public var isEmpty: Bool { tables?.isEmpty ?? false }

    /// Adds a column. Without a name, it is the table's rows that count, and none of its columns.
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

    /// Adds all columns of the tables that have some in the region.
    mutating func formTables() {
        tables = tables?.mapValues { _ in .all }
    }

    /// What is in one of two regions.
    public func union(_ other: DatabaseRegion) -> DatabaseRegion {
        guard let tables, let others = other.tables else { return .fullDatabase }
        return DatabaseRegion(tables: tables.merging(others) { $0.union($1) })
    }

    /// Adds another region.
    public mutating func formUnion(_ other: DatabaseRegion) {
        self = union(other)
    }

    /// Whether events of a kind may change what is in the region: insertions and deletions in its tables, and updates of its
    /// columns.
    public func isModified(byEventsOfKind kind: DatabaseEventKind) -> Bool {
        guard let tables else { return true }
        return tables.contains { id, columns in
            guard id.table == kind.tableName.lowercased() else { return false }
            guard case .update(_, let updated) = kind else { return true }
            return updated.isEmpty || updated.contains { columns.contains($0) }
        }
    }

    /// Whether an event may change what is in the region.
    ///
    /// An event does not tell the columns of an update: ``isModified(byEventsOfKind:)`` does, before the update.
    public func isModified(by event: DatabaseEvent) -> Bool {
        guard let tables else { return true }
        return tables[TableID(event.tableName, event.databaseName)] != nil
    }

    /// The names of the tables, with those of their databases; empty for the full database.
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

/// Something that stands for a part of a database, such as a request.
public protocol DatabaseRegionConvertible {
    /// The part of the database.
    ///
    /// - Throws: an error when it depends on a schema that is not there.
    func databaseRegion(_ db: Database) throws -> DatabaseRegion
}

extension DatabaseRegion: DatabaseRegionConvertible {
    /// Itself.
    public func databaseRegion(_ db: Database) throws -> DatabaseRegion { self }
}

extension DatabaseRegionConvertible where Self == DatabaseRegion {
    /// All tables with all their columns.
    public static var fullDatabase: DatabaseRegion { .fullDatabase }
}

/// A ``DatabaseRegionConvertible`` of any type.
public struct AnyDatabaseRegionConvertible: DatabaseRegionConvertible {
    private let region: (Database) throws -> DatabaseRegion

    /// Makes one of a function.
    public init(_ region: @escaping (Database) throws -> DatabaseRegion) {
        self.region = region
    }

    /// Wraps a region.
    public init(_ base: any DatabaseRegionConvertible) {
        region = { try base.databaseRegion($0) }
    }

    /// The part of the database.
    public func databaseRegion(_ db: Database) throws -> DatabaseRegion { try region(db) }
}

extension Statement {
    /// What the statement reads: tables and columns, those of views and subqueries included.
    ///
    /// It is what the statement would read now: when the schema has changed since the statement was prepared, `SELECT *` may read
    /// other columns, and a view other tables.
    public var databaseRegion: DatabaseRegion {
        database.checkAccess()
        describe()
        return effects.region
    }
}
