import SQLiteDriver
import Testing

@Suite struct DatabaseRegionAlgebraTests {
    @Test
    func `A region shows its columns and rows`() {
        #expect("\(DatabaseRegion(table: "Player"))" == "player(*)")
        #expect("\(DatabaseRegion(table: "player", columns: ["Name", "id"]))" == "player(id,name)")
        #expect("\(DatabaseRegion(table: "player", columns: []))" == "player()")
        #expect("\(DatabaseRegion(table: "player", rowIds: [2, 1], in: "Archive"))" == "archive.player(*)[1,2]")
        #expect("\(DatabaseRegion(table: "player", rowIds: []))" == "empty")
        let narrowed = DatabaseRegion(table: "player", columns: ["id", "name"])
            .intersection(DatabaseRegion(table: "PLAYER", rowIds: [1, 2]))
        #expect("\(narrowed.union(DatabaseRegion(table: "team")))" == "player(id,name)[1,2],team(*)")
    }

    @Test
    func `A region knows the rows that modify it`() {
        let region = DatabaseRegion(table: "player", columns: ["name"]).intersection(DatabaseRegion(table: "player", rowIds: [1]))
        func event(_ kind: DatabaseEvent.Kind, _ row: Int64, _ columns: Set<String>? = nil, table: String = "Player") -> DatabaseEvent {
            DatabaseEvent(kind: kind, databaseName: "main", tableName: table, rowID: row, updatedColumnNames: columns)
        }
        #expect(region.isModified(by: event(.insert, 1)))
        #expect(region.isModified(by: event(.delete, 1)))
        #expect(region.isModified(by: event(.update, 1)))
        #expect(region.isModified(by: event(.update, 1, ["NAME"])))
        #expect(!region.isModified(by: event(.update, 1, ["score"])))
        #expect(!region.isModified(by: event(.insert, 2)))
        #expect(!region.isModified(by: event(.insert, 1, table: "players")))
        #expect(region.isModified(byEventsOfKind: .update(tableName: "player", columnNames: ["name", "score"])))
        #expect(!region.isModified(byEventsOfKind: .update(tableName: "player", columnNames: ["score"])))
    }

    @Test
    func `Letters outside ASCII keep their case`() {
        #expect(DatabaseRegion(table: "É").isDisjoint(with: DatabaseRegion(table: "é")))
        #expect(!DatabaseRegion(table: "Ée").isDisjoint(with: DatabaseRegion(table: "ÉE")))
    }

    /// A cell of a small universe: a column of a row, or its existence.
    private struct Cell: Hashable {
        let schema: String
        let table: String
        let column: String
        let row: Int64
    }

    private static let schemas = ["main", "temp"]
    private static let tables = ["a", "b", "c"]
    private static let columns = ["x", "y", "z"]
    private static let rows: [Int64] = [-1, 0, 1, 2, .max]
    private static let everything = cells(schemas, tables, columns, rows)

    private static func cells(_ schemas: [String], _ tables: [String], _ columns: [String], _ rows: [Int64]) -> Set<Cell> {
        var cells: Set<Cell> = []
        for schema in schemas {
            for table in tables {
                for row in rows {
                    for column in columns + [""] { cells.insert(Cell(schema: schema, table: table, column: column, row: row)) }
                }
            }
        }
        return cells
    }

    /// Returns a random region, with the cells that it contains at least, and at most.
    private static func region(_ random: inout some RandomNumberGenerator) -> (region: DatabaseRegion, cells: Set<Cell>) {
        if Int.random(in: 0..<20, using: &random) == 0 { return (.fullDatabase, everything) }
        var region = DatabaseRegion()
        var result: Set<Cell> = []
        for schema in schemas {
            for table in tables where Bool.random(using: &random) {
                let name = Bool.random(using: &random) ? table : table.uppercased()
                let columns = Bool.random(using: &random) ? nil : Self.columns.filter { _ in Bool.random(using: &random) }
                let rows = Bool.random(using: &random) ? nil : Self.rows.filter { _ in Bool.random(using: &random) }
                var part =
                    columns.map { DatabaseRegion(table: name, columns: Set($0.map { $0.uppercased() }), in: schema) }
                    ?? DatabaseRegion(table: name, in: schema)
                if let rows { part.formIntersection(DatabaseRegion(table: table, rowIds: Set(rows), in: schema.uppercased())) }
                region.formUnion(part)
                result.formUnion(cells([schema], [table], columns ?? Self.columns, rows ?? Self.rows))
            }
        }
        return (region, result)
    }

    @Test(arguments: 1...20)
    func `Regions behave as the sets of their cells`(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let (a, cellsOfA) = Self.region(&random)
            let (b, cellsOfB) = Self.region(&random)
            let (c, _) = Self.region(&random)
            func cells(_ region: DatabaseRegion) -> Set<Cell> {
                Self.everything.filter { cell in
                    region.isModified(
                        by: DatabaseEvent(
                            kind: cell.column.isEmpty ? .insert : .update, databaseName: cell.schema,
                            tableName: cell.table.uppercased(), rowID: cell.row,
                            updatedColumnNames: cell.column.isEmpty ? nil : [cell.column.uppercased()]))
                }
            }
            #expect(cells(a) == cellsOfA)
            #expect(a.isEmpty == cellsOfA.isEmpty)
            #expect(cells(a.intersection(b)) == cellsOfA.intersection(cellsOfB))
            #expect(cells(a.union(b)).isSuperset(of: cellsOfA.union(cellsOfB)))
            // The smallest region with both: columns of both, in the rows of both.
            #expect(a.union(b).intersection(a) == a)
            #expect(a.isDisjoint(with: b) == a.intersection(b).isEmpty)
            #expect(a.isDisjoint(with: b) == cellsOfA.isDisjoint(with: cellsOfB))
            #expect(a.union(b) == b.union(a) && a.intersection(b) == b.intersection(a))
            #expect(a.union(a) == a && a.intersection(a) == a)
            #expect(a.union(b).union(c) == a.union(b.union(c)))
            #expect(a.intersection(b).intersection(c) == a.intersection(b.intersection(c)))
            #expect(a.union(DatabaseRegion()) == a && a.intersection(.fullDatabase) == a)
            #expect(a.union(.fullDatabase).isFullDatabase && a.intersection(DatabaseRegion()).isEmpty)
        }
    }
}
