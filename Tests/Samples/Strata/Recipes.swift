import Foundation
import Strata
import Testing

// sample: Delete rows so that they can be restored 2

// sample: Refuse updates of old copies 1

// sample: Delete rows so that they can be restored 4

// sample: Tag rows 2

// sample: Queue jobs for workers 2

// sample: Log all changes 5

@Suite(.page)
struct StrataRecipesSamples {
    // sample: Refuse updates of old copies 3

    // sample: Log all changes 1

    // sample: Log all changes 3

    // sample: Keep the revisions of a row 2

    // sample: Keep an order by hand 2

    // sample: Queue jobs for workers 4

    @Test
    func `Of two copies, the first one is saved`() throws {
        try DatabaseQueue().write { db in
            // sample: Refuse updates of old copies 2
            try Document(id: 1, title: "New").insert(db)
            var first = try Document.find(db, id: 1)
            var second = try JSONDecoder().decode(Document.self, from: JSONEncoder().encode(first))
            first.title = "Draft"
            second.title = "Other"
            try #expect(save(&first, in: db) == "saved")
            try #expect(save(&second, in: db) == "somebody else has changed the document")
            try #expect(Document.find(db, id: 1).title == "Draft")
        }
    }

    @Test
    func `Deleted rows are left out everywhere, and can be restored`() throws {
        try DatabaseQueue().write { db in
            // sample: Delete rows so that they can be restored 1
            var ada = Member(id: 1, email: "ada@example.com")
            try ada.insert(db)
            try Member(id: 2, email: "bob@example.com").insert(db)
            var hello = Remark(id: 1, memberId: 1, text: "hello")
            try hello.insert(db)
            try Remark(id: 2, memberId: 1, text: "bye").insert(db)
            try Remark(id: 3, memberId: 2, text: "hi").insert(db)
            try hello.softDelete(db)

            // sample: Delete rows so that they can be restored 3
            #expect(members.map(\.id) == [1, 2])
            #expect(remarks.map(\.id) == [2, 3])
            let live = Member.live.annotated(with: Member.remarks.count)
            let visible = Remark.live.joining(required: Remark.member)
            try #expect(Row.fetchAll(db, live).map { $0["remarkCount"] } == [1, 1])
            try #expect(Row.fetchAll(db, Member.including(all: Member.remarks)).map { $0.prefetchedRows["remarks"]?.count } == [1, 1])

            try ada.softDelete(db)
            try #expect(live.fetchAll(db).map(\.id) == [2])
            try #expect(visible.fetchAll(db).map(\.id) == [3])
            // Another member gets the address.
            var next = Member(id: 3, email: "ada@example.com")
            try #expect(next.upsertWithOutcome(db, onConflict: ["email"]) == .inserted)
            #expect(throws: DatabaseError.self) { try ada.restore(db) }
            try next.softDelete(db)
            ada.deletedAt = Date()
            try ada.restore(db)
            try hello.restore(db)
            try #expect(visible.fetchCount(db) == 3)

            try next.softDelete(db)
            try ada.softDelete(db)
            try #expect(Set(Member.trash.fetchAll(db).map(\.id)) == [1, 3])
            try db.execute(sql: "UPDATE member SET deletedAt = '2020-01-01 00:00:00.000' WHERE id = 1")
            // sample: Delete rows so that they can be restored 5
            #expect(count == 1)
            try #expect(Member.trash.fetchAll(db).map(\.id) == [3])
            try #expect(Remark.fetchAll(db).map(\.id) == [3])
        }
    }

    @Test
    func `Revisions are kept, and come back`() throws {
        try DatabaseQueue().write { db in
            // sample: Refuse updates of old copies 2
            // sample: Keep the revisions of a row 1
            var document = Document(id: 1, title: "0")
            try document.insert(db)
            try document.update(db)
            for number in 1...60 {
                document.title = "\(number)"
                try document.update(db)
            }
            func titles() throws -> [String] { try String.fetchAll(db, sql: "SELECT title FROM revision ORDER BY id DESC") }
            try #expect(titles() == (10...59).reversed().map { "\($0)" })
            let id = try #require(try Int64.fetchOne(db, sql: "SELECT id FROM revision WHERE title = '20'"))
            try restore(revision: id, in: db)
            try #expect(Document.find(db, id: 1).title == "20")
            try #expect(Document.find(db, id: 1).version == 1)
            try #expect(titles().prefix(2) == ["60", "59"])
            try document.delete(db)
            try #expect(titles().isEmpty)
        }
    }

    @Test
    func `Rows have tags`() throws {
        try DatabaseQueue().write { db in
            // sample: Refuse updates of old copies 2
            // sample: Tag rows 1
            for (id, tags) in [(1, ["urgent", "open"]), (2, ["open"]), (3, [])] as [(Int64, [String])] {
                let document = Document(id: id, title: "\(id)")
                try document.insert(db)
                for tag in tags + tags { try document.add(tag: tag, in: db) }
            }
            // sample: Tag rows 3
            #expect(urgent.map(\.id) == [1])
            #expect(cloud.map { "\($0["name"] as String) \($0["documentTagCount"] as Int)" }.sorted() == ["open 2", "urgent 1"])
            try #expect(Document.tagged(withAll: ["OPEN"]).fetchCount(db) == 2)
            let first = try #require(try Row.fetchOne(db, withTags.order(Column("id"))))
            #expect(first.prefetchedRows["tags"]?.map { $0["name"] } == ["open", "urgent"])
        }
    }

    @Test
    func `Rows keep the order that they are given`() throws {
        try DatabaseQueue().write { db in
            // sample: Keep an order by hand 1
            for id in 1...4 { try db.execute(sql: "INSERT INTO task VALUES (?, ?, ?)", arguments: [id, "task \(id)", id]) }
            // sample: Keep an order by hand 3
            #expect(titles == ["task 2", "task 1", "task 3", "task 4"])
            // More moves to the same place than a double has digits, and random moves.
            var order: [Int64] = [2, 1, 3, 4]
            for round in 0..<500 {
                let id = order[round < 200 ? 3 : Int.random(in: 0..<4)]
                order.removeAll { $0 == id }
                let index = round < 200 ? 1 : Int.random(in: 0...3)
                try moveTask(id, after: index == 0 ? nil : order[index - 1], in: db)
                order.insert(id, at: index)
                try #expect(Int64.fetchAll(db, sql: "SELECT id FROM task ORDER BY position") == order)
            }
        }
    }

    @Test
    func `Triggers log all changes`() throws {
        try DatabaseQueue().write { db in
            // sample: Refuse updates of old copies 2
            // sample: Log all changes 2
            try db.execute(sql: "DELETE FROM document")
            let rows = try Row.fetchAll(db, sql: "SELECT event, oldValues, newValues FROM changeLog WHERE tableName = 'document'")
            let (draft, final) = (
                #"{"id":"1","title":"'Draft'","version":"0"}"#, #"{"id":"1","title":"'Final'","version":"0"}"#
            )
            #expect(rows.map { $0["event"] } == ["INSERT", "UPDATE", "DELETE"])
            #expect(rows.map { $0["oldValues"] } == [nil, draft, final])
            #expect(rows.map { $0["newValues"] } == [draft, final, nil])
            #expect(log.count == 2)
            struct Refused: Error {}
            try db.execute(sql: "INSERT INTO document (id, title) VALUES (1, 'Draft')")
            // sample: Log all changes 6
            #expect(throws: Refused.self) {
                try db.asActor("bob") {
                    try db.execute(sql: "UPDATE document SET title = 'Refused'")
                    throw Refused()
                }
            }
            try db.execute(sql: "UPDATE document SET title = 'Anonymous'")
            try #expect(db.asActor("eve") { try Int.fetchOne(db, sql: "DELETE FROM document RETURNING id") } == 1)
            let actors = try String?.fetchAll(db, sql: "SELECT actor FROM changeLog ORDER BY id DESC LIMIT 4")
            #expect(actors == ["eve", nil, "ada", nil])
            // Names with quotes, and blobs.
            try db.execute(sql: #"CREATE TABLE "o'clock" ("it's" BLOB, "a""b")"#)
            try logChanges(of: "o'clock", in: db)
            try db.execute(sql: #"INSERT INTO "o'clock" VALUES (x'00ff', NULL)"#)
            try #expect(String.fetchOne(db, sql: "SELECT newValues ->> '$.it''s' FROM changeLog ORDER BY id DESC") == "X'00FF'")
            try #expect(String.fetchOne(db, sql: "SELECT tableName FROM changeLog ORDER BY id DESC") == "o'clock")

            // sample: Log all changes 4
            try db.execute(sql: "INSERT INTO document (id, title, language) VALUES (2, 'Neu', 'de')")
            try #expect(String.fetchOne(db, sql: "SELECT newValues ->> 'language' FROM changeLog ORDER BY id DESC") == "'de'")
            // Without the triggers, the column can go. Other triggers stay.
            try db.execute(sql: "CREATE TRIGGER document_log AFTER UPDATE ON document BEGIN SELECT 1; END")
            try stopLogging(of: "DOCUMENT", in: db)
            try db.alter(table: "document") { $0.drop(column: "language") }
            try stopLogging(of: "o'clock", in: db)
            try stopLogging(of: "document", in: db)
            try #expect(String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'trigger'") == ["document_log"])
        }
    }

    @Test
    func `A list is shown in pages`() throws {
        try DatabaseQueue().write { db in
            // sample: Refuse updates of old copies 2
            for (id, title) in ["Alpha", "Beta", "Gamma"].enumerated() { try Document(id: Int64(id + 1), title: title).insert(db) }
            // sample: Show a list in pages 1
            #expect(first.records.map(\.title) == ["Alpha", "Beta"])
            #expect(second.records.map(\.title) == ["Gamma"])
            #expect(second.next == nil)
            // sample: Show a list in pages 2
        }
    }

    @Test
    func `Dates in two forms are found, and get one`() throws {
        let queue = try DatabaseQueue()
        var migrator = DatabaseMigrator()
        migrator.registerMigration("Create message") { db in
            try db.execute(
                sql: """
                    CREATE TABLE message (id INTEGER PRIMARY KEY, createdAt DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP);
                    INSERT INTO message (createdAt) VALUES ('2026-11-28 10:00:00'), ('2026-11-28 10:00:00.000')
                    """)
        }
        try migrator.migrate(queue)
        // sample: Give dates one form 1
        #expect(findings.count == 1)
        // sample: Give dates one form 2
        try migrator.migrate(queue)
        try #expect(queue.verify([.dateForms]).isEmpty)
        try #expect(queue.read { try String.fetchSet($0, sql: "SELECT createdAt FROM message") } == ["2026-11-28 10:00:00"])
    }

    private struct Broken: Error {}

    /// A file with a table of jobs, and several pools that use it as several processes do.
    private func withJobs(
        poolCount: Int = 1, clock: @escaping @Sendable () -> Date = Date.init, _ body: ([DatabasePool]) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        var configuration = Configuration()
        configuration.transactionClock = .custom { _ in clock() }
        let pools = try (0..<poolCount).map { _ in try DatabasePool(path: folder.path("jobs.sqlite"), configuration: configuration) }
        try await pools[0].write { db in
            // sample: Queue jobs for workers 1
        }
        try await body(pools)
    }

    @Test
    func `A claim searches the index, and takes the most urgent due job`() async throws {
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let time = Locked(now)
        try await withJobs(clock: { time.value }) { pools in
            try await pools[0].write { db in
                try Job(task: "low", priority: .low, dueAt: now - 60).insert(db)
                try Job(task: "normal", dueAt: now - 10).insert(db)
                try Job(task: "earlier", dueAt: now - 20).insert(db)
                try Job(task: "later", priority: .urgent, dueAt: now + 1000).insert(db)
                // sample: Queue jobs for workers 3
                #expect(job?.task == "earlier")
                #expect(job?.attempts == 1)
                let due = Job.filter { Job.Priority.allCases.contains($0.priority) && $0.dueAt <= now }
                let plan = try due.order { [$0.priority, $0.dueAt] }.limit(1).explainQueryPlan(db).description
                #expect(plan.contains("SEARCH job USING INDEX index_job_on_priority_dueAt (priority=? AND dueAt<?)"))
                #expect(!plan.contains("B-TREE"))
            }
            time.withLock { $0 += 1 }
            try await pools[0].write { db in
                try #expect(Job.claim(db)?.task == "normal")
                try #expect(Job.claim(db)?.task == "low")
                try #expect(Job.claim(db) == nil)
            }
            // The lease has ended: another worker gets the job, and the first one can't finish it.
            let late = try await pools[0].read { try Job.find($0, key: 3) }
            time.withLock { $0 += 299 }
            try await pools[0].write { db in
                let other = try #require(try Job.claim(db))
                #expect(other.task == "earlier")
                #expect(other.attempts == 2)
                try late.finish(db)
                try late.fail(Broken(), db)
                try #expect(Job.find(db, key: 3).lastError == nil)
                try other.fail(Broken(), db)
                let failed = try Job.find(db, key: 3)
                #expect(failed.lastError == "Broken()")
                #expect(failed.dueAt == now + 320)
                try other.finish(db)
                try #expect(!Job.exists(db, key: 3))
                // Five attempts are enough.
                try Job(task: "bad", priority: .urgent, dueAt: now, attempts: 5).insert(db)
                try #expect(Job.claim(db) == nil)
            }
        }
    }

    @Test
    func `Workers of several pools run each job once`() async throws {
        try await withJobs(poolCount: 3) { pools in
            let ran = Collector<String>()
            let workers = (0..<12).map { index in
                Task { try await work(on: pools[index % 3]) { ran.append($0.task) } }
            }
            for number in 0..<200 {
                try await pools[number % 3].write { try Job(task: "\(number)", dueAt: .now).insert($0) }
            }
            while try await pools[0].read({ try Job.fetchCount($0) }) > 0 { try await Task.sleep(for: .milliseconds(5)) }
            for worker in workers {
                worker.cancel()
                await #expect(throws: CancellationError.self) { try await worker.value }
            }
            #expect(ran.all.count == 200)
            #expect(Set(ran.all).count == 200)
        }
    }

    @Test
    func `A cancelled worker finishes its job, and a failed job runs again`() async throws {
        try await withJobs { pools in
            try await pools[0].write { try Job(task: "long", dueAt: .now).insert($0) }
            let (begun, begin) = AsyncStream.makeStream(of: Void.self)
            let worker = Task {
                try await work(on: pools[0]) { _ in
                    begin.yield()
                    try await Task.sleep(for: .milliseconds(50))
                }
            }
            for await _ in begun { break }
            worker.cancel()
            await #expect(throws: CancellationError.self) { try await worker.value }
            try #expect(await pools[0].read { try Job.fetchCount($0) } == 0)

            try await pools[0].write { try Job(task: "bad", dueAt: .now).insert($0) }
            let second = Task { try await work(on: pools[0]) { _ in throw Broken() } }
            while try await pools[0].read({ try Job.fetchOne($0)?.lastError }) == nil { try await Task.sleep(for: .milliseconds(1)) }
            second.cancel()
            await #expect(throws: CancellationError.self) { try await second.value }
            let bad = try #require(try await pools[0].read { try Job.fetchOne($0) })
            #expect(bad.attempts == 1)
            #expect(bad.dueAt.timeIntervalSinceNow > 5)
        }
    }
}
