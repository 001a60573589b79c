import Foundation
import Persistence
import Testing

/// A colour of four bytes, which are bound as they are.
private struct Colour: DatabaseValueConvertible, Equatable {
    var rgba: UInt32

    var databaseValue: DatabaseValue {
        DatabaseValue(storage: .blob(withUnsafeBytes(of: rgba) { Data($0) }))
    }

    static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Colour? {
        guard case .blob(let data) = dbValue.storage, data.count == 4 else { return nil }
        return Colour(rgba: data.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) })
    }

    func shortBinding() -> ShortBinding? {
        // Black has no bytes of its own: its value is asked for.
        rgba == 0 ? nil : .blob((UInt64(UInt32(littleEndian: rgba)).littleEndian, 0, 0, 0), count: 4)
    }
}

/// Values of few bytes lie in the slots of their columns.
private struct Note: MutablePersistableRecord, Equatable {
    static let databaseTableName = "note"

    var id: Int64?
    var date: Date?
    var token: UUID?
    var colour: Colour?
    var encodesTwice = false
    var seen: [String] = []

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["date"] = date
        container["token"] = token
        container["colour"] = colour
        if encodesTwice { container["token"] = container["token"] as UUID? }
    }

    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
        seen = inserted.persistenceContainer.map { "\($0.0): \($0.1.sqlLiteral)" }
    }
}

@Suite struct ShortValueTests {
    private static let schema = "CREATE TABLE note (id INTEGER PRIMARY KEY, date, token, colour)"

    private static let uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

    /// Notes that have and lack each value, in turn.
    private static let notes: [Note] = (0..<64).map { (index: Int) -> Note in
        var note = Note(encodesTwice: index / 16 % 2 == 1)
        if index % 2 == 0 { note.date = Date(timeIntervalSince1970: Double(index) * 86_400.5) }
        if index / 2 % 2 == 0 { note.token = uuid }
        if index / 4 % 2 == 0 { note.colour = Colour(rgba: UInt32(index % 16)) }
        return note
    }

    private func texts(_ note: Note) -> [String] {
        let values: [DatabaseValue] = [note.date.databaseValue, note.token.databaseValue, note.colour.databaseValue]
        return values.map(\.sqlLiteral)
    }

    private func text(_ note: Note) -> String { texts(note).joined(separator: " ") }

    @Test
    func `Values are written and seen as they are`() throws {
        try withDatabase(Self.schema) { db throws in
            for (index, note) in Self.notes.enumerated() {
                let inserted = try note.inserted(db)
                let names = ["date", "token", "colour"]
                let expected = zip(names, texts(note)).map { name, text in "\(name): \(text)" }
                #expect(inserted.seen == ["id: \(index + 1)"] + expected)
            }
            let rows = try db.rows("SELECT date, token, colour FROM note ORDER BY id")
            let expected = Self.notes.map { text($0) }
            #expect(rows == expected)
        }
    }

    @Test
    func `Updates write them too`() throws {
        try withDatabase(Self.schema) { db throws in
            var notes = Self.notes
            for index in notes.indices { try notes[index].insert(db) }
            let turned = zip(notes, notes.reversed()).map { note, other in
                var note = note
                (note.date, note.token, note.colour) = (other.date, other.token, other.colour)
                return note
            }
            for note in turned { try note.update(db) }
            let rows = try db.rows("SELECT date, token, colour FROM note ORDER BY id")
            let expected = turned.map { text($0) }
            #expect(rows == expected)
            for (note, old) in zip(turned, notes) {
                let changes = try note.databaseChanges(from: old)
                #expect(changes["date"] == (note.date == old.date ? nil : old.date.databaseValue))
                #expect(changes["token"] == (note.token == old.token ? nil : old.token.databaseValue))
            }
        }
    }

    @Test
    func `A container that is kept has its own`() throws {
        try withDatabase(Self.schema) { db throws in
            var kept: [PersistenceContainer] = []
            for note in Self.notes.prefix(8) {
                var container = PersistenceContainer()
                note.encode(to: &container)
                kept.append(container)
                container["date"] = Date(timeIntervalSince1970: 0)
                container["token"] = "none"
                let token = container["token"] as String?
                #expect(token == "none")
            }
            for (container, note) in zip(kept, Self.notes) {
                let (date, token, colour) = (container["date"] as Date?, container["token"] as UUID?, container["colour"] as Colour?)
                #expect(date == note.date)
                #expect(token == note.token)
                #expect(colour == note.colour)
            }
        }
    }

    @Test
    func `A value that claims more bytes than there is room for stops the program before they are read`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            struct Liar: DatabaseValueConvertible {
                var databaseValue: DatabaseValue { .null }
                static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Liar? { nil }
                func shortBinding() -> ShortBinding? { .blob((0, 0, 0, 0), count: 200) }
            }
            try withDatabase("CREATE TABLE sheet (a)") { db throws in
                // The second record has the columns of the first, and so writes its values directly to their places.
                for _ in 1...2 {
                    var sheet = Sheet(["a": Liar()])
                    try sheet.insert(db)
                }
            }
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("room for 32 bytes, not for 200"))
    }

    @Test
    func `A date that can't be stored, after one that can, is an error, and leaves nothing of the one before`() throws {
        try withDatabase(Self.schema) { db throws in
            var good = Note(date: Date(timeIntervalSince1970: 0), token: Self.uuid)
            var bad = Note(date: Date(timeIntervalSince1970: 1e15), token: Self.uuid)
            try good.insert(db)
            #expect(throws: DatabaseError.self) { try bad.insert(db) }
            bad.date = Date(timeIntervalSince1970: 1)
            try bad.insert(db)
            let rows = try db.rows("SELECT date FROM note ORDER BY id")
            #expect(rows == ["'1970-01-01 00:00:00.000'", "'1970-01-01 00:00:01.000'"])
        }
    }
}
