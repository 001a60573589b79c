import Persistence
import Testing

/// A record of the random programs.
private struct Entry: PersistableRecord, FetchableRecord, Equatable {
    var id: Int64
    var key: String
    var value: Int
    var isOpen: Bool
    /// Not encoded if it is nil, so that records have two layouts.
    var note: String?

    init(id: Int64, key: String, value: Int, isOpen: Bool, note: String?) {
        (self.id, self.key, self.value, self.isOpen, self.note) = (id, key, value, isOpen, note)
    }

    init(row: Row) throws {
        self.init(id: row["id"], key: row["key"], value: row["value"], isOpen: row["isOpen"], note: row["note"])
    }

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["key"] = key
        container["value"] = value
        container["isOpen"] = isOpen
        if let note { container["note"] = note }
    }

    var columns: [(name: String, literal: String)] {
        [("id", "\(id)"), ("key", "'\(key)'"), ("value", "\(value)"), ("isOpen", isOpen ? "1" : "0")]
            + (note.map { [("note", "'\($0)'")] } ?? [])
    }
}

/// The selection of a `RETURNING` clause, with a value.
private struct Raised: TableRecord, FetchableRecord {
    static let databaseTableName = "entry"
    static var databaseSelection: [any SQLSelectable] { [Column("id"), (Column("value") + 1000).forKey("raised")] }
    var id: Int64
    var raised: Int

    init(row: Row) throws { (id, raised) = (row["id"], row["raised"]) }
}

/// A kind of table: `rows` and `index` and `triggers`.
private struct TableKind: CustomTestStringConvertible {
    var options: String
    var index: String
    var triggers: String

    var testDescription: String { "\(options)\(index)\(triggers)" }
    var isPartial: Bool { index.contains("WHERE") }

    var sql: String {
        """
        CREATE TABLE entry (id INTEGER PRIMARY KEY, key TEXT NOT NULL, value INTEGER, isOpen BOOLEAN NOT NULL, note TEXT)\(options);
        CREATE TABLE log (text TEXT);
        \(index);
        \(triggers)
        """
    }

    static let all: [TableKind] = ["", " WITHOUT ROWID"].flatMap { options in
        ["CREATE UNIQUE INDEX keys ON entry (key)", "CREATE UNIQUE INDEX keys ON entry (key) WHERE isOpen"].flatMap { index in
            [
                "", "CREATE TRIGGER after AFTER UPDATE ON entry BEGIN INSERT INTO log VALUES ('updated'); END",
                "CREATE TRIGGER before BEFORE INSERT ON entry BEGIN INSERT INTO log VALUES ('inserting'); END",
                "CREATE TRIGGER change AFTER INSERT ON entry BEGIN UPDATE entry SET note = 'new' WHERE id = NEW.id; END",
            ].map { TableKind(options: options, index: index, triggers: $0) }
        }
    }
}

/// The clauses of an upsert, as the query interface and as SQL have them.
private struct Clauses {
    var strategy = UpsertUpdateStrategy.allColumns
    var overwritten: [String]
    var doUpdate: ((TableAlias<Entry>) -> [ColumnAssignment])?
    var assignments: [String] = []
    var condition: ((TableAlias<Entry>) -> any SQLExpressible)?
    var conditions: [String] = []

    init(_ record: Entry, _ random: inout SeededGenerator) {
        overwritten = record.columns.map(\.name).filter { $0 != "id" && $0 != "key" }
        switch Int.random(in: 0..<4, using: &random) {
        case 0: (strategy, overwritten) = (.columns(["value"]), ["value"])
        case 1: (strategy, overwritten) = (.noColumnUnlessSpecified, [])
        default: break
        }
        let step = Int.random(in: 1...3, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: (doUpdate, assignments) = ({ _ in [Column("value") += step] }, ["value = value + \(step)"])
        case 1: (doUpdate, assignments) = ({ _ in [Column("value").set(to: step)] }, ["value = \(step)"])
        case 2: (doUpdate, assignments) = ({ [Column("value").set(to: $0["value"] + step)] }, ["value = excluded.value + \(step)"])
        default: break
        }
        if !assignments.isEmpty { overwritten.removeAll { $0 == "value" } }
        let limit = Int.random(in: 0..<10, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: (condition, conditions) = ({ _ in Column("value") < limit }, ["value < \(limit)"])
        case 1: (condition, conditions) = ({ $0["value"] >= limit }, ["excluded.value >= \(limit)"])
        default: break
        }
        if Int.random(in: 0..<3, using: &random) == 0 {
            strategy = strategy.ifChanged
            let changes =
                assignments.map { $0.split(separator: " = ") }.map { "\($0[0]) IS NOT (\($0[1]))" }
                + overwritten.map { "\($0) IS NOT excluded.\($0)" }
            conditions.append(changes.isEmpty ? "0" : "(\(changes.joined(separator: " OR ")))")
        }
    }

    func sql(_ record: Entry, _ kind: TableKind) -> String {
        let names = record.columns.map(\.name).joined(separator: ", ")
        let values = record.columns.map(\.literal).joined(separator: ", ")
        var sets = assignments + overwritten.map { "\($0) = excluded.\($0)" }
        if sets.isEmpty { sets = ["value = value"] }
        return "INSERT INTO entry (\(names)) VALUES (\(values)) ON CONFLICT (key)\(kind.isPartial ? " WHERE isOpen" : "") "
            + "DO UPDATE SET \(sets.joined(separator: ", "))"
            + (conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))")
    }
}

extension Array where Element: MutablePersistableRecord {
    /// Calls the method of records that change.
    fileprivate func upsertAllInPlace(
        _ db: Database, _ target: [String], _ strategy: UpsertUpdateStrategy,
        _ doUpdate: ((TableAlias<Element>) -> [ColumnAssignment])?, where condition: ((TableAlias<Element>) -> any SQLExpressible)?
    ) throws {
        var records = self
        try records.upsertAll(db, onConflict: target, updating: strategy, doUpdate: doUpdate, where: condition)
    }
}

/// The ways to run an upsert.
private enum Way: CaseIterable {
    case upsert, outcome, all, outcomes, mutableAll, fetch, fetchOther
}

@Suite struct RandomUpsertTests {
    /// Each step runs on two databases: by the query interface, and as SQL with literal values.
    @Test(arguments: TableKind.all)
    fileprivate func `Random upserts write what their SQL writes, and report what it did, in each kind of table`(_ kind: TableKind) throws {
        var random = SeededGenerator(seed: 64)
        for _ in 0..<8 {
            try withDatabase(kind.sql) { db throws in
                try withDatabase(kind.sql) { reference throws in
                    for _ in 0..<40 { try run(Way.allCases.randomElement(using: &random)!, kind, db, reference, &random) }
                }
            }
        }
    }

    private func run(
        _ way: Way, _ kind: TableKind, _ db: Database, _ reference: Database, _ random: inout SeededGenerator
    ) throws {
        let entry = Entry(
            id: Int64.random(in: 1...30, using: &random), key: ["a", "b", "c"].randomElement(using: &random)!,
            value: Int.random(in: 0..<10, using: &random), isOpen: Bool.random(using: &random),
            note: [nil, "n"].randomElement(using: &random)!)
        let clauses = Clauses(entry, &random)
        let sql = clauses.sql(entry, kind)
        let count = try Int.fetchOne(reference, sql: "SELECT count(*) FROM entry")
        var expected: UpsertOutcome?
        do {
            try reference.execute(sql: sql)
            expected = reference.changesCount == 0 ? .unchanged : .updated
            if try Int.fetchOne(reference, sql: "SELECT count(*) FROM entry") != count { expected = .inserted }
        } catch is DatabaseError {}
        var outcome: UpsertOutcome?
        let (target, strategy) = (["key"], clauses.strategy)
        do {
            switch way {
            case .upsert:
                try entry.upsert(db, onConflict: target, updating: strategy, doUpdate: clauses.doUpdate, where: clauses.condition)
            case .outcome:
                outcome = try entry.upsertWithOutcome(
                    db, onConflict: target, updating: strategy, doUpdate: clauses.doUpdate, where: clauses.condition)
            case .all:
                try [entry].upsertAll(
                    db, onConflict: target, updating: strategy, doUpdate: clauses.doUpdate, where: clauses.condition)
            case .mutableAll:
                try [entry].upsertAllInPlace(db, target, strategy, clauses.doUpdate, where: clauses.condition)
            case .outcomes:
                outcome = try [entry].upsertAllWithOutcomes(
                    db, onConflict: target, updating: strategy, doUpdate: clauses.doUpdate, where: clauses.condition
                ).first
            case .fetch:
                let fetched = try entry.upsertAndFetch(
                    db, onConflict: target, updating: strategy, doUpdate: clauses.doUpdate, where: clauses.condition)
                #expect(try Entry.fetchOne(reference, sql: "SELECT * FROM entry WHERE id = ?", arguments: [fetched.id]) == fetched)
            case .fetchOther:
                let fetched = try entry.upsertAndFetch(
                    db, as: Raised.self, onConflict: target, updating: strategy, doUpdate: clauses.doUpdate, where: clauses.condition)
                #expect(
                    try Int.fetchOne(reference, sql: "SELECT value + 1000 FROM entry WHERE id = ?", arguments: [fetched.id])
                        == fetched.raised)
            }
            #expect(expected != nil, "\(sql)")
            if let outcome { #expect(outcome == expected, "\(sql)") }
        } catch let error as DatabaseError {
            #expect(error.resultCode == .SQLITE_CONSTRAINT && expected == nil, "\(way): \(sql): \(error)")
        }
        for select in ["SELECT * FROM entry ORDER BY id", "SELECT text, count(*) FROM log GROUP BY text ORDER BY text"] {
            let (rows, expectedRows) = (try Row.fetchAll(db, sql: select), try Row.fetchAll(reference, sql: select))
            try #require(rows == expectedRows, "\(way): \(sql)")
        }
    }
}
