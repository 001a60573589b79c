/// A recipe, with a column that holds JSON.
struct Recipe: Codable {
    struct Method: Codable {
        var name: String
        var minutes: Int
        var steps: [String]
        var note: String?
    }

    var id: Int64
    var title: String
    var method: Method

    static let createTable = "CREATE TABLE recipe (id INTEGER PRIMARY KEY, title TEXT NOT NULL, method TEXT NOT NULL)"

    static func fillTable(count: Int) -> String {
        """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
        INSERT INTO recipe SELECT i, 'Recipe ' || i, json_object('name', printf('Method %d', i % 31), 'minutes', i % 240,
            'steps', json_array('Peel ' || i, printf('Chop %d', i % 7), 'Stir gently', printf('Boil for %d minutes', i % 40), 'Serve'),
            'note', iif(i % 2, 'Best served cold', NULL)) FROM n
        """
    }

    var checksum: Int { Int(id) &+ title.utf8.count &+ method.checksum }
}

extension Recipe.Method {
    fileprivate var checksum: Int {
        steps.reduce(name.utf8.count &+ minutes &+ (note?.utf8.count ?? -1)) { $0 &+ $1.utf8.count }
    }
}
