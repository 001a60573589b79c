import Strata

/// A database with the players that the samples speak of.
func makeDatabase() throws -> DatabaseQueue {
    let dbQueue = try DatabaseQueue()
    try dbQueue.write { db in
        try db.execute(
            sql: """
                CREATE TABLE player (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, score INTEGER NOT NULL DEFAULT 0);
                INSERT INTO player VALUES (1, 'Arthur', 100), (2, 'Barbara', 1200), (42, 'Craig', 1500);
                """)
    }
    return dbQueue
}
