import Testing

/// A way to change a database, and a query whose result it changes.
struct ObservedChange: Sendable, CustomTestStringConvertible {
    let query: String
    let sql: String
    var testDescription: String { sql }

    /// Whether the change is one of the table `other.score`.
    var needsAttachedDatabase: Bool { sql.contains("other.") }

    init(_ query: String, _ sql: String) {
        self.query = query
        self.sql = sql
    }

    static let all = [
        ObservedChange("SELECT name FROM player ORDER BY id", "INSERT INTO player (name) VALUES ('Craig')"),
        ObservedChange("SELECT CAST(count(*) AS TEXT) FROM player", "INSERT INTO player (name) VALUES ('Craig')"),
        ObservedChange("SELECT name FROM player ORDER BY id", "UPDATE player SET name = 'Craig' WHERE id = 1"),
        ObservedChange("SELECT name FROM player WHERE id = 2", "UPDATE player SET id = 3 WHERE id = 2"),
        ObservedChange("SELECT name FROM player ORDER BY id", "DELETE FROM player WHERE id = 1"),
        // Truncation.
        ObservedChange("SELECT name FROM player ORDER BY id", "DELETE FROM player"),
        ObservedChange("SELECT name FROM player ORDER BY id", "REPLACE INTO player (id, name) VALUES (1, 'Craig')"),
        ObservedChange("SELECT name FROM player ORDER BY id", "UPDATE OR REPLACE player SET name = 'Barbara' WHERE id = 1"),
        // A foreign key with ON DELETE CASCADE, and a trigger.
        ObservedChange("SELECT name FROM member ORDER BY id", "DELETE FROM player WHERE id = 1"),
        ObservedChange("SELECT name FROM player ORDER BY id", "DELETE FROM team"),
        // WITHOUT ROWID.
        ObservedChange("SELECT b FROM pair ORDER BY a", "INSERT INTO pair VALUES ('c', 'd')"),
        ObservedChange("SELECT b FROM pair ORDER BY a", "UPDATE pair SET b = 'new'"),
        ObservedChange("SELECT b FROM pair ORDER BY a", "DELETE FROM pair"),
        // A virtual table.
        ObservedChange("SELECT text FROM note", "INSERT INTO note VALUES ('new')"),
        ObservedChange("SELECT CAST(count(*) AS TEXT) FROM note WHERE note MATCH 'first'", "UPDATE note SET text = 'second'"),
        // An attached database.
        ObservedChange("SELECT name FROM other.score", "INSERT INTO other.score VALUES ('new')"),
        // The schema.
        ObservedChange("SELECT name FROM names", "DROP VIEW names; CREATE VIEW names AS SELECT 'new' AS name"),
        ObservedChange("SELECT name FROM sqlite_master ORDER BY 1", "CREATE TABLE new (id INTEGER PRIMARY KEY)"),
        ObservedChange("SELECT * FROM names", "ALTER TABLE team RENAME TO club; UPDATE club SET name = 'new'"),
    ]

    /// The tables and views of the changes, but for `other.score`, of an attached database.
    static let schema = """
        CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
        CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
        CREATE TABLE member (id INTEGER PRIMARY KEY, name TEXT, player INTEGER REFERENCES player (id) ON DELETE CASCADE);
        INSERT INTO player (name) VALUES ('Arthur'), ('Barbara');
        INSERT INTO team (name) VALUES ('Red');
        INSERT INTO member (name, player) VALUES ('one', 1);
        CREATE TABLE pair (a TEXT PRIMARY KEY, b TEXT) WITHOUT ROWID;
        INSERT INTO pair VALUES ('a', 'b');
        CREATE VIRTUAL TABLE note USING fts4 (text);
        INSERT INTO note VALUES ('first');
        CREATE VIEW names AS SELECT name FROM team;
        CREATE TRIGGER no_team AFTER DELETE ON team BEGIN
            DELETE FROM member;
            UPDATE player SET name = 'no team ' || id;
        END;
        """
}
