import QueryInterface

// Determines which columns an update writes. Callbacks get their names before the record is encoded for the update.

extension RecordPlans {
    /// Returns the names of the columns that an update of all columns writes.
    ///
    /// If the names are known for the layout of the previous record, returns them. Otherwise, encodes the record to find them. Once two
    /// records of the type have encoded different columns, encodes each record.
    @usableFromInline
    func updatedColumns(of record: some EncodableRecord, in db: Database) throws -> Set<String> {
        let generation = try db.schemaGeneration()
        if let known = state.pointee.updatedColumns, known.generation == generation, !state.pointee.encodesVariousColumns,
            let contents = state.pointee.contents, contents.state.pointee.layout == known.layout
        {
            return known.names
        }
        return try takingBack(encode(record)) { container in
            let excluded = try resolvedTable(db).primaryKey(db).columns + generatedColumns(db)
            let names = try container.map(\.0).filter { name in
                try !excluded.contains { $0.isEqualIgnoringASCIICase(to: name) } && !isMissing(name, db)
            }
            state.pointee.updatedColumns = (container.contents.state.pointee.layout, generation, Set(names))
            return Set(names)
        }
    }

    /// Compares a record's columns with the columns of previous records, to detect that records of the type encode different columns.
    func noteUpdatedColumns(_ names: [String], _ db: Database) throws {
        guard let known = state.pointee.updatedColumns, known.generation == (try db.schemaGeneration()) else { return }
        if known.names != Set(names) { state.pointee.encodesVariousColumns = true }
    }

    @inline(never)
    @usableFromInline
    func newOriginal() -> ContainerStorage { ContainerStorage(showsValues: state.pointee.showsValues) }

    /// Encodes the record that another record will be compared with.
    ///
    /// Uses separate memory, because plans depend on the columns of the other record and their order.
    @inlinable
    func encodeOriginal<Original: EncodableRecord>(_ record: Original) throws -> PersistenceContainer {
        var container = PersistenceContainer(contents: state.pointee.originals.take() ?? newOriginal())
        if !container.isUnique() { container = PersistenceContainer(contents: newOriginal()) }
        container.contents.begin(nil, nil)
        do {
            try record.encode(to: &container)
            endOriginal(container)
            try container.contents.checkFailures()
        } catch {
            endOriginal(container)
            throw error
        }
        return container
    }

    /// Ends the encoding of such a record. The record may have replaced its container with one that belongs to another record and its plan.
    @inlinable
    @inline(__always)
    func endOriginal(_ container: PersistenceContainer) {
        // The memory of originals does not record encodings.
        if container.contents.state.pointee.encoding != nil { container.contents.leaveEncoding() }
        container.contents.end()
    }

    @inlinable
    func giveBackOriginal(_ container: PersistenceContainer) {
        state.pointee.originals = container.contents
    }

    /// Returns the writable columns in which a record differs from the values that another record encoded.
    @inlinable
    func changedColumns<Record: EncodableRecord>(
        of record: Record, from original: PersistenceContainer, in db: Database
    ) throws -> ColumnSet {
        try takingBack(encode(record)) { try changedColumns(of: $0, from: original, in: db) }
    }

    /// Adds the columns in which a record now differs from the original to the columns in which it differed before.
    @inlinable
    func add<Record: EncodableRecord>(
        to columns: inout ColumnSet, changesOf record: Record, from original: PersistenceContainer, in db: Database
    ) throws {
        try takingBack(encode(record)) { try add(to: &columns, changesOf: $0, from: original, in: db) }
    }

    @usableFromInline
    func changedColumns(
        of container: PersistenceContainer, from original: PersistenceContainer, in db: Database
    ) throws -> ColumnSet {
        guard let bits = container.contents.changes(from: original.contents) else {
            return ColumnSet(try writableNames(container.changes(from: original).map(\.name), db))
        }
        return try columns(bits, of: container, db)
    }

    @usableFromInline
    func add(
        to columns: inout ColumnSet, changesOf container: PersistenceContainer, from original: PersistenceContainer, in db: Database
    ) throws {
        let changed = try changedColumns(of: container, from: original, in: db)
        if columns.names.isEmpty {
            columns = changed
        } else if columns.bits != 0, columns.layout == changed.layout {
            columns = try self.columns(columns.bits | changed.bits, of: container, db)
        } else if !changed.names.isSubset(of: columns.names) {
            columns = ColumnSet(columns.names.union(changed.names))
        }
    }

    /// Returns the set of the columns of an encoded record whose bits are set.
    private func columns(_ bits: UInt64, of container: PersistenceContainer, _ db: Database) throws -> ColumnSet {
        if bits == 0 { return ColumnSet([]) }
        let layout = container.contents.state.pointee.layout
        let generation = try db.schemaGeneration()
        if let known = state.pointee.changes.columns(bits, layout: layout, generation) { return known }
        let names = container.indices.filter { bits & (1 << UInt64($0)) != 0 }.map { container[$0].0 }
        let columns = ColumnSet(try writableNames(names, db), bits: bits, layout: layout)
        state.pointee.changes.add(columns, generation)
        return columns
    }

    /// Returns the given names without the names of generated columns, and of columns that the table lacks while migrations run. If the
    /// table lacks all of them, returns the key, so that the update still looks for the row.
    private func writableNames(_ names: [String], _ db: Database) throws -> Set<String> {
        if names.isEmpty { return [] }
        let generated = try generatedColumns(db)
        let names = names.filter { name in !generated.contains { $0.isEqualIgnoringASCIICase(to: name) } }
        let present = try names.filter { try !isMissing($0, db) }
        return Set(present.isEmpty && !names.isEmpty ? try resolvedTable(db).primaryKey(db).columns : present)
    }
}
