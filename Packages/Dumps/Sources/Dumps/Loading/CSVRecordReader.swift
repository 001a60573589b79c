/// Reads the records of a CSV file, and inserts them into a table.
final class CSVRecordReader: RecordReader {
    private let table: String
    private let format: CSVFormat
    private let conflict: ConflictRule
    private let conversions: [String: LoadedColumn]
    private let separator: String

    /// The columns of a new table whose types are not found in the file.
    private let typedColumns: Set<SchemaName>
    private var scanner: CSVScanner
    private var records = CSVRecords()

    /// The fields of the first line, if it is a header.
    private let header: [String]?

    /// The columns of the table that fields are stored in; nil for fields that are skipped.
    private var targets: [String?]

    private var insertions: Insertions?
    private var columns: [String] = []
    private var fields: [FieldConversion?] = []
    private(set) var skippedCount = 0

    /// Opens a file, and reads its header.
    ///
    /// - Parameter isChecked: whether ``checksum`` is needed.
    init(
        _ source: TextSource, into table: String, format: CSVFormat, columns: LoadColumns, conflict: ConflictRule,
        options: LoadOptions, isChecked: Bool
    ) throws {
        self.table = table
        self.format = format
        self.conflict = conflict
        conversions = options.columns
        separator = String(format.separator)
        typedColumns = Set((options.newTable?.types ?? [:]).keys.map(SchemaName.init))
        scanner = try CSVScanner(source, format, isChecked: isChecked)
        switch columns {
        case .fromHeader:
            header = try scanner.readHeader()
            targets = header ?? []
        case .renaming(let names):
            header = try scanner.readHeader()
            targets = (header ?? []).map { name in names[name] ?? name }
        case .inOrder(let names):
            header = nil
            targets = names
        }
        if options.newTable != nil { targets = uniqueColumnNames(targets) }
        scanner.skipsEmptyLines = targets.count > 1
    }

    var recordCount: Int { records.records.count }
    var byteCount: Int { scanner.source.offset }
    var isDecoded: Bool { scanner.source.isDecoded }
    var line: Int { scanner.line }
    var checksum: Int64 { scanner.checksumOfUsedBytes() }

    func skip(to offset: Int, line: Int) throws -> Bool { try scanner.skip(to: offset, line: line) }

    func read(_ maximum: Int, size: Int) throws -> Bool {
        records.removeAll()
        skippedCount = 0
        while records.records.count < maximum, records.bytes.count < size {
            guard try read(from: &scanner) else { return false }
        }
        return try !scanner.isAtEnd()
    }

    /// Reads a record, and checks the number of its fields.
    ///
    /// - Returns: false at the end.
    private func read(from scanner: inout CSVScanner) throws -> Bool {
        guard try scanner.read(into: &records) else { return false }
        let record = records.records[records.records.count - 1]
        if record.isBroken || record.fields.count == targets.count { return true }
        let isShort = record.fields.count < targets.count
        switch (isShort, format.shortRecords, format.longRecords) {
        case (true, .padded, _), (false, _, .cut): break
        case (true, .skipped, _), (false, _, .skipped):
            records.removeLast()
            skippedCount += 1
        case (true, .error, _), (false, _, .error): records.failLast(wrongCount(of: record))
        }
        return true
    }

    private func wrongCount(of record: CSVRecords.Record) -> LoadError {
        let count = record.fields.count
        let separator = separator.debugDescription
        return LoadError(
            line: record.line, column: nil,
            message:
                "the record has \(count.counted("field")), but \(targets.count) \(targets.count == 1 ? "is" : "are") expected",
            advice: count == 1
                ? "Check the separator of the fields: the format has \(separator)."
                : "Quote fields that contain \(separator), and write missing ones as empty fields, or \(count < targets.count ? "pad" : "cut") such records."
        )
    }

    // MARK: New tables

    func definition(of table: LoadedTable, named name: String, again source: TextSource?) throws -> String {
        let columns = targets.compactMap { $0 }
        guard !columns.isEmpty else {
            throw LoadError(line: 1, column: nil, message: "the file has no header, and so no columns for a new table")
        }
        var types = targets.map { _ in FoundType() }
        let known = conversions.byColumn
        let conversions = targets.map { $0.flatMap { known[SchemaName($0)] } }
        let nullBytes = Array(format.nullValue.utf8)
        if let source {
            var scanner = try CSVScanner(source, format)
            if header != nil { _ = try scanner.readHeader() }
            scanner.skipsEmptyLines = self.scanner.skipsEmptyLines
            let kept = (records, skippedCount)
            records.removeAll()
            while try read(from: &scanner) {
                add(&types, conversions, nullBytes)
                records.removeAll()
            }
            (records, skippedCount) = kept
        } else {
            add(&types, conversions, nullBytes)
        }
        let found = Dictionary(
            zip(targets, types).compactMap { target, type in target.map { ($0, type.type(isStrict: table.isStrict)) } },
            uniquingKeysWith: { first, _ in first })
        return try table.sql(name: name, columns: columns, found: found, conversions: known)
    }

    /// Adds the fields of the records that were read.
    private func add(_ types: inout [FoundType], _ conversions: [LoadedColumn?], _ nullBytes: [UInt8]) {
        for (index, record) in records.records.enumerated() where records.errors[index] == nil {
            for (column, field) in zip(types.indices, records.fields[record.fields]) {
                if records.bytes.isNull(field, nullBytes) { continue }
                if let conversion = conversions[column], !conversion.isAutomatic || conversion.isNull(records.text(field)) { continue }
                types[column].add(records.bytes, field, marksBlobs: format.blobs == .marked)
            }
        }
    }

    // MARK: Inserting

    func prepare(_ db: Database, areTypesFound: Bool) throws {
        let known = try LoadTargets(db, table: table)
        try check(known, db)
        let conversions = try known.conversions(conversions)
        fields = targets.map { name in
            guard let name, let target = known[name], !target.isGenerated else { return nil }
            return FieldConversion(
                name, format: format, target: target, conversion: conversions[SchemaName(name)],
                isTypeFound: areTypesFound && !typedColumns.contains(SchemaName(name)))
        }
        columns = fields.compactMap { $0?.column }
        // A file without records has nothing to insert, and may not even have a header.
        insertions = targets.isEmpty ? nil : try Insertions(db, into: table, conflict)
        try insertions?.check(columns)
    }

    /// Checks that the table has the columns.
    private func check(_ known: LoadTargets, _ db: Database) throws {
        if let index = targets.firstIndex(where: { $0.map { known[$0] == nil } ?? false }) {
            // The first line of a file without a header has values, which may be private.
            let isPublic = header == nil || db.configuration.publicStatementArguments
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

    func insert(_ index: Int, _ db: Database) throws {
        try insertions?.insert(columns, line: records.records[index].line) { statement in
            var parameter = 1
            try bind(index, to: statement, at: &parameter)
        }
    }

    func groupSize(from first: Int) throws -> Int {
        let size = insertions?.groupSize(columnCount: columns.count) ?? 1
        return first + size <= recordCount ? size : 1
    }

    func insertGroup(from first: Int, count: Int, _ db: Database) throws -> Int {
        guard let statement = try insertions?.statement(columns, rowCount: count) else { return 0 }
        var parameter = 1
        for index in first..<(first + count) { try bind(index, to: statement, at: &parameter) }
        try statement.insert(line: records.records[first].line)
        return db.changesCount
    }

    /// Binds the fields of a record to parameters.
    ///
    /// - Parameter parameter: the index of the first parameter, and then the one after the last.
    /// - Throws: ``LoadError`` for a record that can't be loaded; ``DatabaseError``.
    private func bind(_ index: Int, to statement: Statement, at parameter: inout Int) throws {
        if let error = records.errors[index] { throw error }
        // Copies, as each use of the properties of an object would retain their arrays.
        let (records, conversions) = (records, fields)
        let record = records.records[index]
        do {
            for position in conversions.indices {
                guard let conversion = conversions[position] else { continue }
                if position < record.fields.count {
                    let field = records.fields[record.fields.lowerBound + position]
                    try conversion.bind(records, field, to: statement, at: parameter, line: record.line)
                } else {
                    try statement.bind(.null, at: parameter)
                }
                parameter += 1
            }
        } catch let error as DatabaseError where error.isOfRow {
            throw error.loadError(line: record.line)
        }
    }

    func finish() {
        insertions = nil
    }

    // MARK: Rejected records

    var rejectsHeader: String {
        guard let header else { return "" }
        let names = header.map { $0.csvField(separator: separator, quote: format.quoteByte) }
        return (["rejected_line", "rejected_reason"] + names).joined(separator: separator) + "\n"
    }

    func rejectedLine(_ index: Int, _ error: LoadError) -> String {
        [String(error.line), error.reason.quoted(with: format.quoteByte), text(index)].joined(separator: separator)
    }

    func text(_ index: Int) -> String {
        records.text(ofRecord: index, separator: format.separator.asciiValue ?? UInt8(ascii: ","), quote: format.quoteByte)
    }
}

extension String {
    /// The string as a field, in quotes if it has a character of CSV.
    fileprivate func csvField(separator: String, quote: UInt8) -> String {
        utf8.contains { $0 == quote || "\r\n".utf8.contains($0) || separator.utf8.contains($0) } ? quoted(with: quote) : self
    }
}
