/// Makes changes of a schema of two tables, their views, triggers and indexes.
enum SchemaChanges {
    static let creation = """
        CREATE TABLE owner (id INTEGER PRIMARY KEY, title TEXT, rank INTEGER);
        CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, score INTEGER, ownerId INTEGER);
        INSERT INTO owner VALUES (1, 'one', 10), (2, 'two', 20);
        INSERT INTO item VALUES (1, 'a', 100, 1), (2, 'b', 200, 1), (3, 'c', NULL, 2), (4, NULL, 400, NULL);
        CREATE VIEW itemView AS SELECT * FROM item;
        """

    private static let names = ["name", "score", "ownerId", "extra", "owner_id", "title", "rank", "Score", "tmp"]

    /// The next change.
    ///
    /// - Parameters:
    ///   - step: a number that the values of the change have in them.
    ///   - isTemporaryAllowed: whether temporary tables are of any use.
    static func next(_ step: Int, isTemporaryAllowed: Bool, _ random: inout SeededGenerator) -> String {
        let table = Int.random(in: 0..<4, using: &random) == 0 ? "owner" : "item"
        let (first, second) = (names.randomElement(using: &random)!, names.randomElement(using: &random)!)
        let kind = Int.random(in: 0..<(isTemporaryAllowed ? 18 : 16), using: &random)
        switch kind {
        case 0, 1: return "ALTER TABLE \(table) ADD COLUMN \(first) DEFAULT '\(first) \(step)'"
        case 2: return "ALTER TABLE \(table) ADD COLUMN \(first) DEFAULT \(step)"
        case 3, 4: return "ALTER TABLE \(table) RENAME COLUMN \(first) TO \(second)"
        case 5:
            // As many columns, of the same names, in other places.
            return "ALTER TABLE \(table) RENAME COLUMN \(first) TO swap; ALTER TABLE \(table) RENAME COLUMN \(second) TO \(first); "
                + "ALTER TABLE \(table) RENAME COLUMN swap TO \(second)"
        case 6: return "ALTER TABLE \(table) RENAME COLUMN \(first) TO \(second)2; ALTER TABLE \(table) ADD COLUMN \(first) DEFAULT \(step)"
        case 7: return "ALTER TABLE \(table) DROP COLUMN \(first)"
        case 8: return "ALTER TABLE \(table) DROP COLUMN \(first); ALTER TABLE \(table) ADD COLUMN \(second) DEFAULT '\(step)'"
        case 9, 10: return recreation(of: table, step, &random)
        case 11:
            return "DROP VIEW IF EXISTS itemView; CREATE VIEW itemView AS SELECT "
                + ["*", "id, \(first)", "\(first), id", "item.*, owner.*"].randomElement(using: &random)! + " FROM item"
                + [", owner", " LEFT JOIN owner ON owner.id = item.id", " WHERE 1"].randomElement(using: &random)!
        case 12: return "DROP TRIGGER IF EXISTS touched"
        case 13:
            let event = ["INSERT", "UPDATE", "UPDATE OF \(first)"].randomElement(using: &random)!
            return "DROP TRIGGER IF EXISTS touched; CREATE TRIGGER touched AFTER \(event) ON item BEGIN "
                + "UPDATE owner SET \(second) = coalesce(\(second), 0) + 1 WHERE id = 1; END"
        case 14: return "DROP INDEX IF EXISTS byName; CREATE UNIQUE INDEX byName ON \(table) (\(first))"
        case 15: return "DROP INDEX IF EXISTS byName"
        case 16: return "CREATE TEMP TABLE \(table) AS SELECT * FROM main.\(table)"
        default: return "DROP TABLE IF EXISTS temp.\(table)"
        }
    }

    /// The table with a primary key, and other columns in any order.
    private static func recreation(of table: String, _ step: Int, _ random: inout SeededGenerator) -> String {
        var columns = (table == "item" ? ["name", "score", "ownerId"] : ["title", "rank"]) + [names.randomElement(using: &random)!]
        columns = columns.reduce(into: []) { if !$0.map({ $0.lowercased() }).contains($1.lowercased()) { $0.append($1) } }
        columns.shuffle(using: &random)
        var definitions = columns
        if Int.random(in: 0..<4, using: &random) == 0 {
            // A column that SQLite computes.
            definitions[definitions.count - 1] += " GENERATED ALWAYS AS (\(columns[0]) || 'g')"
            columns.removeLast()
        }
        let values = columns.indices.map { $0 % 2 == 0 ? "\(step) + id" : "'\(step) ' || id" }
        let key = ["id INTEGER PRIMARY KEY", "id INTEGER PRIMARY KEY", "id PRIMARY KEY", "id TEXT"].randomElement(using: &random)!
        definitions.insert(key, at: Int.random(in: 0...definitions.count, using: &random))
        let options = key == "id PRIMARY KEY" && Bool.random(using: &random) ? " WITHOUT ROWID" : ""
        return "DROP VIEW IF EXISTS itemView; DROP TRIGGER IF EXISTS touched; "
            + "CREATE TABLE other (\(definitions.joined(separator: ", ")))\(options); "
            + "INSERT INTO other (id, \(columns.joined(separator: ", "))) "
            + "SELECT id, \(values.joined(separator: ", ")) FROM \(table) WHERE id IS NOT NULL GROUP BY id; "
            + "DROP TABLE \(table); ALTER TABLE other RENAME TO \(table); CREATE VIEW itemView AS SELECT * FROM item"
    }
}
