import QueryInterface

/// A statement that writes records of one shape, and how their columns become its parameters.
@usableFromInline
final class RecordPlan {
    /// The shape of the records that the plan is for.
    @usableFromInline let shape: Int

    /// The plan's own statement, not one of the connection's cached ones: nobody else may run it, see
    /// `ContainerStorage+Binding.swift`.
    @usableFromInline let statement: Statement

    @usableFromInline let resolution: Database.ConflictResolution

    /// The schema that the plan was made for.
    @usableFromInline let generation: Int

    /// The column that stands for the row id, if any.
    @usableFromInline let rowIDColumn: String?

    /// For each column of the record the parameter that takes its value, from 1; 0 for none.
    @usableFromInline let parameters: UnsafePointer<CInt>

    /// The record's columns that are the primary key.
    let keySlots: [Int]

    init(
        shape: Int, statement: Statement, resolution: Database.ConflictResolution, generation: Int, rowIDColumn: String? = nil,
        parameters: [CInt], keySlots: [Int] = []
    ) {
        self.shape = shape
        self.statement = statement
        self.resolution = resolution
        self.generation = generation
        self.rowIDColumn = rowIDColumn
        self.keySlots = keySlots
        let memory = UnsafeMutablePointer<CInt>.allocate(capacity: max(parameters.count, 1))
        memory.initialize(from: parameters, count: parameters.count)
        self.parameters = UnsafePointer(memory)
        statement.didBindArguments()
    }

    deinit {
        parameters.deallocate()
    }

    /// Whether the plan serves a record that was encoded.
    @inlinable
    func fits(_ contents: ContainerStorage, _ resolution: Database.ConflictResolution) -> Bool {
        shape == contents.state.pointee.shape && self.resolution == resolution
    }

    /// Runs the statement with the values of a record.
    @inlinable
    func run(_ contents: ContainerStorage) throws {
        if !contents.state.pointee.isBound {
            try contents.bindAll(to: self)
        }
        try statement.run()
    }

    @usableFromInline
    func recordNotFound(_ table: String, _ container: PersistenceContainer) -> RecordError {
        .recordNotFound(
            databaseTableName: table, key: Dictionary(keySlots.map { container[$0] }, uniquingKeysWith: { $1 }))
    }
}
