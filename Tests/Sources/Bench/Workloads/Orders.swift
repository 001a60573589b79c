import Strata

/// An order that is read by column index.
struct OrderByIndex: FetchableRecord {
    let order: Order

    init(row: Row) throws {
        order = Order(
            id: row[0], customerID: row[1], employeeID: row[2], shipperID: row[3], freight: row[4], orderDate: row[5],
            requiredDate: row[6], shippedDate: row[7], shipName: row[8], shipAddress: row[9], shipCity: row[10],
            shipRegion: row[11], shipPostalCode: row[12], shipCountry: row[13])
    }
}

/// An order that is read by column name.
struct OrderByName: FetchableRecord, TableRecord {
    static let databaseTableName = "order"

    let order: Order

    init(row: Row) throws {
        order = Order(
            id: row["id"], customerID: row["customerID"], employeeID: row["employeeID"], shipperID: row["shipperID"],
            freight: row["freight"], orderDate: row["orderDate"], requiredDate: row["requiredDate"],
            shippedDate: row["shippedDate"], shipName: row["shipName"], shipAddress: row["shipAddress"],
            shipCity: row["shipCity"], shipRegion: row["shipRegion"], shipPostalCode: row["shipPostalCode"],
            shipCountry: row["shipCountry"])
    }
}

extension Order: FetchableRecord {}
