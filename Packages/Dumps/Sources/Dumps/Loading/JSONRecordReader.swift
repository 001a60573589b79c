import Foundation

/// Reads the objects of a JSON file, and inserts them into a table.
final class JSONRecordReader: RecordReader {
    private let table: String
    private let isLines: Bool
    private let member: String?
    private let blobs: CSVFormat.BlobEncoding
    private let conflict: ConflictRule
    private let conversions: [String: LoadedColumn]

    /// The columns of a new table whose types are not found in the file.
    private let typedColumns: Set<SchemaName>
    private var reader: JSONObjectReader
    private var records: [JSONObjectReader.Record] = []

    private var columns: [JSONColumn] = []
    private var known: LoadTargets?
    private var insertions: Insertions?

    /// The rows of the records; nil until they are inserted.
    private var rows: JSONRows?

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - isLines: whether the file has one object in each line.
    ///   - member: the name of the member of an object that has the array; nil if the file is the array.
    ///   - isChecked: whether ``checksum`` is needed.
    init(
        _ source: TextSource, into table: String, isLines: Bool, at member: String?, blobs: CSVFormat.BlobEncoding,
        conflict: ConflictRule, options: LoadOptions, isChecked: Bool
    ) throws {
        self.table = table
        self.isLines = isLines
        self.member = member
        self.blobs = blobs
        self.conflict = conflict
        conversions = options.columns
        typedColumns = Set((options.newTable?.types ?? [:]).keys.map(SchemaName.init))
        reader = try JSONObjectReader(source, isLines: isLines, at: member, isChecked: isChecked)
    }

    var recordCount: Int { records.count }
    var skippedCount: Int { 0 }
    var byteCount: Int { reader.bytes.source.offset }
    var isDecoded: Bool { reader.bytes.source.isDecoded }
    var line: Int { reader.bytes.line }
    var checksum: Int64 { reader.checksumOfUsedBytes() }

    func skip(to offset: Int, line: Int) throws -> Bool { try reader.skip(to: offset, line: line) }

    func read(_ maximum: Int, size: Int) throws -> Bool {
        records.removeAll(keepingCapacity: true)
        rows = nil
        var bytes = 0
        while records.count < maximum, bytes < size {
            guard let record = try reader.next() else { return false }
            bytes += record.text.count
            records.append(record)
        }
        return try !reader.hasEnded()
    }

    // MARK: New tables

    func definition(of table: LoadedTable, named name: String, again source: TextSource?) throws -> String {
        var found = FoundColumns(conversions)
        if let source {
            var reader = try JSONObjectReader(source, isLines: isLines, at: member, isChecked: false)
            while let record = try reader.next() { found.add(record) }
        } else {
            for record in records { found.add(record) }
        }
        guard !found.names.isEmpty else {
            if let error = found.error { throw error }
            throw LoadError(line: 1, column: nil, message: "the file has no objects with members, and so no columns for a new table")
        }
        return try table.sql(
            name: name, columns: found.names, found: found.types(isStrict: table.isStrict), conversions: conversions.byColumn)
    }

    /// The columns of a new table.
    private struct FoundColumns {
        private(set) var names: [String] = []
        private var types: [FoundType] = []
        private var positions: [SchemaName: Int] = [:]
        private let conversions: [SchemaName: LoadedColumn]

        /// Why the first object that can't be loaded has no columns.
        private(set) var error: LoadError?

        init(_ conversions: [String: LoadedColumn]) {
            self.conversions = conversions.byColumn
        }

        /// Adds the members of an object that can be loaded.
        mutating func add(_ record: JSONObjectReader.Record) {
            let members: [JSONObjectReader.Member]
            do {
                members = try record.members.get()
            } catch {
                self.error = self.error ?? error
                return
            }
            let keys = members.map { SchemaName($0.name) }
            var seen: Set<SchemaName> = []
            if let twice = keys.firstIndex(where: { !seen.insert($0).inserted }) {
                error = error ?? .twice(members[twice].name, line: record.line)
                return
            }
            for (key, member) in zip(keys, members) {
                if positions[key] == nil {
                    positions[key] = names.count
                    names.append(member.name)
                    types.append(FoundType())
                }
                if let conversion = conversions[key], let text = member.value.text, !conversion.isAutomatic || conversion.isNull(text) {
                    continue
                }
                types[positions[key]!].add(member.value)
            }
        }

        func types(isStrict: Bool) -> [String: Database.ColumnType] {
            .init(zip(names, types).map { ($0, $1.type(isStrict: isStrict)) }, uniquingKeysWith: { first, _ in first })
        }
    }

    // MARK: Inserting

    func prepare(_ db: Database, areTypesFound: Bool) throws {
        let known = try LoadTargets(db, table: table)
        let conversions = try known.conversions(conversions)
        columns = known.targets.map { target in
            let name = SchemaName(target.name)
            return JSONColumn(
                target: target, conversion: conversions[name], blobs: blobs, isTypeFound: areTypesFound && !typedColumns.contains(name))
        }
        self.known = known
        insertions = try Insertions(db, into: table, conflict)
        rows = nil
    }

    private func preparedRows() throws -> JSONRows {
        if let rows { return rows }
        guard let known else { throw DatabaseError.misuse("the load was not prepared") }
        let rows = JSONRows(records, into: known, isExact: conflict.upsert != nil)
        self.rows = rows
        return rows
    }

    func groupSize(from first: Int) throws -> Int {
        let rows = try preparedRows()
        guard let insertions, let names = try? rows.columnNames(ofRow: first), (try? insertions.check(names)) != nil else { return 1 }
        let columnCount = names.count
        let size = insertions.groupSize(columnCount: columnCount)
        return rows.equalRowCount(from: first, maximum: size) == size ? size : 1
    }

    func insert(_ index: Int, _ db: Database) throws {
        let names = try preparedRows().columnNames(ofRow: index)
        try insertions?.insert(names, line: records[index].line) { try bind(index, count: 1, to: $0) }
    }

    func insertGroup(from first: Int, count: Int, _ db: Database) throws -> Int {
        guard let statement = try insertions?.statement(preparedRows().columnNames(ofRow: first), rowCount: count) else { return 0 }
        try bind(first, count: count, to: statement)
        try statement.insert(line: records[first].line)
        return db.changesCount
    }

    private func bind(_ first: Int, count: Int, to statement: Statement) throws {
        let rows = try preparedRows()
        var parameter = 1
        for index in first..<(first + count) {
            let record = records[index]
            let members = try record.members.get()
            do {
                try rows.forEachColumn(ofRow: index) { column, member in
                    let value = try member.map { try columns[column].value(members[$0], line: record.line) } ?? .null
                    try statement.bind(value, at: parameter)
                    parameter += 1
                }
            } catch let error as DatabaseError where error.isOfRow {
                throw error.loadError(line: record.line)
            }
        }
    }

    func finish() {
        insertions = nil
    }

    // MARK: Rejected records

    var rejectsHeader: String { "" }

    func rejectedLine(_ index: Int, _ error: LoadError) -> String {
        var record = json(text(index))
        if (try? JSONParser.members(records[index].text[...])) != nil {
            // Strings of valid JSON have no line breaks.
            let bytes = records[index].text.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 }
            record = String(decoding: bytes, as: UTF8.self)
        }
        return "{\"line\":\(error.line),\"reason\":\(json(error.reason)),\"record\":\(record)}"
    }

    private func json(_ text: String) -> String {
        (try? JSONDumpFormat.defaultEncoder.encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }

    func text(_ index: Int) -> String { String(decoding: records[index].text, as: UTF8.self) }
}

/// A column that members of objects are stored in.
struct JSONColumn {
    let target: LoadTargets.Target
    let conversion: LoadedColumn?
    let blobs: CSVFormat.BlobEncoding

    /// Whether the type of the column was found in the file: SQLite would convert other values.
    let isTypeFound: Bool

    /// Returns the value of a member.
    ///
    /// - Throws: ``LoadError`` if the column can't store it.
    func value(_ member: JSONObjectReader.Member, line: Int) throws -> DatabaseValue {
        if let conversion, let text = member.value.text, let value = try conversion.value(text, line: line, column: member.name) {
            return value
        }
        if isTypeFound, conversion?.isAutomatic != false, !member.value.fits(target.affinity) {
            throw LoadError(
                line: line, column: member.name, message: "the value does not fit the type that was found for the new column",
                advice: "Give the type of the column.")
        }
        let value: DatabaseValue
        do {
            value = try member.value.databaseValue(for: target.affinity)
        } catch {
            throw LoadError(line: line, column: member.name, message: "\(error)")
        }
        if blobs != .marked, target.isBlob, case .string(let text) = value.storage {
            return DatabaseValue(storage: .blob(try blobs.decode(text, line: line, column: member.name)))
        }
        return value
    }
}
