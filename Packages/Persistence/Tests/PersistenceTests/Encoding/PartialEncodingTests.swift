import Persistence
import Testing

/// Deletions and checks for existence encode only the primary key. The record can't observe the difference.
@Suite struct PartialEncodingTests {
    /// A record that does what a test wants while it is encoded.
    private struct Page: PersistableRecord {
        var number: Int64
        var title = "Of the beginning of all things"
        var length: Int? = 12
        var onEncode: (inout PersistenceContainer) throws -> Void = { _ in }

        func encode(to container: inout PersistenceContainer) throws {
            container["title"] = title
            container["number"] = number
            container["length"] = length
            try onEncode(&container)
        }
    }

    private final class Notes {
        var texts: [String] = []
        var containers: [PersistenceContainer] = []
    }

    /// A table of pages, of which one was deleted, so that there is a plan for the next one.
    private func withPages(_ body: (Database) throws -> Void) throws {
        try withDatabase("CREATE TABLE page (number INTEGER PRIMARY KEY, title TEXT, length INTEGER, note TEXT)") { db throws in
            for number in 1...5 { try Page(number: Int64(number)).insert(db) }
            #expect(try Page(number: 5, title: "Of an end that is not this one", length: 5).delete(db))
            #expect(try !Page(number: 5, title: "Of an end that is not this one", length: 5).exists(db))
            try body(db)
        }
    }

    private static let text = "title: 'Of the beginning of all things', number: 1, length: 12"

    @Test
    func `A record sees the values that it has set, in whatever way it looks`() throws {
        let notes = Notes()
        let looks: [(PersistenceContainer) -> String] = [
            { $0.text },
            { "\($0.count) \($0[0].1) \($0[2])" },
            { container in
                let title: String? = container["title"]
                let length: Int? = container[Column("LENGTH")]
                return "\(title ?? "NULL") \(length ?? -1)"
            },
            { container in
                let title: (any DatabaseValueConvertible)? = container["title"]
                return "\(title?.databaseValue ?? .null)"
            },
            { "\($0.databaseValue(forColumn: "Title")!) \($0.databaseValue(forColumn: "number")!)" },
            { "\($0.map(\.1))" },
        ]
        let expected = [
            Self.text, #"3 "Of the beginning of all things" ("length", 12)"#, "Of the beginning of all things 12",
            #""Of the beginning of all things""#, #""Of the beginning of all things" 1"#,
            #"["Of the beginning of all things", 1, 12]"#,
        ]
        try withPages { db throws in
            for (look, text) in zip(looks, expected) {
                notes.texts = []
                let page = Page(number: 1, onEncode: { notes.texts.append(look($0)) })
                let exists = try page.exists(db)
                let isDeleted = try page.delete(db)
                // The record is encoded once more for its values, which may ask it to look again.
                #expect(exists && isDeleted && Set(notes.texts) == [text])
                try Page(number: 1).insert(db)
            }
        }
    }

    @Test
    func `The record sees the values of the moment at which it looks`() throws {
        let notes = Notes()
        let page = Page(
            number: 1,
            onEncode: { container in
                notes.texts.append(container.text)
                container["length"] = 13
                notes.texts.append(container.text)
                container["note"] = "new"
                notes.texts.append(container.text)
            })
        let changed = Self.text.replacing("12", with: "13")
        try withPages { db throws in
            // The first record of this shape has no plan, the second has one.
            for _ in 1...2 {
                notes.texts = []
                let isDeleted = try page.delete(db)
                #expect(isDeleted)
                #expect(notes.texts.suffix(3) == [Self.text, changed, changed + ", note: 'new'"])
                try Page(number: 1).insert(db)
            }
        }
    }

    @Test
    func `A container that is kept has all values, and stays as it is`() throws {
        let notes = Notes()
        let keeps: [(inout PersistenceContainer) throws -> Void] = [
            { notes.containers.append($0) },
            { container in
                var copy = container
                copy["length"] = 14
                notes.containers.append(container)
                #expect(copy.text == Self.text.replacing("12", with: "14"))
            },
            { container in
                notes.containers.append(container)
                container["note"] = "new"
            },
            { container in
                notes.containers.append(container)
                container = PersistenceContainer()
                container["number"] = 1
            },
            { container in
                notes.containers.append(container)
                throw TestError()
            },
        ]
        try withPages { db throws in
            for (index, keep) in keeps.enumerated() {
                notes.containers = []
                let page = Page(number: 1, onEncode: keep)
                let isDeleted = try? page.delete(db)
                #expect(isDeleted == (index == 4 ? nil : true))
                for number in 2...3 {
                    let title = "Of what came then, which is another thing"
                    #expect(try Page(number: Int64(number), title: title, length: nil).exists(db))
                }
                let texts = notes.containers.map(\.text)
                #expect(!texts.isEmpty && Set(texts) == [Self.text])
                if index < 4 { try Page(number: 1).insert(db) }
            }
        }
    }

    @Test
    func `Another container may take the place of the given one`() throws {
        let page = Page(
            number: 1,
            onEncode: { container in
                container = PersistenceContainer()
                container["length"] = 1
                container["number"] = 2
            })
        try withPages { db throws in
            for _ in 1...2 {
                #expect(try page.delete(db))
                #expect(try db.rows("SELECT number FROM page ORDER BY number") == ["1", "3", "4"])
                try Page(number: 2).insert(db)
            }
        }
    }

    @Test
    func `Records of several shapes are deleted by their keys`() throws {
        try withPages { db throws in
            for number in 1...4 {
                let page = Page(number: Int64(number), onEncode: { if number % 2 == 0 { $0["note"] = "even" } })
                #expect(try page.exists(db))
                #expect(try page.delete(db))
                #expect(try !page.exists(db))
            }
            #expect(try db.rows("SELECT * FROM page") == [])
        }
    }

    @Test
    func `A record that is written after a deletion has all its values`() throws {
        try withPages { db throws in
            let title = "Of what came then, which is another thing"
            #expect(try Page(number: 1, title: title, length: 1).delete(db))
            try Page(number: 2, title: title, length: 2).update(db)
            #expect(try !Page(number: 1).exists(db))
            try Page(number: 1, title: "one", length: nil).insert(db)
            #expect(try Page(number: 3).delete(db))
            let old = Page(number: 4)
            #expect(try Page(number: 4, length: 4).updateChanges(db, from: old))
            #expect(try Page(number: 3).delete(db) == false)
            try Page(number: 3, title: "three", length: 3).save(db)
            #expect(
                try db.rows("SELECT number, title, length FROM page")
                    == [
                        "1 'one' NULL", "2 '\(title)' 2", "3 'three' 3", "4 'Of the beginning of all things' 4",
                    ])
        }
    }

    @Test
    func `Values that can't be stored matter in the primary key alone`() throws {
        struct Sheet: PersistableRecord {
            static let databaseTableName = "page"
            var number: UInt64
            var length: UInt64
            func encode(to container: inout PersistenceContainer) {
                container["number"] = number
                container["length"] = length
            }
        }
        try withPages { db throws in
            for number: UInt64 in 1...2 {
                // The first one makes the plan, the second finds it.
                #expect(try Sheet(number: number, length: .max).exists(db))
                #expect(throws: (any Error).self) { try Sheet(number: number, length: .max).update(db) }
                #expect(throws: (any Error).self) { try Sheet(number: .max, length: 1).delete(db) }
                #expect(throws: (any Error).self) { try Sheet(number: .max, length: 1).exists(db) }
                #expect(try Sheet(number: number, length: .max).delete(db))
            }
            #expect(try db.rows("SELECT number FROM page") == ["3", "4"])
        }
    }

    @Test
    func `An object is deleted by its key, too, and sees what it has set`() throws {
        final class Leaf: PersistableRecord {
            static let databaseTableName = "page"
            let number: Int64
            var seen = ""
            init(number: Int64) { self.number = number }
            func encode(to container: inout PersistenceContainer) {
                container["number"] = number
                container["title"] = "A leaf has a title of many letters"
                if number == 2 { seen = container.text }
            }
        }
        try withPages { db throws in
            for number: Int64 in 1...3 {
                let leaf = Leaf(number: number)
                #expect(try leaf.exists(db))
                #expect(try leaf.delete(db))
                #expect(leaf.seen == (number == 2 ? "number: 2, title: 'A leaf has a title of many letters'" : ""))
            }
            #expect(try db.rows("SELECT number FROM page") == ["4"])
        }
    }
}
