import Foundation
import Strata

/// What a transaction does.
enum WriterWork: String, CaseIterable {
    case transfers, records, batch, cascade, notes, savepoints, rebuild, migration

    static let words = ["swift", "sqlite", "row", "text", "search", "journal"]

    /// Does the work on a database in a transaction.
    func run(_ n: Int, _ random: inout WriterRandom, _ db: Database) throws {
        switch self {
        case .transfers:
            for _ in 0..<10 {
                let (from, to) = (Int.random(in: 1...20, using: &random), Int.random(in: 1...20, using: &random))
                let amount = min(Int.random(in: 0...50, using: &random), try Account.find(db, key: from).balance)
                try Account.filter { $0.id == from }.updateAll(db, Account.Columns.balance -= amount)
                try Account.filter { $0.id == to }.updateAll(db, Account.Columns.balance += amount)
            }
        case .records:
            var list = List(id: nil, name: "list \(n)")
            try list.insert(db)
            var item = Item(id: nil, listId: list.id, text: text(&random), n: n)
            try item.insert(db)
            item.text += " again"
            try item.update(db)
            list.name += "!"
            try list.save(db)
        case .batch:
            guard let list = try List.order(Column("id").desc).fetchOne(db) else { return }
            var items = (0..<Int.random(in: 1...200, using: &random)).map { _ in
                Item(id: nil, listId: list.id, text: text(&random), n: n)
            }
            try items.insertAll(db)
            var others = try Item.filter { $0.id % 7 == n % 7 }.fetchAll(db)
            for index in others.indices { others[index].n = n }
            try others.updateAll(db)
        case .cascade:
            if try List.fetchCount(db) > 4 { try List.order(Column("id")).limit(2).deleteAll(db) }
        case .notes:
            for _ in 0..<8 {
                let title = "title \(Int.random(in: 1...40, using: &random))"
                switch Int.random(in: 0...3, using: &random) {
                case 0: try db.execute(sql: "DELETE FROM note WHERE title = ?", arguments: [title])
                case 1: try db.execute(sql: "UPDATE note SET body = ? WHERE title = ?", arguments: [text(&random), title])
                default:
                    try db.execute(sql: "REPLACE INTO note (title, body) VALUES (?, ?)", arguments: [title, text(&random)])
                }
            }
        case .savepoints:
            try db.inSavepoint {
                try db.execute(sql: "INSERT INTO list (name) VALUES ('undone \(n)'); UPDATE item SET text = 'undone'; DELETE FROM note")
                return .rollback
            }
            try db.inSavepoint {
                try db.execute(sql: "UPDATE item SET n = \(n) WHERE id % 11 = 0")
                return .commit
            }
        case .rebuild:
            try db.rebuild(table: "note") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("title", .text).notNull().unique()
                t.column("body", .text)
                t.column("checked", .integer).defaults(to: n)
            }
        case .migration:
            try db.rebuild(table: "list") { t in
                t.primaryKey("id", .integer)
                t.column("name", .text).notNull().unique()
            }
            try db.execute(
                sql: "CREATE TABLE \"migrated \(n)\" AS SELECT * FROM item WHERE id % 5 = 0; UPDATE item SET n = -n WHERE id % 3 = 0")
        }
    }

    private func text(_ random: inout WriterRandom) -> String {
        (0..<Int.random(in: 0...12, using: &random)).map { _ in Self.words.randomElement(using: &random)! }.joined(separator: " ")
    }
}

private struct Account: Codable, FetchableRecord, PersistableRecord {
    enum Columns {
        static let id = Column("id")
        static let balance = Column("balance")
    }

    var id: Int
    var balance: Int
}

private struct List: Codable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var name: String

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

private struct Item: Codable, FetchableRecord, MutablePersistableRecord {
    enum Columns {
        static let id = Column("id")
    }

    var id: Int64?
    var listId: Int64?
    var text: String
    var n: Int

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}
