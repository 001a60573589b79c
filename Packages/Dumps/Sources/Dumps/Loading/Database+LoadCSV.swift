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
    /// Fields are stored as strings, except for numbers in columns of numeric types. A REAL column stores the nearest real number;
    /// `INTEGER`, `NUMERIC` and similar columns store integers exactly. A field that is not quoted is NULL if it equals the null value of
    /// the format, a blob if it is written as `X'00FF'`, and, in a column without a type or of the type `BLOB`, a number if it has the form
    /// in which ``CSVDumpFormat`` writes numbers. All values of a dump are therefore restored exactly. The file is read in chunks, and may
    /// have any size. A column can be the hidden row id, under a name such as `rowid`.
    /// Either all rows are inserted, or none.
    ///
    /// - Parameters:
    ///   - source: a file, a string or bytes.
    ///   - table: the name of a table or view.
    ///   - format: how the fields are written.
    ///   - columns: the columns that the fields are stored in. By default, the first line of the file names them.
    ///   - conflict: the conflict resolution; nil for the table's own.
    ///   - progress: called after each 1,000 rows and at the end. An error that it throws ends the load.
    /// - Returns: the number of rows that were inserted, without ignored rows.
    /// - Throws: ``LoadError`` with the number of the line, for example for an integer of more than 64 bits in an `INTEGER` or `NUMERIC`
    ///   column, and for a number that is too large for a REAL; ``DatabaseError``; the error of the file, or of `progress`.
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
        let known = try LoadTargets(self, table: table)
        let targets = try targets(columns, header: header?.map(\.text), known: known, table: table)
        let insertion = RowInsertion(self, table: table, columns: targets.compactMap { $0 }, onConflict: conflict)
        let decoders = targets.map { column in
            column.flatMap { column in known[column].map { FieldDecoder(column, format: format, target: $0) } }
        }
        return try insertion.run(progress: progress) {
            while let fields = try reader.next() {
                // Files often end with empty lines.
                if fields == [CSVReader.Field(text: "", isQuoted: false)], targets.count > 1 { continue }
                guard fields.count == targets.count else {
                    let separator = String(format.separator).debugDescription
                    throw LoadError(
                        line: reader.line, column: nil,
                        message:
                            "the record has \(fields.count.counted("field")), but \(targets.count) \(targets.count == 1 ? "is" : "are") expected",
                        advice: fields.count == 1
                            ? "Check the separator of the fields: the format has \(separator)."
                            : "Quote fields that contain \(separator), and write missing ones as empty fields.")
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
    private func targets(_ columns: LoadColumns, header: [String]?, known: LoadTargets, table: String) throws -> [String?] {
        let targets: [String?]
        switch columns {
        case .fromHeader: targets = header ?? []
        case .renaming(let names): targets = (header ?? []).map { name in names[name] ?? name }
        case .inOrder(let names): targets = names
        }
        if header != nil || !targets.isEmpty {
            if let index = targets.firstIndex(where: { $0.map { known[$0] == nil } ?? false }) {
                // The first line of a file without a header has values, which may be private.
                let isPublic = header == nil || configuration.publicStatementArguments
                throw LoadError(
                    line: 1, column: isPublic ? targets[index] : nil,
                    message: isPublic
                        ? "the table \(table.debugDescription) has no such column"
                        : "field \(index + 1) of the header does not name a column of the table \(table.debugDescription)")
            }
            var seen: Set<SchemaName> = []
            if let twice = targets.compactMap({ $0 }).first(where: { !seen.insert(SchemaName($0)).inserted }) {
                throw LoadError(line: 1, column: twice, message: "two fields of the header name the same column")
            }
        }
        return targets
    }
}

/// Creates values from the fields of a column.
private struct FieldDecoder {
    private let column: String
    private let target: LoadTargets.Target
    private let nullValue: String
    private let blobs: CSVFormat.BlobEncoding

    init(_ column: String, format: CSVFormat, target: LoadTargets.Target) {
        self.column = column
        self.target = target
        nullValue = format.nullValue
        blobs = format.blobs
    }

    func value(_ field: CSVReader.Field, line: Int) throws -> DatabaseValue {
        if !field.isQuoted, field.text == nullValue { return .null }
        if blobs == .marked {
            if !field.isQuoted, let data = Data(blobLiteral: field.text) { return DatabaseValue(storage: .blob(data)) }
        } else if target.isBlob {
            return DatabaseValue(storage: .blob(try blobs.decode(field.text, line: line, column: column)))
        }
        switch target.affinity {
        case .text: break
        case .blob:
            if !field.isQuoted, let number = DatabaseValue(number: field.text) { return number }
        case .integer, .real, .numeric:
            if let infinity = DatabaseValue(infinity: field.text) { return infinity }
            do {
                if let number = try DecimalNumber(field.text)?.value(for: target.affinity) { return number }
            } catch {
                throw LoadError(line: line, column: column, message: "\(error)")
            }
        }
        return DatabaseValue(storage: .string(field.text))
    }
}

extension CSVFormat.BlobEncoding {
    /// Reads a blob that is not marked.
    func decode(_ text: String, line: Int, column: String) throws -> Data {
        switch self {
        case .marked, .bytes: return Data(text.utf8)
        case .base64:
            if let data = Data(base64Encoded: text) { return data }
            throw LoadError(line: line, column: column, message: "the blob is not valid base64")
        case .hexadecimal:
            if let data = Data(hexadecimal: text.utf8[...]) { return data }
            throw LoadError(line: line, column: column, message: "the blob is not valid hexadecimal")
        }
    }
}

extension DatabaseValue {
    /// Reads a number in the form in which ``DatabaseValue/csvNumber`` writes it; nil for other strings, such as `007` and `1.10`.
    init?(number text: String) {
        // Most strings begin with another character.
        guard let first = text.utf8.first, first == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
            return nil
        }
        guard let value = Self(infinity: text) ?? (try? DecimalNumber(text)?.value(for: .blob)), value.csvNumber == text else { return nil }
        self = value
    }

    /// Reads an infinity in the form in which ``DatabaseValue/csvNumber`` writes it; nil for other strings.
    fileprivate init?(infinity text: String) {
        guard let infinity = [Double.infinity, -.infinity].first(where: { $0.sqlLiteral == text }) else { return nil }
        self.init(storage: .double(infinity))
    }

    /// The number in CSV; nil for values that are not numbers. SQLite also reads 9e999 as infinity.
    var csvNumber: String? { isNumber ? sqlLiteral : nil }
}

extension Data {
    /// Reads a blob that is written as `X'00FF'`; nil for other strings.
    fileprivate init?(blobLiteral text: String) {
        let bytes = text.utf8
        guard text.looksLikeBlobLiteral, bytes.count >= 3, bytes.last == UInt8(ascii: "'") else { return nil }
        self.init(hexadecimal: bytes.dropFirst(2).dropLast())
    }

    /// Reads hexadecimal digits; nil for other strings.
    fileprivate init?(hexadecimal digits: Substring.UTF8View) {
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        var high: UInt8?
        for byte in digits {
            guard let digit = byte.hexadecimalDigit else { return nil }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        self.init(bytes)
    }
}

extension String {
    /// Whether the string begins like `X'00FF'`.
    var looksLikeBlobLiteral: Bool { utf8.starts(with: "X'".utf8) || utf8.starts(with: "x'".utf8) }
}

extension UInt8 {
    var hexadecimalDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
