/// A database of 100 tables: names, types, keys and values of all kinds.
enum OddDatabase {
    /// Tables that are odd in their own ways.
    private static let odd = [
        #"CREATE TABLE "Data" (id INTEGER PRIMARY KEY, "class" TEXT, "self" TEXT, "init" INT, "Type" BLOB, "hash value" TEXT, hashValue TEXT)"#,
        #"CREATE TABLE "Column" ("1st" TEXT, "first name" TEXT, first_name TEXT, FirstName TEXT, "😀" TEXT, "🚀" TEXT, "" TEXT)"#,
        #"CREATE TABLE "order lines" ("a "" and \ and \(x)" TEXT, "URLString" TEXT, "ID" INTEGER PRIMARY KEY, "größe" REAL, "値段" REAL)"#,
        "CREATE TABLE order_lines (\"new\nline\" TEXT, [tab\tbed] TEXT, `back``tick` TEXT, \"null\" TEXT)",
        #"CREATE TABLE "2024" (a, b)"#, #"CREATE TABLE "Row" (id TEXT, key INTEGER PRIMARY KEY)"#,
        #"CREATE TABLE columns (columns TEXT, codingKeys TEXT, "ID" TEXT PRIMARY KEY NOT NULL)"#,
        #"CREATE TABLE "Database" (databaseTableName TEXT, insert_ TEXT, "insert" TEXT, "update" TEXT, encode TEXT, "some" TEXT)"#,
        #"CREATE TABLE keywords ("let" TEXT, "var" INT, "inout" REAL, "in" TEXT, row TEXT, container TEXT, "try" TEXT)"#,
        #"CREATE TABLE "limit" (a INTEGER PRIMARY KEY, limit_id INTEGER REFERENCES "limit" (a), filter INTEGER REFERENCES "Row")"#,
        "CREATE TABLE noRowID (a INTEGER PRIMARY KEY, b TEXT) WITHOUT ROWID",
        "CREATE TABLE twoKeys (a TEXT, b INTEGER, c BLOB, PRIMARY KEY (b, a)) WITHOUT ROWID",
        "CREATE TABLE nullableKeys (a TEXT, b INTEGER, PRIMARY KEY (a, b))", "CREATE TABLE nullableKey (name TEXT PRIMARY KEY, other INT)",
        "CREATE TABLE descending (id INTEGER PRIMARY KEY DESC, a TEXT)", "CREATE TABLE automatic (id INTEGER PRIMARY KEY AUTOINCREMENT, a)",
        "CREATE TABLE strict1 (a INT, b INTEGER, c REAL, d TEXT, e BLOB, f ANY) STRICT",
        "CREATE TABLE strict2 (id INTEGER PRIMARY KEY, f ANY NOT NULL) STRICT, WITHOUT ROWID",
        "CREATE TABLE generated (a INTEGER, b INTEGER AS (a * 2) VIRTUAL, c TEXT GENERATED ALWAYS AS ('<' || a || '>') STORED, d REAL)",
        "CREATE TABLE generatedFirst (a TEXT AS (upper(b)), b TEXT)",
        "CREATE TABLE checked (a INTEGER CHECK (a IS NULL OR a < 9e18), b TEXT COLLATE NOCASE DEFAULT ('x' || 'y'))",
        "CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT)",
        "CREATE TABLE book (id INTEGER PRIMARY KEY, author_id INTEGER REFERENCES author, editor INTEGER REFERENCES author, author TEXT)",
        "CREATE TABLE cover (bookId INTEGER UNIQUE REFERENCES book (id), image BLOB)",
        "CREATE TABLE tag (name TEXT PRIMARY KEY NOT NULL)",
        "CREATE TABLE bookTag (book_id INTEGER REFERENCES book, tag_name TEXT REFERENCES tag, PRIMARY KEY (book_id, tag_name))",
        "CREATE TABLE friends (one INTEGER REFERENCES author, other INTEGER REFERENCES author, UNIQUE (one, other))",
        "CREATE TABLE pair (a TEXT, b INTEGER, FOREIGN KEY (b, a) REFERENCES twoKeys)",
        "CREATE TABLE lost (a INTEGER REFERENCES nowhere (x), b REFERENCES endless (n))",
        "CREATE TABLE cycleA (id INTEGER PRIMARY KEY, b INTEGER REFERENCES cycleB)",
        "CREATE TABLE cycleB (id INTEGER PRIMARY KEY, a INTEGER REFERENCES cycleA)",
        "CREATE TABLE commented ( -- About the table */ \" \\(x).\n  -- About a.\n  a TEXT, -- More about a.\n  /* About\n   * b. */ b TEXT)",
        "CREATE TABLE wide (" + (1...80).map { "column_number_\($0) INT" }.joined(separator: ", ") + ")",
        "CREATE TABLE aVeryLongNameThatGoesOnAndOnAndOnUntilNobodyKnowsWhatItWasAbout (anotherVeryLongNameThatGoesOnAndOnForQuiteSomeTime "
            + "INTEGER REFERENCES author (id), aThirdVeryLongNameThatGoesOnAndOnForQuiteSomeTimeToo INTEGER REFERENCES book (id))",
        #"CREATE TABLE "本" (id INTEGER PRIMARY KEY, "作者" INTEGER REFERENCES "作者", "状态" TEXT CHECK ("状态" IN ('新', '旧')))"#,
        #"CREATE TABLE "作者" (id INTEGER PRIMARY KEY, "本" INTEGER REFERENCES "本", "2024" INTEGER REFERENCES "3" ("1"))"#,
        #"CREATE TABLE "3" ("1" INTEGER PRIMARY KEY)"#, #"CREATE TABLE keySet ("set" TEXT PRIMARY KEY NOT NULL)"#,
        #"CREATE TABLE keyGet ("get" INTEGER PRIMARY KEY)"#,
        #"CREATE TABLE keyInit ("willSet" TEXT PRIMARY KEY, initId INTEGER REFERENCES keyGet)"#,
        #"CREATE TABLE "table" (a INTEGER PRIMARY KEY)"#, #"CREATE TABLE "raw value" (a INTEGER PRIMARY KEY)"#,
        "CREATE VIRTUAL TABLE notes USING fts5(title, body)", "CREATE VIRTUAL TABLE plain4 USING fts4(content TEXT)",
        "CREATE VIRTUAL TABLE area USING rtree(id, minX, maxX)",
    ]

    private static let types = [
        "INTEGER", "INT(11)", "BIGINT", "BOOLEAN", "TEXT", "VARCHAR(20)", "CLOB", "BLOB", "REAL", "DOUBLE PRECISION", "NUMERIC",
        "DECIMAL(10, 2)",
        "DATETIME", "DATE", "TIMESTAMP", "TIME", "JSON", "UUID", "", "FLOATING POINT", "STRING",
    ]

    /// The rows of the tables that try types: each list is a column.
    private static let contents = [
        ["1", "0", "NULL"], ["9007199254740993", "-9223372036854775808"], ["1.5", "0.1", "1e300", "9e999"], ["1", "1.5"],
        ["'text'", "''", "'NUL' || char(0) || 'inside'", "'漢字 👩‍🚀 e' || char(769)"], ["x'00FF'", "x''"],
        ["1", "'1'", "x'31'", "NULL", "1.25"],
        ["'2024-02-29 12:30:00.000'", "'1969-07-20 20:17:40.125'"], ["'2024-02-29 12:30:00'", "'2024-02-29'"], ["NULL", "NULL"], [],
    ]

    /// The SQL of tables, views, indexes and rows; triggers are omitted.
    static var sql: String {
        var statements = odd
        var rows: [String] = []
        for (index, content) in contents.enumerated() {
            for isNotNull in [false, true] where !(isNotNull && content.contains("NULL")) {
                for part in 0..<4 {
                    let types = types.enumerated().filter { $0.offset % 4 == part }.map(\.element)
                    let name = "types_\(index)_\(part)\(isNotNull ? "_not_null" : "")"
                    let columns = types.enumerated().map { "c\($0.offset) \($0.element)\(isNotNull ? " NOT NULL" : "")" }
                    statements.append("CREATE TABLE \(name) (\(columns.joined(separator: ", ")))")
                    for value in content {
                        rows.append("INSERT INTO \(name) VALUES (\(types.map { _ in value }.joined(separator: ", ")))")
                    }
                }
            }
        }
        statements = Array(statements.prefix(100))
        let names = Set(statements.compactMap { $0.split(separator: " ").dropFirst(2).first })
        rows.removeAll { row in !names.contains(row.split(separator: " ")[2]) }
        // Some foreign keys refer to nothing.
        return "PRAGMA foreign_keys = OFF;\n" + (statements + views + oddRows + rows).map { $0 + ";\n" }.joined()
    }

    static let tableCount = 100

    private static let views = [
        "CREATE VIEW titles AS SELECT book.author AS title, author.name, count(*) OVER () AS \"how many\" FROM book JOIN author",
        "CREATE VIEW endless AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS n FROM n LIMIT 5",
        "CREATE VIEW broken AS SELECT x FROM nowhere", "CREATE INDEX onAuthor ON book (author_id)",
        "CREATE UNIQUE INDEX onSomeTitles ON book (author) WHERE author > 'm'",
    ]

    private static let oddRows = [
        #"INSERT INTO "Data" VALUES (7, 'c', 's', 3, x'01', 'h', NULL), (-1, NULL, '', NULL, NULL, NULL, 'v')"#,
        #"INSERT INTO "Column" VALUES ('1', '2', '3', '4', '5', '6', '7')"#, #"INSERT INTO "order lines" VALUES ('q', 'u', NULL, 1.5, 2)"#,
        "INSERT INTO order_lines VALUES ('n', 't', 'b', 'NULL')", #"INSERT INTO "2024" VALUES (1, 'x'), (2.5, NULL)"#,
        #"INSERT INTO "Row" VALUES ('id', 3)"#, "INSERT INTO columns VALUES ('c', 'k', 'id')",
        #"INSERT INTO "Database" VALUES ('n', 'i', 'j', 'u', 'e', 's')"#, #"INSERT INTO "limit" VALUES (1, 1, NULL), (2, 1, 3)"#,
        "INSERT INTO keywords VALUES ('l', 1, 1.5, 'i', 'r', 'c', 't')",
        "INSERT INTO noRowID VALUES (5, 'five'), (-5, NULL)", "INSERT INTO twoKeys VALUES ('b', 1, x'00'), ('a', 1, NULL)",
        "INSERT INTO nullableKeys VALUES (NULL, 1), (NULL, 1), ('a', NULL)",
        "INSERT INTO nullableKey VALUES (NULL, 1), (NULL, 2), ('x', 3)",
        "INSERT INTO descending VALUES (3, 'c'), (1, 'a'), (NULL, 'none')", "INSERT INTO automatic VALUES (10, 1), (20, 'b')",
        "INSERT INTO strict1 VALUES (1, 2, 3, '4', x'05', 6), (NULL, NULL, NULL, NULL, NULL, '6'), (1, 1, 1.5, '', x'', x'06')",
        "INSERT INTO strict2 VALUES (1, 1), (2, '2'), (3, 3.0)", "INSERT INTO generated (a, d) VALUES (1, 2.5), (NULL, NULL)",
        "INSERT INTO generatedFirst (b) VALUES ('x')", "INSERT INTO checked VALUES (1, 'b'), (NULL, 'C')",
        "INSERT INTO author VALUES (1, 'Ursula'), (2, NULL)", "INSERT INTO book VALUES (1, 1, 2, 'a'), (2, NULL, NULL, 'z')",
        "INSERT INTO cover VALUES (1, x'FF'), (NULL, NULL)", "INSERT INTO tag VALUES ('x'), ('y')",
        "INSERT INTO bookTag VALUES (1, 'x'), (1, 'y')", "INSERT INTO friends VALUES (1, 2), (2, 1)", "INSERT INTO pair VALUES ('a', 1)",
        "INSERT INTO lost VALUES (1, 2)", "INSERT INTO cycleA VALUES (1, 1)", "INSERT INTO cycleB VALUES (1, 1)",
        #"INSERT INTO "本" VALUES (1, 1, '新'), (2, NULL, NULL)"#, #"INSERT INTO "作者" VALUES (1, 2, 7)"#, #"INSERT INTO "3" VALUES (7)"#,
        "INSERT INTO keySet VALUES ('a')", "INSERT INTO keyGet VALUES (5)", "INSERT INTO keyInit VALUES ('a', 5)",
        #"INSERT INTO "table" VALUES (1)"#, "INSERT INTO commented VALUES ('a', 'b')",
        "INSERT INTO wide (column_number_1, column_number_80) VALUES (1, 80)",
        "INSERT INTO aVeryLongNameThatGoesOnAndOnAndOnUntilNobodyKnowsWhatItWasAbout VALUES (1, 1)",
        "INSERT INTO notes VALUES ('One', 'small step'), ('Two', 'NUL' || char(0))", "INSERT INTO plain4 VALUES ('some words')",
        "INSERT INTO area VALUES (1, 0.5, 1.5)",
    ]
}
