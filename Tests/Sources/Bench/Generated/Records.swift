// Records for the tables and views of schema.sql.
//
// Written by `strata swift`. Don't edit: the next run replaces this file.

import Strata

/// The table `order`.
nonisolated struct GeneratedOrder: Codable, Hashable, Identifiable, Sendable {
    var id: Int64?
    var customerID: Int64?
    var employeeID: Int64?
    var shipperID: Int64?
    var freight: Double
    var orderDate: String
    var requiredDate: String
    var shippedDate: String?
    var shipName: String
    var shipAddress: String
    var shipCity: String
    var shipRegion: String?
    var shipPostalCode: String?
    var shipCountry: String

    /// The columns, for requests.
    enum Columns {
        static let id = TypedColumn<Int64>(CodingKeys.id, of: GeneratedOrder.self)
        static let customerID = TypedColumn<Int64>(CodingKeys.customerID, of: GeneratedOrder.self)
        static let employeeID = TypedColumn<Int64>(CodingKeys.employeeID, of: GeneratedOrder.self)
        static let shipperID = TypedColumn<Int64>(CodingKeys.shipperID, of: GeneratedOrder.self)
        static let freight = TypedColumn<Double>(CodingKeys.freight, of: GeneratedOrder.self)
        static let orderDate = TypedColumn<String>(CodingKeys.orderDate, of: GeneratedOrder.self)
        static let requiredDate = TypedColumn<String>(CodingKeys.requiredDate, of: GeneratedOrder.self)
        static let shippedDate = TypedColumn<String>(CodingKeys.shippedDate, of: GeneratedOrder.self)
        static let shipName = TypedColumn<String>(CodingKeys.shipName, of: GeneratedOrder.self)
        static let shipAddress = TypedColumn<String>(CodingKeys.shipAddress, of: GeneratedOrder.self)
        static let shipCity = TypedColumn<String>(CodingKeys.shipCity, of: GeneratedOrder.self)
        static let shipRegion = TypedColumn<String>(CodingKeys.shipRegion, of: GeneratedOrder.self)
        static let shipPostalCode = TypedColumn<String>(CodingKeys.shipPostalCode, of: GeneratedOrder.self)
        static let shipCountry = TypedColumn<String>(CodingKeys.shipCountry, of: GeneratedOrder.self)
    }
}

nonisolated extension GeneratedOrder: FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "order"

    init(row: borrowing Row) throws {
        try self.init(
            id: row.decode(Int64?.self, forColumn: "id"), customerID: row.decode(Int64?.self, forColumn: "customerID"),
            employeeID: row.decode(Int64?.self, forColumn: "employeeID"), shipperID: row.decode(Int64?.self, forColumn: "shipperID"),
            freight: row.decode(Double.self, forColumn: "freight"), orderDate: row.decode(String.self, forColumn: "orderDate"),
            requiredDate: row.decode(String.self, forColumn: "requiredDate"),
            shippedDate: row.decode(String?.self, forColumn: "shippedDate"), shipName: row.decode(String.self, forColumn: "shipName"),
            shipAddress: row.decode(String.self, forColumn: "shipAddress"), shipCity: row.decode(String.self, forColumn: "shipCity"),
            shipRegion: row.decode(String?.self, forColumn: "shipRegion"),
            shipPostalCode: row.decode(String?.self, forColumn: "shipPostalCode"),
            shipCountry: row.decode(String.self, forColumn: "shipCountry"))
    }

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["customerID"] = customerID
        container["employeeID"] = employeeID
        container["shipperID"] = shipperID
        container["freight"] = freight
        container["orderDate"] = orderDate
        container["requiredDate"] = requiredDate
        container["shippedDate"] = shippedDate
        container["shipName"] = shipName
        container["shipAddress"] = shipAddress
        container["shipCity"] = shipCity
        container["shipRegion"] = shipRegion
        container["shipPostalCode"] = shipPostalCode
        container["shipCountry"] = shipCountry
    }

    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

/// The table `track`.
nonisolated struct GeneratedTrack: Codable, Hashable, Identifiable, Sendable {
    var id: Int64?
    var title: String
    var artist: String
    var album: String?
    var genre: String
    var year: Int64
    var duration: Double
    var playCount: Int64?

    /// The columns, for requests.
    enum Columns {
        static let id = TypedColumn<Int64>(CodingKeys.id, of: GeneratedTrack.self)
        static let title = TypedColumn<String>(CodingKeys.title, of: GeneratedTrack.self)
        static let artist = TypedColumn<String>(CodingKeys.artist, of: GeneratedTrack.self)
        static let album = TypedColumn<String>(CodingKeys.album, of: GeneratedTrack.self)
        static let genre = TypedColumn<String>(CodingKeys.genre, of: GeneratedTrack.self)
        static let year = TypedColumn<Int64>(CodingKeys.year, of: GeneratedTrack.self)
        static let duration = TypedColumn<Double>(CodingKeys.duration, of: GeneratedTrack.self)
        static let playCount = TypedColumn<Int64>(CodingKeys.playCount, of: GeneratedTrack.self)
    }
}

nonisolated extension GeneratedTrack: FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "track"

    init(row: borrowing Row) throws {
        try self.init(
            id: row.decode(Int64?.self, forColumn: "id"), title: row.decode(String.self, forColumn: "title"),
            artist: row.decode(String.self, forColumn: "artist"), album: row.decode(String?.self, forColumn: "album"),
            genre: row.decode(String.self, forColumn: "genre"), year: row.decode(Int64.self, forColumn: "year"),
            duration: row.decode(Double.self, forColumn: "duration"), playCount: row.decode(Int64?.self, forColumn: "playCount"))
    }

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["title"] = title
        container["artist"] = artist
        container["album"] = album
        container["genre"] = genre
        container["year"] = year
        container["duration"] = duration
        container["playCount"] = playCount
    }

    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}
