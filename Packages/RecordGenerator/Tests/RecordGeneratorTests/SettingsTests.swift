import Testing
import SQLiteDriver

@testable import RecordGenerator

@Suite struct SettingsTests {
    /// The line of the code that declares a property `x` of a table with the columns.
    private func declaration(_ columns: String, rows: String = "", settings: String = "") throws -> String? {
        let text = try code(for: "CREATE TABLE t (\(columns));", rows: rows, settings: settings)
        return text.split(separator: "\n").first { $0.hasPrefix("    var x: ") }.map { String($0.dropFirst(11)) }
    }

    // MARK: - The file

    @Test(arguments: [
        (
            "publik", 1,
            "publik is not a setting: the settings are public, singular, import, skip, table, column, type, function, aggregate, collation, "
                + "queries, numbered, nest, patterns, double-quoted strings allowed and foreign keys off"
        ),
        ("public\n\n  singular twice", 3, "unexpected twice"),
        ("# comment\nimport", 2, "import needs the name of a module"),
        ("table t", 1, "a type is missing"),
        ("skip", 1, "skip needs a name: skip import_log"),
        ("skip t u", 1, "unexpected u"),
        ("skip u", 1, "there is no table or view u"),
        ("skip t\nskip T", 2, "line 1 already sets this"),
        ("table t.x T", 1, "table needs a name and a type: table people Person"),
        ("table \"t T", 1, "table needs a name and a type: table people Person"),
        ("column x X", 1, "column needs a table, a column and a type: column job.state JobState"),
        ("column t.x", 1, "a type is missing"),
        ("column t.x X?", 1, "X? is not a type; the schema determines whether it is optional"),
        ("column t.x X; import Evil", 1, "X; import Evil is not a type; the schema determines whether it is optional"),
        ("column t.x lowercase X", 1, "lowercase is for UUID"),
        ("column t.x timestamp UUID", 1, "timestamp is for Date"),
        ("type MONEY milliseconds String", 1, "milliseconds is for Date"),
        ("column t.x X\r\ncolumn T.\"X\" Y", 2, "line 1 already sets this"),
        ("table u U", 1, "there is no table or view u"),
        ("\ncolumn u.x U", 2, "there is no table or view u"),
        ("column t.y Y", 1, "t has no column y"),
        ("column *.y Y", 1, "no table has a column y"),
        ("type MONEY Money", 1, "no column has the declared type MONEY"),
    ])
    func `A line that is not a setting is an error with the file and the line`(_ settings: String, _ line: Int, _ message: String) throws {
        let error = #expect(throws: RecordSettingsError.self) { try declaration("x", settings: settings) }
        #expect(error?.description == "schema.records:\(line): error: \(message)")
    }

    @Test
    func `A column's line wins over the line for its name, which wins over the line for its declared type`() throws {
        let columns = "x VARCHAR(36) NOT NULL"
        #expect(try declaration(columns, settings: "type varchar A") == "A")
        #expect(try declaration(columns, settings: "type varchar A\ntype VARCHAR(36) B") == "B")
        #expect(try declaration(columns, settings: "type VARCHAR A\ncolumn *.x C") == "C")
        #expect(try declaration(columns, settings: "column *.x C\ncolumn t.X D<[Int: (A, B)]>") == "D<[Int: (A, B)]>")
        #expect(throws: RecordSettingsError.self) { try declaration(columns, settings: "type VARCHAR(40) A") }
        #expect(try declaration("x", settings: "") == "DatabaseValue")
    }

    @Test
    func `A skipped table has no record, and no association`() throws {
        let schema = "CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE \"b c\" (id INTEGER PRIMARY KEY, a_id REFERENCES a);"
        let all = try code(for: schema)
        #expect(all.contains("struct BC: ") && all.contains("static let bC = hasMany(BC.self"), "\(all)")
        let some = try code(for: schema, settings: "skip \"B C\" # of another program")
        #expect(some.contains("struct A: ") && !some.contains("BC") && !some.contains("hasMany"), "\(some)")
    }

    @Test
    func `Names are in quotes as in SQL, and optionals come from the schema`() throws {
        let text = try code(
            for: ##"CREATE TABLE "order lines" ("a ""b"".c" DOUBLE PRECISION, "#" TEXT NOT NULL);"##,
            settings: """
                table "order lines" Line # a comment
                type "double  precision" Price
                column "order lines"."#" Number
                """)
        #expect(text.contains("struct Line: "))
        #expect(text.contains("var aBC: Price?\n    var unnamed: Number\n"))
    }

    // MARK: - Enums

    @Test(arguments: [
        "x TEXT NOT NULL CHECK (x IN ('a', 'b'))", "x TEXT NOT NULL CHECK ((X IN ('a', 'b')))",
        "x TEXT NOT NULL, CHECK (\"x\" in ('a', 'b', 'a'))", "x TEXT NOT NULL, CONSTRAINT c CHECK (x IN ('a','b'))",
        "x TEXT CHECK (x IN ('a', 'b') OR x IS NULL) NOT NULL", "x VARCHAR(3) COLLATE BINARY NOT NULL CHECK (x IN ('a', '1'))",
        "x NOT NULL CHECK (x IN ('a', '1'))", "x INT NOT NULL CHECK (x IN (1, -2))",
        "x TEXT NOT NULL CHECK (length(x) < 9) CHECK (x /* one of */ IN ('a'))", "x TEXT NOT NULL CHECK (x IN ('a', -- or\n'b'))",
    ])
    func `A CHECK that lists the values makes an enum`(_ columns: String) throws {
        #expect(try declaration(columns) == "X")
    }

    @Test(arguments: [
        "x TEXT NOT NULL CHECK (x NOT IN ('a', 'b'))", "x TEXT NOT NULL CHECK (x IN ('a', NULL))",
        "x TEXT NOT NULL CHECK (x IN ('a', 'b') OR length(x) = 3)", "x TEXT NOT NULL COLLATE NOCASE CHECK (x IN ('a', 'b'))",
        "x TEXT NOT NULL CHECK (x IN (1, 2))", "x STRING NOT NULL CHECK (x IN ('1', 'b'))", "x TEXT NOT NULL CHECK (x IN ('a', 1))",
        "x TEXT NOT NULL CHECK (lower(x) IN ('a', 'b'))", "x TEXT NOT NULL CHECK (x IN (x'61'))",
        "x TEXT NOT NULL CHECK (x IN ('é', 'e' || char(769)))", "x TEXT NOT NULL CHECK (x IN ('\u{e9}', 'e\u{301}'))",
        "x TEXT NOT NULL, y CHECK (y IN ('a'))",
    ])
    func `Other CHECKs make none`(_ columns: String) throws {
        #expect(try declaration(columns) == "String")
    }

    @Test
    func `A column with stored values outside of its CHECK gets no enumeration, and numbers 0 and 1 are Bool`() throws {
        let rows = "PRAGMA ignore_check_constraints = ON; INSERT INTO t VALUES ('c')"
        #expect(try declaration("x TEXT NOT NULL CHECK (x IN ('a', 'b'))", rows: rows) == "String")
        #expect(try declaration("x TEXT NOT NULL CHECK (x IN ('a', 'b'))", rows: "INSERT INTO t VALUES ('a')") == "X")
        #expect(try declaration("x INTEGER NOT NULL CHECK (x IN (0, 1))") == "Bool")
        #expect(try declaration("x INTEGER CHECK (x IN (1))") == "Bool?")
        #expect(try declaration("x BOOLEAN NOT NULL CHECK (x IN (0, 1))") == "Bool")
        // An integer column keeps 1.5 as it is, and a column without a type 1.0.
        #expect(try declaration("x REAL NOT NULL CHECK (x IN (2, 3))") == "Double")
        #expect(try declaration("x NOT NULL CHECK (x IN (2, 3))") == "DatabaseValue")
        // Only a STRICT table has a type ANY. Elsewhere, the column makes a number of the string.
        #expect(try declaration("x ANY NOT NULL CHECK (x IN ('1', 'b'))") == "DatabaseValue")
    }

    @Test
    func `An enum has no name of a record or of another type`() throws {
        let text = try code(
            for: "CREATE TABLE state (id TEXT, state TEXT CHECK (state IN ('a')), type TEXT CHECK (type IN ('b')));", readsValues: false)
        #expect(text.contains("var state: State2?"))
        #expect(text.contains("var type: TypeValue?"))
    }

    // MARK: - UUIDs

    @Test
    func `A UUID is stored as the stored ones are`() throws {
        func text(_ rows: String) throws -> String {
            try code(for: "CREATE TABLE t (x UUID NOT NULL);", rows: rows.isEmpty ? "" : "INSERT INTO t VALUES \(rows)")
        }
        let lower = "('e621e1f8-c36c-495a-93fc-0c247a3e6e5f')"
        let digits = "('11111111-2222-3333-4444-555555555555')"
        #expect(try text("").contains("container[\"x\"] = x\n"))
        #expect(try text("(randomblob(16))").contains(".deferredToUUID"))
        #expect(try text(lower).contains("container[\"x\"] = DatabaseUUIDEncodingStrategy.lowercaseString.databaseValue(for: x)"))
        #expect(try text("\(lower), \(digits)").contains(" -> DatabaseUUIDEncodingStrategy {\n        .lowercaseString\n"))
        #expect(try text(lower.uppercased()).contains(".uppercaseString"))
        #expect(try text(digits).contains(".uppercaseString"))
        #expect(try text("\(lower), \(lower.uppercased())").contains("var x: String\n"))
        #expect(try text("(randomblob(15))").contains("var x: Data\n"))
        #expect(try text("(randomblob(16)), \(lower)").contains("var x: DatabaseValue\n"))
    }
}
