import Strata

// Records of the tables that change, in each way in which programs write records. Most columns may be missing.

struct Item: Codable, Hashable, FetchableRecord, MutablePersistableRecord, Identifiable {
    var id: Int64?
    var name: String?
    var score: Int?
    var ownerId: Int64?

    static let owner = belongsTo(Owner.self, using: ForeignKey(["ownerId"], to: ["id"]))

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }

    static func sample(_ step: Int) -> Item {
        // Some rows exist already, and some owners are missing.
        Item(id: Int64(step % 9 + 1), name: "name \(step % 5)", score: step, ownerId: step % 4 == 0 ? nil : Int64(step % 4))
    }
}

struct Owner: Codable, Hashable, FetchableRecord, PersistableRecord {
    var id: Int64
    var title: String?
    var rank: Int?

    static let items = hasMany(Item.self, using: ForeignKey(["ownerId"], to: ["id"]))
}

/// A record with another record in a scope, and one with prefetched rows.
struct ItemWithOwner: Decodable, Hashable, FetchableRecord {
    var item: Item
    var owner: Owner?
}

struct OwnerWithItems: Decodable, Hashable, FetchableRecord {
    var owner: Owner
    var items: [Item]
}

/// Columns that must be there, and names that a strategy makes.
struct StrictItem: Decodable, Hashable, FetchableRecord {
    static let databaseTableName = "item"
    var id: Int64
    var name: String
}

struct ConvertedItem: Decodable, Hashable, FetchableRecord {
    static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.convertFromSnakeCase
    var id: Int64?
    var ownerId: Int64?
    var extra: String?
}

/// All columns, whatever their names.
struct AnyItem: Decodable, FetchableRecord, TableRecord {
    static let databaseTableName = "item"

    struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    var values: [String]

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        values = container.allKeys.map { key in
            let text = (try? container.decodeIfPresent(String.self, forKey: key)).flatMap { $0 }
            let number = (try? container.decodeIfPresent(Double.self, forKey: key)).flatMap { $0 }
            return "\(key.stringValue): \(text ?? number?.description ?? "nil")"
        }
    }
}

/// The same table, read and written by hand.
struct HandWrittenItem: Hashable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "item"
    var id: Int64?
    var name: DatabaseValue?
    var score: DatabaseValue?

    init(_ item: Item) {
        (id, name, score) = (item.id, item.name?.databaseValue, item.score?.databaseValue)
    }

    init(row: Row) throws {
        id = try row.decodeIfPresent(forKey: "id")
        name = try row.decode(DatabaseValue?.self, forKey: "name")
        score = row["score"]
    }

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["name"] = name
        container["score"] = score
    }
}
