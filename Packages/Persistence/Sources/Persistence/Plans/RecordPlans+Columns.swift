import QueryInterface

// Which columns an update writes: callbacks are told before the record is encoded to be written.

extension RecordPlans {
    /// The names of the columns that an update of all columns writes.
    ///
    /// They are taken from the record that was encoded before, when its shape is known; otherwise this record is encoded for
    /// them. It is encoded each time, from then on, when records of the type were seen to encode different columns.
    @usableFromInline
    func updatedColumns(of record: some EncodableRecord, in db: Database) throws -> Set<String> {
        let generation = try db.schemaGeneration()
        if let known = state.pointee.updatedColumns, known.generation == generation, !state.pointee.encodesVariousColumns,
            let contents = state.pointee.contents, contents.state.pointee.shape == known.shape
        {
            return known.names
        }
        let container = try encode(record)
        defer { giveBack(container) }
        let table = try resolvedTable(db)
        let excluded = try table.primaryKey(db).columns + table.generatedColumns
        let names = container.map(\.0).filter { name in !excluded.contains { $0.isEqualIgnoringASCIICase(to: name) } }
        state.pointee.updatedColumns = (container.contents.state.pointee.shape, generation, Set(names))
        return Set(names)
    }

    /// Notices that a record encodes other columns than the one before.
    func noteUpdatedColumns(_ names: [String], _ db: Database) throws {
        guard let known = state.pointee.updatedColumns, known.generation == (try db.schemaGeneration()) else { return }
        if known.names != Set(names) { state.pointee.encodesVariousColumns = true }
    }

    /// Encodes a record that another one is to be compared with.
    ///
    /// It has memory of its own: plans are made for the columns of the other one, and their order.
    func encodeOriginal(_ record: some EncodableRecord) throws -> PersistenceContainer {
        var container = PersistenceContainer(contents: state.pointee.originals.take() ?? ContainerStorage())
        if !container.isUnique() { container = PersistenceContainer() }
        container.contents.begin(nil)
        do {
            try record.encode(to: &container)
            container.contents.end()
            try container.contents.checkFailures()
        } catch {
            container.contents.end()
            throw error
        }
        return container
    }

    func giveBackOriginal(_ container: PersistenceContainer) {
        state.pointee.originals = container.contents
    }

    /// The names of the columns in which a record differs from what another one has encoded, but for those that can't be written.
    @usableFromInline
    func changedColumns(
        of record: some EncodableRecord, from original: PersistenceContainer, in db: Database
    ) throws -> Set<String> {
        let container = try encode(record)
        defer { giveBack(container) }
        var names = container.changes(from: original).map(\.name)
        if !names.isEmpty {
            let generated = try resolvedTable(db).generatedColumns
            if !generated.isEmpty {
                names.removeAll { name in generated.contains { $0.isEqualIgnoringASCIICase(to: name) } }
            }
        }
        return changedNames(names)
    }

    /// A set of names: the one of before when they are the same. Records that change one after the other change in the same columns,
    /// as a rule, and sets that share their memory are compared and found among plans without a look at the names.
    private func changedNames(_ names: [String]) -> Set<String> {
        if let known = state.pointee.changedColumns, known.list.elementsEqual(names, by: { $0.hasSameBits(as: $1) }) {
            return known.names
        }
        let set = Set(names)
        state.pointee.changedColumns = (names, set)
        return set
    }
}
