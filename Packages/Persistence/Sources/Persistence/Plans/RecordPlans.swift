import QueryInterface

/// The plans that write the records of a type on a connection: statements that are prepared once, and the memory that records are encoded
/// in.
///
/// A plan depends on the schema and on the record's layout: the columns that it encodes, in their order. If the schema's generation or the
/// number of the container's layout has changed, a new statement is prepared.
///
/// This struct points to memory that the connection keeps until it is closed. A class would be retained and released for each record.
@usableFromInline
struct RecordPlans {
    @usableFromInline let state: UnsafeMutablePointer<State>

    /// Owns the memory.
    @usableFromInline
    final class Memory {
        @usableFromInline let state: OwnedMemory<State>

        @usableFromInline
        init(table: String, recordType: any TableRecord.Type, showsValues: Bool) {
            state = OwnedMemory(State(table: table, recordType: recordType, showsValues: showsValues))
        }
    }

    /// One set of plans for each record type.
    @usableFromInline
    enum Key<Record>: AttachmentKey {
        @usableFromInline typealias Value = Memory
    }

    @usableFromInline
    struct State {
        /// The `databaseTableName` of the record type.
        let table: String
        let recordType: any TableRecord.Type
        /// Whether errors may show values: ``Configuration/publicStatementArguments``.
        let showsValues: Bool
        /// The container's memory; nil while a record is being encoded in it.
        @usableFromInline var contents: ContainerStorage?
        /// The number of containers created: the first one, one for each record that is written while another record is being encoded, and
        /// one for each container that the program kept.
        @usableFromInline var containersCount = 0
        /// The layouts of recent records, and their numbers.
        var layouts: [(columns: [String], number: Int)] = []
        @usableFromInline var insertion: RecordPlan?
        @usableFromInline var update: RecordPlan?
        @usableFromInline var deletion: RecordPlan?
        @usableFromInline var existence: RecordPlan?
        /// The plan of upserts without targets, assignments and selections.
        @usableFromInline var upsert: RecordPlan?
        /// All plans, including those above.
        var plans = PlanCache(capacity: PlanCache.capacity)
        /// Whether the last saved record had no row.
        @usableFromInline var savesNewRows = false
        /// The callbacks that the record type is known not to implement.
        @usableFromInline var leftOut: RecordCallbacks = []
        /// The columns that updates write, for a layout and a schema generation.
        var updatedColumns: (layout: Int, generation: Int, names: Set<String>)?
        /// The sets of columns in which records changed.
        @usableFromInline var changes = ChangePlans()
        /// Whether two records of the type have encoded different columns.
        var encodesVariousColumns = false
        /// Memory for the originals that records are compared with. No plan writes these.
        @usableFromInline var originals: ContainerStorage?
        /// The table, with the names of its generated columns, for a schema generation.
        var resolvedTable: ResolvedTable?
        /// Whether the table has triggers, for a schema generation.
        var hasTriggers: (generation: Int, hasTriggers: Bool)?
    }

    @inlinable
    init(_ memory: Memory) {
        state = memory.state.pointer
    }

    @inlinable
    static func plans<Record: TableRecord>(for type: Record.Type, in db: Database) -> RecordPlans {
        if let memory = db.attachments.recentValue(for: Key<Record>.self) { return RecordPlans(memory) }
        return RecordPlans(
            db.attachments.value(for: Key<Record>.self) {
                Memory(
                    table: Record.databaseTableName, recordType: Record.self, showsValues: db.configuration.publicStatementArguments)
            })
    }

    /// The `databaseTableName` of the record type.
    @usableFromInline var table: String { state.pointee.table }

    /// Returns a renderer for SQL that refers to the columns of the table.
    ///
    /// - Parameter excluded: the alias of the row that an upsert could not insert, if any.
    func renderer(_ db: Database, excluded: TableAliasBase? = nil) throws -> SQLRenderer {
        var renderer = SQLRenderer(database: db)
        let (table, type) = (try resolvedTable(db), state.pointee.recordType)
        var tables = [RecordScopeTable(table, recordType: type)]
        if let excluded { tables.append(RecordScopeTable(table, recordType: type, excluded: excluded)) }
        renderer.scope = renderer.scope.query(tables, isQualified: false, outputNames: [])
        return renderer
    }

    typealias ResolvedTable = (generation: Int, reference: TableReference, generatedColumns: [String])

    /// Returns the table that the record type names.
    func resolvedTable(_ db: Database) throws -> TableReference { try resolved(db).reference }

    /// Returns the names of the table's generated columns, which can't be written.
    func generatedColumns(_ db: Database) throws -> [String] { try resolved(db).generatedColumns }

    private func resolved(_ db: Database) throws -> ResolvedTable {
        let generation = try db.schemaGeneration()
        if let known = state.pointee.resolvedTable, known.generation == generation { return known }
        let reference = try TableReference(table, in: db)
        let resolved = (generation, reference, try reference.columns(db).filter(\.isGenerated).map(\.name))
        state.pointee.resolvedTable = resolved
        return resolved
    }

    /// Returns whether an update that does not name its columns leaves one out because the table lacks it.
    ///
    /// While migrations run, record types may have columns that later migrations add. Otherwise, such a column is an error. The schema's
    /// generation changes when they begin and end, so a plan is for one of the cases.
    func isMissing(_ column: String, _ db: Database) throws -> Bool {
        guard db.isMigratingSchema else { return false }
        func isAmong(_ names: [String]) -> Bool { names.contains { $0.isEqualIgnoringASCIICase(to: column) } }
        let table = try resolvedTable(db)
        let key = try table.knownPrimaryKey(db)
        if try isAmong(table.columnNames(db) + (key?.columns ?? [])) { return false }
        let hasRowID = try key?.tableHasRowID == true || table.isView(db)
        if hasRowID, isAmong(RowIDName.aliases.compactMap(\.alias)) { return false }
        return try !isAmong(db.hiddenColumnNames(in: table.name, in: table.schema))
    }

    /// Encodes a record in the memory of the previous record, unless the program kept that record's container.
    ///
    /// - Parameter plan: the expected plan. The values are bound to its statement while the record is encoded.
    @inlinable
    func encode<Record: EncodableRecord>(_ record: Record, for plan: RecordPlan? = nil) throws -> PersistenceContainer {
        try encode(for: plan) { container in
            try record.encode(to: &container)
            try container.contents.checkFailures()
        }
    }

    /// Encodes a record for its primary key. The container may lack other values, and errors of other values are not thrown.
    ///
    /// - Parameter plan: the plan of the statement that needs the key.
    @inlinable
    @inline(__always)
    func encodeKey<Record: EncodableRecord>(of record: Record, for plan: RecordPlan?) throws -> PersistenceContainer {
        try encode(for: plan) { container in
            try withUnsafePointer(to: record) { pointer in
                var encoding = PartialEncoding(pointer)
                try withUnsafeMutablePointer(to: &encoding) { encoding in
                    encoding.begin(container.contents)
                    defer { encoding.end(&container) }
                    try record.encode(to: &container)
                }
            }
        }
    }

    /// Encodes a record, and ends the encoding even if it throws.
    ///
    /// - Parameter body: calls the record's method.
    @inlinable
    @inline(__always)
    func encode(
        for plan: RecordPlan?, _ body: (inout PersistenceContainer) throws -> Void
    ) throws -> PersistenceContainer {
        var memory: Unmanaged<ContainerStorage>?
        return try withUnsafeMutablePointer(to: &memory) { try encode(for: plan, notingMemoryIn: $0, body) }
    }

    @inlinable
    @inline(__always)
    func encode(
        for plan: RecordPlan?, notingMemoryIn encoding: EncodingMemory, _ body: (inout PersistenceContainer) throws -> Void
    ) throws -> PersistenceContainer {
        var container = takeContainer()
        container.contents.begin(plan, encoding)
        let containersCount = state.pointee.containersCount
        do {
            try body(&container)
        } catch {
            // The memory may now hold other columns, which the next record must not mistake for the columns of a plan.
            end(container, encoding)
            giveBack(container)
            throw error
        }
        // Consumed, because returning a variable that was passed inout would retain it.
        let encoded = consume container
        if state.pointee.containersCount != containersCount {
            // Another record was written in the meantime, and may have bound its values to the statement.
            encoded.contents.state.pointee.statement = nil
        }
        end(encoded, encoding)
        return encoded
    }

    /// Ends the encoding of a record, and numbers its layout if it differs from the previous record's layout.
    @inlinable
    @inline(__always)
    func end(_ container: PersistenceContainer, _ encoding: EncodingMemory) {
        if container.contents.state.pointee.encoding == encoding {
            container.contents.state.pointee.encoding = nil
        } else {
            adopt(container, encoding)
        }
        container.contents.end()
        if container.contents.state.pointee.layout == 0 { numberLayout(of: container) }
    }

    /// Adopts a container with which the record replaced the one it was given. The container may belong to another record type, another
    /// connection, or a record that is still being encoded.
    @inline(never)
    @usableFromInline
    func adopt(_ container: PersistenceContainer, _ encoding: EncodingMemory) {
        encoding.pointee?.takeUnretainedValue().leaveEncoding()
        container.contents.leaveEncoding()
    }

    /// Numbers a layout that differs from the previous record's.
    @inline(never)
    @usableFromInline
    func numberLayout(of container: PersistenceContainer) {
        container.contents.state.pointee.layout = shapeNumber(container.map(\.0))
    }

    /// Returns the number that stands for some columns. Known layouts keep their numbers, because records of two layouts may take turns, and
    /// because new memory does not hold the number of the previous record's layout.
    private func shapeNumber(_ columns: [String]) -> Int {
        let known = state.pointee.layouts.first { $0.columns.elementsEqual(columns) { $0 == $1 } }
        if let known { return known.number }
        let number = LayoutNumbers.next()
        // Few types have several layouts. A forgotten layout gets a new number when it recurs.
        if state.pointee.layouts.count == 16 { state.pointee.layouts.removeAll() }
        state.pointee.layouts.append((columns, number))
        return number
    }

    /// Returns a plan if it was created for the current schema.
    ///
    /// The plan is looked up after the schema's generation, so that it isn't retained in the meantime.
    @inlinable
    func current(
        _ plan: @autoclosure () -> RecordPlan?, _ resolution: Database.ConflictResolution, _ db: Database
    ) throws -> RecordPlan? {
        let generation = try db.schemaGeneration()
        guard let plan = plan(), plan.resolution == resolution, plan.generation == generation else { return nil }
        return plan
    }

    /// Puts back a plan that was taken out of the state, unless another one was made meanwhile.
    ///
    /// A frequent plan is moved while a record is written, as another reference would be retained and released for each record. If the same
    /// type is written in between, its plan is found among ``State/plans``.
    @inlinable
    @inline(__always)
    func putBack(_ plan: consuming RecordPlan?, in place: inout RecordPlan?) {
        if place == nil { place = plan }
    }

    /// Returns an existing plan if it was created for the current schema.
    ///
    /// - Parameter container: a record that was encoded for another plan.
    func cached(_ key: PlanKey, for container: PersistenceContainer, _ db: Database) throws -> RecordPlan? {
        guard let plan = try current(state.pointee.plans[key], key.resolution, db) else { return nil }
        // The values are bound to another plan's statement.
        container.contents.state.pointee.isBound = false
        return plan
    }

    /// Takes the memory out of the state, so that the container has the only reference to it. Creates a new container if the program kept
    /// the previous one, or if another record is being encoded in it.
    @inlinable
    func takeContainer() -> PersistenceContainer {
        if let contents = state.pointee.contents.take() {
            // Consumed, because the constant would count as another reference in builds without optimization.
            var container = PersistenceContainer(contents: consume contents)
            if container.isUnique() { return container }
        }
        return makeContainer()
    }

    @inline(never)
    @usableFromInline
    func makeContainer() -> PersistenceContainer {
        state.pointee.containersCount &+= 1
        return PersistenceContainer(contents: ContainerStorage(showsValues: state.pointee.showsValues))
    }

    @inlinable
    @inline(__always)
    func giveBack(_ container: consuming PersistenceContainer) {
        state.pointee.contents = container.contents
    }

    /// Runs a function on an encoded record, and takes the container back even if the function throws.
    ///
    /// A `defer` statement would retain the container.
    @inlinable
    @inline(__always)
    func takingBack<Result>(
        _ container: consuming PersistenceContainer, _ body: (PersistenceContainer) throws -> Result
    ) throws -> Result {
        do {
            let result = try body(container)
            giveBack(container)
            return result
        } catch {
            giveBack(container)
            throw error
        }
    }

    /// Writes an encoded record, and takes the container back only if the function throws.
    ///
    /// - Returns: the record. The container is moved to it, and given back after the last callback.
    @inlinable
    @inline(__always)
    func written(
        _ container: consuming PersistenceContainer, by write: (PersistenceContainer) throws -> WrittenRow
    ) throws -> WrittenRecord {
        do {
            let row = try write(container)
            return WrittenRecord(container: container, row: row)
        } catch {
            giveBack(container)
            throw error
        }
    }
}
