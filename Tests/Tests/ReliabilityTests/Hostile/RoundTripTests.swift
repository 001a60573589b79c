import Foundation
import Strata
import Testing

/// Random tables, dumped in each format that is read back: what each format keeps, and what it refuses.
@Suite("Random round trips", .timeLimit(.minutes(60)))
struct RoundTripTests {
    /// The declared types of columns: each affinity, and the types of strict tables.
    private static let types = ["", "BLOB", "TEXT", "INTEGER", "REAL", "NUMERIC", "DATE", "BOOLEAN", "VARCHAR(10)", "DOUBLE"]
    private static let strictTypes = ["ANY", "BLOB", "TEXT", "INTEGER", "REAL", "INT"]

    /// A random table, with hidden row ids or without row ids, strict or not.
    private struct RandomTable {
        var sql: String
        var columnCount: Int
        var hasHiddenRowIDs: Bool

        init(_ random: inout SeededGenerator) {
            let isStrict = Int.random(in: 0..<4, using: &random) == 0
            columnCount = Int.random(in: 1...4, using: &random)
            let types = isStrict ? RoundTripTests.strictTypes : RoundTripTests.types
            var definitions: [String] = (0..<columnCount).map { "c\($0) \(types.randomElement(using: &random)!)" }
            let kind = Int.random(in: 0..<3, using: &random)
            hasHiddenRowIDs = kind == 0
            if !hasHiddenRowIDs {
                definitions.append("id INTEGER PRIMARY KEY")
            }
            let options: [String] = (isStrict ? ["STRICT"] : []) + (kind == 2 ? ["WITHOUT ROWID"] : [])
            sql = "CREATE TABLE t (\(definitions.joined(separator: ", "))) \(options.joined(separator: ", "))"
        }

        /// The columns with the key, by which rows are compared.
        var selection: String { columns.joined(separator: ", ") }

        var columns: [String] { [hasHiddenRowIDs ? "rowid" : "id"] + (0..<columnCount).map { "c\($0)" } }

        func make() throws -> DatabaseQueue {
            let queue = try DatabaseQueue()
            try queue.write { db in try db.execute(sql: sql) }
            return queue
        }
    }

    /// The rows to the byte, with the storage classes.
    private func rows(_ table: RandomTable, _ queue: DatabaseQueue) throws -> [String] {
        try queue.read { db in
            let values: [String] = (0..<table.columnCount).map { "typeof(c\($0)) || ' ' || hex(CAST(c\($0) AS BLOB))" }
            let key = table.hasHiddenRowIDs ? "rowid" : "id"
            let texts: [String] = try Row.fetchAll(db, sql: "SELECT \(key), \(values.joined(separator: ", ")) FROM t ORDER BY 1").map {
                "\($0)"
            }
            let bits: [String] = try Row.fetchAll(db, sql: "SELECT \(table.selection) FROM t ORDER BY 1").map { row in
                let reals: [String] = row.databaseValues.map { value in
                    if case .double(let real) = value.storage { "\(real.bitPattern)" } else { "" }
                }
                return reals.joined(separator: " ")
            }
            return zip(texts, bits).map { $0 + $1 }
        }
    }

    private func fill(_ table: RandomTable, _ queue: DatabaseQueue, _ random: inout SeededGenerator) throws {
        try queue.write { db in
            var id = -3
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                id += Int.random(in: 1...4, using: &random)
                let values: [String] = (0..<table.columnCount).map { _ in
                    Int.random(in: 0..<2, using: &random) == 0
                        ? HostileValues.random(&random)
                        : [
                            "'X''00'''", "'x''ff'", "'textblob'", "'AP8='", "'{\"$base64\": \"AP8=\"}'", "'{\"$real\":\"inf\"}'", "'Inf'",
                            "'9e999'",
                            "'1.0'", "'a' || char(13, 10) || 'b'", "char(13)", "replace(printf('%1500c', 'x'), 'x', 'y' || char(0))",
                            "1e15", "0.1",
                            "'NULL'", "char(0xFEFF)", "','", "'\"'", "'\\0' || char(0)",
                        ].randomElement(using: &random)!
                }
                let columns = table.columns
                do {
                    try db.execute(
                        sql: "INSERT INTO t (\(columns.joined(separator: ", "))) VALUES (\(id), \(values.joined(separator: ", ")))")
                } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
                    // A value of another type in a strict table.
                }
            }
        }
    }

    @Test
    func `SQL keeps every value to the bit, with its row id; CSV and JSON keep or refuse it`() throws {
        let (seed, count) = HostileValues.run("round trips", quickCount: 150)
        var random = SeededGenerator(seed: seed)
        var counts = ["kept": 0, "refused": 0]
        for round in 0..<count {
            let table = RandomTable(&random)
            let source = try table.make()
            try fill(table, source, &random)
            let expected = try rows(table, source)
            let place: Comment = "seed \(seed), round \(round): \(table.sql)"

            var script = ""
            try source.dumpContent(format: .insert(), to: &script)
            let restored = try DatabaseQueue()
            try restored.writeWithoutTransaction { db in try db.execute(sql: script) }
            try #expect(rows(table, restored) == expected, place)

            let hasInvalidText = try source.read { db in
                try (0..<table.columnCount).contains { column in
                    try Row.fetchAll(db, sql: "SELECT CAST(c\(column) AS BLOB) AS b FROM t WHERE typeof(c\(column)) = 'text'").contains {
                        String(data: $0["b"], encoding: .utf8) == nil
                    }
                }
            }
            let nullValue = ["", "NULL", "-", "\\N"].randomElement(using: &random)!
            let separator: Character = [",", ";", "\t", "|", " "].randomElement(using: &random)!
            let query = SQL(sql: "SELECT \(table.selection) FROM t")
            for format in ["csv", "json", "jsonlines"] {
                var text = ""
                func dump(_ format: some DumpFormat) throws { try source.dumpSQL(query, format: format, to: &text) }
                do {
                    switch format {
                    case "csv": try dump(.csv(separator: separator, nullValue: nullValue))
                    case "json": try dump(.json())
                    default: try dump(.jsonLines())
                    }
                } catch let error as DatabaseError where error.resultCode == .SQLITE_MISMATCH {
                    counts["refused", default: 0] += 1
                    #expect(hasInvalidText, place)
                    continue
                }
                #expect(!hasInvalidText, place)
                let copy = try table.make()
                try copy.write { db in
                    if format == "csv" {
                        _ = try db.load(.csv(.text(text), format: CSVFormat(separator: separator, nullValue: nullValue)), into: "t")
                    } else {
                        _ = try db.load(.json(.text(text)), into: "t")
                    }
                }
                counts["kept", default: 0] += 1
                try #expect(rows(table, copy) == expected, "\(format), \(place)")
            }
        }
        print("round trips: \(counts)")
        #expect(counts.values.allSatisfy { $0 > 0 })
    }
}
