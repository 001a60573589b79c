import Foundation
import Testing
import SQLiteDriver

@testable import RecordGenerator

/// Random triples of a schema, a query and rows: no NULL meets a non-optional column, and no value has another storage class than proven. If
/// the stored values have the types of their columns, no value has another type than the code of the query claims.
///
/// `STRATA_QUERIES` sets the number of triples, and `STRATA_SEED` the first seed.
@Suite struct RandomQueryTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let count = environment["STRATA_QUERIES"].flatMap { Int($0) } ?? 1500
    private static let seed = environment["STRATA_SEED"].flatMap { UInt64($0) } ?? 1

    /// What the triples have shown.
    private struct Counts {
        var queries = 0
        var refused = 0
        var notUnderstood = 0
        var columns = 0
        var untyped = 0
        /// Columns that are optional, and had no NULL in any database with the schema.
        var optionalWithoutNull = 0
        var optional = 0
        var rows = 0
        /// Values that were compared with the type that the code claims.
        var claims = 0
    }

    /// A query with what is proven about it, and the columns that had NULL.
    private struct Query {
        var sql: String
        var shape: QueryTyping.Shape
        /// The properties in the order of the columns; nil if the query is refused.
        var claims: [GeneratedProperty]?
        var nulls: Set<Int> = []
    }

    @Test
    func `No NULL and no other type meets a column that excludes them`() throws {
        var counts = Counts()
        var seed = Self.seed
        while counts.queries < Self.count {
            var random = QueryRandom(seed: seed)
            seed += 1
            try check(&random, &counts)
        }
        let share = Double(counts.optionalWithoutNull) / Double(max(1, counts.columns))
        if Self.environment["STRATA_QUERIES"] != nil { print("\(counts), optional without NULL: \(share)") }
        // Most random queries are legal, and understood.
        #expect(counts.refused * 2 < counts.queries && counts.notUnderstood * 20 < counts.queries, "\(counts)")
        #expect(counts.claims > counts.queries, "\(counts)")
    }

    private func check(_ random: inout QueryRandom, _ counts: inout Counts) throws {
        let script = random.schema()
        try QuerySample.withCompiler(schema: script) { compiler, records in
            let db = compiler.db
            let texts = (0..<40).map { _ in random.query() }
            counts.queries += texts.count
            var queries = try texts.compactMap { sql in try understood(sql, compiler, records, &counts) }
            // The same queries with several contents of the tables.
            for round in 0..<6 {
                try random.fill(db, isEmpty: round == 0, isTyped: round > 2)
                for index in queries.indices {
                    try run(&queries[index], db, script, isTyped: round > 2, &counts)
                }
            }
            for query in queries {
                for (index, column) in query.shape.columns.enumerated() {
                    counts.columns += 1
                    if column.value.type == nil { counts.untyped += 1 }
                    if column.value.isNullable { counts.optional += 1 }
                    if column.value.isNullable, !query.nulls.contains(index) { counts.optionalWithoutNull += 1 }
                }
            }
        }
    }

    /// Returns what is proven about a query; nil if SQLite refuses it, or if it is not understood.
    private func understood(
        _ sql: String, _ compiler: QueryCompiler, _ records: [RecordGenerator.Record], _ counts: inout Counts
    ) throws -> Query? {
        guard case .statement(let description, _) = try compiler.db.compile(sql) else {
            counts.refused += 1
            return nil
        }
        var parser = SQLParser(sql)
        guard let tree = try? parser.statement() else {
            counts.notUnderstood += 1
            return nil
        }
        var typing = QueryTyping(compiler.schema, parser)
        guard let shape = try? typing.shape(of: tree) else {
            counts.notUnderstood += 1
            return nil
        }
        #expect(shape.columns.count == description.columns.count, "\(sql)")
        guard shape.columns.count == description.columns.count else { return nil }
        for (column, described) in zip(shape.columns, description.columns) {
            guard let origin = column.value.origin else { continue }
            let isSame = origin.declaredType == described.declaredType ?? ""
            #expect(isSame, "\(sql): \(column)")
        }
        var query = Query(sql: sql, shape: shape)
        let (compiled, _) = try compiler.compile(QueryFile(SourceText("-- name: query :many\n\(sql)", file: "a.sql")))
        guard let compiled = compiled.first else { return query }
        query.claims = compiled.columns
        if let record = compiled.record.flatMap({ name in records.first { $0.typeName == name } }) {
            query.claims = try description.columns.map { column in
                try #require(record.properties.first { SchemaName($0.column) == SchemaName(column.name) }, "\(sql): \(record.typeName)")
            }
        }
        return query
    }

    /// Runs a query, and notes the columns that had NULL.
    private func run(_ query: inout Query, _ db: Database, _ script: String, isTyped: Bool, _ counts: inout Counts) throws {
        let (sql, shape) = (query.sql, query.shape)
        var number = 0
        do {
            let statement = try db.makeStatement(sql: sql)
            while try statement.step(), number < 200 {
                number += 1
                for (index, column) in shape.columns.enumerated() {
                    let storage = statement.storage(at: index)
                    if storage == .null {
                        query.nulls.insert(index)
                        if !column.value.isNullable {
                            Issue.record("column \(index) of \(sql) is NULL with\n\(script)\n\(try dump(db))")
                            return
                        }
                    } else if let proven = column.value.storage, proven != storage {
                        Issue.record("column \(index) of \(sql) is \(storage), and not \(proven), with\n\(script)\n\(try dump(db))")
                        return
                    }
                }
                guard isTyped, let claims = query.claims else { continue }
                counts.claims += claims.count
                for (index, claim) in claims.enumerated() where !Self.reads(claim, statement.databaseValue(at: index)) {
                    let value = statement.databaseValue(at: index)
                    Issue.record("column \(index) of \(sql) is \(value), and no \(claim.typeText), with\n\(script)\n\(try dump(db))")
                    return
                }
            }
        } catch is DatabaseError {
            // Such as an integer overflow.
            return
        }
        counts.rows += number
        switch shape.rowCount {
        case .one: #expect(number == 1, "\(sql) has \(number) rows")
        case .optional: #expect(number <= 1, "\(sql) has \(number) rows")
        case .many: break
        }
    }

    /// Whether a property has the value of a column, apart from integers that have overflowed.
    private static func reads(_ property: GeneratedProperty, _ value: DatabaseValue) -> Bool {
        switch (property.typeName, value.storage) {
        case ("DatabaseValue", _), ("Int64", .int64), ("Bool", .int64), ("Bool", .double), ("Double", .int64), ("Double", .double),
            ("String", .string),
            ("Data", .blob):
            true
        case ("Int64", .double(let number)): number.magnitude > 9e18
        case ("Date", .string(let text)): text.hasPrefix("2024-")
        case (let type, .string(let text)): type.hasSuffix("E") && (text == "x" || text == "y")
        case (_, .null): property.isOptional
        default: false
        }
    }

    private func dump(_ db: Database) throws -> String {
        var text = ""
        for table in ["t0", "t1", "t2"] {
            let statement = try db.makeStatement(sql: "SELECT * FROM \(table)")
            while try statement.step() {
                let values = (0..<statement.columnCount).map { statement.databaseValue(at: $0).sqlLiteral }
                text += "INSERT INTO \(table) VALUES (\(values.joined(separator: ", ")));\n"
            }
        }
        return text
    }
}
