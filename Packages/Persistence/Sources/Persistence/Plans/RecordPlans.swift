import QueryInterface

/// How the records of a type are written on a connection: statements that are prepared once, and the memory that records are
/// encoded in.
///
/// A plan depends on the schema, and on which columns a record encodes in which order, its shape. The schema's generation tells
/// whether the first has changed, and the container's number about the second; then the statement is made anew.
///
/// This is a handle of memory that the connection keeps until it is closed: a class would be retained and released for each record.
@usableFromInline
struct RecordPlans {
    @usableFromInline let state: UnsafeMutablePointer<State>

    /// Keeps the memory.
    @usableFromInline
    final class Memory {
        @usableFromInline let state: OwnedMemory<State>

        @usableFromInline
        init(table: String, recordType: Any.Type) {
            state = OwnedMemory(State(table: table, recordType: recordType))
        }
    }

    /// One set of plans for each record type.
    @usableFromInline
    enum Key<Record>: AttachmentKey {
        @usableFromInline typealias Value = Memory
    }

    @usableFromInline
    struct State {
        /// The name of the table, as the record type gives it.
        let table: String
        let recordType: Any.Type
        /// The container's memory, nil while a record is being encoded in it.
        @usableFromInline var contents: ContainerStorage?
        /// How many containers were made: the first one, those of records that are written while another one is being encoded, and
        /// those that take the place of containers that someone has kept.
        @usableFromInline var containersCount = 0
        /// The shapes that records were seen to have lately, and their numbers.
        var shapes: [(columns: [String], number: Int)] = []
        @usableFromInline var insertion: RecordPlan?
        @usableFromInline var update: RecordPlan?
        @usableFromInline var deletion: RecordPlan?
        @usableFromInline var existence: RecordPlan?
        /// The plan of upserts that say nothing but that.
        @usableFromInline var upsert: RecordPlan?
        /// All plans, those above included.
        var plans = PlanCache(capacity: PlanCache.capacity)
        /// Whether the record that was saved last had no row.
        @usableFromInline var savesNewRows = false
        /// The callbacks that the record type is known to leave out.
        @usableFromInline var leftOut: RecordCallbacks = []
        /// The columns that updates write, for a shape and a schema.
        var updatedColumns: (shape: Int, generation: Int, names: Set<String>)?
        /// The columns in which records have changed.
        @usableFromInline var changes = ChangePlans()
        /// Whether one record of the type was seen to encode other columns than another.
        var encodesVariousColumns = false
        /// Memory for records that plans are compared with, which no plan is for.
        @usableFromInline var originals: ContainerStorage?
        /// The table, for a schema.
        var resolvedTable: (generation: Int, table: RecordTable)?
        /// Whether the table has triggers, for a schema.
        var hasTriggers: (generation: Int, hasTriggers: Bool)?
    }

    @inlinable
    init(_ memory: Memory) {
        state = memory.state.pointer
    }

    @inlinable
    static func plans<Record: TableRecord>(for type: Record.Type, in db: Database) -> RecordPlans {
        if let memory = db.attachments.recentValue(for: Key<Record>.self) { return RecordPlans(memory) }
        return RecordPlans(db.attachments.value(for: Key<Record>.self) { Memory(table: Record.databaseTableName, recordType: Record.self) })
    }

    /// The name of the table, as the record type gives it.
    @usableFromInline var table: String { state.pointee.table }

    /// A renderer for SQL in which columns are those of the table.
    func renderer(_ db: Database) -> SQLRenderer {
        var renderer = SQLRenderer(database: db)
        renderer.sourceRecordType = state.pointee.recordType
        return renderer
    }

    /// The table that the record type names.
    func resolvedTable(_ db: Database) throws -> RecordTable {
        let generation = try db.schemaGeneration()
        if let known = state.pointee.resolvedTable, known.generation == generation { return known.table }
        let table = try RecordTable(table, in: db)
        state.pointee.resolvedTable = (generation, table)
        return table
    }

    /// Encodes a record, in the memory of the previous record unless the program has kept its container.
    ///
    /// - Parameter plan: the expected plan. The values are bound to its statement while the record is encoded.
    @inlinable
    func encode<Record: EncodableRecord>(_ record: Record, for plan: RecordPlan? = nil) throws -> PersistenceContainer {
        try encode(for: plan) { container in
            try record.encode(to: &container)
            try container.contents.checkFailures()
        }
    }

    /// Encodes a record for its primary key. Other values may be left out, and are not checked.
    ///
    /// - Parameter plan: the plan that asks for the key.
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
            // The memory may hold other columns now, and the next record must not take them for those of a plan.
            end(container, encoding)
            giveBack(container)
            throw error
        }
        // Consumed, as what was passed inout would be retained to be returned.
        let encoded = consume container
        if state.pointee.containersCount != containersCount {
            // Another record was written in the meantime, and may have left its values in the statement.
            encoded.contents.state.pointee.statement = nil
        }
        end(encoded, encoding)
        return encoded
    }

    /// Ends the encoding of a record, and numbers its shape if that is a new one.
    @inlinable
    @inline(__always)
    func end(_ container: PersistenceContainer, _ encoding: EncodingMemory) {
        if container.contents.state.pointee.encoding == encoding {
            container.contents.state.pointee.encoding = nil
        } else {
            adopt(container, encoding)
        }
        container.contents.end()
        if container.contents.state.pointee.shape == 0 { numberShape(of: container) }
    }

    /// Takes a container for the record's that is not the one that it was given. It may be that of another record type, another
    /// connection, or a record that is being encoded at the same time.
    @inline(never)
    @usableFromInline
    func adopt(_ container: PersistenceContainer, _ encoding: EncodingMemory) {
        encoding.pointee?.takeUnretainedValue().leaveEncoding()
        container.contents.leaveEncoding()
    }

    /// Gives a number to a shape that the record before did not have.
    @inline(never)
    @usableFromInline
    func numberShape(of container: PersistenceContainer) {
        container.contents.state.pointee.shape = shapeNumber(container.map(\.0))
    }

    /// The number that stands for some columns. Records of two shapes may take turns, and memory that was not used before does not
    /// know the shape of the record before.
    private func shapeNumber(_ columns: [String]) -> Int {
        let known = state.pointee.shapes.first { $0.columns.elementsEqual(columns) { $0._hasSameBits(as: $1) } }
        if let known { return known.number }
        let number = ShapeNumbers.shared.next()
        // Few types encode different columns at all. A shape that is forgotten has a new number when it comes again.
        if state.pointee.shapes.count == 16 { state.pointee.shapes.removeAll() }
        state.pointee.shapes.append((columns, number))
        return number
    }

    /// Returns a plan if it was made for the current schema.
    ///
    /// The plan is looked up after the schema was asked for, which saves a reference to it in the meantime.
    @inlinable
    func current(
        _ plan: @autoclosure () -> RecordPlan?, _ resolution: Database.ConflictResolution, _ db: Database
    ) throws -> RecordPlan? {
        let generation = try db.schemaGeneration()
        guard let plan = plan(), plan.resolution == resolution, plan.generation == generation else { return nil }
        return plan
    }

    /// Returns an existing plan if it was made for the current schema.
    ///
    /// - Parameter container: a record that was encoded for another plan.
    func cached(_ key: PlanKey, for container: PersistenceContainer, _ db: Database) throws -> RecordPlan? {
        guard let plan = try current(state.pointee.plans[key], key.resolution, db) else { return nil }
        // The values are bound to another plan's statement.
        container.contents.state.pointee.isBound = false
        return plan
    }

    /// Moves the memory out, so that the container holds the only reference to it. Memory that a user keeps in a container of
    /// their own, or that another record is being encoded in, is left alone.
    @inlinable
    func takeContainer() -> PersistenceContainer {
        if let contents = state.pointee.contents.take() {
            // Consumed, as in builds without optimization the constant would count as another reference.
            var container = PersistenceContainer(contents: consume contents)
            if container.isUnique() { return container }
        }
        return makeContainer()
    }

    @inline(never)
    @usableFromInline
    func makeContainer() -> PersistenceContainer {
        state.pointee.containersCount &+= 1
        return PersistenceContainer()
    }

    @inlinable
    @inline(__always)
    func giveBack(_ container: consuming PersistenceContainer) {
        state.pointee.contents = container.contents
    }

    /// Runs a function on an encoded record, and takes the container back even if the function throws.
    ///
    /// With `defer` in its place, the container would be retained to be given back.
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
}
