import Strata

extension Recipe: FetchableRecord {}

let fetchJSON = Workload(
    "fetch-codable-json", "20,000 Codable records with a nested struct in JSON, beside decoding the JSON alone", atMost: 1.30
) {
    let queue = try DatabaseQueue()
    try queue.write { db in
        try db.execute(sql: Recipe.createTable)
        try db.execute(sql: Recipe.fillTable(count: rowCount(20_000)))
    }
    return Rounds {
        [Recipe]()
    } work: { recipes in
        recipes = try queue.read { try Recipe.fetchAll($0, sql: "SELECT * FROM recipe") }
    } check: {
        checksum($0) { $0.checksum }
    }
}
