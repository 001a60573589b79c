import QueryInterface

// Writing many records, each by one run of its type's prepared statement, between its own callbacks. `Groups.swift` writes several insertions
// with one statement.

extension Database {
    /// Runs a batch atomically.
    @inlinable
    func inBatch(_ body: () throws -> Void) throws {
        try inSavepoint {
            try body()
            return .commit
        }
    }
}

extension MutableCollection where Element: MutablePersistableRecord {
    /// Writes the records one after the other, and keeps their changes when all are written.
    @inlinable
    mutating func writeAll(
        _ db: Database, _ operation: some WriteOperation, _ details: WriteDetails? = nil, progress: ((Int) throws -> Void)?
    ) throws {
        try inBatch(db) { records in
            var completed = 0
            var index = records.startIndex
            while index != records.endIndex {
                try records[index].perform(operation, db, details)
                records.formIndex(after: &index)
                completed += 1
                try progress?(completed)
            }
        }
    }

    /// Changes a copy of the records in a batch, and keeps the changes if it is not rolled back.
    ///
    /// Inlined into a function that reads its array after an error, by Swift 6.3, the array would be changed and not the copy.
    @inline(never)
    @inlinable
    mutating func inBatch(_ db: Database, _ body: (inout Self) throws -> Void) throws {
        var records = self
        try db.inBatch { try body(&records) }
        self = records
    }
}

extension Sequence where Element: MutablePersistableRecord {
    /// Writes copies of the records one after the other.
    ///
    /// - Parameter written: called with each copy after it was written.
    /// - Returns: for deletions, the number of deleted rows.
    @discardableResult
    @inlinable
    func writeEach(
        _ db: Database, _ operation: some WriteOperation, _ details: WriteDetails? = nil, progress: ((Int) throws -> Void)?,
        written: (Element) -> Void = { _ in }
    ) throws -> Int {
        var count = 0
        try db.inBatch {
            var completed = 0
            for var record in self {
                if try record.perform(operation, db, details) { count += 1 }
                written(record)
                completed += 1
                try progress?(completed)
            }
        }
        return count
    }

    /// Writes copies of the records one after the other, and returns them.
    @inlinable
    func writtenAll(_ db: Database, _ operation: some WriteOperation, progress: ((Int) throws -> Void)?) throws -> [Element] {
        var records: [Element] = []
        records.reserveCapacity(underestimatedCount)
        try writeEach(db, operation, progress: progress) { records.append($0) }
        return records
    }
}
