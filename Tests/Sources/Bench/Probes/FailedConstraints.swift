import CSQLite
import Strata

/// The cost of errors for programs that insert and catch: the time of a failed statement beyond the C API's time, beside 60 other tables.
let failedConstraints = Probe(
    name: "failed-constraints", summary: "statements and commits that violate a constraint, beyond the C API"
) { rounds in
    let queue = try DatabaseQueue()
    let kinds = [
        ("NOT NULL", "INSERT INTO player (id, email, team, score) VALUES (NULL, 'b', 1, 10)"),
        ("UNIQUE", "INSERT INTO player (id, email, team, score, name) VALUES (NULL, 'a', 1, 10, 'b')"),
        ("PRIMARY KEY", "INSERT INTO player (id, email, team, score, name) VALUES (1, 'b', 1, 10, 'b')"),
        ("CHECK", "INSERT INTO player (id, email, team, score, name) VALUES (NULL, 'b', 1, -1, 'b')"),
        ("FOREIGN KEY", "INSERT INTO player (id, email, team, score, name) VALUES (NULL, 'b', 2, 10, 'b')"),
    ]
    return try queue.writeWithoutTransaction { (db) throws in
        try db.execute(sql: tables)
        var figures = try kinds.map { kind, sql in
            let statement = try db.makeStatement(sql: sql)
            let handle = statement.sqliteStatement
            return try figure(kind, rounds, 200) {
                if sqlite3_step(handle) & 0xFF != SQLITE_CONSTRAINT || sqlite3_reset(handle) & 0xFF != SQLITE_CONSTRAINT { fail(kind) }
            } throughStrata: {
                do {
                    try statement.execute()
                    fail(kind)
                } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {}
            }
        }
        let statements = try ["BEGIN IMMEDIATE", "INSERT INTO coach VALUES (NULL, 2)", "COMMIT", "ROLLBACK"].map {
            try db.makeStatement(sql: $0)
        }
        figures.append(
            try figure("COMMIT", rounds, 50) {
                let codes = statements.map { statement in
                    sqlite3_step(statement.sqliteStatement)
                    return sqlite3_reset(statement.sqliteStatement) & 0xFF
                }
                if codes != [SQLITE_OK, SQLITE_OK, SQLITE_CONSTRAINT, SQLITE_OK] { fail("COMMIT") }
            } throughStrata: {
                do {
                    try db.inTransaction(.immediate) {
                        try statements[1].execute()
                        return .commit
                    }
                    fail("COMMIT")
                } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {}
            })
        return figures
    }
}

/// Returns the median of the time of one failure beyond the time that it takes by hand, in alternating rounds.
private func figure(
    _ name: String, _ rounds: Int, _ count: Int, byHand: () throws -> Void, throughStrata: () throws -> Void
) throws -> Figure {
    let clock = ContinuousClock()
    func time(_ body: () throws -> Void) throws -> Double {
        try clock.measure { for _ in 0..<count { try body() } }.milliseconds * 1_000 / Double(count)
    }
    try throughStrata()
    let differences = try (0..<rounds).map { _ in -(try time(byHand)) + (try time(throughStrata)) }
    return Figure(name: name, value: differences.median, unit: "µs", atMost: 5)
}

private let tables =
    (1...60).map { "CREATE TABLE t\($0) (id INTEGER PRIMARY KEY, a NOT NULL UNIQUE, b REFERENCES t1 (id));\n" }.joined() + """
        CREATE TABLE team (id INTEGER PRIMARY KEY);
        CREATE TABLE player (
            id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, team INTEGER REFERENCES team, score INTEGER CHECK (score >= 0),
            name TEXT NOT NULL);
        CREATE TABLE coach (id INTEGER PRIMARY KEY, team INTEGER REFERENCES team DEFERRABLE INITIALLY DEFERRED);
        INSERT INTO team VALUES (1);
        INSERT INTO player VALUES (1, 'a', 1, 10, 'a');
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000) INSERT INTO coach SELECT i, 1 FROM n;
        """
