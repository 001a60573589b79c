import Foundation

/// A JSON array of objects, one for each row.
///
/// ```swift
/// // [{"id":1,"name":"Arthur"},
/// // {"id":2,"name":null}]
/// try db.dumpSQL("SELECT id, name FROM player", format: .json())
/// ```
///
/// Members have the order of the columns. Real numbers have a fraction or an exponent, which distinguishes them from integers. Blobs are
/// written by the encoder's strategy for data, the infinities by its strategy for non-conforming numbers; by default as
/// `{"$base64":"AP8="}` and `{"$real":"inf"}`. ``LoadedFile/json(_:at:blobs:)`` reads these files, and restores all
/// values exactly.
public struct JSONDumpFormat: DumpFormat {
    /// The encoder of a dump that specifies none: blobs become objects such as `{"$base64":"AP8="}`, which differ from all strings of the
    /// column.
    public static var defaultEncoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dataEncodingStrategy = .custom { data, encoder in
            var container = encoder.singleValueContainer()
            try container.encode([JSONMark.base64.rawValue: data.base64EncodedString()])
        }
        encoder.outputFormatting = .withoutEscapingSlashes
        return encoder
    }

    /// The encoder of the values. With the output formatting `.prettyPrinted`, each value is on its own line.
    public var encoder: JSONEncoder

    /// The columns that are written as strings, by their names, regardless of case. Each dumped table or query must have them.
    public var columns: [String: DumpedColumn]

    private var object: JSONObjectWriter?

    /// Creates a format.
    ///
    /// - Parameters:
    ///   - encoder: the encoder of the values; nil for ``defaultEncoder``.
    ///   - columns: the columns that are written as strings, such as UUIDs, dates and amounts.
    public init(encoder: JSONEncoder? = nil, columns: [String: DumpedColumn] = [:]) {
        self.encoder = encoder ?? Self.defaultEncoder
        self.columns = columns
    }

    /// Writes a row.
    ///
    /// - Throws: ``DatabaseError`` with the code `SQLITE_MISMATCH` for a string that is not valid UTF-8, and for a value of a column in
    ///   ``columns`` that is of another kind, or with `SQLITE_MISUSE` if such a column is missing; the error of the encoder.
    public mutating func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) throws {
        let isFirstRow = object == nil
        let object = try self.object ?? JSONObjectWriter(encoder, statement, columns: columns)
        self.object = object
        if object.isPretty {
            stream.write(isFirstRow ? "[\n  " : ",\n  ")
            try object.write(statement, indentation: "  ", to: &stream)
        } else {
            stream.write(isFirstRow ? "[" : ",\n")
            try object.write(statement, to: &stream)
        }
    }

    /// Ends the rows of a statement.
    public mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {
        stream.write(object.map { $0.isPretty ? "\n]\n" : "]\n" } ?? "[]\n")
        object = nil
    }
}

extension DumpFormat where Self == JSONDumpFormat {
    /// A JSON array of objects, one for each row. See ``JSONDumpFormat``.
    ///
    /// - Parameters:
    ///   - encoder: the encoder of the values; nil for ``JSONDumpFormat/defaultEncoder``.
    ///   - columns: the columns that are written as strings, such as UUIDs, dates and amounts.
    public static func json(encoder: JSONEncoder? = nil, columns: [String: DumpedColumn] = [:]) -> Self {
        JSONDumpFormat(encoder: encoder, columns: columns)
    }
}

/// One JSON object for each row, each on its own line.
///
/// ```swift
/// // {"id":1,"name":"Arthur"}
/// // {"id":2,"name":null}
/// try db.dumpSQL("SELECT id, name FROM player", format: .jsonLines())
/// ```
///
/// Values are written as ``JSONDumpFormat`` writes them, without line breaks.
///
/// Source: <https://jsonlines.org>
public struct JSONLinesDumpFormat: DumpFormat {
    /// The encoder of the values.
    public var encoder: JSONEncoder

    /// The columns that are written as strings, by their names, regardless of case. Each dumped table or query must have them.
    public var columns: [String: DumpedColumn]

    private var object: JSONObjectWriter?

    /// Creates a format.
    ///
    /// - Parameters:
    ///   - encoder: the encoder of the values; nil for ``JSONDumpFormat/defaultEncoder``.
    ///   - columns: the columns that are written as strings, such as UUIDs, dates and amounts.
    public init(encoder: JSONEncoder? = nil, columns: [String: DumpedColumn] = [:]) {
        self.encoder = encoder ?? JSONDumpFormat.defaultEncoder
        self.columns = columns
    }

    /// Writes a row.
    ///
    /// - Throws: ``DatabaseError`` with the code `SQLITE_MISMATCH` for a string that is not valid UTF-8, and for a value of a column in
    ///   ``columns`` that is of another kind, or with `SQLITE_MISUSE` if such a column is missing; the error of the encoder.
    public mutating func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) throws {
        let object = try self.object ?? JSONObjectWriter(encoder, statement, columns: columns)
        self.object = object
        try object.write(statement, to: &stream)
        stream.write("\n")
    }

    /// Ends the rows of a statement.
    public mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {
        object = nil
    }
}

extension DumpFormat where Self == JSONLinesDumpFormat {
    /// One JSON object for each row, each on its own line. See ``JSONLinesDumpFormat``.
    ///
    /// - Parameters:
    ///   - encoder: the encoder of the values; nil for ``JSONDumpFormat/defaultEncoder``.
    ///   - columns: the columns that are written as strings, such as UUIDs, dates and amounts.
    public static func jsonLines(encoder: JSONEncoder? = nil, columns: [String: DumpedColumn] = [:]) -> Self {
        JSONLinesDumpFormat(encoder: encoder, columns: columns)
    }
}

/// The name of the only member of an object that stands for a value that JSON does not have.
enum JSONMark: String {
    /// A blob.
    case base64 = "$base64"

    /// An infinity: "inf" or "-inf".
    case real = "$real"
}

/// Writes rows as JSON objects. A keyed encoding container does not keep the order of its keys, so only the values go through the encoder.
struct JSONObjectWriter {
    let isPretty: Bool
    private let encoder: JSONEncoder
    private let names: [String]
    private let texts: DumpedColumns?

    init(_ encoder: JSONEncoder, _ statement: Statement, columns: [String: DumpedColumn]) throws {
        self.encoder = encoder
        texts = columns.isEmpty ? nil : try DumpedColumns(columns, of: statement)
        isPretty = encoder.outputFormatting.contains(.prettyPrinted)
        names = try statement.columnNames.map { String(decoding: try encoder.encode($0), as: UTF8.self) }
    }

    /// Writes the current row: on one line, or with an indentation, each value on its own line.
    func write(_ statement: Statement, indentation: String? = nil, to stream: inout DumpStream) throws {
        let (start, colon) = indentation.map { ("\n\($0)  ", " : ") } ?? ("", ":")
        for (index, value) in try statement.validValues().enumerated() {
            stream.write("\(index == 0 ? "{" : ",")\(start)\(names[index])\(colon)\(try json(value, at: index))")
        }
        stream.write(indentation.map { "\n\($0)}" } ?? "}")
    }

    private func json(_ value: DatabaseValue, at index: Int) throws -> String {
        if let text = try texts?.text(value, at: index) { return try encoded(text) }
        return switch value.storage {
        case .null: "null"
        case .int64(let integer): "\(integer)"
        case .double(let real): real.isFinite ? real.description : try infinity(real)
        case .string(let text): try encoded(text)
        case .blob(let data): try encoded(data)
        }
    }

    private func infinity(_ real: Double) throws -> String {
        // JSON has no infinity: Foundation's decoder, for example, rejects 9e999.
        if case .throw = encoder.nonConformingFloatEncodingStrategy { return try encoded([JSONMark.real.rawValue: real.description]) }
        return try encoded(real)
    }

    private func encoded(_ value: some Encodable) throws -> String {
        String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
