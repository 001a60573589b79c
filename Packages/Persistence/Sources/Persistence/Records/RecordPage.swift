import Foundation
import QueryInterface

/// A page of a list, with the cursor of the next page.
///
/// ```swift
/// var cursor: String?
/// repeat {
///     let page = try Player.fetchPage(db, after: cursor, size: 20) { [$0.score.desc] }
///     print(page.records)
///     cursor = page.next
/// } while cursor != nil
/// ```
public struct RecordPage<Record> {
    /// The records, in the order of the list.
    public let records: [Record]

    /// The cursor of the next page; nil if this is the last one.
    ///
    /// It is a text of letters, digits, `-` and `_`, which fits into a URL without escapes.
    public let next: String?
}

extension RecordPage: Sendable where Record: Sendable {}

extension RecordPage: Equatable where Record: Equatable {}

/// An error of a cursor that ``RecordPage/next`` has not returned for the same order.
///
/// A server should answer a request with such a cursor with status 400.
public struct PageCursorError: Error, Hashable, CustomStringConvertible {
    /// The name of the table of the request.
    public let databaseTableName: String

    /// The error in one sentence, without the cursor.
    public var description: String { "the text is not the cursor of a page of \(databaseTableName) in this order" }
}

extension RequestSource
where
    Self: TypedRequest, DerivedRequest == QueryInterfaceRequest<RowDecoder>,
    RowDecoder: EncodableRecord & FetchableRecord & TableRecord
{
    /// Fetches a page of the records: the first one, or the one after a cursor.
    ///
    /// ```swift
    /// // SELECT * FROM "player" ORDER BY "score" DESC, "id" DESC LIMIT 21
    /// let first = try Player.all()
    ///     .fetchPage(db, after: nil, size: 20, by: [Column("score").desc])
    /// // SELECT * FROM "player" WHERE ("score", "id") < (750, 42)
    /// // ORDER BY "score" DESC, "id" DESC LIMIT 21
    /// let second = try Player.all()
    ///     .fetchPage(db, after: first.next, size: 20, by: [Column("score").desc])
    /// ```
    ///
    /// The order ends with the primary key, in the direction of the last term, unless it contains the primary key already, with the
    /// collation of its index. If the key can be NULL, the row ID follows. The cursor contains the values of the last row in the columns of
    /// the order, as the database stores them: clients can read them, and a forged cursor leads to another position of the same list.
    ///
    /// The columns of the order that the request does not select are selected behind its own. A distinct or grouped request, and one that
    /// selects an aggregate, must select them itself, as they would change its rows.
    ///
    /// Each page takes the same time if an index has the columns of the conditions that compare with `==`, followed by the columns of the
    /// order, in the same directions: `explainQueryPlan` of ``RequestSource/page(after:by:)`` then has no `USE TEMP B-TREE FOR ORDER BY`.
    /// Without the index, SQLite sorts all rows of the list for each page.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - cursor: ``RecordPage/next`` of the previous page; nil for the first page.
    ///   - size: the greatest number of records, at least 1. It replaces a limit of the request.
    ///   - orderings: columns of the record, with directions.
    /// - Throws: ``PageCursorError`` if the text is not the cursor of a page in this order; ``DatabaseError``, also if a term does not
    ///   order by a column, if the record has no value for it, or if a distinct or grouped request does not select it; or the error of a
    ///   record.
    public func fetchPage(
        _ db: Database, after cursor: String?, size: Int, by orderings: [any SQLOrderingTerm]
    ) throws -> RecordPage<RowDecoder> {
        guard size > 0 else { throw DatabaseError.misuse("a page of \(size) records is empty") }
        let request = all()
        let table = request.databaseTableName
        let order = try StableOrder(orderings.map(\.sqlOrdering), of: table, ofRecord: RowDecoder.databaseTableName, db)
        let codec = try PageCursorCodec(order, table: table, db)
        let values = try cursor.map { try codec.values($0) }
        let (rows, indexes) = try request.page(after: values, by: order.terms).limit(size == .max ? size : size + 1)
            .fetchRows(db, withColumnsOf: order.terms)
        let records = try rows.prefix(size).map { try RowDecoder(row: $0) }
        guard rows.count > size else { return RecordPage(records: records, next: nil) }
        // The cursor shows no values that the records don't show.
        let last = try records[size - 1].valuesByName
        for column in order.columns { _ = try value(of: column, in: last, table) }
        return RecordPage(records: records, next: codec.text(indexes.map { rows[size - 1].unadaptedValue(atIndex: $0) ?? .null }))
    }

    /// Fetches a page of the records, ordered by columns of the record type: the first one, or the one after a cursor.
    ///
    /// ```swift
    /// let page = try Player.filter { $0.teamId == 7 }
    ///     .fetchPage(db, after: nil, size: 20) { [$0.score.desc] }
    /// ```
    ///
    /// - Throws: the errors of ``RequestSource/fetchPage(_:after:size:by:)``, or of the closure.
    public func fetchPage(
        _ db: Database, after cursor: String?, size: Int, by orderings: (RowDecoder.DatabaseComponents) throws -> [any SQLOrderingTerm]
    ) throws -> RecordPage<RowDecoder> {
        try fetchPage(db, after: cursor, size: size, by: orderings(RowDecoder.databaseComponents))
    }
}

extension TableRecord where Self: EncodableRecord & FetchableRecord {
    /// Fetches a page of all records: the first one, or the one after a cursor.
    ///
    /// ```swift
    /// let page = try Player.fetchPage(db, after: nil, size: 20, by: [Column("score").desc])
    /// ```
    ///
    /// - Throws: the errors of ``RequestSource/fetchPage(_:after:size:by:)``.
    public static func fetchPage(
        _ db: Database, after cursor: String?, size: Int, by orderings: [any SQLOrderingTerm]
    ) throws -> RecordPage<Self> {
        try all().fetchPage(db, after: cursor, size: size, by: orderings)
    }

    /// Fetches a page of all records, ordered by columns of the record type: the first one, or the one after a cursor.
    ///
    /// ```swift
    /// let page = try Player.fetchPage(db, after: nil, size: 20) { [$0.score.desc] }
    /// ```
    ///
    /// - Throws: the errors of ``RequestSource/fetchPage(_:after:size:by:)``, or of the closure.
    public static func fetchPage(
        _ db: Database, after cursor: String?, size: Int, by orderings: (DatabaseComponents) throws -> [any SQLOrderingTerm]
    ) throws -> RecordPage<Self> {
        try all().fetchPage(db, after: cursor, size: size, by: orderings)
    }
}

/// Writes and reads the cursors of an order: the values of its columns, and a check of 64 bits, in base64 for URLs.
///
/// The check depends on the table and the order. It finds cursors of other lists and strings that were cut off, but does not keep anybody
/// from making cursors.
private struct PageCursorCodec {
    private let table: String
    private let count: Int
    /// The order as SQL.
    private let order: String

    init(_ order: StableOrder, table: String, _ db: Database) throws {
        self.table = table
        count = order.terms.count
        var renderer = SQLRenderer(database: db)
        try renderer.append(order.terms, separator: ", ") { try $0.append($1) }
        self.order = renderer.sql
    }

    func text(_ values: [DatabaseValue]) -> String {
        var bytes = Data()
        for value in values {
            switch value.storage {
            case .null: bytes.append(0)
            case .int64(let integer): bytes.append(word: UInt64(bitPattern: integer), tag: 1)
            case .double(let real): bytes.append(word: real.bitPattern, tag: 2)
            case .string(let text): bytes.append(Data(text.utf8), tag: 3)
            case .blob(let data): bytes.append(data, tag: 4)
            }
        }
        bytes.append(word: check(bytes))
        return bytes.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    func values(_ text: String) throws -> [DatabaseValue] {
        let standard = text.replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        guard var bytes = Data(base64Encoded: standard + padding), bytes.count >= 8 else { throw error }
        var end = bytes.suffix(8)
        bytes = bytes.dropLast(8)
        guard end.popWord() == check(bytes) else { throw error }
        var values: [DatabaseValue] = []
        while let tag = bytes.popFirst() {
            switch tag {
            case 0: values.append(.null)
            case 1: try values.append(Int64(bitPattern: word(&bytes)).databaseValue)
            case 2: try values.append(Double(bitPattern: word(&bytes)).databaseValue)
            case 3: try values.append(String(decoding: data(&bytes), as: UTF8.self).databaseValue)
            case 4: try values.append(data(&bytes).databaseValue)
            default: throw error
            }
        }
        // Base64 encodes the same bytes in several ways, of which a cursor is one.
        guard values.count == count, self.text(values) == text else { throw error }
        return values
    }

    private var error: PageCursorError { PageCursorError(databaseTableName: table) }

    private func word(_ bytes: inout Data) throws -> UInt64 {
        guard let word = bytes.popWord() else { throw error }
        return word
    }

    private func data(_ bytes: inout Data) throws -> Data {
        guard let count = bytes.popWord(), count <= UInt64(bytes.count) else { throw error }
        defer { bytes = bytes.dropFirst(Int(count)) }
        return Data(bytes.prefix(Int(count)))
    }

    /// The FNV-1a hash of the table, the order and the values.
    private func check(_ bytes: Data) -> UInt64 {
        var hash: UInt64 = 14_695_981_039_346_656_037
        for byte in [Array("\(table)\0\(order)\0".utf8), Array(bytes)].joined() { hash = (hash ^ UInt64(byte)) &* 1_099_511_628_211 }
        return hash
    }
}

extension Data {
    fileprivate mutating func append(word: UInt64, tag: UInt8? = nil) {
        if let tag { append(tag) }
        for shift in stride(from: 56, through: 0, by: -8) { append(UInt8(truncatingIfNeeded: word >> UInt64(shift))) }
    }

    fileprivate mutating func append(_ data: Data, tag: UInt8) {
        append(word: UInt64(data.count), tag: tag)
        append(data)
    }

    fileprivate mutating func popWord() -> UInt64? {
        guard count >= 8 else { return nil }
        defer { self = dropFirst(8) }
        return prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
