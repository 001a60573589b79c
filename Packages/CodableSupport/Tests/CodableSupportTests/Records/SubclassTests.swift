import CodableSupport
import Foundation
import Testing

/// A record whose subclasses encode the same properties in other ways.
private class Event: Codable, PersistableRecord, FetchableRecord {
    class var databaseTableName: String { "event" }
    class var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy { .useDefaultKeys }
    class var databaseEncodingUserInfo: [CodingUserInfoKey: any Sendable] { [:] }
    class func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy { .deferredToDate }
    class func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy { .deferredToUUID }
    class func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy { .deferredToData }
    class func databaseJSONEncoder(for column: String) -> JSONEncoder { JSONEncoder() }

    var startDate = Date(timeIntervalSince1970: 1)
    var ownID = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!
    var someData = Data("abc".utf8)
    var someURLs = ["a/b"]
}

private class Concert: Event {
    override class var databaseTableName: String { "concert" }
    override class var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy { .convertToSnakeCase }
    override class func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy { .millisecondsSince1970 }
    override class func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy { .lowercaseString }
    override class func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy { .text }
    override class func databaseJSONEncoder(for column: String) -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return encoder
    }
}

/// A record that has a method of its own, which calls the encoder.
private final class Match: Event {
    override class var databaseTableName: String { "match" }
    override class func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy { .secondsSince1970 }
}

@Suite struct SubclassTests {
    private func text(_ record: some EncodableRecord) throws -> [String: String] {
        try record.databaseDictionary.mapValues(\.sqlLiteral)
    }

    @Test
    func `An object is encoded by the strategies of its own type, whatever type its variable declares`() throws {
        let expected = [
            "start_date": "1000", "own_id": "'e621e1f8-c36c-495a-93fc-0c247a3e6e5f'", "some_data": "'abc'",
            "some_ur_ls": #"'["a/b"]'"#,
        ]
        let concert: Event = Concert()
        let any: any EncodableRecord = concert
        #expect(try text(Concert()) == expected)
        #expect(try text(concert) == expected)
        #expect(try text(any) == expected)
        var container = PersistenceContainer()
        try EncodableRecordEncoder().encode(concert, to: &container)
        #expect(container.count == 4)
        #expect(container["start_date"] == 1000)
    }

    @Test
    func `A batch of objects of several types writes each one by its own strategies, to its own table`() throws {
        try withDatabase(
            """
            CREATE TABLE event (startDate, ownID, someData, someURLs);
            CREATE TABLE match (startDate, ownID, someData, someURLs);
            CREATE TABLE concert (start_date, own_id, some_data, some_ur_ls);
            """
        ) { db throws in
            for _ in 1...2 { try [Event(), Concert(), Match(), Event(), Concert()].insertAll(db) }
            #expect(try db.rows("SELECT DISTINCT startDate, count(*) FROM event") == ["'1970-01-01 00:00:01.000' 4"])
            #expect(try db.rows("SELECT DISTINCT startDate, count(*) FROM match") == ["1 2"])
            #expect(try db.rows("SELECT DISTINCT start_date, some_ur_ls, count(*) FROM concert") == [#"1000 '["a/b"]' 4"#])
            let concert: Event = Concert()
            #expect(try concert.databaseChanges(from: Concert() as Event) == [:])
            #expect(try concert.databaseEquals(Concert()))
            #expect(try !concert.databaseEquals(Event()))
        }
    }
}
