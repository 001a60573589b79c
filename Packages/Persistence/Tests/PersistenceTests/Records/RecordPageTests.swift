import Foundation
import Persistence
import Testing

@Suite struct RecordPageTests {
    struct Item: PersistableRecord, FetchableRecord, Equatable {
        var id: Int64
        var name: String?
        var price: Double
        var key: Data

        enum Columns {
            static let id = Column("id")
            static let name = Column("name")
            static let price = Column("price")
            static let key = Column("key")
        }

        init(id: Int64, name: String?, price: Double) { (self.id, self.name, self.price, key) = (id, name, price, Data("\(id)".utf8)) }
        init(row: Row) throws { (id, name, price, key) = (row["id"], row["name"], row["price"], row["key"]) }
        func encode(to container: inout PersistenceContainer) {
            container["id"] = id
            container["name"] = name
            container["price"] = price
            container["key"] = key
        }
    }

    private func withItems(_ body: (Database) throws -> Void) throws {
        try withDatabase("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, price REAL NOT NULL, key BLOB NOT NULL)") { db throws in
            for id in 1...23 {
                let name = id.isMultiple(of: 5) ? nil : id.isMultiple(of: 3) ? "ünï/+?\0" : "n\(id % 4)"
                try Item(id: Int64(id), name: name, price: Double(id % 4) / 3).insert(db)
            }
            try body(db)
        }
    }

    private static var orders: [[any SQLOrderingTerm]] {
        [
            [], [Item.Columns.id.desc], [Item.Columns.name], [Item.Columns.price.desc], [Item.Columns.name.desc, Item.Columns.price],
            [Item.Columns.key.desc], [Item.Columns.name.ascNullsLast, Item.Columns.id],
        ]
    }

    @Test(arguments: [1, 2, 7, 22, 23, 24, Int.max], 0..<7)
    func `Pages are the list, without gaps and repetitions`(_ size: Int, _ order: Int) throws {
        try withItems { db throws in
            let terms = Self.orders[order]
            let all = try Item.all().order(terms + (order == 3 || order == 5 ? [Item.Columns.id.desc] : [Item.Columns.id])).fetchAll(db)
            var (records, cursor): ([Item], String?) = ([], nil)
            repeat {
                let page = try Item.all().fetchPage(db, after: cursor, size: size, by: terms)
                #expect(page.records.count == min(size, all.count - records.count))
                records += page.records
                cursor = page.next
                let allowed = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-_"))
                #expect(cursor.map { $0.unicodeScalars.allSatisfy { allowed.contains($0) && $0.isASCII } } != false)
            } while cursor != nil
            #expect(records.map(\.id) == all.map(\.id))
        }
    }

    @Test
    func `A page is one statement, and rows that others insert or delete move no page`() throws {
        try withItems { db throws in
            var next: String?
            try db.expect([#"SELECT * FROM "item" WHERE "id" < 20 ORDER BY "price" DESC, "id" DESC LIMIT 3"#]) {
                next = try Item.filter { $0.id < 20 }.fetchPage(db, after: nil, size: 2) { [$0.price.desc] }.next
            }
            try Item(id: 0, name: nil, price: 100).insert(db)
            try Item.deleteOne(db, key: 19)
            try db.expect([
                #"SELECT * FROM "item" WHERE "id" < 20 AND ("price", "id") < (1.0, 15) ORDER BY "price" DESC, "id" DESC LIMIT 3"#
            ]) {
                let page = try Item.filter { $0.id < 20 }.fetchPage(db, after: next, size: 2) { [$0.price.desc] }
                #expect(page.records.map(\.id) == [11, 7])
            }
            #expect(try Item.fetchPage(db, after: nil, size: 100) { [$0.name] }.next == nil)
            // A column that knows its type and its table, in a request that joins others.
            let price = TypedColumn<Double>("price", of: Item.self)
            let joined = Item.joining(optional: Item.association(to: Table<Item>("item"), on: { $0["id"] == $1["id"] }).forKey("same"))
            let first = try joined.fetchPage(db, after: nil, size: 2, by: [price.desc])
            let second = try joined.fetchPage(db, after: first.next, size: 2, by: [price.desc])
            #expect((first.records + second.records).map(\.id) == [0, 23, 15, 11])
            let none = try Item.none().fetchPage(db, after: nil, size: 1) { [$0.name] }
            #expect(none.records.isEmpty && none.next == nil)
        }
    }

    @Test
    func `A text that is not a cursor of the list is an error`() throws {
        try withItems { db throws in
            let cursor = try #require(try Item.fetchPage(db, after: nil, size: 2) { [$0.name.desc] }.next)
            var texts = [
                "", "x", "====", "a b", cursor + "A", String(cursor.dropLast()), String(cursor.dropFirst()), cursor + "\0", "+/" + cursor,
            ]
            // Each changed character is noticed.
            for index in cursor.indices {
                let other: Character = cursor[index] == "A" ? "B" : "A"
                texts.append(cursor.replacingCharacters(in: index...index, with: String(other)))
            }
            texts.append(try #require(try Item.fetchPage(db, after: nil, size: 2) { [$0.name] }.next))
            texts.append(try #require(try Item.fetchPage(db, after: nil, size: 2) { [$0.name.desc, $0.price] }.next))
            texts.append(String(repeating: "A", count: 100_000))
            for text in texts where text != cursor {
                let error = #expect(throws: PageCursorError.self, "\(text)") {
                    try Item.fetchPage(db, after: text, size: 2) { [$0.name.desc] }
                }
                #expect(error?.description == "the text is not the cursor of a page of item in this order")
            }
            #expect(try Item.fetchPage(db, after: cursor, size: 2) { [$0.name.desc] }.records.count == 2)
        }
    }

    @Test
    func `A page without records, and terms that are no columns, are errors`() throws {
        try withItems { db throws in
            for size in [0, -1] {
                let error = #expect(throws: DatabaseError.self) { try Item.fetchPage(db, after: nil, size: size) { [$0.id] } }
                #expect(error?.message == "a page of \(size) records is empty")
            }
            #expect(throws: DatabaseError.self) { try Item.fetchPage(db, after: nil, size: 1) { [abs($0.price)] } }
        }
    }
}
