import Persistence
import Testing

/// A record that is written and updated with columns that know the type of their values.
private struct Job: MutablePersistableRecord, FetchableRecord, Equatable {
    enum State: String, DatabaseValueConvertible { case queued, failed }

    enum Columns {
        static let id = TypedColumn<Int64>("id")
        static let state = TypedColumn<State>("state")
        static let attempts = TypedColumn<Int>("attempts")
    }

    static let databaseTableName = "job"

    var id: Int64?
    var state: State
    var attempts: Int

    init(id: Int64? = nil, state: State, attempts: Int) {
        self.id = id
        self.state = state
        self.attempts = attempts
    }

    init(row: Row) throws {
        id = try row.decode(forColumn: Columns.id)
        state = try row.decode(forColumn: Columns.state)
        attempts = row[Columns.attempts]
    }

    func encode(to container: inout PersistenceContainer) {
        container[Columns.id] = id
        container[Columns.state] = state
        container[Columns.attempts] = attempts
    }

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

@Suite("Records with typed columns")
struct TypedColumnTests {
    private static let creation = "CREATE TABLE job (id INTEGER PRIMARY KEY, state TEXT, attempts INTEGER)"

    @Test
    func `Containers and updates of some columns take typed columns, also with others`() throws {
        try withDatabase(Self.creation) { db in
            var job = Job(state: .queued, attempts: 0)
            try job.insert(db)
            job.attempts = 1
            try db.expect([#"UPDATE "job" SET "attempts" = 1 WHERE "id" = 1"#]) {
                try job.update(db, columns: [Job.Columns.attempts])
            }
            job.state = .failed
            try db.expect([#"UPDATE "job" SET "state" = 'failed', "attempts" = 1 WHERE "id" = 1"#]) {
                try job.update(db, columns: [Job.Columns.state, Job.Columns.attempts, Column("attempts")])
            }
            let columns: [any ColumnExpression] = [Column("attempts")]
            try job.update(db, columns: columns)
            try #expect(job.updateChanges(db) { $0.attempts = 2 })
            try #expect(Job.filter { $0.state == .failed && $0.attempts == 2 }.fetchAll(db) == [job])
        }
    }

    @Test
    func `Upserts assign to typed columns`() throws {
        try withDatabase(Self.creation) { db in
            var job = Job(id: 1, state: .queued, attempts: 1)
            try job.insert(db)
            job.state = .failed
            let stored = try job.upsertAndFetch(db, onConflict: ["id"]) { excluded in
                [Job.Columns.state.noOverwrite, Job.Columns.attempts.set(to: excluded[Job.Columns.attempts] + 1)]
            }
            #expect(stored == Job(id: 1, state: .queued, attempts: 2))
        }
    }

    /// A run of a job.
    private struct Run: TableRecord {
        enum Columns {
            static let id = TypedColumn<Int64>("id", of: Run.self)
            static let jobId = TypedColumn<Int64>("jobId", of: Run.self)
        }
    }

    @Test
    func `A page after a record is ordered by columns of its table, and not by columns of a joined table`() throws {
        try withDatabase(Self.creation + "; CREATE TABLE run (id INTEGER PRIMARY KEY, jobId INTEGER REFERENCES job)") { db in
            var jobs = [Job(state: .queued, attempts: 1), Job(state: .failed, attempts: 2)]
            for index in jobs.indices { try jobs[index].insert(db) }
            let attempts = TypedColumn<Int>("attempts", of: Job.self)
            try #expect(Job.all().page(after: jobs[0], by: [attempts]).fetchAll(db) == [jobs[1]])
            try #expect(Table<Job>("JOB").all().page(after: jobs[0], by: [attempts]).fetchAll(db) == [jobs[1]])
            let runs = Job.hasMany(Run.self)
            let request = Job.joining(required: runs).page(after: jobs[0], by: [Run.Columns.id])
            let error = #expect(throws: DatabaseError.self) { try request.fetchAll(db) }
            #expect(error?.message == "a page of job after a record is ordered by columns only")
            #expect(error?.advice == "Pass values for other terms instead of a record.")
        }
    }

    @Test
    func `A subquery of an upsert uses the columns of the table that is written`() throws {
        try withDatabase(Self.creation + "; CREATE TABLE run (id INTEGER PRIMARY KEY, jobId INTEGER REFERENCES job)") { db in
            var job = Job(id: 1, state: .queued, attempts: 1)
            try job.insert(db)
            try db.execute(sql: "INSERT INTO run VALUES (5, 1), (6, 1)")
            let (id, attempts) = (TypedColumn<Int64>("id", of: Job.self), TypedColumn<Int>("attempts", of: Job.self))
            let runs = Run.filter(Run.Columns.jobId == id).select(count(Run.Columns.id))
            let row = try job.upsertAndFetch(
                db, onConflict: ["id"],
                doUpdate: { excluded in
                    [attempts.set(to: attempts.sqlExpression + excluded[attempts].sqlExpression + runs.sqlExpression)]
                })
            #expect(row.attempts == 4)
        }
    }
}
