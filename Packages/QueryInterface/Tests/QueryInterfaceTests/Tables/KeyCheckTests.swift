import Foundation
import QueryInterface
import Testing

#if DEBUG
    /// Keys of another storage class than the stored ones, which debug builds refuse.
    @Suite struct KeyCheckTests {
        /// A record whose UUID is stored as 16 bytes, the default.
        private struct Note: FetchableRecord, TableRecord, Identifiable {
            let id: UUID
            init(row: Row) throws { id = try row.decode(forColumn: Column("id")) }
        }

        /// A record whose UUID is stored as a string.
        private struct Tag: FetchableRecord, TableRecord, Identifiable, ColumnValueEncoding {
            let id: UUID?
            init(row: Row) throws { id = try row.decode(forColumn: Column("id")) }

            static func databaseValue(of value: any DatabaseValueConvertible & Sendable, inColumn column: String) -> DatabaseValue? {
                (value as? UUID)?.uuidString.lowercased().databaseValue
            }
        }

        /// A key of a type of its own.
        private struct PageID: RawRepresentable, DatabaseValueConvertible, Hashable {
            let rawValue: Data
        }

        private struct Page: FetchableRecord, TableRecord, Identifiable {
            let id: PageID
            init(row: Row) throws { id = try row.decode(forColumn: Column("id")) }
        }

        /// A record whose id is not its key.
        private struct Country: FetchableRecord, TableRecord, Identifiable {
            let id = UUID()
            init(row: Row) {}
        }

        private struct Score: FetchableRecord, TableRecord, Identifiable {
            let id: Int64
            init(row: Row) throws { id = try row.decode(forColumn: Column("id")) }
        }

        /// A record whose key has another name than the id.
        private struct Device: FetchableRecord, TableRecord, Identifiable {
            let id: UUID
            init(row: Row) throws { id = try row.decode(forColumn: Column("key")) }
        }

        /// A record without an id.
        private struct Blob: FetchableRecord, TableRecord {
            init(row: Row) {}
        }

        private static let uuid = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!
        private static let schema = """
            CREATE TABLE note (id PRIMARY KEY, title TEXT UNIQUE);
            INSERT INTO note VALUES (x'e621e1f8c36c495a93fc0c247a3e6e5f', 'a');
            CREATE TABLE tag (id TEXT PRIMARY KEY);
            INSERT INTO tag VALUES ('e621e1f8-c36c-495a-93fc-0c247a3e6e5f');
            CREATE TABLE page (id BLOB PRIMARY KEY);
            INSERT INTO page VALUES (x'01');
            CREATE TABLE country (code TEXT PRIMARY KEY);
            INSERT INTO country VALUES ('FR');
            CREATE TABLE device ("key" UUID PRIMARY KEY);
            CREATE TABLE score (id INTEGER PRIMARY KEY);
            INSERT INTO score VALUES (12);
            """

        private func expectRefused(_ body: () throws -> Void, sourceLocation: SourceLocation = #_sourceLocation) {
            let error = #expect(throws: DatabaseError.self, sourceLocation: sourceLocation) { try body() }
            #expect(error?.resultCode == .SQLITE_MISMATCH, "\(String(describing: error))", sourceLocation: sourceLocation)
        }

        @Test
        func `A string is not the key of rows with blobs`() throws {
            try withDatabase(Self.schema) { db throws in
                let text = Self.uuid.uuidString
                expectRefused { _ = try Note.find(db, key: text) }
                expectRefused { _ = try Note.fetchOne(db, key: text) }
                expectRefused { _ = try Note.fetchAll(db, keys: [text]) }
                expectRefused { _ = try Note.exists(db, key: text) }
                expectRefused { _ = try Note.deleteOne(db, key: text) }
                expectRefused { _ = try Note.filter(key: text).fetchCount(db) }
                expectRefused { _ = try Note.all().filter(keys: [text]).fetchAll(db) }
                expectRefused { _ = try Note.find(db, key: ["id": text]) }
                expectRefused { _ = try Note.filter(keys: [["ID": Self.uuid], ["ID": text]]).fetchAll(db) }
                expectRefused { _ = try Table<Note>("note").exists(db, key: text) }
                expectRefused { _ = try Page.find(db, key: "1") }
                expectRefused { _ = try Device.find(db, key: text) }
                let error = #expect(throws: DatabaseError.self) { try Note.find(db, key: text) }
                #expect(error?.message == "the column id of note stores a blob, and the key is a string: no row has it")
                #expect(Note.recordNotFound(db, key: text) is DatabaseError)
                // A plan that is kept for the right key does not let the wrong one pass.
                #expect(try Note.filter(key: Self.uuid).fetchCount(db) == 1)
                expectRefused { _ = try Note.filter(key: text).fetchCount(db) }
                // Values of the same Swift type have the same shape in optimized builds.
                #expect(try Note.filter(key: Self.uuid.databaseValue).fetchCount(db) == 1)
                expectRefused { _ = try Note.filter(key: text.databaseValue).fetchCount(db) }
                #expect(try Note.filter(key: ["id": Self.uuid.databaseValue]).fetchCount(db) == 1)
                expectRefused { _ = try Note.filter(key: ["id": text.databaseValue]).fetchCount(db) }
                #expect(try Note.fetchCount(db) == 1)
            }
        }

        @Test
        func `A blob is not the key of rows with strings`() throws {
            try withDatabase(Self.schema) { db throws in
                expectRefused { _ = try Tag.find(db, key: Data([1])) }
                expectRefused { _ = try Tag.find(db, key: Self.uuid.databaseValue) }
            }
        }

        @Test
        func `Keys of the right storage class pass`() throws {
            try withDatabase(Self.schema) { db throws in
                #expect(try Note.find(db, key: Self.uuid).id == Self.uuid)
                #expect(try Note.find(db, key: Self.uuid.databaseValue).id == Self.uuid)
                #expect(try Note.find(db, key: ["title": "a"]).id == Self.uuid)
                #expect(try Note.fetchOne(db, key: nil as UUID?) == nil)
                #expect(try Tag.find(db, key: Self.uuid).id == Self.uuid)
                #expect(try Tag.find(db, key: Self.uuid.uuidString.lowercased()).id == Self.uuid)
                #expect(try Tag.fetchOne(db, key: "another") == nil)
                #expect(try Page.find(db, key: PageID(rawValue: Data([1]))).id.rawValue == Data([1]))
                #expect(try Page.find(db, key: Data([1])).id.rawValue == Data([1]))
            }
        }

        @Test
        func `Keys that SQLite converts pass, and keys that are not the id of the record`() throws {
            try withDatabase(Self.schema) { db throws in
                #expect(try Score.find(db, key: "12").id == 12)
                #expect(try Score.filter(key: "12").fetchCount(db) == 1)
                #expect(try Tag.fetchOne(db, key: 12) == nil)
                #expect(try Country.fetchOne(db, key: "FR") != nil)
                #expect(try Country.filter(key: "FR").fetchCount(db) == 1)
            }
        }

        @Test(.enabled(if: SQLiteLibrary.current.versionNumber >= 3_037_000))
        func `The columns of a STRICT table say what they store`() throws {
            let schema = "CREATE TABLE blob (a BLOB, b TEXT, c ANY, PRIMARY KEY (a, b), UNIQUE (c)) STRICT"
            try withDatabase(schema) { db throws in
                expectRefused { _ = try Blob.fetchOne(db, key: ["a": "text", "b": "text"]) }
                expectRefused { _ = try Blob.fetchOne(db, key: ["a": Data(), "b": Data()]) }
                #expect(try Blob.fetchOne(db, key: ["a": Data(), "b": "text"]) == nil)
                #expect(try Blob.fetchOne(db, key: ["a": 1, "b": 1]) == nil)
                #expect(try Blob.fetchOne(db, key: ["c": "text"]) == nil && Blob.fetchOne(db, key: ["c": Data()]) == nil)
                try db.execute(sql: "DROP TABLE blob; CREATE TABLE blob (a BLOB PRIMARY KEY, b TEXT)")
                #expect(try Blob.fetchOne(db, key: "text") == nil)
            }
        }
    }
#endif
