import SQLiteDriver
import Testing

@Suite struct ForeignKeyViolationTests {
    private func makeQueue(publicArguments: Bool = false) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        configuration.publicStatementArguments = publicArguments
        let queue = try DatabaseQueue(configuration: configuration)
        try queue.writeWithoutTransaction { db in
            try db.execute(
                sql: #"""
                    CREATE TABLE team (id INTEGER PRIMARY KEY);
                    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, teamID INTEGER REFERENCES team, captain REFERENCES player (id));
                    CREATE TABLE "the ""badge""" (code TEXT PRIMARY KEY, "player id" REFERENCES player) WITHOUT ROWID;
                    INSERT INTO team VALUES (1);
                    INSERT INTO player VALUES (1, 'Arthur', 1, 1), (2, 'Barbara', 42, NULL), (3, 'Craig', NULL, 43);
                    """#)
        }
        return queue
    }

    private func all(_ violations: ForeignKeyViolationCursor) throws -> [ForeignKeyViolation] {
        var list: [ForeignKeyViolation] = []
        while let violation = try violations.next() { list.append(violation) }
        return list
    }

    @Test
    func `Violations are found`() throws {
        try makeQueue().read { db in
            let violations = try all(db.foreignKeyViolations())
            #expect(violations.map(\.originTable) == ["player", "player"])
            #expect(Set(violations.map(\.originRowID)) == [2, 3])
            #expect(Set(violations.map(\.destinationTable)) == ["team", "player"])
            for violation in violations {
                let key = try #require(try db.foreignKeys(on: "player").first { $0.id == violation.foreignKeyId })
                #expect(key.destinationTable == violation.destinationTable)
            }
            #expect(try all(db.foreignKeyViolations(in: "PLAYER")) == violations)
            #expect(try all(db.foreignKeyViolations(in: "player", in: "main")) == violations)
            #expect(try all(db.foreignKeyViolations(in: "team")) == [])
        }
    }

    @Test
    func `Violations are explained`() throws {
        try makeQueue().read { db in
            let violation = try #require(try all(db.foreignKeyViolations()).first { $0.originRowID == 2 })
            #expect(violation.description == "FOREIGN KEY constraint violation - from player to team")
            let sentence = "FOREIGN KEY constraint violation - from player(teamID) to team(id)"
            #expect(try violation.failureDescription(db) == sentence)
            let error = violation.databaseError(db)
            #expect(error.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
            #expect(error.message == sentence)
        }
    }

    @Test
    func `The row is shown when arguments are public`() throws {
        try makeQueue(publicArguments: true).read { db in
            let violation = try #require(try all(db.foreignKeyViolations()).first { $0.originRowID == 2 })
            #expect(
                try violation.failureDescription(db)
                    == "FOREIGN KEY constraint violation - from player(teamID) to team(id), in the row with id 2: "
                    + #"id: 2, name: "Barbara", teamID: 42, captain: NULL"#)
        }
    }

    @Test
    func `Rows without an ID are found`() throws {
        try makeQueue(publicArguments: true).writeWithoutTransaction { db in
            try db.execute(sql: #"INSERT INTO "the ""badge""" VALUES ('x', 9)"#)
            let violations = try all(db.foreignKeyViolations(in: "the \"badge\""))
            #expect(violations.count == 1)
            #expect(violations[0].originRowID == nil)
            #expect(
                try violations[0].failureDescription(db)
                    == "FOREIGN KEY constraint violation - from the \"badge\"(player id) to player(id)")
        }
    }

    @Test
    func `Missing tables are violations`() throws {
        try makeQueue().writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE orphan (rowid REFERENCES nowhere); INSERT INTO orphan VALUES (7)")
            let violation = try #require(try db.foreignKeyViolations(in: "orphan").next())
            #expect(violation.destinationTable == "nowhere")
            #expect(violation.databaseError(db).message?.contains("from orphan(rowid) to nowhere(rowid)") == true)
        }
    }

    @Test
    func `Checks throw the first violation`() throws {
        let queue = try makeQueue()
        try queue.writeWithoutTransaction { db in
            let error = expectError(.SQLITE_CONSTRAINT_FOREIGNKEY) { try db.checkForeignKeys() }
            #expect(error?.message?.hasPrefix("FOREIGN KEY constraint violation - from player(") == true)
            expectError(.SQLITE_CONSTRAINT_FOREIGNKEY) { try db.checkForeignKeys(in: "player") }
            try db.checkForeignKeys(in: "team")
            try db.execute(sql: "DELETE FROM player WHERE id > 1")
            try db.checkForeignKeys()
            try db.checkForeignKeys(in: "player", in: "main")
        }
    }

    @Test
    func `All databases are checked`() throws {
        let queue = try makeQueue(publicArguments: true)
        try queue.writeWithoutTransaction { db in
            try db.execute(
                sql: #"""
                    DELETE FROM player WHERE id > 1;
                    ATTACH ':memory:' AS "an ""other""";
                    CREATE TABLE "an ""other""".parent (k PRIMARY KEY);
                    CREATE TABLE "an ""other""".player (x REFERENCES parent);
                    INSERT INTO "an ""other""".player VALUES ('?');
                    CREATE TEMP TABLE parent (z PRIMARY KEY);
                    CREATE TEMP TABLE player (y REFERENCES parent);
                    INSERT INTO temp.player VALUES ('!');
                    """#)
            let violations = try all(db.foreignKeyViolations())
            #expect(violations.map(\.schemaID) == [.temp, .attached("an \"other\"")])
            #expect(try violations[0].failureDescription(db).hasSuffix(#"from player(y) to parent(z), in the row with id 1: y: "!""#))
            #expect(try violations[1].failureDescription(db).hasSuffix(#"from player(x) to parent(k), in the row with id 1: x: "?""#))
            // An unqualified name means the temporary table.
            #expect(try all(db.foreignKeyViolations(in: "player")) == [violations[0]])
            #expect(try all(db.foreignKeyViolations(in: "player", in: "AN \"OTHER\"")) == [violations[1]])
            try db.checkForeignKeys(in: "player", in: "main")
            expectError(.SQLITE_CONSTRAINT_FOREIGNKEY) { try db.checkForeignKeys() }
        }
    }

    @Test
    func `An error ends the violations`() throws {
        try makeQueue().writeWithoutTransaction { db in
            // The key of the referenced table is not unique, which SQLite notices only during the check.
            try db.execute(
                sql: """
                    CREATE TABLE parent (a);
                    CREATE TABLE child (a REFERENCES parent (a));
                    INSERT INTO child VALUES (1);
                    """)
            let violations = try db.foreignKeyViolations()
            var found = 0
            #expect(throws: DatabaseError.self) {
                while try violations.next() != nil { found += 1 }
            }
            #expect(try violations.next() == nil)
            #expect(try violations.next() == nil)
        }
    }
}
