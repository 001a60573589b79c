import Strata

/// A way of writing that keeps something. It gets a number to make values of.
struct SchemaWriter: Sendable {
    let name: String
    let write: @Sendable (Database, KeptReaders, Int) throws -> String

    static let all: [SchemaWriter] = [
        SchemaWriter(name: "insert") { db, _, step in
            var item = Item.sample(step)
            item.id = nil
            try item.insert(db)
            return "\(item)"
        },
        SchemaWriter(name: "insert or replace") { db, _, step in
            var item = Item.sample(step)
            try item.insert(db, onConflict: .replace)
            return "\(item)"
        },
        SchemaWriter(name: "update") { db, _, step in
            try Item.sample(step).update(db)
            return ""
        },
        SchemaWriter(name: "update of a column") { db, _, step in
            try Item.sample(step).update(db, columns: ["name"])
            return ""
        },
        SchemaWriter(name: "update of changes") { db, _, step in
            var item = Item.sample(step)
            return try "\(item.updateChanges(db) { $0.score = step + 1 }) \(item)"
        },
        SchemaWriter(name: "save") { db, _, step in
            var item = Item.sample(step)
            try item.save(db)
            return "\(item)"
        },
        SchemaWriter(name: "upsert") { db, _, step in
            var item = Item.sample(step)
            try item.upsert(db)
            return "\(item)"
        },
        SchemaWriter(name: "delete") { db, _, step in try "\(Item.sample(step).delete(db))" },
        SchemaWriter(name: "exists") { db, _, step in try "\(Item.sample(step).exists(db))" },
        SchemaWriter(name: "insert and fetch") { db, _, step in
            var item = Item.sample(step)
            item.id = nil
            return try "\(item.insertAndFetch(db, as: AnyItem.self).values)"
        },
        SchemaWriter(name: "insert and fetch rows") { db, _, step in
            var item = Item.sample(step)
            item.id = nil
            return try "\(item.insertAndFetch(db, selection: [.allColumns]) { try Row.fetchAll($0) })"
        },
        SchemaWriter(name: "update and fetch") { db, _, step in
            try "\(Item.sample(step).updateAndFetch(db, as: AnyItem.self).values)"
        },
        SchemaWriter(name: "save and fetch") { db, _, step in
            var item = Item.sample(step)
            return try "\(item.saveAndFetch(db, as: Item.self))"
        },
        SchemaWriter(name: "upsert and fetch") { db, _, step in
            var item = Item.sample(step)
            return try "\(item.upsertAndFetch(db, as: AnyItem.self).values)"
        },
        SchemaWriter(name: "insert by hand") { db, _, step in
            try HandWrittenItem(Item.sample(step)).insert(db, onConflict: .ignore)
            return ""
        },
        SchemaWriter(name: "upsert by hand") { db, _, step in
            try HandWrittenItem(Item.sample(step)).upsert(db)
            return ""
        },
        SchemaWriter(name: "batch of insertions") { db, _, step in
            var items = (0..<3).map { _ in Item(id: nil, name: "batch", score: step, ownerId: 2) }
            try items.insertAll(db)
            return "\(items)"
        },
        SchemaWriter(name: "batch of updates") { db, _, step in
            var items = (1...3).map { Item(id: Int64($0), name: "batch \(step)", score: step, ownerId: 1) }
            try items.saveAll(db)
            return ""
        },
        SchemaWriter(name: "owner") { db, _, step in
            try Owner(id: Int64(step % 4), title: "title \(step)", rank: step).save(db)
            return ""
        },
        SchemaWriter(name: "update of a request") { db, _, step in
            try "\(Item.filter(Column("id") > 2).updateAll(db, Column("score").set(to: step)))"
        },
        SchemaWriter(name: "update and fetch of a request") { db, _, step in
            try "\(Item.filter(Column("id") > 2).updateAndFetchAll(db, [Column("name").set(to: "n\(step)")]))"
        },
        SchemaWriter(name: "deletion of a request") { db, _, step in
            try "\(Item.filter(Column("id") > step % 3 + 4).deleteAll(db)) \(Owner.filter(Column("id") > 3).deleteAll(db))"
        },
        SchemaWriter(name: "kept INSERT") { db, kept, step in
            try kept.statement(db, "INSERT INTO item (id, name) VALUES (NULL, ?)").execute(arguments: ["kept \(step)"])
            return "\(db.lastInsertedRowID)"
        },
        SchemaWriter(name: "kept INSERT of all columns") { db, kept, step in
            try kept.statement(db, "INSERT INTO item VALUES (?, ?, ?, ?)").execute(arguments: [nil, "all \(step)", step, 1])
            return ""
        },
        SchemaWriter(name: "kept RETURNING") { db, kept, step in
            let statement = try kept.statement(db, "INSERT INTO item (name) VALUES (?) RETURNING *")
            return try "\(statement.columnNames) \(AnyItem.fetchAll(statement, arguments: ["returned \(step)"]).map(\.values))"
        },
        SchemaWriter(name: "cached UPDATE RETURNING") { db, _, step in
            let statement = try db.cachedStatement(sql: "UPDATE item SET score = ? WHERE id < 3 RETURNING *")
            return try "\(Item.fetchAll(statement, arguments: [step]))"
        },
    ]
}
