import Persistence
import Testing

@Suite struct UpdateVersionTests {
    struct Document: MutablePersistableRecord, FetchableRecord, Equatable {
        static let createTable = """
            CREATE TABLE document (id INTEGER PRIMARY KEY, title TEXT NOT NULL UNIQUE, version INTEGER NOT NULL DEFAULT 0)
            """
        var id: Int64
        var title: String
        var version = 0

        init(id: Int64, title: String) { (self.id, self.title) = (id, title) }
        init(row: Row) throws { (id, title, version) = (row["id"], row["title"], row["version"]) }
        func encode(to container: inout PersistenceContainer) {
            container["id"] = id
            container["title"] = title
            container["version"] = version
        }
    }

    @Test
    func `Of two updates of the same version, the second one throws an error of its own`() throws {
        try withDatabase(Document.createTable) { db throws in
            var first = Document(id: 1, title: "a")
            try first.insert(db)
            var second = try Document.find(db, key: 1)
            first.title = "b"
            try db.expect([#"UPDATE "document" SET "title" = 'b', "version" = "version" + 1 WHERE "id" = 1 AND "version" = 0"#]) {
                try first.update(db, version: \.version)
            }
            #expect(first.version == 1)
            #expect(try Document.find(db, key: 1) == first)
            second.title = "c"
            let copy = second
            let error = #expect(throws: RecordError.self) { try second.update(db, version: \.version) }
            #expect(error?.description == "the row in table document with this id has changed since it was read")
            #expect(error?.expandedDescription == "the row in table document with id = 1 has changed since it was read")
            if case .recordChanged("document", ["id": 1.databaseValue])? = error {} else { Issue.record("\(error as Any)") }
            #expect(second == copy)
            #expect(try Document.find(db, key: 1) == first)
            // The winner continues, and the loser, too, with the row as it is now.
            first.title = "d"
            try first.update(db, version: \.version)
            second = try Document.find(db, key: 1)
            second.title = "e"
            try second.update(db, version: \.version)
            #expect(second.version == 3)
            #expect(try db.rows("SELECT title, version FROM document") == ["'e' 3"])
        }
    }

    @Test(arguments: [false, true])
    func `Chosen columns are updated with the version, which others check`(_ hasColumns: Bool) throws {
        try withDatabase("CREATE TABLE document (id INTEGER PRIMARY KEY, title TEXT, note TEXT, version INTEGER)") { db throws in
            struct Document: PersistableRecord, Equatable {
                var id: Int64
                var title: String
                var note: String
                var version = 0

                func encode(to container: inout PersistenceContainer) {
                    container["id"] = id
                    container["title"] = title
                    container["note"] = note
                    container["version"] = version
                }
            }
            func update(_ document: inout Document, _ names: [String]) throws {
                if hasColumns {
                    let columns = names.map { Column($0) as any NamedColumn }
                    try document.update(db, version: \.version, columns: columns)
                } else {
                    try document.update(db, version: \.version, columns: names)
                }
            }
            var document = Document(id: 1, title: "a", note: "x")
            try document.insert(db)
            var other = document
            (document.title, document.note) = ("b", "y")
            try db.expect([#"UPDATE "document" SET "title" = 'b', "version" = "version" + 1 WHERE "id" = 1 AND "version" = 0"#]) {
                try update(&document, ["title"])
            }
            #expect(document == Document(id: 1, title: "b", note: "y", version: 1))
            #expect(try db.rows("SELECT * FROM document") == ["1 'b' 'x' 1"])
            // The version may be among the columns, and is no other column then.
            try update(&document, ["version", "NOTE"])
            #expect(try db.rows("SELECT * FROM document") == ["1 'b' 'y' 2"])
            try update(&document, [])
            #expect(try db.rows("SELECT * FROM document") == ["1 'b' 'y' 3"])
            // A change of another column counts, too.
            let before = other
            #expect(throws: RecordError.self) { try update(&other, ["note"]) }
            let missing = #expect(throws: DatabaseError.self) { try update(&document, ["body"]) }
            #expect(missing?.message == "column body can't be updated: the record of table document does not encode it")
            #expect(other == before && document.version == 3)
            #expect(try db.rows("SELECT * FROM document") == ["1 'b' 'y' 3"])
        }
    }

    @Test
    func `A missing row, a conflict, and a version that is missing or too large are other errors`() throws {
        try withDatabase(Document.createTable) { db throws in
            var document = Document(id: 1, title: "a")
            let missing = #expect(throws: RecordError.self) { try document.update(db, version: \.version) }
            #expect(missing?.description == "no row in table document with this id")
            try document.insert(db)
            _ = try Document(id: 2, title: "b").inserted(db)
            document.title = "b"
            let conflict = #expect(throws: DatabaseError.self) { try document.update(db, version: \.version) }
            #expect(conflict?.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE)
            #expect(document.version == 0)
            let column = #expect(throws: DatabaseError.self) { try document.update(db, version: \.version, column: "revision") }
            #expect(column?.message == "the record of table document does not encode revision, the column of its version")
            document.version = .max
            let large = #expect(throws: DatabaseError.self) { try document.update(db, version: \.version) }
            #expect(large?.message == "the version of a record of table document can't be incremented")
        }
    }

    @Test
    func `An update that a trigger or a conflict policy leaves out is an error, and the record keeps its version`() throws {
        struct Note: PersistableRecord, FetchableRecord, Equatable {
            static let databaseTableName = "document"
            static let persistenceConflictPolicy = PersistenceConflictPolicy(update: .ignore)
            var id: Int64
            var title: String
            var version = 0
            init(id: Int64, title: String) { (self.id, self.title) = (id, title) }
            init(row: Row) throws { (id, title, version) = (row["id"], row["title"], row["version"]) }
            func encode(to container: inout PersistenceContainer) {
                container["id"] = id
                container["title"] = title
                container["version"] = version
            }
        }
        try withDatabase(Document.createTable) { db throws in
            let message = "the update of a record of table document was left out by a trigger or by a conflict"
            var note = try Note(id: 1, title: "a").inserted(db)
            _ = try Note(id: 2, title: "b").inserted(db)
            let before = note
            note.title = "b"
            for columns in [nil, ["title"]] as [[String]?] {
                let error = #expect(throws: DatabaseError.self) {
                    if let columns {
                        try note.update(db, version: \.version, columns: columns)
                    } else {
                        try note.update(db, version: \.version)
                    }
                }
                #expect(error?.resultCode == .SQLITE_CONSTRAINT && error?.message == message)
                #expect(note.version == 0)
            }
            try db.execute(sql: "CREATE TRIGGER t BEFORE UPDATE ON document WHEN NEW.title = 'c' BEGIN SELECT RAISE(IGNORE); END")
            note.title = "c"
            let error = #expect(throws: DatabaseError.self) { try note.update(db, version: \.version) }
            #expect(error?.message == message)
            #expect(note.version == 0)
            #expect(try Note.fetchOne(db, key: 1) == before)
            // The next update finds the version that the record has.
            note.title = "d"
            try note.update(db, version: \.version)
            #expect(try Note.fetchOne(db, key: 1) == note)
            #expect(note.version == 1)
        }
    }

    @Test
    func `Other updates of the same type keep their statements`() throws {
        try withDatabase(Document.createTable) { db throws in
            var document = Document(id: 1, title: "a")
            try document.insert(db)
            for title in ["b", "c"] {
                document.title = title
                try document.update(db, version: \.version)
                document.title += "!"
                try document.update(db)
                try document.updateChanges(db) { $0.title += "?" }
            }
            #expect(document == (try Document.find(db, key: 1)))
            #expect(document.version == 2)
            #expect(document.title == "c!?")
        }
    }

    @Test
    func `A record is unchanged if the transaction of its update can't be committed`() throws {
        let queue = try DatabaseQueue()
        try queue.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    CREATE TABLE document (id INTEGER PRIMARY KEY, title TEXT REFERENCES other (name) DEFERRABLE INITIALLY DEFERRED,
                    version INTEGER);
                    CREATE TABLE other (name TEXT PRIMARY KEY);
                    INSERT INTO document VALUES (1, NULL, 0);
                    """)
            var document = Document(id: 1, title: "missing")
            #expect(throws: DatabaseError.self) { try document.update(db, version: \.version) }
            #expect(document.version == 0)
        }
    }
}
