/// The columns that rows can be loaded into.
struct LoadTargets {
    /// A column, or the hidden row id.
    struct Target {
        let name: String
        let affinity: ColumnAffinity

        /// Whether the declared type is `BLOB`.
        let isBlob: Bool

        /// Whether SQLite computes the value, and accepts no other.
        let isGenerated: Bool

        /// Whether a row without a value has another one than NULL.
        let hasDefault: Bool
    }

    private let table: String

    /// The columns in the order of the table, and then the hidden row id.
    private(set) var targets: [Target] = []
    private var positions: [SchemaName: Int] = [:]

    init(_ db: Database, table: String) throws {
        self.table = table
        // The view or table that the name refers to without a database. A view is not strict.
        let schemas = try db.tableExists(table, in: "temp") ? ["temp", "main"] : ["main"]
        let isStrict = try schemas.first.map { try db.isStrictTable(table, in: $0) } ?? false
        for column in try db.columns(in: table) {
            add(
                Target(
                    name: column.name, affinity: ColumnAffinity(column.type, isStrict: isStrict),
                    isBlob: column.type.uppercased() == "BLOB", isGenerated: column.isGenerated,
                    hasDefault: column.defaultValueSQL != nil))
        }
        // A row id that other tables may refer to.
        if try db.tableExists(table), let rowID = try db.primaryKey(table).rowIDName, self[rowID] == nil {
            add(Target(name: rowID, affinity: .integer, isBlob: false, isGenerated: false, hasDefault: false))
        }
    }

    private mutating func add(_ target: Target) {
        positions[SchemaName(target.name)] = targets.count
        targets.append(target)
    }

    /// Returns a column, regardless of case; nil if the table does not have it.
    subscript(_ name: String) -> Target? { position(name).map { targets[$0] } }

    /// Returns the position of a column in ``targets``, regardless of case; nil if the table does not have it.
    func position(_ name: String) -> Int? { positions[SchemaName(name)] }

    /// Returns the conversions by the names of columns.
    ///
    /// - Throws: ``LoadError`` for a column that the table does not have.
    func conversions(_ columns: [String: LoadedColumn]) throws -> [SchemaName: LoadedColumn] {
        for name in columns.keys.sorted() where self[name] == nil {
            throw noSuchColumn(name, line: 1)
        }
        return columns.byColumn
    }

    func noSuchColumn(_ name: String, line: Int) -> LoadError {
        LoadError(line: line, column: name, message: "the table \(table.debugDescription) has no such column")
    }
}
