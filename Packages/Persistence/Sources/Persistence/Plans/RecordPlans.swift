import QueryInterface

/// How the records of a type are written on a connection: statements that are prepared once, and the memory that records are
/// encoded in.
///
/// A plan depends on the schema, and on which columns a record encodes in which order, its shape. The schema's generation tells
/// whether the first has changed, and the container's number about the second; then the statement is made anew.
@usableFromInline
final class RecordPlans: StorageKey {
    @usableFromInline typealias Value = RecordPlans

    /// One set of plans for each record type.
    @usableFromInline
    enum Key<Record>: StorageKey {
        @usableFromInline typealias Value = RecordPlans
    }

    @usableFromInline let state: UnsafeMutablePointer<State>

    @usableFromInline
    struct State {
        /// The container's memory, nil while a record is being encoded in it.
        @usableFromInline var contents: ContainerStorage?
        /// Numbers the sequences of columns that records were seen to encode.
        @usableFromInline var lastShape = 0
        @usableFromInline var insertion: InsertionPlan?
        @usableFromInline var update: KeyedPlan?
        @usableFromInline var deletion: KeyedPlan?
        /// The columns that updates write, for a shape and a schema.
        var updatedColumns: (shape: Int, generation: Int, names: Set<String>)?
    }

    @usableFromInline let table: String

    @usableFromInline
    init(table: String) {
        self.table = table
        state = .allocate(capacity: 1)
        state.initialize(to: State())
    }

    deinit {
        state.deinitialize(count: 1)
        state.deallocate()
    }

    @inlinable
    static func plans<Record: TableRecord>(for type: Record.Type, in db: Database) -> RecordPlans {
        db.storage.value(for: Key<Record>.self) { RecordPlans(table: Record.databaseTableName) }
    }

    /// Encodes a record, in the memory of the record before if nobody keeps that.
    @inlinable
    func encode<Record: EncodableRecord>(_ record: Record) throws -> PersistenceContainer {
        var container = takeContainer()
        container.contents.begin()
        do {
            try record.encode(to: &container)
        } catch {
            container.contents.end()
            giveBack(container)
            throw error
        }
        container.contents.end()
        if container.contents.state.pointee.hasNewShape {
            state.pointee.lastShape &+= 1
            container.contents.state.pointee.shape = state.pointee.lastShape
        }
        do {
            try container.contents.checkFailures()
        } catch {
            giveBack(container)
            throw error
        }
        return container
    }

    /// Moves the memory out, so that the container holds the only reference to it. Memory that a user keeps in a container of
    /// their own, or that another record is being encoded in, is left alone.
    @inlinable
    func takeContainer() -> PersistenceContainer {
        if let contents = state.pointee.contents.take() {
            var container = PersistenceContainer(contents: contents)
            if container.isUnique() { return container }
        }
        return PersistenceContainer()
    }

    @inlinable
    func giveBack(_ container: PersistenceContainer) {
        state.pointee.contents = container.contents
    }
}

extension ContainerStorage {
    /// Binds the values to the first parameters of a statement.
    @inlinable
    func bindAll(to statement: Statement) throws {
        for index in 0..<state.pointee.position {
            try statement.bind(state.pointee.slots[index].value, at: index &+ 1)
        }
        statement.didBindArguments()
    }
}

/// An INSERT statement.
@usableFromInline
struct InsertionPlan {
    @usableFromInline let shape: Int
    @usableFromInline let statement: Statement
    @usableFromInline let resolution: Database.ConflictResolution
    @usableFromInline let rowIDColumn: String?
}

/// A statement that finds its row by the primary key.
@usableFromInline
struct KeyedPlan {
    @usableFromInline let shape: Int
    @usableFromInline let statement: Statement
    @usableFromInline let resolution: Database.ConflictResolution
    @usableFromInline let generation: Int
    /// For each parameter, the container's column whose value it takes.
    @usableFromInline let slots: [Int]
    /// How many of the parameters, the last ones, are the primary key.
    @usableFromInline let keyCount: Int
}
