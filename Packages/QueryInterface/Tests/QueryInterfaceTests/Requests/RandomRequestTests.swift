import CSQLiteShims
import QueryInterface
import Testing

/// Random requests. Each is made from a seed, which a failure reports.
@Suite struct RandomRequestTests {
    @Test(arguments: 0..<6)
    func `Random requests run, and fetchCount returns the number of their rows`(block: UInt64) throws {
        try forEachSeed(in: block, count: 150) { random, db in
            let sample = random.request()
            let request = sample.request
            let rows = try request.fetchAll(db)
            try expect(request.fetchCount(db) == rows.count, "fetchCount")
            try expect(request.isEmpty(db) == rows.isEmpty, "isEmpty")
            try expect(request.reversed().fetchAll(db).count == rows.count, "reversed")
            try expect((request.fetchOne(db) == nil) == rows.isEmpty, "fetchOne")
            let values = sample.hasFixedRows ? rows.comparable : nil
            let packed = try fetch(request, db) { $0.packsLists = true }
            try expect(packed.count == rows.count && (values == nil || packed.comparable == values), "packed lists")
            let literals = try fetch(request, db) { $0.writesLiterals = true }
            try expect(literals.count == rows.count && (values == nil || literals.comparable == values), "literals")
        }
    }

    @Test
    func `Random requests have all forms`() {
        var counts: [RandomExpressions.Form: Int] = [:]
        for seed in 0..<500 as Range<UInt64> {
            var random = RandomRequests(seed: seed)
            _ = random.request()
            for form in random.random.forms { counts[form, default: 0] += 1 }
        }
        for form in RandomExpressions.Form.allCases { #expect(counts[form, default: 0] >= 20, "\(form) of \(counts)") }
    }

    @Test(arguments: 0..<6)
    func `A predicate is true, false or NULL, and its negation is SQL's`(block: UInt64) throws {
        try forEachSeed(in: block + 100, count: 150) { random, db in
            let sample = random.source()
            let request = sample.request
            let predicate = random.random.predicate(sample.scopes, depth: 3)
            let negation: SQL = "NOT (\(predicate))"
            let all = try request.fetchCount(db)
            let (isTrue, isFalse, isNull) = try (
                request.filter(predicate).fetchCount(db), request.filter(!predicate).fetchCount(db),
                request.filter(predicate == nil).fetchCount(db)
            )
            try expect(isTrue + isFalse + isNull == all, "\(isTrue) + \(isFalse) + \(isNull) of \(all)")
            try expect(request.filter(predicate).fetchAll(db).count == isTrue, "the rows of the predicate")
            let negations = request.select(!predicate, negation, !(!predicate), "NOT NOT (\(predicate))" as SQL)
            for row in try negations.fetchAll(db) {
                let values = Array(row.databaseValues)
                try expect(values[0] == values[1], "NOT: \(row)")
                // Negating a negation gives the predicate itself, which can be a number.
                try expect(values[2].isNull == values[3].isNull, "NOT NOT: \(row)")
            }
        }
    }

    @Test
    func `A view of a request has the request's rows`() throws {
        try forEachSeed(in: 200, count: 100) { random, db in
            random.prefetches = false
            let sample = random.request()
            try db.create(view: "a \"view\"", as: sample.request)
            let rows = try Row.fetchAll(db, sql: "SELECT * FROM \"a \"\"view\"\"\"")
            let expected = try sample.request.fetchAll(db)
            try expect(rows.count == expected.count, "\(rows.count) rows, not \(expected.count)")
            if sample.hasFixedRows { try expect(rows.comparable == expected.comparable, "the rows of the view") }
            try db.drop(view: "a \"view\"")
        }
    }

    @Test
    func `Set operations combine requests`() throws {
        try forEachSeed(in: 300, count: 150) { random, db in
            func operand() -> QueryInterfaceRequest<Row> {
                random.includesAssociations = false
                var sample = random.request()
                while !sample.canSelect { sample = random.request() }
                return sample.request.select(random.random.leaf(sample.scopes).forKey("v"), random.random.column(sample.scopes))
            }
            let operands = [operand(), operand(), operand()]
            var compound = operands[0].unionAll(operands[1])
            try expect(
                compound.fetchAll(db).count == operands[0].fetchAll(db).count + operands[1].fetchAll(db).count, "UNION ALL")
            switch random.random.number(0...2) {
            case 0: compound = compound.union(operands[2])
            case 1: compound = compound.intersect(operands[2])
            default: compound = compound.except(operands[2])
            }
            switch random.random.number(0...3) {
            case 0: compound = compound.order(Column("v").desc)
            case 1: compound = compound.order(-length(Column("v")), Column("v").collating(.nocase).ascNullsLast)
            default: break
            }
            if random.random.happens(onceIn: 3) { compound = compound.limit(3, offset: 1) }
            let rows = try compound.fetchAll(db)
            try expect(compound.fetchCount(db) == rows.count, "fetchCount")
            try expect(compound.reversed().fetchAll(db).count == rows.count, "reversed")
            // As parts of other queries.
            try expect(compound.union(operands[0]).fetchAll(db).isEmpty == (rows + operands[0].fetchAll(db)).isEmpty, "nested")
            let expression = CommonTableExpression<Row>(named: "co\"mpound", request: compound)
            try expect(expression.all().with(expression).fetchCount(db) == rows.count, "common table expression")
        }
    }

    @Test
    func `The number of prefetched rows equals the count of the association`() throws {
        try forEachSeed(in: 400, count: 150) { random, db in
            let model = random.random.pick(RandomSchema.tables)
            let way = random.random.pick(model.toMany)
            let next = random.random.pick(RandomSchema.tables[way.destination].toMany)
            let scope = RandomExpressions.Scope(table: RandomSchema.tables[way.destination], alias: nil)
            let predicate = random.random.happens(onceIn: 2) ? random.random.predicate([scope], depth: 2) : nil
            func request<A: AssociationToMany>(_ association: A) -> QueryInterfaceRequest<Row>
            where A.OriginRowDecoder == Row, A.RowDecoder == Row {
                var association = predicate.map { association.filter($0) } ?? association
                let count = association.count
                association = association.order(Column(scope.table.columns[0])).joining(next.association.path, as: .prefetched)
                return model.table.all().annotated(with: count.forKey("number")).including(all: association)
            }
            let rows = try request(way.association).fetchAll(db)
            for row in rows {
                let fetched = try #require(row.prefetchedRows[way.key])
                let number: Int = try row.decode(forKey: "number")
                // Joins through other tables can find a row several times, which counts once.
                try expect(way.isDirect ? fetched.count == number : (fetched.count >= number && (number > 0 || fetched.isEmpty)), "\(row)")
                for row in fetched { _ = try #require(row.prefetchedRows[next.key]) }
            }
        }
    }

    @Test
    func `Updating and deleting affects all rows of a request`() throws {
        try forEachSeed(in: 500, count: 150) { random, db in
            var sample = random.source()
            guard (try? sample.request.deleteCount(db)) != nil else { return }
            sample.request = sample.request.filter(random.random.predicate(sample.scopes, depth: 2))
            if random.random.happens(onceIn: 4) {
                sample.request = sample.request.order(random.random.ordering(sample.scopes, depth: 1)).limit(2)
            }
            let number = try sample.request.fetchCount(db)
            let deleted = try sample.request.deleteCount(db)
            try expect(sample.isPlain ? deleted == number : deleted <= number, "\(deleted) deleted of \(number)")
            let scope = RandomExpressions.Scope(table: sample.scopes[0].table, alias: nil)
            let column = Column(scope.table.columns[2])
            try db.inSavepoint {
                let value = random.random.expression([scope], depth: 1)
                let updated = try sample.request.updateAll(db, onConflict: .replace, [column.set(to: value)])
                try expect(updated == deleted, "\(updated) updated, \(deleted) deleted")
                return .rollback
            }
        }
    }
}

// MARK: - Running

private struct Failure: Error, CustomStringConvertible {
    let description: String
}

private func expect(_ condition: Bool, _ description: @autoclosure () -> String) throws {
    guard condition else { throw Failure(description: description()) }
}

/// Runs a check for each seed of a block, and reports the seeds that fail, with the last statement.
private func forEachSeed(
    in block: UInt64, count: UInt64, sourceLocation: SourceLocation = #_sourceLocation,
    _ check: (inout RandomRequests, Database) throws -> Void
) throws {
    try withDatabase(RandomSchema.creation) { db in
        // Some requests have longer lists, which are packed.
        sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_VARIABLE_NUMBER, 280)
        var last = ""
        db.trace { last = $0.description }
        for seed in block * 1000..<block * 1000 + min(count, pairCount * count / 5_000) {
            var random = RandomRequests(seed: seed)
            do {
                try check(&random, db)
            } catch {
                Issue.record("seed \(seed): \(error)\nlast statement: \(last)", sourceLocation: sourceLocation)
            }
        }
    }
}

/// The rows of a request whose SQL is generated differently.
private func fetch(_ request: QueryInterfaceRequest<Row>, _ db: Database, _ configure: (inout SQLRenderer) -> Void) throws -> [Row] {
    var renderer = SQLRenderer(database: db)
    configure(&renderer)
    try request.sqlSubquery.render(to: &renderer)
    sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_VARIABLE_NUMBER, 32766)
    defer { sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_VARIABLE_NUMBER, 280) }
    return try Row.fetchAll(db, sql: renderer.sql, arguments: renderer.arguments)
}

extension QueryInterfaceRequest {
    /// The number of rows that `deleteAll` deletes. The deletion is rolled back.
    fileprivate func deleteCount(_ db: Database) throws -> Int {
        var count = 0
        try db.inSavepoint {
            count = try deleteAll(db)
            return .rollback
        }
        return count
    }
}

extension [Row] {
    /// The values of the rows, regardless of their order. SQLite may return any of several equal values: 1 and 1.0, or 'a' and 'A'.
    fileprivate var comparable: [String] {
        map { row in
            row.unadapted.databaseValues.map { value in
                switch value.storage {
                case .int64(let integer): "\(Double(integer))"
                case .double(let real): "\(real == 0 ? 0 : real)"
                case .string(let text): text.lowercased()
                case .null, .blob: "\(value)"
                }
            }
            .joined(separator: "|")
        }
        .sorted()
    }
}
