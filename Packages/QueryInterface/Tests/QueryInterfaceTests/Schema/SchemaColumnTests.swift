import Foundation
import QueryInterface
import Testing

@Suite struct SchemaColumnTests {
    @Test(
        arguments: [
            (.text, "TEXT"), (.integer, "INTEGER"), (.double, "DOUBLE"), (.real, "REAL"), (.numeric, "NUMERIC"), (.boolean, "BOOLEAN"),
            (.blob, "BLOB"), (.date, "DATE"), (.datetime, "DATETIME"), (.any, "ANY"), (.jsonText, "TEXT"), (.jsonb, "BLOB"),
            (.init(rawValue: "VARCHAR(100)"), "VARCHAR(100)"), (.init(rawValue: "UNSIGNED BIG INT"), "UNSIGNED BIG INT"),
        ] as [(Database.ColumnType, String)])
    func `The types of columns`(type: Database.ColumnType, name: String) throws {
        try withEmptyDatabase { db throws in
            #expect(try db.columnSQL { $0.column("x", type) } == "\"x\" \(name)")
            #expect(try db.columns(in: "t").map(\.type) == [name])
        }
    }

    @Test(arguments: [nil, Database.ColumnType(rawValue: "")])
    func `A column without a type stores values unchanged`(type: Database.ColumnType?) throws {
        try withEmptyDatabase { db throws in
            #expect(try db.columnSQL { $0.column("x", type) } == #""x""#)
            try db.execute(sql: "INSERT INTO t VALUES ('1'), (1), (1.5)")
            #expect(try String.fetchAll(db, sql: "SELECT typeof(x) FROM t") == ["text", "integer", "real"])
        }
    }

    @Test
    func `A decimal keeps its digits in a text column, and not in a numeric column`() throws {
        let digits = "1234567890.12345678901234567890"
        try withEmptyDatabase { db throws in
            try db.create(table: "t") { t in
                t.column("text", .text)
                t.column("numeric", .numeric)
            }
            let decimal = try #require(Decimal(string: digits))
            try db.execute(literal: "INSERT INTO t VALUES (\(decimal), \(decimal))")
            let row = try #require(try Row.fetchOne(db, sql: "SELECT text, typeof(text), typeof(numeric) FROM t"))
            #expect(try row.decode(Decimal.self, atIndex: 0) == decimal)
            #expect(try row.decode(String.self, atIndex: 1) == "text")
            #expect(try row.decode(String.self, atIndex: 2) == "real")
        }
    }

    // MARK: - Constraints

    @Test
    func `NOT NULL`() throws {
        try withEmptyDatabase { db throws in
            #expect(try db.columnSQL { $0.column("x", .text).notNull() } == #""x" TEXT NOT NULL"#)
            expectViolation(of: .SQLITE_CONSTRAINT_NOTNULL, db, "INSERT INTO t VALUES (NULL)")
        }
    }

    @Test
    func `NOT NULL ON CONFLICT REPLACE stores the default value`() throws {
        try withEmptyDatabase { db throws in
            let sql = try db.columnSQL { $0.column("x", .text).notNull(onConflict: .replace).defaults(to: "none") }
            #expect(sql == #""x" TEXT NOT NULL ON CONFLICT REPLACE DEFAULT 'none'"#)
            try db.execute(sql: "INSERT INTO t VALUES (NULL)")
            #expect(try String.fetchAll(db, sql: "SELECT x FROM t") == ["none"])
        }
    }

    @Test(arguments: Database.ConflictResolution.allCases)
    func `UNIQUE with each conflict resolution`(resolution: Database.ConflictResolution) throws {
        try withEmptyDatabase { db throws in
            let sql = try db.columnSQL { t in
                t.column("x").unique(onConflict: resolution)
                t.column("y")
            }
            #expect(sql == #""x" UNIQUE ON CONFLICT \#(resolution.rawValue), "y""#)
            #expect(try db.table("t", hasUniqueKey: ["x"]))
            try db.execute(sql: "INSERT INTO t VALUES (1, 'old')")
            switch resolution {
            case .ignore, .replace:
                try db.execute(sql: "INSERT INTO t VALUES (1, 'new')")
                #expect(try String.fetchAll(db, sql: "SELECT y FROM t") == [resolution == .replace ? "new" : "old"])
            case .abort, .fail:
                expectViolation(of: .SQLITE_CONSTRAINT_UNIQUE, db, "INSERT INTO t VALUES (1, 'new')")
            case .rollback:
                // ROLLBACK would end the transaction of the test.
                break
            }
        }
    }

    @Test
    func `CHECK with expressions and with SQL`() throws {
        try withEmptyDatabase { db throws in
            let sql = try db.columnSQL {
                $0.column("two words", .integer).check { $0 > 0 && $0 < 10 }.check(sql: #""two words" <> 5"#).check {
                    SQL("\($0) % \(2) = 1")
                }
            }
            let column = #""two words""#
            #expect(
                sql == "\(column) INTEGER CHECK (\(column) > 0 AND \(column) < 10) CHECK (\(column) <> 5) CHECK (\(column) % 2 = 1)")
            try db.execute(sql: "INSERT INTO t VALUES (3), (NULL)")
            for value in [-1, 0, 4, 5, 11] {
                expectViolation(of: .SQLITE_CONSTRAINT_CHECK, db, "INSERT INTO t VALUES (\(value))")
            }
        }
    }

    @Test
    func `A column has a collation`() throws {
        try withEmptyDatabase { db throws in
            let reversed = DatabaseCollation("upside down") { lhs, rhs in lhs == rhs ? .same : lhs < rhs ? .descending : .ascending }
            db.add(collation: reversed)
            let sql = try db.columnSQL { t in
                t.column("a", .text).collate(.nocase).unique()
                t.column("b", .text).collate(.rtrim)
                t.column("c", .text).collate(.binary)
                t.column("d", .text).collate(reversed)
                t.column("e", .text).collate(Database.CollationName(rawValue: "upside down"))
            }
            #expect(
                sql == #""a" TEXT UNIQUE COLLATE NOCASE, "b" TEXT COLLATE RTRIM, "c" TEXT COLLATE BINARY, "#
                    + #""d" TEXT COLLATE "upside down", "e" TEXT COLLATE "upside down""#)
            try db.execute(sql: "INSERT INTO t (a, d) VALUES ('a', 'a'), ('b', 'b')")
            #expect(try String.fetchAll(db, sql: "SELECT d FROM t ORDER BY d") == ["b", "a"])
            expectViolation(of: .SQLITE_CONSTRAINT_UNIQUE, db, "INSERT INTO t (a) VALUES ('A')")
        }
    }

    @Test
    func `A column can have a unique constraint or an index`() throws {
        try withEmptyDatabase { db throws in
            let sql = try db.statements {
                try db.create(table: "player") { t in
                    t.column("name", .text).indexed()
                    t.column("email", .text).unique()
                }
            }
            #expect(
                sql[1...2] == [
                    #"CREATE TABLE "player" ("name" TEXT, "email" TEXT UNIQUE)"#, #"CREATE INDEX "player_on_name" ON "player" ("name")"#,
                ])
            let indexes = try db.indexes(on: "player")
            #expect(indexes.first { $0.columns == ["name"] }?.isUnique == false)
            #expect(indexes.first { $0.columns == ["email"] }?.isUnique == true)
        }
    }

    // MARK: - Defaults

    @Test
    func `Default values are written as literals, and inserted unchanged`() throws {
        let date = Date(timeIntervalSince1970: 1_500_000_000.125)
        let uuid = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
        try withEmptyDatabase { db throws in
            func check<Value: DatabaseValueConvertible & Equatable>(_ value: Value, _ literal: String) throws {
                let sql = try db.columnSQL { t in
                    t.column("id")
                    t.column("x").defaults(to: value)
                }
                #expect(sql == #""id", "x" DEFAULT \#(literal)"#)
                try db.execute(sql: "INSERT INTO t (id) VALUES (1)")
                let row = try #require(try Row.fetchOne(db, sql: "SELECT x FROM t"))
                let decoded = try row.decode(Value.self, atIndex: 0)
                #expect(decoded == value, "\(literal)")
                try db.drop(table: "t")
            }
            try check("x", "'x'")
            try check("it's \"so\" 🏆", #"'it''s "so" 🏆'"#)
            try check("", "''")
            try check("a -- b", "'a -- b'")
            try check("nul\0inside", "(CAST(x'6e756c00696e73696465' AS TEXT))")
            try check(12, "12")
            try check(-12, "-12")
            try check(Int64.min, "-9223372036854775808")
            try check(0.1, "0.1")
            // From 3.43 to 3.53, SQLite reads reals with such exponents with an error in the last place.
            if !(3_043_000..<3_054_000).contains(Database.sqliteLibVersionNumber) { try check(-1e-300, "-1e-300") }
            try check(Double.infinity, "9e999")
            try check(-Double.infinity, "-9e999")
            try check(true, "1")
            try check(Data([0xC0, 0xFF, 0xEE]), "x'c0ffee'")
            try check(Int?.none, "NULL")
            try check(Int?.some(3), "3")
            try check(date, "'2017-07-14 02:40:00.125'")
            try check(uuid, "x'e621e1f8c36c495a93fc0c247a3e6e5f'")
            try check(Decimal(string: "1.10"), "'1.1'")
        }
    }

    @Test(arguments: [
        ("CURRENT_TIMESTAMP", "CURRENT_TIMESTAMP"), (" current_date ", " current_date "), ("NULL", "NULL"), ("TRUE", "TRUE"),
        ("1", "1"), ("-1", "-1"), ("+ 1.5", "+ 1.5"), ("1e-5", "1e-5"), ("- 1E+5", "- 1E+5"), ("0x10", "0x10"), ("-.5", "-.5"),
        ("'it''s'", "'it''s'"), ("''", "''"), ("x'00ff'", "x'00ff'"), ("X'00'", "X'00'"), ("(1 + 2)", "(1 + 2)"),
        ("(')')", "(')')"), ("((1) + (2))", "((1) + (2))"),
        ("1 + 2", "(1 + 2)"), ("(1) + (2)", "((1) + (2))"), ("'a' || 'b'", "('a' || 'b')"), ("abs(-1)", "(abs(-1))"),
        ("strftime('%s', 'now')", "(strftime('%s', 'now'))"), ("-(1)", "(-(1))"), ("- -1", "(- -1)"), ("'a--b'", "'a--b'"),
        ("('--')", "('--')"), ("(1 /* ) */)", "(1 /* ) */)"), ("(1 -- )\n)", "((1 -- )\n))"),
        ("'a' || '--'", "('a' || '--')"),
        ("1 -- one", "(1 -- one\n)"), ("/* two */ 2", "(/* two */ 2)"), ("x'00' || x'01'", "(x'00' || x'01')"),
    ])
    func `SQL of a default gets parentheses where SQLite requires them`(sql: String, expected: String) throws {
        try withEmptyDatabase { db throws in
            #expect(try db.columnSQL { $0.column("x").defaults(sql: sql) } == "\"x\" DEFAULT \(expected)")
            try db.execute(sql: "INSERT INTO t DEFAULT VALUES")
            let value = try DatabaseValue.fetchOne(db, sql: "SELECT x FROM t")
            let time = try String.fetchOne(db, sql: "SELECT typeof(x) FROM t")
            if sql.contains("CURRENT") || sql.contains("current") || sql.contains("now") {
                #expect(time == "text")
            } else {
                #expect(try value == DatabaseValue.fetchOne(db, sql: "SELECT \(sql)"))
            }
        }
    }

    @Test
    func `An empty default throws SQLite's error`() throws {
        try withEmptyDatabase { db throws in
            #expect(try db.message { try db.create(table: "t") { $0.column("x").defaults(sql: " ") } } == #"near ")": syntax error"#)
        }
    }

    @Test
    func `A default value that SQLite can't store throws the value's error`() throws {
        try withEmptyDatabase { db throws in
            #expect(throws: (any Error).self) {
                try db.create(table: "t") { $0.column("x").defaults(to: UInt64.max) }
            }
            #expect(try db.objectNames().isEmpty)
        }
    }

    // MARK: - Generated columns

    @Test
    func `Generated columns, virtual and stored`() throws {
        try withEmptyDatabase { db throws in
            let sql = try db.columnSQL { t in
                t.column("a", .integer)
                t.column("b", .integer).generatedAs(sql: "a + 1")
                t.column("c", .integer).generatedAs(sql: "a + 2", .stored)
                t.column("d", .boolean).generatedAs(Column("a") > 10)
                t.column("e").generatedAs(SQL("a * \(1.5)"), .stored).notNull()
            }
            #expect(
                sql == #""a" INTEGER, "b" INTEGER GENERATED ALWAYS AS (a + 1) VIRTUAL, "#
                    + #""c" INTEGER GENERATED ALWAYS AS (a + 2) STORED, "#
                    + #""d" BOOLEAN GENERATED ALWAYS AS ("a" > 10) VIRTUAL, "#
                    + #""e" NOT NULL GENERATED ALWAYS AS (a * 1.5) STORED"#)
            #expect(try db.columns(in: "t").map(\.isGenerated) == [false, true, true, true, true])
            try db.execute(sql: "INSERT INTO t VALUES (12)")
            let row = try #require(try Row.fetchOne(db, sql: "SELECT * FROM t"))
            #expect(row == ["a": 12, "b": 13, "c": 14, "d": 1, "e": 18.0])
            #expect(
                try db.message { try db.create(table: "u") { $0.column("x").generatedAs(sql: "1") } }
                    == "must have at least one non-generated column")
        }
    }

    // MARK: - SQL

    @Test
    func `Columns and constraints defined by SQL keep their order, and can end in a comment`() throws {
        try withEmptyDatabase { db throws in
            let sql = try db.columnSQL { t in
                t.column(sql: "a TEXT -- the first")
                t.column("b", .text)
                t.column(literal: "c DEFAULT \("it's")")
                t.constraint(sql: "UNIQUE (a, b) -- both")
            }
            #expect(sql == "a TEXT -- the first\n, \"b\" TEXT, c DEFAULT 'it''s', UNIQUE (a, b) -- both\n")
            #expect(try db.columns(in: "t").map(\.name) == ["a", "b", "c"])
            #expect(try db.table("t", hasUniqueKey: ["a", "b"]))
        }
    }

    @Test
    func `SQL with arguments throws an error, because definitions can't have parameters`() throws {
        try withEmptyDatabase { db throws in
            let message = try db.message {
                try db.create(table: "t") { $0.column(literal: SQL(sql: "a DEFAULT ?", arguments: [1])) }
            }
            #expect(message.hasPrefix("the parameters of SQL can't have values here"))
        }
    }

    @Test
    func `A definition runs a single statement`() throws {
        try withEmptyDatabase { db throws in
            try db.create(table: "victim") { $0.column("x") }
            #expect(
                try db.message { try db.create(table: "t") { $0.column(sql: "a); DROP TABLE victim; --") } }
                    == "multiple statements found")
            #expect(try db.objectNames() == ["victim"])
        }
    }
}
