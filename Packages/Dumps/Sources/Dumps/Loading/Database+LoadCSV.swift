import Foundation

extension Database {
    /// Inserts the records of a CSV file.
    ///
    /// ```swift
    /// // id,name,score
    /// // 1,Arthur,500
    /// try db.load(csv: .file(url), into: "player")
    ///
    /// // Full name;Points
    /// // Arthur;500
    /// try db.load(
    ///     csv: .file(url), into: "player", format: CSVFormat(separator: ";"),
    ///     columns: .renaming(["Full name": "name", "Points": "score"]))
    /// ```
    ///
    /// The SQL is `INSERT INTO "player" ("id", "name", "score") VALUES (?, ?, ?)`.
    ///
    /// Fields are stored as texts, which SQLite converts to the type of the column. A field is NULL if it equals the null value of the format
    /// and is not quoted. Columns of the type `BLOB` are decoded. The file is read in chunks, so it may be of any size.
    ///
    /// All rows are inserted, or none.
    ///
    /// - Parameters:
    ///   - source: a file, a text or bytes.
    ///   - table: the name of a table or view.
    ///   - format: how the fields are written.
    ///   - columns: the columns that the fields are stored in. By default, the first line of the file names them.
    ///   - conflict: the resolution of conflicts; nil for that of the table.
    ///   - progress: called after each 1,000 rows and at the end. An error that it throws ends the load.
    /// - Returns: the number of rows that were inserted. Without those that were ignored.
    /// - Throws: ``LoadError`` with the number of the line; ``DatabaseError``; the error of the file, or of `progress`.
    @discardableResult
    public func load(
        csv source: TextSource, into table: String, format: CSVFormat = CSVFormat(), columns: LoadColumns = .fromHeader,
        onConflict conflict: ConflictResolution? = nil, progress: ((LoadProgress) throws -> Void)? = nil
    ) throws -> Int {
        var reader = try CSVReader(source, format)
        let header: [CSVReader.Field]?
        switch columns {
        case .fromHeader, .renaming: header = try reader.next()
        case .inOrder: header = nil
        }
        let targets = try targets(columns, header: header?.map(\.text), table: table)
        let insertion = try RowInsertion(self, table: table, columns: targets.compactMap { $0 }, onConflict: conflict)
        let decoders = try targets.map { column in
            try column.map { try FieldDecoder($0, format: format, isBlob: insertion.blobs.contains($0.lowercased())) }
        }
        return try insertion.run(progress: progress) {
            while let fields = try reader.next() {
                // Files often end with empty lines.
                if fields == [CSVReader.Field(text: "", isQuoted: false)], targets.count > 1 { continue }
                guard fields.count == targets.count else {
                    throw LoadError(
                        line: reader.line, column: nil, message: "\(fields.count) fields, where \(targets.count) are expected")
                }
                var values: [DatabaseValue] = []
                for (field, decoder) in zip(fields, decoders) {
                    if let decoder { values.append(try decoder.value(field, line: reader.line)) }
                }
                return (values, reader.line, reader.byteCount)
            }
            return nil
        }
    }

    /// The column of each field; nil for fields that are skipped.
    private func targets(_ columns: LoadColumns, header: [String]?, table: String) throws -> [String?] {
        let targets: [String?]
        switch columns {
        case .fromHeader: targets = header ?? []
        case .renaming(let names): targets = (header ?? []).map { name in names[name] ?? name }
        case .inOrder(let names): targets = names
        }
        if header != nil || !targets.isEmpty {
            let known = Set(try self.columns(in: table).map { $0.name.lowercased() })
            if let unknown = targets.compactMap({ $0 }).first(where: { !known.contains($0.lowercased()) }) {
                throw LoadError(line: 1, column: unknown, message: "the table \(table.debugDescription) has no such column")
            }
            var seen: Set<String> = []
            if let twice = targets.compactMap({ $0 }).first(where: { !seen.insert($0.lowercased()).inserted }) {
                throw LoadError(line: 1, column: twice, message: "two fields are stored in this column")
            }
        }
        return targets
    }
}

/// Makes values from the fields of a column.
private struct FieldDecoder {
    let column: String
    let nullValue: String
    let encoding: CSVFormat.BlobEncoding?

    init(_ column: String, format: CSVFormat, isBlob: Bool) throws {
        self.column = column
        nullValue = format.nullValue
        encoding = isBlob ? format.blobs : nil
    }

    func value(_ field: CSVReader.Field, line: Int) throws -> DatabaseValue {
        if !field.isQuoted, field.text == nullValue { return .null }
        switch encoding {
        case nil: return DatabaseValue(storage: .string(field.text))
        case .bytes: return DatabaseValue(storage: .blob(Data(field.text.utf8)))
        case .base64:
            guard let data = Data(base64Encoded: field.text) else {
                throw LoadError(line: line, column: column, message: "the blob is not written as base64")
            }
            return DatabaseValue(storage: .blob(data))
        case .hexadecimal:
            guard let data = Data(hexadecimal: field.text) else {
                throw LoadError(line: line, column: column, message: "the blob is not written as hexadecimal digits")
            }
            return DatabaseValue(storage: .blob(data))
        }
    }
}

extension Data {
    /// Reads hexadecimal digits; nil for other texts.
    fileprivate init?(hexadecimal text: String) {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index].hexadecimalDigit, let low = digits[index + 1].hexadecimalDigit else { return nil }
            bytes.append(high << 4 | low)
        }
        self.init(bytes)
    }
}

extension UInt8 {
    fileprivate var hexadecimalDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
