/// The statistics that `ANALYZE` has stored about a table, which `DROP TABLE` deletes.
///
/// Source: <https://www.sqlite.org/fileformat2.html#the_sqlite_stat1_table>, and the sections after it.
struct TableStatistics {
    /// The columns of an index, each with its order and its collation.
    private struct IndexColumns: Hashable {
        /// The columns that the index orders rows by.
        let keys: [String]
        /// The columns after them, which identify the row.
        let row: [String]
    }

    /// A row of a table of statistics: its values from the third column on describe the index.
    private struct Entry {
        let statisticsTable: String
        /// The name of the index; NULL for the number of rows of a table without indexes.
        let index: DatabaseValue
        let values: [DatabaseValue]
    }

    private let table: DatabaseObjectID
    private let entries: [Entry]
    private let indexes: [String: IndexColumns]

    /// Reads the statistics of a table.
    init(_ db: Database, table: DatabaseObjectID) throws {
        self.table = table
        var entries: [Entry] = []
        for name in ["sqlite_stat1", "sqlite_stat2", "sqlite_stat3", "sqlite_stat4"] {
            guard try db.locateTable(name, in: table.schemaID.name) != nil else { continue }
            entries += try db.values("SELECT idx, * FROM \(Self.sql(name, in: table)) WHERE tbl = ? ORDER BY rowid", [table.name]) { row in
                Entry(
                    statisticsTable: name, index: row.databaseValue(at: 0), values: (3..<row.columnCount).map { row.databaseValue(at: $0) })
            }
        }
        self.entries = entries
        indexes = try entries.isEmpty ? [:] : Self.indexes(db, of: table)
    }

    /// Stores the statistics of the indexes that the new table has, too.
    func restore(_ db: Database) throws {
        guard !entries.isEmpty else { return }
        let newIndexes = try Self.indexes(db, of: table)
        for entry in entries {
            var index = entry.index
            if case .string(let name) = index.storage {
                guard let newName = newName(of: name, entry, newIndexes) else { continue }
                index = DatabaseValue(storage: .string(newName))
            }
            let arguments = [DatabaseValue(storage: .string(table.name)), index] + entry.values
            let parameters = arguments.map { _ in "?" }.joined(separator: ", ")
            try db.execute(
                sql: "INSERT INTO \(Self.sql(entry.statisticsTable, in: table)) VALUES (\(parameters))",
                arguments: StatementArguments(arguments))
        }
    }

    /// Returns the name of the index with the columns of an old index. The names of automatic indexes are numbered.
    private func newName(of name: String, _ entry: Entry, _ newIndexes: [String: IndexColumns]) -> String? {
        guard let columns = indexes[name] else { return nil }
        func isSame(_ other: IndexColumns?) -> Bool {
            // The samples of the other tables contain whole rows of the index.
            entry.statisticsTable == "sqlite_stat1" ? other?.keys == columns.keys : other == columns
        }
        if isSame(newIndexes[name]) { return name }
        guard Self.isAutomatic(name) else { return nil }
        return newIndexes.filter { Self.isAutomatic($0.key) && isSame($0.value) }.keys.min()
    }

    private static func isAutomatic(_ index: String) -> Bool { index.hasPrefix("sqlite_autoindex_") }

    private static func sql(_ name: String, in table: DatabaseObjectID) -> String {
        "\(table.schemaID.name.quotedDatabaseIdentifier).\(name.quotedDatabaseIdentifier)"
    }

    /// Returns the indexes of a table, by their names in the statistics: the key of a table WITHOUT ROWID has the name of the table.
    private static func indexes(_ db: Database, of table: DatabaseObjectID) throws -> [String: IndexColumns] {
        let schema = table.schemaID.name
        let hasRowID = try db.primaryKey(table.name, in: schema).tableHasRowID
        let rows = try db.values(
            """
            SELECT l.name, l.origin, x."key", x.cid, x.name, x."desc", x.coll, s.sql
            FROM pragma_index_list(?1, ?2) AS l, pragma_index_xinfo(l.name, ?2) AS x
            LEFT JOIN \(table.schemaID.schemaTableName) AS s ON s.type = 'index' AND s.name = l.name
            ORDER BY l.name, x.seqno
            """, [table.name, schema]
        ) { row in
            let isKey = !hasRowID && row.string(at: 1) == "pk"
            // The schema has the text of an expression, and of a partial index's condition.
            let text = row.int64(at: 3) == -2 ? row.string(at: 7) : row.string(at: 4)?.foldingASCIICase
            let column = [text, row.int64(at: 5).map(String.init), row.string(at: 6)?.foldingASCIICase].map { $0 ?? "" }
            return (
                name: isKey ? table.name : row.string(at: 0) ?? "", isOrdered: row.int64(at: 2) == 1, column: column.joined(separator: " ")
            )
        }
        var indexes: [String: (keys: [String], row: [String])] = [:]
        for row in rows {
            if row.isOrdered {
                indexes[row.name, default: ([], [])].keys.append(row.column)
            } else {
                indexes[row.name, default: ([], [])].row.append(row.column)
            }
        }
        return indexes.mapValues { IndexColumns(keys: $0.keys, row: $0.row) }
    }
}
