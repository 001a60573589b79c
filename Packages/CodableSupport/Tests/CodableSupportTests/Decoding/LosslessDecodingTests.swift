import CodableSupport
import Testing

/// Properties whose columns store values of another storage class, which decoding converts if nothing is lost.
@Suite struct LosslessDecodingTests {
    struct Track: Decodable, FetchableRecord, Equatable {
        struct ID: Decodable, Equatable {
            var text: String
            init(text: String) { self.text = text }
            init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }
        }
        var trackId: String
        var rating: String?
        var position: Int
        var length: Double?
        var isLoved: Bool
        var id: ID
    }

    @Test
    func `A record decodes numbers as strings, and strings as numbers, from statements and from copied rows`() throws {
        try DatabaseQueue().read { (db) throws in
            let sql = "SELECT 12 AS trackId, 2.5 AS rating, '7' AS position, '3.25' AS length, '1' AS isLoved, 99 AS id"
            let expected = Track(
                trackId: "12", rating: "2.5", position: 7, length: 3.25, isLoved: true, id: Track.ID(text: "99"))
            #expect(try Track.fetchOne(db, sql: sql) == expected)
            #expect(try Track.fetchAll(db, sql: sql + " UNION ALL " + sql) == [expected, expected])
            #expect(try Track(row: #require(try Row.fetchOne(db, sql: sql))) == expected)
        }
    }

    @Test(arguments: ["012", "12abc", "", "1e3"])
    func `A text that is not a number is still an error, which names the column`(_ text: String) throws {
        try DatabaseQueue().read { (db) throws in
            let error = #expect(throws: RowDecodingError.self) {
                try Track.fetchOne(
                    db, sql: "SELECT 12 AS trackId, ? AS position, 0 AS isLoved, 99 AS id", arguments: [text])
            }
            #expect(error?.description.contains("position") == true)
        }
    }
}
