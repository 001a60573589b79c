import Foundation
import Strata
import Testing

// sample: Delete rows so that they can be restored 2

@Suite(.page)
struct StrataRecipesSamples {
    // sample: Refuse updates of old copies 1

    // sample: Refuse updates of old copies 3

    // sample: Log all changes 1

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
            // Names with quotes, and blobs.
            try db.execute(sql: #"CREATE TABLE "o'clock" ("it's" BLOB, "a""b")"#)
            try logChanges(of: "o'clock", in: db)
            try db.execute(sql: #"INSERT INTO "o'clock" VALUES (x'00ff', NULL)"#)
            try #expect(String.fetchOne(db, sql: "SELECT newValues ->> '$.it''s' FROM changeLog ORDER BY id DESC") == "X'00FF'")
            try #expect(String.fetchOne(db, sql: "SELECT tableName FROM changeLog ORDER BY id DESC") == "o'clock")
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
}
