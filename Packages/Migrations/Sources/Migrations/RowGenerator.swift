/// Inserts rows that fit the constraints of tables.
package struct RowGenerator {
    private var state: UInt64

    /// Creates a generator. Equal seeds make equal rows.
    package init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    private mutating func below(_ count: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state % UInt64(count))
    }

    func fill(_ db: Database, rowCount: Int) throws {
        var generator = self
        // Parents come before their children; tables that refer to each other are tried again.
        let names = try db.tableNames().map(SchemaName.init)
        var counts: [SchemaName: Int] = [:]
        for _ in 0..<(names.count + 1) {
            var isComplete = true
            for name in names where counts[name, default: 0] < rowCount {
                while counts[name, default: 0] < rowCount, try generator.insertRow(db, name.text) { counts[name, default: 0] += 1 }
                if counts[name, default: 0] < rowCount { isComplete = false }
            }
            if isComplete { break }
        }
    }

    /// Inserts a row, and returns whether a try has succeeded.
    package mutating func insertRow(_ db: Database, _ table: String) throws -> Bool {
        let columns = try db.columns(in: table).filter { !$0.isGenerated }
        guard !columns.isEmpty else { return false }
        let keys = try db.foreignKeys(on: table)
        // The literals of the definition are likely values of its CHECKs.
        let sql = try db.values("SELECT sql FROM main.sqlite_master WHERE type = 'table' AND name = ?", [table]) { $0.string(at: 0) }.first
        let tokens = SQLTokens(sql ?? "")
        let literals = tokens.tokens.indices.filter { index in
            tokens[index].kind == .string || tokens[index].kind == .word && tokens.text(index).allSatisfy { "0"..."9" ~= $0 }
        }.map { tokens.text($0) }
        for _ in 0..<30 {
            var values = columns.map { value($0, literals) }
            for key in keys {
                let name = key.destinationTable.quotedDatabaseIdentifier
                let parent = key.destinationColumns.map { "\($0.quotedDatabaseIdentifier)" }.joined(separator: ", ")
                let parents = try db.makeStatement(
                    sql: "SELECT \(parent) FROM \(name) LIMIT 1 OFFSET \(below(1000)) % max(1, (SELECT count(*) FROM \(name)))")
                guard try parents.step() else { continue }
                for (index, name) in key.originColumns.enumerated() {
                    guard let column = columns.firstIndex(where: { $0.name.isEqualIgnoringASCIICase(to: name) }) else { continue }
                    values[column] = parents.databaseValue(at: index).sqlLiteral
                }
            }
            let names = columns.map(\.name.quotedDatabaseIdentifier).joined(separator: ", ")
            let sql = "INSERT INTO \(table.quotedDatabaseIdentifier) (\(names)) VALUES (\(values.joined(separator: ", ")))"
            do {
                try db.execute(sql: sql)
                return true
            } catch is DatabaseError {}
        }
        return false
    }

    private mutating func value(_ column: ColumnInfo, _ literals: [String]) -> String {
        if !column.isNotNull, column.primaryKeyIndex == 0, below(4) == 0 { return "NULL" }
        if !literals.isEmpty, below(3) == 0 { return literals[below(literals.count)] }
        let number = below(1000)
        return switch ColumnAffinity(column.type, isStrict: false) {
        case .integer: "\(number)"
        case .real: "\(number).5"
        case .blob: column.type.isEmpty ? "'value \(number)'" : "x'\(String(number + 4096, radix: 16))'"
        case .text: "'value \(number)'"
        case .numeric: "\(number)"
        }
    }
}
