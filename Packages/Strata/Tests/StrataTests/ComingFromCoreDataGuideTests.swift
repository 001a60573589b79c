import Foundation
import Strata
import Testing

@Suite("Samples of the guide ComingFromCoreData")
struct ComingFromCoreDataGuideTests {
    struct Note: Codable, FetchableRecord, MutablePersistableRecord {
        var id: Int64?
        var text: String
        var isDone = false

        enum Columns {
            static let text = Column(CodingKeys.text)
            static let isDone = Column(CodingKeys.isDone)
        }

        mutating func didInsert(_ inserted: InsertionSuccess) {
            id = inserted.rowID
        }
    }

    @Test("The program writes a note, finishes it, and deletes it")
    func program() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("notes.sqlite")
        var printed: [String] = []
        func print(_ text: String) { printed.append(text) }

        var migrator = DatabaseMigrator()
        migrator.registerMigration("Create note") { db in
            try db.create(table: "note") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("text", .text).notNull()
                t.column("isDone", .boolean).notNull().defaults(to: false)
            }
        }
        let queue = try DatabaseQueue(path: path)
        try migrator.migrate(queue)

        var note = Note(text: "Buy milk")
        try queue.write { db in try note.insert(db) }

        note.isDone = true
        try queue.write { db in try note.update(db) }

        let open = try queue.read { db in
            try Note.filter { !$0.isDone }.order { $0.text }.fetchAll(db)
        }
        for note in open {
            print(note.text)
        }

        let deletedCount = try queue.write { db in
            try Note.filter { $0.isDone }.deleteAll(db)
        }
        #expect(note.id == 1)
        #expect(printed == [])
        #expect(deletedCount == 1)
        try #expect(queue.read { try Note.fetchCount($0) } == 0)
    }
}
