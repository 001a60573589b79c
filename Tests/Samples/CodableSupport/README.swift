import CodableSupport
import Foundation
import Testing

// sample: What becomes of a property 1

private func decode<Record: FetchableRecord>(_ type: Record.Type, _ sql: String) throws -> Record {
    try withDatabase { try Record.fetchAll($0, sql: sql)[0] }
}

@Suite(.page)
struct CodableSupportSamples {
    @Test
    func `What becomes of a property: defaults`() throws {
        let options = try decode(Options.self, "SELECT NULL AS theme")
        #expect(options.theme == "light" && options.tags == [])
        #expect(try decode(Options.self, "SELECT 'dark' AS theme, '[\"a\"]' AS tags").tags == ["a"])
        #expect(try options.databaseDictionary == ["theme": "light".databaseValue, "tags": "[]".databaseValue])
    }

    @Test
    func `The samples of values`() throws {
        // sample: Values 1

        try withDatabase("CREATE TABLE user (settings TEXT)") { db throws in
            // sample: Values 2
            #expect(settings == Settings(theme: "dark", fontSize: 12))
            #expect(try db.rows("SELECT settings FROM user") == [#"'{"fontSize":12,"theme":"dark"}'"#])
        }
    }

    @Test
    func `The samples of strategies`() throws {
        // sample: Strategies 1

        let uuid = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!
        let launch = Launch(id: uuid, rocketName: "Saturn V", startDate: Date(timeIntervalSince1970: -14_552_880))
        try withDatabase("CREATE TABLE launch (id TEXT PRIMARY KEY, rocket_name TEXT, start_date INTEGER)") { db throws in
            // sample: Strategies 2
            #expect(try db.rows("SELECT * FROM launch") == ["'e621e1f8-c36c-495a-93fc-0c247a3e6e5f' 'Saturn V' -14552880"])
            let fetched = try Launch.fetchOne(db)
            let epoch = Date(timeIntervalSince1970: 0)
            #expect(try DatabaseDateEncodingStrategy.secondsSince1970.databaseValue(for: epoch) == 0.databaseValue)
            #expect(fetched?.id == uuid && fetched?.rocketName == "Saturn V" && fetched?.startDate == launch.startDate)
            struct Acronym: Codable, FetchableRecord, PersistableRecord {
                var myURL: Int?
                static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.convertFromSnakeCase
                static let databaseColumnEncodingStrategy = DatabaseColumnEncodingStrategy.convertToSnakeCase
            }
            #expect(try Acronym(myURL: 1).databaseDictionary == ["my_url": 1.databaseValue])
            #expect(try Acronym.fetchOne(db, sql: "SELECT 1 AS my_url")?.myURL == nil)
        }
    }

    @Test
    func `More than the defaults do`() throws {
        // sample: More than the defaults do 1

        let word = try decode(Word.self, "SELECT 'E\u{301}tude' AS text")
        #expect(word.text.unicodeScalars.elementsEqual("\u{C9}tude".unicodeScalars))
        #expect(try word.databaseDictionary == ["text": "\u{C9}tude".databaseValue, "sortKey": "\u{E9}tude".databaseValue])
    }

    @Test
    func `The README's sample`() throws {
        // sample: CodableSupport 1

        #expect(players.map(\.id) == [1])
        #expect(players[0].name == "Arthur" && players[0].born == nil && players[0].tags == ["tall", "fast"])
        #expect(try queue.read { try String.fetchOne($0, sql: "SELECT tags FROM player") } == #"["tall","fast"]"#)
    }
}
