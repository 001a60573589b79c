import Foundation
import Strata
import Testing

@Suite("Samples of the guide ComingFromSQLiteSwift")
struct ComingFromSQLiteSwiftGuideTests {
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
        func print(_ id: Int64, _ text: String) { printed.append("\(id) \(text)") }

        let queue = try DatabaseQueue(path: path)

        try queue.write { db in
            try db.create(table: "note", options: .ifNotExists) { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("text", .text).notNull()
                t.column("isDone", .boolean).notNull().defaults(to: false)
            }

            var note = Note(text: "Buy milk")
            try note.insert(db)
            try note.updateChanges(db) { $0.isDone = true }
        }

        let notes = try queue.read { db in
            try Note.filter { !$0.isDone }.order { $0.text }.fetchAll(db)
        }
        for note in notes {
            print(note.id ?? 0, note.text)
        }

        let deletedCount = try queue.write { db in
            try Note.filter { $0.isDone }.deleteAll(db)
        }
        #expect(printed == [])
        #expect(deletedCount == 1)
        try #expect(queue.read { try Note.fetchCount($0) } == 0)
        #expect(Date.fromDatabaseValue("2026-11-23T08:30:00.000".databaseValue) == Date(timeIntervalSince1970: 1_795_422_600))
    }
}
