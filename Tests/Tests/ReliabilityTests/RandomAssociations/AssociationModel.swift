import Strata

/// Tables that refer to each other, all with the columns id, name and score, and their associations.
enum AssociationModel {
    static let schema = """
        CREATE TABLE country (id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
        CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT, score INTEGER, countryId INTEGER REFERENCES country);
        CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER, teamId INTEGER REFERENCES team);
        CREATE TABLE award (id INTEGER PRIMARY KEY, name TEXT, score INTEGER, playerId INTEGER REFERENCES player);
        CREATE TABLE game (id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
        CREATE TABLE appearance
            (id INTEGER PRIMARY KEY, name TEXT, score INTEGER, playerId INTEGER REFERENCES player, gameId INTEGER REFERENCES game);
        """

    static let names = ["Ann", "ann", "BOB", "bob", "Cy"]

    /// Fills the tables with random rows. References, names and scores may be NULL, and rows of a game may appear several times.
    static func fill(_ db: Database, _ random: inout SeededGenerator) throws {
        func reference(to count: Int) -> String {
            Int.random(in: 0..<6, using: &random) == 0 ? "NULL" : "\(Int.random(in: 1...count, using: &random))"
        }
        let tables: [(name: String, count: Int, references: [Int])] = [
            ("country", 4, []), ("team", 7, [4]), ("player", 14, [7]), ("award", 18, [14]), ("game", 5, []), ("appearance", 22, [14, 5]),
        ]
        for (table, count, references) in tables {
            for id in 1...count {
                let name = Int.random(in: 0..<8, using: &random) == 0 ? "NULL" : "'\(names.randomElement(using: &random)!)'"
                let score = Int.random(in: 0..<6, using: &random) == 0 ? "NULL" : "\(Int.random(in: -3...6, using: &random))"
                let values = (["\(id)", name, score] + references.map(reference)).joined(separator: ", ")
                try db.execute(sql: "INSERT INTO \(table) VALUES (\(values))")
            }
        }
    }

    /// An association, and SQL for it, written by hand.
    struct Link: Sendable {
        let origin: String
        let destination: String

        /// The association, which has a key of its own.
        let association: any AssociationToMany<Row, Row>

        /// The joined tables: each with the condition that joins it to the one before. `{o}` stands for the name of the origin, `{a}` for
        /// the name of the destination, and `{t}` for the name of the table between the two.
        let joins: [(table: String, alias: String, condition: String)]
    }

    private static func hasMany(_ origin: String, _ destination: String, _ column: String) -> HasManyAssociation<Row, Row> {
        Table(origin).hasMany(Table(destination), key: "\(destination)sBy\(origin)", using: ForeignKey([column], to: ["id"]))
    }

    static let toMany: [Link] = [
        Link(
            origin: "country", destination: "team", association: hasMany("country", "team", "countryId"),
            joins: [("team", "{a}", "{a}.countryId = {o}.id")]),
        Link(
            origin: "team", destination: "player", association: hasMany("team", "player", "teamId"),
            joins: [("player", "{a}", "{a}.teamId = {o}.id")]),
        Link(
            origin: "player", destination: "award", association: hasMany("player", "award", "playerId"),
            joins: [("award", "{a}", "{a}.playerId = {o}.id")]),
        Link(
            origin: "country", destination: "player",
            association: Table("country").hasMany(
                Table("player"), through: hasMany("country", "team", "countryId").forKey("pivotTeams"),
                using: hasMany("team", "player", "teamId")),
            joins: [("team", "{t}", "{t}.countryId = {o}.id"), ("player", "{a}", "{a}.teamId = {t}.id")]),
        Link(
            origin: "player", destination: "game",
            association: Table("player").hasMany(
                Table("game"), through: hasMany("player", "appearance", "playerId").forKey("pivotAppearances"),
                using: Table("appearance").belongsTo(Table("game"), key: "game", using: ForeignKey(["gameId"], to: ["id"]))),
            joins: [("appearance", "{t}", "{t}.playerId = {o}.id"), ("game", "{a}", "{a}.id = {t}.gameId")]),
    ]

    /// An association to one row, and the column that refers to it.
    struct Reference: Sendable {
        let origin: String
        let destination: String
        let column: String

        var association: BelongsToAssociation<Row, Row> {
            Table(origin).belongsTo(Table(destination), key: "\(destination)Of\(origin)", using: ForeignKey([column], to: ["id"]))
        }

        /// The rows of the origin that pass a condition on the row to which they refer, if any: `n`.
        func table(where condition: String) -> String {
            "(SELECT o.* FROM \(origin) o LEFT JOIN \(destination) n ON n.id = o.\(column) WHERE \(condition))"
        }
    }

    static let toOne = [
        Reference(origin: "team", destination: "country", column: "countryId"),
        Reference(origin: "player", destination: "team", column: "teamId"),
        Reference(origin: "award", destination: "player", column: "playerId"),
    ]
}
