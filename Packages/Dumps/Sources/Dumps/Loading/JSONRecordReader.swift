import Foundation

/// Reads the objects of a JSON file, and inserts them into a table.
final class JSONRecordReader: RecordReader {
    private let table: String
    private let blobs: CSVFormat.BlobEncoding
    private let conflict: Database.ConflictResolution?
    private let conversions: [String: LoadedColumn]
    private var reader: JSONObjectReader
    private var records: [JSONObjectReader.Record] = []

    private var known: LoadTargets?
    private var convertedColumns: [SchemaName: LoadedColumn] = [:]

    /// The statements by their columns. Few files have objects with more than one set of members.
    private var statements: [[String]: Statement] = [:]

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - isLines: whether the file has one object in each line.
    ///   - isChecked: whether ``checksum`` is needed.
    init(
        _ source: TextSource, into table: String, isLines: Bool, blobs: CSVFormat.BlobEncoding, conflict: Database.ConflictResolution?,
        options: LoadOptions, isChecked: Bool
    ) throws {
        self.table = table
        self.blobs = blobs
        self.conflict = conflict
        conversions = options.columns
        reader = try JSONObjectReader(source, isLines: isLines, isChecked: isChecked)
    }

    var recordCount: Int { records.count }
    var skippedCount: Int { 0 }
    var byteCount: Int { reader.bytes.source.offset }
    var line: Int { reader.bytes.line }
    var checksum: Int64 { reader.checksumOfUsedBytes() }

    func skip(to offset: Int, line: Int) throws -> Bool { try reader.skip(to: offset, line: line) }

    func read(_ maximum: Int, size: Int) throws -> Bool {
        records.removeAll(keepingCapacity: true)
        var bytes = 0
        while records.count < maximum, bytes < size {
            guard let record = try reader.next() else { return false }
            bytes += record.text.count
            records.append(record)
        }
        return try !reader.hasEnded()
    }

    func definition(of table: LoadedTable, named name: String, again source: TextSource?) throws -> String {
        throw LoadError(
            line: 1, column: nil, message: "a table can't be created from JSON, which has no header", advice: "Create the table first.")
    }

    func prepare(_ db: Database, areTypesFound: Bool) throws {
        let known = try LoadTargets(db, table: table)
        convertedColumns = try known.conversions(conversions)
        self.known = known
    }

    func insert(_ index: Int, _ db: Database) throws {
        let record = records[index]
        var columns: [String] = []
        var values: [DatabaseValue] = []
        for member in try record.members.get() {
            guard let target = known?[member.name] else {
                throw LoadError(
                    line: record.line, column: member.name, message: "the table \(table.debugDescription) has no such column")
            }
            if columns.contains(where: { $0.isEqualIgnoringASCIICase(to: member.name) }) {
                throw LoadError(line: record.line, column: member.name, message: "the object has two members with this name")
            }
            if target.isGenerated { continue }
            columns.append(member.name)
            values.append(try value(member, for: target, line: record.line))
        }
        let statement = try statements[columns] ?? db.makeStatement(sql: conflict.insertionSQL(into: table, columns))
        if statements.count < 100 { statements[columns] = statement }
        do {
            for (index, value) in values.enumerated() { try statement.bind(value, at: index + 1) }
        } catch let error as DatabaseError where error.isOfRow {
            throw error.loadError(line: record.line)
        }
        try statement.insert(line: record.line)
    }

    private func value(_ member: JSONObjectReader.Member, for target: LoadTargets.Target, line: Int) throws -> DatabaseValue {
        if let conversion = convertedColumns[SchemaName(member.name)], let text = member.value.text,
            let value = try conversion.value(text, line: line, column: member.name)
        {
            return value
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

    var groupSize: Int { 1 }

    func insertGroup(from first: Int, _ db: Database) throws -> Int? { nil }

    func finish() { statements = [:] }

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
