import CSQLite
import Foundation
import Strata

/// A recipe, with a column that holds JSON.
private struct Recipe: Codable, FetchableRecord {
    struct Method: Codable {
        var name: String
        var minutes: Int
        var steps: [String]
        var note: String?
    }

    var id: Int64
    var title: String
    var method: Method

    var checksum: Int { Int(id) &+ title.utf8.count &+ method.checksum }
}

extension Recipe.Method {
    fileprivate var checksum: Int {
        steps.reduce(name.utf8.count &+ minutes &+ (note?.utf8.count ?? -1)) { $0 &+ $1.utf8.count }
    }
}

/// The yardstick is the JSON decoding alone: of texts that are in memory already, by one decoder.
let fetchJSON = Workload(
    "fetch-codable-json", "20,000 Codable records with a nested struct in JSON, beside decoding the JSON alone", atMost: 1.30
) {
    let queue = try DatabaseQueue()
    let texts = try queue.write { db in
        try db.execute(sql: "CREATE TABLE recipe (id INTEGER PRIMARY KEY, title TEXT NOT NULL, method TEXT NOT NULL)")
        try db.execute(
            sql: """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
                INSERT INTO recipe SELECT i, 'Recipe ' || i, json_object('name', printf('Method %d', i % 31), 'minutes', i % 240,
                    'steps', json_array('Peel ' || i, printf('Chop %d', i % 7), 'Stir gently', printf('Boil for %d minutes', i % 40), 'Serve'),
                    'note', iif(i % 2, 'Best served cold', NULL)) FROM n
                """)
        return try Row.fetchAll(db, sql: "SELECT id, title, method FROM recipe").map { row in
            (id: row[0] as Int64, title: row[1] as String, method: row[2] as Data)
        }
    }
    return Workload.Sides(
        byHand: {
            let decoder = JSONDecoder()
            decoder.dataDecodingStrategy = .base64
            decoder.dateDecodingStrategy = .millisecondsSince1970
            var recipes: [Recipe] = []
            for text in texts {
                recipes.append(
                    Recipe(id: text.id, title: text.title, method: try decoder.decode(Recipe.Method.self, from: text.method)))
            }
            return checksum(recipes) { $0.checksum }
        },
        throughStrata: {
            try queue.read { db in
                checksum(try Recipe.fetchAll(db, sql: "SELECT * FROM recipe")) { $0.checksum }
            }
        })
}
