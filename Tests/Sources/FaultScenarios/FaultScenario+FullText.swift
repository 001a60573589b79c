import Strata

extension FaultScenario {
    /// A full-text index that follows a table.
    static let fullText = FaultScenario(
        name: "full-text search",
        steps: [
            { writer, _ in
                try writer.write { db in
                    try db.execute(sql: "CREATE UNIQUE INDEX member_on_name ON member (lower(name))")
                    try db.create(virtualTable: "member_ft", using: FTS5()) { t in
                        t.synchronize(withTable: "member")
                        t.column("name")
                    }
                }
            },
            { writer, _ in
                try writer.write { db in
                    try db.execute(
                        sql: """
                            UPDATE member SET name = 'renamed ' || id WHERE id % 10 = 0; DELETE FROM member WHERE id % 10 = 1;
                            REPLACE INTO member (id, teamId, name, score) VALUES (200, 1, 'RENAMED 10', 1), (2, 1, 'replaced', 2);
                            """)
                }
            },
            { writer, _ in
                let ids = try writer.read { db in
                    try Int.fetchAll(db, sql: "SELECT rowid FROM member_ft WHERE member_ft MATCH 'renamed' ORDER BY rowid")
                }
                try check(ids == [20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120, 200], "the search finds \(ids)")
            },
            { writer, _ in
                try writer.write { db in
                    try FTS5Index("member_ft").optimize(db)
                    try FTS5Index("member_ft").rebuild(db)
                }
            },
            { writer, _ in try writer.write { db in try FTS5Index("member_ft").checkIntegrity(db) } },
        ])
}
