import QueryInterface
import Testing

@Suite struct SchemaNameTests {
    @Test(arguments: oddSchemaNames)
    func `Tables, columns and indexes can have any name`(name: String) throws {
        try withEmptyDatabase { db throws in
            let other = name + "2"
            let quoted = [name].quoted
            let sql = try db.statements {
                try db.create(table: name) { t in
                    t.primaryKey(name, .integer)
                    t.column(other, .text).notNull().unique().check { $0 != "" }.defaults(to: name)
                    t.belongsTo(name)
                    t.uniqueKey([name, other])
                    t.foreignKey([other], references: name, columns: [other])
                    t.check(Column(name) > 0)
                }
                try db.create(index: other, on: name, columns: [other, name], condition: Column(name) > 1)
                try db.create(index: other + "3", on: name, expressions: [Column(other).desc])
            }
            #expect(sql[1].hasPrefix("CREATE TABLE \(quoted) (\(quoted) INTEGER PRIMARY KEY, \([other].quoted) TEXT NOT NULL"))
            #expect(sql[1].hasSuffix("CHECK (\(quoted) > 0))"))
            #expect(sql[4] == "CREATE INDEX \([other].quoted) ON \(quoted) (\([other, name].quoted)) WHERE \(quoted) > 1")

            let reference = try #require(try db.columns(in: name).last?.name)
            #expect(try db.columns(in: name).map(\.name) == [name, other, reference])
            #expect(try db.primaryKey(name).columns == [name])
            #expect(try db.foreignKeys(on: name).map(\.destinationTable) == [name, name])
            #expect(
                try Set(db.indexes(on: name).filter { $0.origin == .createIndex }.map(\.name))
                    == [other, other + "3", "\(name)_on_\(reference)"])

            try db.execute(literal: "INSERT INTO \(identifier: name) DEFAULT VALUES")
            let request = SQLRequest<String>(literal: "SELECT \(identifier: other) FROM \(identifier: name)")
            #expect(try request.fetchOne(db) == name)

            try db.create(view: name + " view", columns: [name], asLiteral: "SELECT \(identifier: name) FROM \(identifier: name)")
            #expect(try db.columns(in: name + " view").map(\.name) == [name])
            try db.drop(view: name + " view")

            try db.drop(index: other)
            try db.drop(indexOn: name, columns: [other])
            try db.alter(table: name) { t in
                t.add(column: "new " + name).indexed()
                t.rename(column: "new " + name, to: "newer " + name)
            }
            try db.drop(indexOn: name, columns: ["newer " + name])
            try db.alter(table: name) { $0.drop(column: "newer " + name) }
            try db.rename(table: name, to: other)
            #expect(try db.foreignKeys(on: other).map(\.destinationTable) == [other, other])
            try db.drop(table: other)
            #expect(try db.objectNames().isEmpty)
        }
    }

    @Test(arguments: oddSchemaNames)
    func `Virtual tables can have any name`(name: String) throws {
        try withEmptyDatabase { db throws in
            try db.create(virtualTable: name, using: "fts5(body)")
            #expect(try db.columns(in: name).map(\.name) == ["body"])
            try db.drop(table: name)
            #expect(try db.objectNames().isEmpty)
        }
    }

    @Test
    func `A dot separates names only after the name of a database`() throws {
        try withEmptyDatabase { db throws in
            let whole = try db.statement { try db.create(table: "other.player") { $0.column("a.b") } }
            #expect(whole == #"CREATE TABLE "other.player" ("a.b")"#)
            let parts = try db.statement { try db.create(table: "main.team") { $0.column("a.b") } }
            #expect(parts == #"CREATE TABLE "main"."team" ("a.b")"#)
            #expect(try db.objectNames() == ["other.player", "team"])
            // An existing object keeps its name.
            try db.execute(sql: #"CREATE TABLE "main.player" (a)"#)
            #expect(try db.statement { try db.drop(table: "main.player") } == #"DROP TABLE "main.player""#)
        }
    }

    @Test
    func `A name with a NUL character throws an error`() throws {
        try withEmptyDatabase { db throws in
            #expect(try db.message { try db.create(table: "a\0b") { $0.column("x") } } == "the SQL contains a NUL character")
            #expect(try db.objectNames().isEmpty)
        }
    }
}
