import CSQLiteShims
import Foundation
import SQLiteDriver
import Testing

/// Random programs that begin, end and fail transactions in all ways, compared with a model after each step.
@Suite struct RandomTransactionTests {
    /// A row of `child` without a parent keeps the transaction from committing. Row 0 of `t` exists.
    private static let schema = """
        CREATE TABLE t (id INTEGER PRIMARY KEY, a);
        CREATE TABLE parent (id INTEGER PRIMARY KEY);
        CREATE TABLE child (id INTEGER PRIMARY KEY, p REFERENCES parent DEFERRABLE INITIALLY DEFERRED);
        CREATE TRIGGER rollback BEFORE INSERT ON t WHEN NEW.a = 'rollback' BEGIN SELECT RAISE(ROLLBACK, 'rolled back'); END;
        INSERT INTO t VALUES (0, NULL);
        """

    private enum Step {
        case begin, commit, rollback
        case savepoint(String), release(String), rollbackTo(String)
        /// Inserts the row, then fails if it says so, and keeps what that kind of failure keeps.
        case insert, insertOrphan, insertOrFail, insertOrAbort, insertOrRollback, raiseRollback, interrupt, changeSchema
        case transaction([Step], commits: Bool), guarded([Step], commits: Bool)
        /// Whether the observer refuses commits from here on.
        case refuse(Bool)

        func sql(_ id: Int) -> String? {
            switch self {
            case .begin: "BEGIN"
            case .commit: "COMMIT"
            case .rollback: "ROLLBACK"
            case .savepoint(let name): "SAVEPOINT \(name)"
            case .release(let name): "RELEASE \(name)"
            case .rollbackTo(let name): "ROLLBACK TO \(name)"
            case .insert: "INSERT INTO t VALUES (\(id), 1)"
            case .insertOrphan: "INSERT INTO child VALUES (\(id), 1)"
            case .insertOrFail: "INSERT OR FAIL INTO t VALUES (\(id), 1), (0, 1)"
            case .insertOrAbort: "INSERT INTO t VALUES (\(id), 1), (0, 1)"
            case .insertOrRollback: "INSERT OR ROLLBACK INTO t VALUES (\(id), 1), (0, 1)"
            case .raiseRollback: "INSERT INTO t VALUES (\(id), 1), (\(id + 1), 'rollback')"
            case .interrupt: "INSERT INTO t SELECT \(id), interrupt() UNION ALL SELECT \(id + 1), 1"
            case .changeSchema: "CREATE TABLE new\(id) (a)"
            case .transaction, .guarded, .refuse: nil
            }
        }

        static func random(_ random: inout SeededGenerator, depth: Int = 0) -> Step {
            let name = ["a", "b", "A"].randomElement(using: &random)!
            func steps() -> [Step] { (0..<Int.random(in: 1...6, using: &random)).map { _ in .random(&random, depth: depth + 1) } }
            switch Int.random(in: 0..<(depth == 0 ? 24 : 21), using: &random) {
            case 0...1: return .begin
            case 2: return .commit
            case 3: return .rollback
            case 4...6: return .savepoint(name)
            case 7: return .release(name)
            case 8...9: return .rollbackTo(name)
            case 10...13: return .insert
            case 14: return .insertOrphan
            case 15: return .insertOrFail
            case 16: return .insertOrAbort
            case 17: return [.insertOrRollback, .raiseRollback].randomElement(using: &random)!
            case 18: return .interrupt
            case 19: return .changeSchema
            case 20: return .refuse(Bool.random(using: &random))
            case 21...22: return .transaction(steps(), commits: Bool.random(using: &random))
            default: return .guarded(steps(), commits: Bool.random(using: &random))
            }
        }
    }

    private struct Model {
        enum Scope { case none, closure, guarded }
        struct Rows: Equatable { var ids: Set<Int> = [], orphans = 0, tables = 0 }

        var rows = Rows()
        /// For each open BEGIN and savepoint, the rows when it began.
        var open: [(name: String?, rows: Rows)] = []
        var scope = Scope.none
        var hasFailed = false
        /// Whether there is an observer, which may refuse commits.
        let isObserved: Bool
        var refuses = false
        var commits: [Set<Int>] = []

        init(isObserved: Bool) { self.isObserved = isObserved }

        mutating func undo() { (rows, open) = (open.first?.rows ?? rows, []) }

        mutating func commit(from old: Rows) -> Bool {
            if rows.orphans > old.orphans { return false }
            let new = rows.ids.subtracting(old.ids)
            open = []
            if refuses, !new.isEmpty {
                rows = old
                if scope != .none { hasFailed = true }
                return false
            }
            if scope != .none { hasFailed = true }
            if !new.isEmpty { commits.append(new) }
            return true
        }

        /// Returns whether the step succeeds.
        mutating func run(_ step: Step, id: Int) -> Bool {
            if hasFailed {
                switch step {
                case .rollback where scope != .guarded: hasFailed = scope != .none; return false
                case .refuse: break
                default: return false
                }
            }
            switch step {
            case .refuse(let refuses): self.refuses = refuses && isObserved
            case .begin, .commit, .rollback: if scope == .guarded { return false }
            default: break
            }
            switch step {
            case .refuse: return true
            case .transaction(let steps, let commits), .guarded(let steps, let commits):
                guard run(.begin, id: id) else { return false }
                if case .guarded = step { scope = .guarded } else { scope = .closure }
                for (index, step) in steps.enumerated() { _ = run(step, id: id + 1 + 2 * index) }
                let isUnfinished = scope == .guarded && open.count > 1
                scope = .none
                defer { (hasFailed, _) = (false, undo()) }
                if hasFailed { return !commits }
                return !isUnfinished && (!commits || commit(from: open[0].rows))
            case .begin:
                if !open.isEmpty { return false }
                open = [(nil, rows)]
                return true
            case .commit: return open.first.map { commit(from: $0.rows) } ?? false
            case .rollback:
                defer { undo() }
                if scope != .none, !open.isEmpty { hasFailed = true }
                return !open.isEmpty
            case .savepoint(let name): open.append((name.lowercased(), rows)); return true
            case .release(let name), .rollbackTo(let name):
                guard let index = open.lastIndex(where: { $0.name == name.lowercased() }) else { return false }
                if case .release = step {
                    if index == 0 { return commit(from: open[0].rows) }
                    open.removeSubrange(index...)
                } else {
                    rows = open[index].rows
                    open.removeSubrange((index + 1)...)
                }
                return true
            default: break
            }
            let old = rows
            switch step {
            case .insert, .insertOrFail: rows.ids.insert(id)
            case .insertOrphan: rows.ids.insert(id); rows.orphans += 1
            case .insertOrAbort: return false
            case .changeSchema: rows.tables += 1
            default:
                // SQLite rolls back.
                hasFailed = !open.isEmpty
                undo()
                return false
            }
            if open.isEmpty, !commit(from: old) { rows = old; return false }
            if case .insertOrFail = step { return false }
            return true
        }
    }

    private final class Observer: TransactionObserver {
        var refuses = false
        var commits: [Set<Int>] = []
        private var changes: Set<Int> = []

        struct Refusal: Error {}

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
            if case .insert(let table) = eventKind { table == "t" || table == "child" } else { false }
        }

        func databaseDidChange(with event: DatabaseEvent) { changes.insert(Int(event.rowID)) }

        func databaseWillCommit() throws { if refuses, !changes.isEmpty { throw Refusal() } }

        func databaseDidCommit(_ db: Database) {
            if !changes.isEmpty { commits.append(changes) }
            changes = []
        }

        func databaseDidRollback(_ db: Database) { changes = [] }
    }

    /// Runs a step, and returns whether it succeeds.
    private func run(_ step: Step, id: Int, _ observer: Observer, _ db: Database) -> Bool {
        func run(_ steps: [Step]) {
            for (index, step) in steps.enumerated() { _ = self.run(step, id: id + 1 + 2 * index, observer, db) }
        }
        do {
            switch step {
            case .refuse(let refuses): observer.refuses = refuses
            case .transaction(let steps, let commits):
                try db.inTransaction {
                    run(steps); return commits ? .commit : .rollback
                }
            case .guarded(let steps, let commits):
                try db.inGuardedTransaction {
                    run(steps); return commits ? .commit : .rollback
                }
            default: try db.execute(sql: step.sql(id) ?? "")
            }
            return true
        } catch {
            return false
        }
    }

    private static let programCount = ProcessInfo.processInfo.environment["STRATA_TRANSACTIONS"].flatMap { UInt64($0) } ?? 150

    @Test(arguments: 1...programCount, [false, true])
    func `A transaction does what a model says`(_ seed: UInt64, _ isObserved: Bool) throws {
        var random = SeededGenerator(seed: seed)
        let queue = try DatabaseQueue()
        let observer = Observer()
        var model = Model(isObserved: isObserved)
        var program: [Step] = []
        try? queue.writeWithoutTransaction { db in
            db.add(
                function: DatabaseFunction("interrupt", argumentCount: 0) { [weak queue] _ in
                    queue?.interrupt()
                    return 1
                })
            try db.execute(sql: Self.schema)
            if isObserved { db.add(transactionObserver: observer) }
            // Not a statement of the connection, which would throw after a failure.
            var statement: SQLiteStatement?
            sqlite3_prepare_v2(db.sqliteConnection, Self.rowsSQL, -1, &statement, nil)
            defer { sqlite3_finalize(statement) }
            for index in 1...30 {
                let step = Step.random(&random)
                program.append(step)
                let expected = model.run(step, id: index * 100)
                try #require(run(step, id: index * 100, observer, db) == expected, "\(program)")
                try #require(db.isInsideTransaction == !model.open.isEmpty, "\(program)")
                // An interruption also concerns this statement, until another one begins.
                if let rows = rows(statement) { try #require(rows == model.rows, "\(program)") }
                if isObserved { try #require(observer.commits == model.commits, "\(program)") }
            }
        }
        model.undo()
        try queue.read { db in
            let statement = try db.makeStatement(sql: Self.rowsSQL)
            #expect(rows(statement.sqliteStatement) == model.rows, "\(program)")
        }
    }

    private static let rowsSQL = """
        SELECT (SELECT group_concat(id) FROM (SELECT id FROM t WHERE id > 0 UNION ALL SELECT id FROM child)),
            (SELECT count(*) FROM child), (SELECT count(*) FROM sqlite_master WHERE name LIKE 'new%')
        """

    private func rows(_ statement: SQLiteStatement?) -> Model.Rows? {
        defer { sqlite3_reset(statement) }
        guard sqlite3_step(statement) == SQLITE_ROW else { return nil }
        let ids = sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? ""
        return Model.Rows(
            ids: Set(ids.split(separator: ",").compactMap { Int($0) }), orphans: Int(sqlite3_column_int(statement, 1)),
            tables: Int(sqlite3_column_int(statement, 2)))
    }
}
