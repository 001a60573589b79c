import Foundation
import Strata

private let jsonQueue = openFuzzDatabase()

/// Decodes JSON in a column, as a string and as a blob: the result must be the same as by Foundation's decoder. Invalid UTF-8 in a string
/// is replaced before.
func checkJSON(_ input: inout FuzzInput) throws {
    let bytes = input.remainder()
    let text = String(decoding: bytes, as: UTF8.self)
    try jsonQueue.get().read { db in
        for (sql, json) in [("SELECT CAST(? AS TEXT) AS document", Data(text.utf8)), ("SELECT ? AS document", Data(bytes))] {
            let expected = outcome { try JSONDecoder().decode(Document.self, from: json) }
            let found = outcome {
                guard let record = try Holder.fetchOne(db, sql: sql, arguments: [Data(bytes)]) else { throw FuzzFailure("no row") }
                return record.document
            }
            try expectEqual(found, expected, "\(sql), and JSONDecoder")
        }
    }
}

private struct Document: Codable, CustomStringConvertible {
    struct Part: Codable {
        var size: Double?
        var isOpen: Bool?
    }

    /// The content in a fixed order, unlike the description of a dictionary.
    var description: String { "\(name), \(count as Any), \(tags as Any), \((parts ?? [:]).sorted { $0.key < $1.key }), \(parts == nil)" }

    var name: String
    var count: Int?
    var tags: [String]?
    var parts: [String: Part]?
}

private struct Holder: Codable, FetchableRecord {
    var document: Document
}
