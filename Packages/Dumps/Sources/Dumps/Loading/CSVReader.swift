/// Reads a CSV file, record by record.
///
/// ```swift
/// // id,name,score
/// // 1,"O'Brien, Arthur",500
/// var reader = try CSVReader(.file(url))
/// while let record = try reader.next() {
///     print(record.line, record["name"] ?? "", record["score"] ?? "")
/// }
/// ```
///
/// The file is read in chunks, and may have any size. ``Database/load(_:into:options:onConflict:upsert:progress:)`` reads files in
/// the same way, and inserts their records.
///
/// Lines end with LF, CR LF or CR. A byte order mark is skipped. A field in quotes can contain separators, line breaks and doubled quotes.
///
/// Source: <https://www.rfc-editor.org/rfc/rfc4180>
public struct CSVReader {
    /// The fields of the first line, if it is a header. Names can be empty, and can occur twice.
    public let header: [String]?

    private var scanner: CSVScanner
    private var records = CSVRecords()
    private let nullValue: String
    private let columns: [SchemaName: Int]

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - source: a file, a string or bytes.
    ///   - format: how the fields are written. Its encoding of blobs, and its rules for short and long records, have no effect.
    ///   - hasHeader: whether the first line has the names of the columns.
    /// - Throws: ``LoadError`` for a header that can't be read; ``DatabaseError`` with the code `SQLITE_MISUSE` for a separator that is not
    ///   an ASCII character, or is a quote or a line break; the error of the file.
    public init(_ source: TextSource, format: CSVFormat = CSVFormat(), header hasHeader: Bool = true) throws {
        scanner = try CSVScanner(source, format)
        nullValue = format.nullValue
        let header = hasHeader ? try scanner.readHeader() : nil
        self.header = header
        columns = Dictionary((header ?? []).enumerated().map { (SchemaName($1), $0) }, uniquingKeysWith: { first, _ in first })
        scanner.skipsEmptyLines = (header?.count ?? 0) > 1
    }

    /// Returns the next record, or nil at the end.
    ///
    /// With a header of more than one column, empty lines are no records. The number of fields is not checked.
    ///
    /// - Throws: ``LoadError`` for a record that can't be read: the next call returns the record after it, which begins in a later line;
    ///   the error of the file.
    public mutating func next() throws -> CSVRecord? {
        records.removeAll()
        guard try scanner.read(into: &records) else { return nil }
        if let error = records.errors[0] { throw error }
        let fields = records.fields.map { CSVRecord.Field(text: records.text($0), isQuoted: $0.isQuoted) }
        return CSVRecord(line: records.records[0].line, fields: fields, columns: columns, nullValue: nullValue)
    }

    /// The number of bytes of the file up to the next record, as UTF-8.
    public var byteCount: Int { scanner.source.offset }
}

extension CSVScanner {
    /// Reads the names in the first line; nil if there is none.
    mutating func readHeader() throws -> [String]? {
        var records = CSVRecords()
        guard try read(into: &records) else { return nil }
        if let error = records.errors[0] { throw error }
        return records.fields.map { records.text($0) }
    }
}

/// A record of a CSV file.
public struct CSVRecord: Sendable {
    /// A field of a record.
    public struct Field: Hashable, Sendable {
        /// The text, without quotes around it.
        public let text: String

        /// Whether the field is in quotes in the file.
        public let isQuoted: Bool
    }

    /// The number of the line in which the record begins, from 1.
    public let line: Int

    /// The fields, in the order of the file.
    public let fields: [Field]

    fileprivate let columns: [SchemaName: Int]
    fileprivate let nullValue: String

    /// Returns the text of a field.
    ///
    /// - Parameter index: the index of the field, from 0.
    /// - Returns: the text; nil if the field is the format's null value without quotes, or if the record has no such field.
    public subscript(_ index: Int) -> String? {
        guard fields.indices.contains(index), fields[index].isQuoted || fields[index].text != nullValue else { return nil }
        return fields[index].text
    }

    /// Returns the text of the field of a column.
    ///
    /// - Parameter column: a name in the header, regardless of case. If two columns have the name, the first one counts.
    /// - Returns: the text; nil if the field is the format's null value without quotes, if the record has no such field, and if the header
    ///   does not have the name.
    public subscript(_ column: String) -> String? { columns[SchemaName(column)].flatMap { self[$0] } }
}
