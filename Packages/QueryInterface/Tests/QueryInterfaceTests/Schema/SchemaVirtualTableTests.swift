import QueryInterface
import Testing

/// A module with a definition, which creates a second table next to the virtual one.
private struct FullText: VirtualTableModule {
    struct Failure: Error {}

    final class TableDefinition {
        let configuration: VirtualTableConfiguration
        var columns: [String] = []
        var rows: [String] = []
        var fails = false

        init(configuration: VirtualTableConfiguration) {
            self.configuration = configuration
        }

        func column(_ name: String) {
            columns.append(name)
        }
    }

    var moduleName = "fts5"

    func makeTableDefinition(configuration: VirtualTableConfiguration) -> TableDefinition {
        TableDefinition(configuration: configuration)
    }

    func moduleArguments(for definition: TableDefinition, in db: Database) throws -> [String] {
        if definition.columns.isEmpty { throw Failure() }
        return definition.columns.map(\.quotedDatabaseIdentifier) + ["tokenize = 'porter'"]
    }

    func database(_ db: Database, didCreate tableName: String, using definition: TableDefinition) throws {
        try db.create(table: "log") { $0.column("x") }
        for row in definition.rows {
            try db.execute(literal: "INSERT INTO \(identifier: tableName) VALUES (\(row))")
        }
        if definition.fails { throw Failure() }
    }
}

/// A module without arguments, which does nothing after the table was created.
private struct Plain: VirtualTableModule {
    let moduleName: String
    func makeTableDefinition(configuration: VirtualTableConfiguration) {}
    func moduleArguments(for definition: Void, in db: Database) -> [String] { [] }
}

@Suite struct SchemaVirtualTableTests {
    @Test
    func `A virtual table is created from SQL`() throws {
        try withEmptyDatabase { db throws in
            let sql = try db.statements {
                try db.create(virtualTable: "document", using: "fts5(title, body, tokenize = 'porter')")
                try db.create(virtualTable: "document", ifNotExists: true, using: "fts5(other)")
                try db.create(virtualTable: "document", options: [.ifNotExists, .temporary], using: "fts5(other)")
            }.filter { $0.hasPrefix("CREATE VIRTUAL") }
            #expect(
                sql == [
                    #"CREATE VIRTUAL TABLE "document" USING fts5(title, body, tokenize = 'porter')"#,
                    #"CREATE VIRTUAL TABLE IF NOT EXISTS "document" USING fts5(other)"#,
                    #"CREATE VIRTUAL TABLE IF NOT EXISTS "temp"."document" USING fts5(other)"#,
                ])
            #expect(try db.columns(in: "document", in: "main").map(\.name) == ["title", "body"])
            #expect(try db.columns(in: "document", in: "temp").map(\.name) == ["other"])
            try db.execute(sql: "INSERT INTO main.document VALUES ('a', 'running dogs')")
            #expect(try String.fetchAll(db, sql: "SELECT title FROM main.document WHERE document MATCH 'run'") == ["a"])
            try db.drop(table: "document")
            try db.drop(table: "document")
            #expect(try db.objectNames().isEmpty)
        }
    }

    @Test
    func `A virtual table is created from a definition`() throws {
        try withEmptyDatabase { db throws in
            let sql = try db.statements {
                try db.create(virtualTable: "a text", using: FullText()) { t in
                    #expect(t.configuration.options == [])
                    t.column("the \"body\"")
                    t.rows = ["running dogs", "sleeping cats"]
                }
            }
            let statements = sql.filter { $0.hasPrefix("CREATE") || $0.contains("SAVEPOINT") }
            #expect(
                statements == [
                    "SAVEPOINT strata", #"CREATE VIRTUAL TABLE "a text" USING fts5("the ""body""", tokenize = 'porter')"#,
                    #"CREATE TABLE "log" ("x")"#, "RELEASE SAVEPOINT strata",
                ])
            let matches = try String.fetchAll(db, sql: #"SELECT * FROM "a text" WHERE "a text" MATCH 'run'"#)
            #expect(matches == ["running dogs"])
            #expect(try db.tableExists("log"))
        }
    }

    @Test
    func `The module is notified of new tables only`() throws {
        try withEmptyDatabase { db throws in
            for _ in 1...2 {
                try db.create(virtualTable: "document", options: .ifNotExists, using: FullText()) { t in
                    #expect(t.configuration.options == .ifNotExists)
                    t.column("body")
                    t.rows = ["once"]
                }
            }
            try db.create(virtualTable: "document", ifNotExists: true, using: FullText()) { $0.column("body") }
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM document") == 1)
        }
    }

    @Test
    func `A temporary virtual table can have the name of another table`() throws {
        try withEmptyDatabase { db throws in
            try db.create(virtualTable: "document", using: "fts5(body)")
            try db.create(virtualTable: "document", options: [.temporary, .ifNotExists], using: FullText()) { t in
                t.column("body")
                t.rows = ["one"]
            }
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM temp.document") == 1)
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM main.document") == 0)
        }
    }

    @Test
    func `A module can have no arguments, and a name that needs quotes`() throws {
        try withEmptyDatabase { db throws in
            let sql = try db.statements { try db.create(virtualTable: "document", using: Plain(moduleName: "fts4")) }
            #expect(sql[1] == #"CREATE VIRTUAL TABLE "document" USING fts4"#)
            #expect(try db.columns(in: "document").map(\.name) == ["content"])

            let message = try db.message { try db.create(virtualTable: "t", using: Plain(moduleName: "no_module")) }
            #expect(message == "no such module: no_module")
            let error = #expect(throws: DatabaseError.self) {
                try db.create(virtualTable: "t", using: Plain(moduleName: "no \"module\""))
            }
            #expect(error?.sql == #"CREATE VIRTUAL TABLE "t" USING "no ""module""""#)
            #expect(error?.message == "no such module: no \"module\"")
            #expect(
                try db.message { try db.create(virtualTable: "t", using: "no_module(1)") } == "no such module: no_module")
        }
    }

    @Test
    func `An error at any step rolls back the creation of a virtual table`() throws {
        struct Failure: Error {}
        try withEmptyDatabase { db throws in
            #expect(throws: Failure.self) {
                try db.create(virtualTable: "document", using: FullText()) { t in
                    t.column("body")
                    throw Failure()
                }
            }
            #expect(throws: FullText.Failure.self) { try db.create(virtualTable: "document", using: FullText()) }
            #expect(throws: FullText.Failure.self) {
                try db.create(virtualTable: "document", using: FullText()) { t in
                    t.column("body")
                    t.rows = ["one"]
                    t.fails = true
                }
            }
            #expect(throws: DatabaseError.self) {
                try db.create(virtualTable: "document", using: FullText()) { $0.column("rank") }
            }
            #expect(try db.objectNames().isEmpty)
            try db.create(virtualTable: "document", using: FullText()) { $0.column("body") }
            #expect(
                try db.message { try db.create(virtualTable: "document", using: FullText()) { $0.column("body") } }
                    == #"table "document" already exists"#)
        }
    }
}
