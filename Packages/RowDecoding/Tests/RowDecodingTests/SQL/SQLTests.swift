import Foundation
import RowDecoding
import Testing

struct SQLTests {
    /// Checks the SQL and the arguments.
    func expect(
        _ literal: SQL, _ sql: String, _ arguments: StatementArguments = [], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try withDatabase { db throws in
            let built = try literal.build(db)
            #expect(built.sql == sql, sourceLocation: sourceLocation)
            #expect(built.arguments == arguments, sourceLocation: sourceLocation)
        }
    }

    enum CodingKeys: String, CodingKey { case firstName }

    @Test
    func `Every interpolated value is an argument`() throws {
        let name = "'; DROP TABLE player; --"
        let none: Int? = nil
        let some: Int? = 1
        try expect("SELECT \(name)", "SELECT ?", [name])
        try expect("SELECT \(1) + \(1.5)", "SELECT ? + ?", [1, 1.5])
        try expect("SELECT \(none), \(some), \(DatabaseValue.null)", "SELECT ?, ?, ?", [nil, 1, nil])
        let data = Data([1, 2])
        try expect("SELECT \(data)", "SELECT ?", [data])
        let anything: any DatabaseValueConvertible = "x"
        try expect("SELECT \(anything)", "SELECT ?", ["x"])
    }

    @Test
    func `A sequence of values is a list in parentheses`() throws {
        try expect("id IN \([1, 2, 3])", "id IN (?, ?, ?)", [1, 2, 3])
        try expect("id IN \(Set([1]))", "id IN (?)", [1])
        try expect("id IN \(1...2)", "id IN (?, ?)", [1, 2])
        let optionals: [String?] = ["a", nil]
        try expect("name IN \(optionals)", "name IN (?, ?)", ["a", nil])
        let anything: [any DatabaseValueConvertible] = [1, "a"]
        try expect("x IN \(anything)", "x IN (?, ?)", [1, "a"])
        let expressions: [any SQLExpressible] = [1, SQL("x")]
        try expect("x IN \(expressions)", "x IN (?, x)", [1])
    }

    @Test
    func `Substrings, collations, and selections of any type`() throws {
        let name = "Arthur"
        try expect("SELECT \(name.prefix(2)) || \(name.dropFirst())", "SELECT ? || ?", ["Ar", "rthur"])
        try expect("ORDER BY a COLLATE \(.nocase)", "ORDER BY a COLLATE NOCASE")
        let collation = DatabaseCollation("by \"size\"") { _, _ in .orderedSame }
        let collationName = Database.CollationName(rawValue: "mine")
        try expect("a COLLATE \(collation), b COLLATE \(collationName)", #"a COLLATE "by ""size""", b COLLATE "mine""#)
        try expect("a COLLATE \(.localizedCompare)", #"a COLLATE "swiftLocalizedCompare""#)
        let sql: SQL = "x"
        try expect("SELECT \(sql as any SQLSelectable), \(1 as any SQLExpressible)", "SELECT x, ?", [1])
        try expect("ORDER BY \(sql as any SQLOrderingTerm)", "ORDER BY x")
    }

    @Test
    func `Pieces are put together`() throws {
        let elements: [SQL] = ["SELECT \(1)", ", ", "\(2)"]
        try expect(SQL(elements: elements), "SELECT ?, ?", [1, 2])
        try expect(SQL(elements: []), "")
        try expect(elements.joined(separator: "|"), "SELECT ?|, |?", [1, 2])
    }

    @Test
    func `Nothing is in an empty sequence, and everything is not in it`() throws {
        let none: [Int] = []
        try expect("id IN \(none)", "id IN (SELECT NULL WHERE NULL)")
        try withDatabase { db throws in
            func value(_ literal: SQL) throws -> Bool? { try SQLRequest<Bool>(literal: literal).fetchOne(db) }
            #expect(try value("SELECT 1 IN \(none)") == false)
            #expect(try value("SELECT 1 NOT IN \(none)") == true)
            #expect(try value("SELECT NULL NOT IN \(none)") == true)
        }
    }

    @Test
    func `SQL, identifiers and expressions are written as SQL`() throws {
        let condition: SQL = "score > \(1000)"
        try expect("WHERE \(condition) AND x", "WHERE score > ? AND x", [1000])
        try expect("WHERE \(literal: "score > \(1000)")", "WHERE score > ?", [1000])
        try expect("WHERE \(sql: "score > ?", arguments: [1000])", "WHERE score > ?", [1000])
        try expect("WHERE \(sql: "score > :min", arguments: ["min": 1]) AND \(2)", "WHERE score > :min AND ?", ["min": 1] + [2])
        try expect("SELECT \(identifier: "a \"b\"")", "SELECT \"a \"\"b\"\"\"")
        try expect("SELECT \(CodingKeys.firstName)", #"SELECT "firstName""#)
        try expect("SELECT \(1.sqlExpression) ORDER BY \(SQL("x").sqlOrdering)", "SELECT ? ORDER BY x", [1])
        try expect("SELECT \(SQL("x").sqlSelection)", "SELECT x")
        let request: SQLRequest<Player> = "SELECT * FROM player WHERE id = \(1);\n"
        try expect("SELECT EXISTS (\(request))", "SELECT EXISTS (SELECT * FROM player WHERE id = ?)", [1])
        try expect("\(request) UNION \(request)", "SELECT * FROM player WHERE id = ? UNION SELECT * FROM player WHERE id = ?", [1, 1])
        try expect("id = \(request.sqlExpression)", "id = (SELECT * FROM player WHERE id = ?)", [1])
    }

    @Test
    func `Pieces are appended`() throws {
        var sql: SQL = "SELECT \(1)"
        sql += ", \(2)"
        sql.append(literal: ", \(3)")
        sql.append(sql: ", ?", arguments: [4])
        try expect(sql + " AS x", "SELECT ?, ?, ?, ? AS x", [1, 2, 3, 4])
        let conditions: [SQL] = ["a = \(1)", "b", "c = \(3)"]
        try expect(conditions.joined(separator: " AND "), "a = ? AND b AND c = ?", [1, 3])
        try expect(conditions.joined(), "a = ?bc = ?", [1, 3])
        try expect([SQL]().joined(separator: ", "), "")
        try expect(SQL(sql: "a = ?", arguments: [1]), "a = ?", [1])
        try expect(SQL(5), "?", [5])
    }

    @Test
    func `SQL is empty when there is none in it`() {
        #expect(SQL("").isEmpty)
        #expect(("" as SQL + SQL(sql: "")).isEmpty)
        #expect([SQL]().joined(separator: "x").isEmpty)
        #expect(!SQL(" ").isEmpty)
        #expect(!SQL(1).isEmpty)
    }

    @Test
    func `A value that can't be stored throws when the SQL is built`() throws {
        try withDatabase { db throws in
            let big = UInt64.max
            let literals: [SQL] = ["SELECT \(big)", "SELECT \(Optional(big))", "SELECT 1 IN \([1, big])"]
            for literal in literals {
                let error = #expect(throws: DatabaseError.self) { try literal.build(db) }
                #expect(error?.expandedDescription.contains("18446744073709551615") == true)
                #expect(throws: DatabaseError.self) { try SQLRequest<Int>(literal: literal).fetchOne(db) }
                #expect(throws: DatabaseError.self) { try db.execute(literal: literal) }
            }
        }
    }

    @Test
    func `Two values for one name throw, and one value twice does not`() throws {
        try withDatabase { db throws in
            let one = SQL(sql: "SELECT :a", arguments: ["a": 1])
            let same = SQL(sql: ", :a + :b", arguments: ["a": 1, "b": 2])
            let other = SQL(sql: ", :a", arguments: ["a": 2])
            #expect(try SQLRequest<Row>(literal: one + same + ", \(5)").fetchOne(db)?.databaseValues == [1, 3, 5].map(\.databaseValue))
            let error = #expect(throws: DatabaseError.self) { try (one + other).build(db) }
            #expect(error?.message == "two values for the statement argument a")
        }
    }

    @Test
    func `SQL is an operand only in parentheses`() throws {
        try withDatabase { db throws in
            var renderer = SQLRenderer(database: db)
            try renderer.append(SQL("a OR \(1)").sqlExpression, atLeast: .and)
            #expect(renderer.sql == "(a OR ?)")
        }
    }

    @Test
    func `An ordering by SQL can't be reversed`() throws {
        try withDatabase { db throws in
            var renderer = SQLRenderer(database: db)
            let error = #expect(throws: DatabaseError.self) {
                try renderer.append(SQL("name DESC").sqlOrdering.reversed)
            }
            #expect(error?.message == "an ordering by SQL can't be reversed: name DESC")
            #expect(error?.advice == "Order by an expression with asc or desc instead.")
            try renderer.append(SQL("name DESC").sqlOrdering.reversed.reversed)
            #expect(renderer.sql == "name DESC")
        }
    }

    @Test
    func `A connection runs SQL with its arguments`() throws {
        try withPlayers { db throws in
            let name = "O'Brien"
            try db.execute(literal: "UPDATE player SET name = \(name) WHERE id = \(1); DELETE FROM player WHERE id = \(2)")
            #expect(try Player.fetchAll(db, sql: "SELECT * FROM player").map(\.name) == ["O'Brien", "Craig"])
            let statement = try db.makeStatement(literal: "SELECT score FROM player WHERE name = \(name)")
            #expect(try Int.fetchOne(statement) == 1500)
            #expect(statement.arguments == [name])
            let cached = try db.cachedStatement(literal: "SELECT score FROM player WHERE name = \("Craig")")
            #expect(try Int.fetchOne(cached) == 1200)
            // A statement that is in use is not returned again: its arguments stay the same.
            #expect(try db.cachedStatement(literal: "SELECT score FROM player WHERE name = \(name)") !== cached)
            #expect(cached.arguments == ["Craig"])
            #expect(throws: DatabaseError.self) { try db.makeStatement(literal: "SELECT \(1) FROM \(2)") }
            let statements = try db.allStatements(literal: "SELECT \(1); SELECT \(2), \(3)")
            #expect(try Array(statements.map { try Row.fetchOne($0)?.count }) == [1, 2])
        }
    }
}
