import Strata

/// What readers and writers of one connection keep from one step to the next.
final class KeptReaders {
    private var statements: [String: Statement] = [:]
    private var cursor: (cursor: RowCursor, expected: [[DatabaseValue]], position: Int, changes: Int)?

    /// A statement that is prepared once.
    func statement(_ db: Database, _ sql: String) throws -> Statement {
        if let statement = statements[sql] { return statement }
        let statement = try db.makeStatement(sql: sql)
        statements[sql] = statement
        return statement
    }

    /// Starts to read a table, and reads some of its rows.
    func leaveCursor(_ db: Database, _ random: inout SeededGenerator, note: (String) -> Void) throws {
        let sql = ["SELECT * FROM item", "SELECT * FROM owner", "SELECT * FROM itemView"].randomElement(using: &random)!
        let count = Int.random(in: 0...2, using: &random)
        note("cursor: \(count) rows of \(sql)")
        guard let expected = try? Row.fetchAll(db.makeStatement(sql: sql)).map({ Array($0.databaseValues) }) else { return }
        guard let rows = try? Row.fetchCursor(statement(db, sql)) else { return }
        cursor = (rows, expected, 0, db.totalChangesCount)
        for _ in 0..<count { try advanceCursor { _ in } }
    }

    /// Reads on: the rows are those that the table had, unless this connection has changed them.
    func advanceCursor(note: (String) -> Void) throws {
        guard let (rows, expected, position, changes) = cursor else { return }
        note("cursor: row \(position)")
        cursor = nil
        let row: Row?
        do {
            row = try rows.next()
        } catch is DatabaseError {
            // The statement was used by someone else, or the transaction was rolled back.
            return
        }
        guard let row else { return }
        cursor = (rows, expected, position + 1, changes)
        guard rows.statement.database.totalChangesCount == changes else { return }
        guard row.columnNames.count == row.count, rows.columnNames == row.columnNames else {
            throw RandomSchemaRun.Difference(description: "a row's names: \(row.columnNames), its cursor's: \(rows.columnNames)")
        }
        if position >= expected.count || Array(row.databaseValues) != expected[position] {
            throw RandomSchemaRun.Difference(description: "a cursor gives \(row) as row \(position) of \(expected)")
        }
    }

    /// Reads names at unusual times: a reader must not consume the notification of others.
    func askNames(_ random: inout SeededGenerator, note: (String) -> Void) {
        guard let sql = statements.keys.sorted().randomElement(using: &random), let statement = statements[sql] else { return }
        note("names: \(sql)")
        switch Int.random(in: 0..<4, using: &random) {
        case 0: _ = statement.columnNames
        case 1: _ = statement.columnCount
        case 2:
            guard statement.isReadonly, statement.parameterCount == 0 else { break }
            _ = try? statement.step()
            _ = statement.columnNames
            statement.reset()
        default:
            guard statement.isReadonly, statement.parameterCount == 0 else { break }
            _ = try? Row.fetchCursor(statement).columnNames
        }
    }

    /// Cursors end with their access.
    func endAccess() {
        cursor = nil
    }
}

/// A way of reading that keeps something.
struct SchemaReader: Sendable {
    let name: String
    let read: @Sendable (Database, KeptReaders) throws -> String

    private static let tables = ["item", "owner", "itemView"]

    /// Readers of a query's rows in all the ways that rows are read.
    private static func readers(
        _ name: String, _ statement: @escaping @Sendable (Database, KeptReaders) throws -> Statement
    ) -> [SchemaReader] {
        [
            SchemaReader(name: "\(name): rows") { try "\(Row.fetchAll(statement($0, $1)))" },
            SchemaReader(name: "\(name): a row") { try "\(String(describing: Row.fetchOne(statement($0, $1))))" },
            SchemaReader(name: "\(name): Codable") { try "\(Item.fetchAll(statement($0, $1)))" },
            SchemaReader(name: "\(name): strict") { try "\(StrictItem.fetchAll(statement($0, $1)))" },
            SchemaReader(name: "\(name): converted") { try "\(ConvertedItem.fetchAll(statement($0, $1)))" },
            SchemaReader(name: "\(name): any keys") { try "\(AnyItem.fetchAll(statement($0, $1)).map(\.values))" },
            SchemaReader(name: "\(name): by hand") { try "\(HandWrittenItem.fetchAll(statement($0, $1)))" },
            SchemaReader(name: "\(name): cursor") { db, kept in
                let items = try Item.fetchCursor(statement(db, kept))
                var result = "\(items.columnNames)"
                while let item = try items.next() { result += "\(item)" }
                return result + "\(items.columnNames)"
            },
            SchemaReader(name: "\(name): copied rows") { db, kept in
                "\(try Row.fetchAll(statement(db, kept)).map { try Item(row: $0) })"
            },
            SchemaReader(name: "\(name): indexes") { db, kept in
                let rows = try Row.fetchCursor(statement(db, kept))
                var index: Int?
                var result = ""
                while let row = try rows.next() {
                    index = index ?? row.index(ofColumn: "score")
                    result += "\(String(describing: index.map { row[$0] as DatabaseValue })) \(row.hasColumn("name")) "
                }
                return result
            },
            SchemaReader(name: "\(name): values") { try "\(DatabaseValue.fetchAll(statement($0, $1)))" },
            SchemaReader(name: "\(name): scopes") { db, kept in
                let adapter = ScopeAdapter(base: RenameColumnAdapter { $0 + "_" }, scopes: ["item": SuffixRowAdapter(fromIndex: 1)])
                let rows = try Row.fetchCursor(statement(db, kept), adapter: adapter)
                var result = ""
                while let row = try rows.next() {
                    result += "\(row) \(try row.decode(Item.self, forKey: "item"))"
                }
                return result
            },
            SchemaReader(name: "\(name): steps") { db, kept in
                let statement = try statement(db, kept)
                statement.reset()
                var result = "\(statement.columnNames) \(statement.columnCount) \(statement.databaseRegion)"
                while try statement.step() {
                    result += statement.columnNames.indices.map { "\(statement.columnName(at: $0)): \(statement.databaseValue(at: $0))" }
                        .joined(separator: " ")
                }
                return result + "\(String(describing: statement.index(ofColumn: "SCORE")))"
            },
            SchemaReader(name: "\(name): no rows") { db, kept in
                let statement = try statement(db, kept)
                statement.reset()
                return "\(statement.columnNames) \(try db.recordingAccesses { try statement.run() }.region)"
            },
        ]
    }

    static let all: [SchemaReader] =
        tables.flatMap { table in
            readers("kept statement of \(table)") { try $1.statement($0, "SELECT * FROM \(table)") }
                + readers("cached statement of \(table)") { db, _ in try db.cachedStatement(sql: "SELECT * FROM \(table)") }
        }
        + readers("kept join") { try $1.statement($0, "SELECT * FROM item LEFT JOIN owner ON owner.id = item.id") }
        + readers("kept statement without rows") { try $1.statement($0, "SELECT * FROM item WHERE id < 0") } + requests + schema

    private static let common = CommonTableExpression<Row>(named: "c", sql: "SELECT * FROM owner")
    private static let commonOwner = Item.association(to: common) { $0["ownerId"] == $1["id"] }

    /// Kept requests, and information about tables.
    private static let requests: [SchemaReader] = [
        SchemaReader(name: "request") { db, _ in try "\(Item.all().fetchAll(db))" },
        SchemaReader(name: "request of rows") { db, _ in try "\(Item.all().asRequest(of: Row.self).fetchAll(db))" },
        SchemaReader(name: "ordered request") { db, _ in try "\(Item.orderByPrimaryKey().limit(3).fetchAll(db))" },
        SchemaReader(name: "request without a column") { db, _ in
            try "\(Row.fetchAll(db, Item.select(.allColumns(excluding: ["score"]))))"
        },
        SchemaReader(name: "by key") { db, _ in try "\(String(describing: Item.fetchOne(db, key: 2))) \(Item.exists(db, key: 3))" },
        SchemaReader(name: "by id") { db, _ in try "\(String(describing: Item.fetchOne(db, id: 1))) \(Item.fetchAll(db, ids: [1, 3]))" },
        SchemaReader(name: "counts") { db, _ in try "\(Item.fetchCount(db)) \(Item.filter(Column("score") > 1).fetchCount(db))" },
        SchemaReader(name: "including an owner") { db, _ in
            try "\(Item.including(optional: Item.owner).asRequest(of: ItemWithOwner.self).fetchAll(db))"
        },
        SchemaReader(name: "including owners' rows") { db, _ in
            try "\(Item.including(required: Item.owner).asRequest(of: Row.self).fetchAll(db).map { ($0, $0.scopes["owner"]) })"
        },
        SchemaReader(name: "including all items") { db, _ in
            try "\(Owner.including(all: Owner.items).asRequest(of: OwnerWithItems.self).fetchAll(db))"
        },
        SchemaReader(name: "annotated") { db, _ in
            try "\(Row.fetchAll(db, Owner.annotated(with: Owner.items.count, Owner.items.max(Column("score")))))"
        },
        SchemaReader(name: "joined to a common table") { db, _ in
            let rows = try Item.with(common).including(optional: commonOwner).asRequest(of: Row.self).fetchAll(db)
            return "\(rows.map { ($0, $0.scopes["c"]) })"
        },
        SchemaReader(name: "common table") { db, _ in try "\(common.all().with(common).fetchAll(db))" },
        SchemaReader(name: "compound") { db, _ in
            try "\(Row.fetchAll(db, Item.all().asRequest(of: Row.self).union(Item.filter(Column("id") > 1).asRequest(of: Row.self))))"
        },
        SchemaReader(name: "adapted SQL") { db, _ in
            let request = SQLRequest<Row>(sql: "SELECT item.*, owner.* FROM item, owner WHERE owner.id = item.id", cached: true).adapted {
                db in
                let adapters = splittingRowAdapters(columnCounts: [try db.columns(in: "item").count, try db.columns(in: "owner").count])
                return ScopeAdapter(["item": adapters[0], "owner": adapters[1]])
            }
            return try "\(request.fetchAll(db).map { (try Item(row: $0.scopes["item"]!), try Owner(row: $0.scopes["owner"]!)) })"
        },
        SchemaReader(name: "regions of requests") { db, _ in
            let requests = [
                Item.all().asRequest(of: Row.self), Item.including(optional: Item.owner).asRequest(of: Row.self),
                Owner.including(all: Owner.items).asRequest(of: Row.self),
            ]
            let view = SQLRequest<Row>(sql: "SELECT * FROM itemView", cached: true)
            // A kept statement that no longer fits the schema fails when it runs, and a new one when it is compiled.
            _ = try (view.fetchAll(db), requests.map { try $0.fetchAll(db) })
            return try "\(view.databaseRegion(db)) \(requests.map { try $0.databaseRegion(db) })"
        },
    ]

    private static let schema: [SchemaReader] = tables.map { table in
        SchemaReader(name: "schema of \(table)") { db, _ in
            try "\(db.columns(in: table).map(\.name)) \(db.primaryKeyIfKnown(table) as Any) \(db.isView(table)) "
                + "\(db.viewExists("itemView")) \(db.triggerExists("touched")) "
                + "\(table == "itemView" ? [] : db.indexes(on: table))"
        }
    }
}
