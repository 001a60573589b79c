import Foundation
import Strata

/// Work on a database in steps, each of which happens completely or not at all.
public struct FaultScenario: Sendable, CustomStringConvertible {
    /// Does one step. It throws what Strata throws, or ``FaultCheck`` when it finds something wrong in memory.
    public typealias Step = @Sendable (any DatabaseWriter, FaultyFiles) throws -> Void

    /// The name, for messages.
    public let name: String
    var encoding = "UTF-8"
    let steps: [Step]

    /// The name.
    public var description: String { name }

    /// The scenario on a database whose strings SQLite converts.
    func inUTF16() -> FaultScenario {
        FaultScenario(name: name + " in UTF-16", encoding: "UTF-16", steps: steps)
    }

    /// Makes the database that the work begins with: teams and players, on some hundred pages.
    func prepare(_ writer: some DatabaseWriter) throws {
        try writer.writeWithoutTransaction { db in
            // Many small pages need many operations.
            try db.execute(sql: "PRAGMA encoding = \(encoding.quotedDatabaseIdentifier); PRAGMA page_size = 1024; VACUUM")
            try db.execute(
                sql: """
                    CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
                    CREATE TABLE member (
                        id INTEGER PRIMARY KEY, teamId INTEGER REFERENCES team ON DELETE CASCADE, name TEXT NOT NULL, score INTEGER NOT NULL);
                    CREATE INDEX member_on_teamId ON member(teamId);
                    CREATE TABLE word (w TEXT PRIMARY KEY, n INTEGER) WITHOUT ROWID;
                    INSERT INTO team WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 8)
                        SELECT i, 'team ' || i FROM n;
                    INSERT INTO member WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120)
                        SELECT i, 1 + i % 8, 'member ' || i || ' ' || hex(zeroblob(20)), i FROM n;
                    INSERT INTO word SELECT name, id FROM member WHERE id % 3 = 0;
                    """)
        }
    }

    /// All scenarios.
    public static let all = [
        sql, savepoints, records, records.inUTF16(), batches, prefetching, prefetching.inUTF16(), migrations, rebuild, maintenance, backup,
        observation, fullText, groups,
    ]

    // MARK: - The work

    private static let sql = FaultScenario(
        name: "SQL in transactions",
        steps: [
            { writer, _ in
                try writer.write { db in
                    // Too little memory for the changes: some are written before the commit.
                    try db.execute(sql: "PRAGMA cache_size = 5")
                    try db.execute(sql: "UPDATE member SET score = score + 1000, name = name || '!'")
                    try db.execute(sql: "INSERT INTO word VALUES ('new', 1), ('newer', 2)")
                    try db.execute(sql: "DELETE FROM team WHERE id = 3")
                }
            },
            { writer, _ in try writer.writeWithoutTransaction { db in try db.execute(sql: "DELETE FROM word WHERE n > 30") } },
            { writer, _ in try writer.write { db in try db.execute(sql: "CREATE TABLE t AS SELECT * FROM member; DROP TABLE word") } },
        ])

    private static let savepoints = FaultScenario(
        name: "savepoints",
        steps: [
            { writer, _ in
                try writer.write { db in
                    try db.execute(sql: "PRAGMA cache_size = 5; UPDATE member SET score = 1 WHERE id < 60")
                    try db.inSavepoint {
                        try db.execute(sql: "UPDATE member SET score = 2, name = 'x' || name")
                        return .rollback
                    }
                    try db.inSavepoint {
                        try db.execute(sql: "INSERT INTO team VALUES (50, 'fifty')")
                        return .commit
                    }
                }
            }
        ])

    private static let records = FaultScenario(
        name: "records",
        steps: [
            { writer, _ in
                var team = Team(id: nil, name: "Reds")
                var member = Member(id: nil, teamId: nil, name: "Arthur", score: 1)
                do {
                    try writer.write { db in
                        try team.insert(db)
                        member.teamId = team.id
                        try member.insert(db)
                        try check(try Member.fetchOne(db, key: member.id) == member, "the record is not found")
                    }
                    try check(team.id == 9 && member.id == 121, "the records have other IDs")
                } catch {
                    // A record has an ID if its own insertion succeeded, and nothing else has changed.
                    try check(team.id == nil || team.id == 9, "the failed record has an ID of its own")
                    try check(member.id == nil || member.id == 121, "the failed record has an ID of its own")
                    try check(team.id != nil || member.id == nil, "a record has an ID without the one before it")
                    throw error
                }
            },
            { writer, _ in
                try writer.write { db in
                    var member = try Member.find(db, key: 7)
                    member.score = 70
                    try member.update(db)
                    member.name = "Seven"
                    try check(try member.updateChanges(db) { $0.score = 77 }, "nothing was changed")
                    try member.save(db)
                    var new = Member(id: 300, teamId: 1, name: "New", score: 0)
                    try new.upsert(db)
                    try check(try Member.deleteOne(db, key: 8), "nothing was deleted")
                    try check(try Member.filter { $0.score > 100 && $0.id < 200 }.deleteAll(db) > 0, "nothing was deleted")
                }
            },
        ])

    private static let batches = FaultScenario(
        name: "batches",
        steps: [
            { writer, _ in
                var members = (1...150).map { Member(id: nil, teamId: Int64($0 % 8 + 1), name: "batch \($0)", score: $0) }
                do {
                    try writer.write { db in try members.insertAll(db) }
                    try check(members.map(\.id) == (121...270).map { $0 }, "the records have other IDs")
                } catch {
                    for (index, member) in members.enumerated() {
                        try check(
                            member.id == nil || member.id == Int64(121 + index), "the failed record \(index) has the ID \(member.id ?? 0)")
                    }
                    throw error
                }
            },
            { writer, _ in
                try writer.write { db in
                    var members = try Member.filter { $0.id > 50 }.fetchAll(db)
                    for index in members.indices { members[index].score *= 2 }
                    try members.updateAll(db)
                }
            },
        ])

    private static let prefetching = FaultScenario(
        name: "prefetched associations",
        steps: [
            { writer, _ in
                let teams = try writer.read { db in
                    try db.execute(sql: "PRAGMA cache_size = 5")
                    return try TeamWithMembers.fetchAll(db, Team.including(all: Team.members).orderByPrimaryKey())
                }
                try check(teams.count == 8, "there are \(teams.count) teams")
                try check(teams.map(\.members.count).reduce(0, +) == 120, "members are missing")
                try check(teams.allSatisfy { team in team.members.allSatisfy { $0.teamId == team.team.id } }, "members are in other teams")
                for team in teams {
                    try check(team.team.name == "team \(team.team.id ?? 0)", "the team \(team.team.id ?? 0) is \(team.team.name)")
                    for member in team.members {
                        let name = "member \(member.id ?? 0) \(String(repeating: "00", count: 20))"
                        try check(member.name == name && member.score == member.id.map { Int($0) }, "the member is \(member)")
                    }
                }
            }
        ])

    private static let migrations = FaultScenario(
        name: "migrations",
        steps: ["a", "b", "c"].map { last in { writer, _ in try migrator.migrate(writer, upTo: last) } })

    private static let migrator = {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("a") { db in try db.execute(sql: "CREATE TABLE a AS SELECT * FROM member") }
        migrator.registerMigration("b") { db in
            try db.rebuild(table: "team") { t in
                t.primaryKey("id", .integer)
                t.column("name", .text).notNull().unique()
                t.column("rank", .integer).notNull().defaults(to: 1)
            }
        }
        migrator.registerMigration("c", foreignKeyChecks: .immediate) { db in
            try db.execute(sql: "DELETE FROM team WHERE id > 4; ALTER TABLE member RENAME COLUMN name TO fullName")
        }
        return migrator
    }()

    private static let rebuild = FaultScenario(
        name: "a rebuilt table",
        steps: [
            { writer, _ in
                try writer.writeWithoutTransaction { db in
                    try db.rebuild(table: "member", options: .strict) { t in
                        t.primaryKey("id", .integer)
                        t.column("teamId", .integer).references("team", onDelete: .cascade)
                        t.column("name", .text).notNull()
                        t.column("score", .integer).notNull()
                    }
                }
            }
        ])

    private static let backup = FaultScenario(
        name: "a backup",
        steps: [
            { writer, files in
                let destination = try DatabaseQueue(path: files.uri("backup"))
                try writer.backup(to: destination)
                let (copy, original) = (try destination.read(contents), try writer.read(contents))
                try check(copy == original, "the copy contains \(copy)")
                try destination.close()
            }
        ])

    private static let maintenance = FaultScenario(
        name: "vacuum and checkpoints",
        steps: [
            { writer, _ in try writer.writeWithoutTransaction { db in try db.execute(sql: "DELETE FROM member WHERE id % 2 = 0") } },
            { writer, _ in try writer.vacuum() },
            { writer, _ in try writer.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) } },
        ])
}

// MARK: - Records

private struct Team: Codable, Equatable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var name: String

    static let members = hasMany(Member.self)

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

private struct Member: Codable, Equatable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var teamId: Int64?
    var name: String
    var score: Int

    enum Columns {
        static let id = Column(CodingKeys.id)
        static let score = Column(CodingKeys.score)
    }

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

private struct TeamWithMembers: Decodable, FetchableRecord {
    var team: Team
    var members: [Member]
}
