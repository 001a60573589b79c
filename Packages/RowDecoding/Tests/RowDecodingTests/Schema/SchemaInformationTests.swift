import RowDecoding
import Testing

/// The driver's descriptions of the schema, made of rows.
struct SchemaInformationTests {
    /// Accesses a database with a table of all kinds of columns.
    private func withTeams(_ body: (Database) throws -> Void) throws {
        try withDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE team (
                        country TEXT NOT NULL, id, name VARCHAR(10) DEFAULT 'Reds', letter AS (substr(name, 1, 1)),
                        PRIMARY KEY (id, country));
                    """)
            try body(db)
        }
    }

    @Test
    func `Columns are made of the rows of table_xinfo`() throws {
        try withTeams { db throws in
            let columns = try ColumnInfo.fetchAll(db, sql: "PRAGMA table_xinfo(team)")
            #expect(columns == (try db.columns(in: "team")))
            #expect(
                columns == [
                    ColumnInfo(
                        name: "country", type: "TEXT", isNotNull: true, defaultValueSQL: nil, primaryKeyIndex: 2,
                        isGenerated: false),
                    ColumnInfo(
                        name: "id", type: "", isNotNull: false, defaultValueSQL: nil, primaryKeyIndex: 1, isGenerated: false),
                    ColumnInfo(
                        name: "name", type: "VARCHAR(10)", isNotNull: false, defaultValueSQL: "'Reds'", primaryKeyIndex: 0,
                        isGenerated: false),
                    ColumnInfo(
                        name: "letter", type: "", isNotNull: false, defaultValueSQL: nil, primaryKeyIndex: 0,
                        isGenerated: true),
                ])
        }
    }

    @Test
    func `Columns are made of the rows of table_info, which knows no generated ones`() throws {
        try withTeams { db throws in
            let columns = try ColumnInfo.fetchAll(db, sql: "SELECT * FROM pragma_table_info('team')")
            #expect(columns == (try db.columns(in: "team").filter { !$0.isGenerated }))
        }
    }

    @Test
    func `A row of another query is not a column`() throws {
        let error = #expect(throws: RowDecodingError.self) { try ColumnInfo(row: ["name": "id", "type": nil]) }
        #expect(error?.column == "type")
    }

    /// Accesses a database with two rows that refer to nothing, one of which has no id.
    private func withViolations(_ body: (Database) throws -> Void) throws {
        try withDatabase { db in
            try db.execute(
                sql: """
                    PRAGMA foreign_keys = OFF;
                    CREATE TABLE team (id INTEGER PRIMARY KEY);
                    CREATE TABLE player (id INTEGER PRIMARY KEY, teamID INTEGER REFERENCES team);
                    CREATE TABLE member (id INTEGER PRIMARY KEY, teamID INTEGER REFERENCES team) WITHOUT ROWID;
                    INSERT INTO team VALUES (1);
                    INSERT INTO player VALUES (1, 1), (2, 42);
                    INSERT INTO member VALUES (1, 42);
                    """)
            try body(db)
        }
    }

    @Test
    func `Violations of foreign keys are made of the rows of foreign_key_check`() throws {
        try withViolations { db throws in
            let violations = try ForeignKeyViolation.fetchSet(db, sql: "PRAGMA foreign_key_check")
            #expect(
                violations == [
                    ForeignKeyViolation(originTable: "player", originRowID: 2, destinationTable: "team", foreignKeyId: 0),
                    ForeignKeyViolation(originTable: "member", originRowID: nil, destinationTable: "team", foreignKeyId: 0),
                ])
            for violation in violations {
                #expect(throws: DatabaseError.self) { throw violation.databaseError(db) }
            }
        }
        let error = #expect(throws: RowDecodingError.self) { try ForeignKeyViolation(row: ["table": "player"]) }
        #expect(error?.column == "parent")
    }

    @Test
    func `The violations of foreign keys are a cursor, with what cursors have`() throws {
        try withViolations { db throws in
            #expect(try Set(db.foreignKeyViolations().map(\.originTable)) == ["player", "member"])
            #expect(try db.foreignKeyViolations(in: "player").map { $0.originRowID }.first { _ in true } == 2)
            #expect(try db.foreignKeyViolations(in: "team").isEmpty)
            #expect(try AnyCursor(db.foreignKeyViolations()).reduce(0) { count, _ in count + 1 } == 2)
        }
    }
}
