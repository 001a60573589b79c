import QueryInterface

/// A prepared statement that writes records of one shape, and the mapping from their columns to its parameters.
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

    /// The statement's count of that name when the plan was made, or was last found to be right.
    ///
    /// Unchecked, as it is compared for each record: an integer is read and written in one step.
    @exclusivity(unchecked)
    var repreparationCount: Int

    /// The column that stands for the row ID, if any.
    let rowIDColumn: String?

    /// The name under which a record that was inserted finds its row ID.
    let rowIDName: RowIDName

    /// Whether the statement inserts into a view: SQLite does not count the changes that `INSTEAD OF` triggers make.
    ///
    /// Insertions into tables are counted even without `OR IGNORE`: constraints that are declared `ON CONFLICT IGNORE` leave out rows,
    /// too, and so do triggers.
    let isView: Bool

    /// Whether the rows of the table have an id.
    let hasRowID: Bool

    /// For each column of the record the parameter that takes its value, from 1; 0 for none; ``leftOut``.
    @usableFromInline let parameters: UnsafePointer<CInt>

    /// Marks a column whose value is not kept in the container.
    @inlinable
    static var leftOut: CInt { -1 }

    /// Whether the returned rows, and not the number of changes, tell whether a row was written.
    let returnsRows: Bool

    /// Whether the number of changes tells whether a row was written.
    private let countsChanges: Bool

    /// The record's columns that are the primary key.
    let keySlots: [Int]

    /// The content of the rows that the statement returns.
    let reading: RowReading

    init(
        shape: Int, statement: Statement, resolution: Database.ConflictResolution, generation: Int, rowIDColumn: String? = nil,
        rowIDName: RowIDName = .none, isView: Bool = false, hasRowID: Bool = false, parameters: [CInt], keySlots: [Int] = [],
        reading: RowReading = RowReading()
    ) {
        self.shape = shape
        self.statement = statement
        self.resolution = resolution
        self.generation = generation
        repreparationCount = statement.repreparationCount
        self.rowIDColumn = rowIDColumn
        self.rowIDName = rowIDName
        self.isView = isView
        self.hasRowID = hasRowID
        self.keySlots = keySlots
        self.reading = reading
        returnsRows = statement.columnCount > 0
        countsChanges = !returnsRows && !isView
        let memory = UnsafeMutablePointer<CInt>.allocate(capacity: max(parameters.count, 1))
        memory.initialize(from: parameters, count: parameters.count)
        self.parameters = UnsafePointer(memory)
        statement.didBindArguments()
    }

    deinit {
        parameters.deallocate()
    }

    /// Whether the plan serves a record that was encoded.
    func fits(_ contents: ContainerStorage, _ resolution: Database.ConflictResolution) -> Bool {
        shape == contents.state.pointee.shape && self.resolution == resolution
    }

    /// Runs the statement with the values of a record.
    ///
    /// What SQLite runs for one row nearly fills the processor's cache for instructions. From there on the time that a record takes goes
    /// with the room that its code takes, more than with the number of its instructions: here and on the way here, what is rare
    /// has functions of its own, and what is done for each record has few.
    ///
    /// - Returns: whether a row was written.
    @inline(__always)
    func run(_ contents: ContainerStorage, in db: Database) throws -> Bool {
        guard contents.state.pointee.isBound, countsChanges else { return try runWithCare(contents, in: db) }
        try runBound(contents)
        return db.changesCount > 0
    }

    @inline(never)
    private func runWithCare(_ contents: ContainerStorage, in db: Database) throws -> Bool {
        if returnsRows { return try runReadingRowID(contents, StatementArguments()).isWritten }
        if !contents.state.pointee.isBound {
            try contents.bindAll(to: self)
        }
        try runBound(contents)
        return isView || db.changesCount > 0
    }

    @inline(__always)
    private func runBound(_ contents: ContainerStorage) throws {
        do {
            try statement.run()
        } catch {
            throw describe(error, contents)
        }
    }

    /// Binds the primary key of a record, which is all that the statement needs.
    func bindKey(of contents: ContainerStorage) throws {
        for slot in keySlots {
            try statement.bind(contents.state.pointee.slots[slot].value, at: Int(parameters[slot]))
        }
    }

    /// Runs the statement to its end, and reads the row ID that it returns.
    ///
    /// - Parameter arguments: the arguments that follow the record's values.
    /// - Returns: the first column, of which the caller knows whether it is the row ID, and whether a row was written.
    @inline(never)
    func runReadingRowID(
        _ contents: ContainerStorage, _ arguments: StatementArguments
    ) throws -> (rowID: Int64?, isWritten: Bool) {
        try bind(contents, arguments)
        var result: (rowID: Int64?, isWritten: Bool) = (nil, false)
        do {
            // Runs to the end, because only then has SQLite checked all constraints.
            while try statement.step() { result = (statement.int64(at: 0), true) }
        } catch {
            throw describe(error, contents)
        }
        return result
    }

    /// Runs the statement to its end, and reads the row that it returns.
    ///
    /// - Parameter arguments: the arguments that follow the record's values.
    /// - Returns: the row, or nil if nothing was written.
    func runReading(_ contents: ContainerStorage, _ arguments: StatementArguments) throws -> Row? {
        try bind(contents, arguments)
        do {
            let adapter = reading.hasRowID ? RangeRowAdapter(0..<max(0, statement.columnCount - 1)) : nil
            // All rows, as above.
            return try Row.fetchAll(statement, adapter: adapter).first
        } catch {
            throw describe(error, contents)
        }
    }

    private func bind(_ contents: ContainerStorage, _ arguments: StatementArguments) throws {
        if !arguments.isEmpty {
            try statement.setArguments(StatementArguments(values(of: contents)) &+ arguments)
        } else if !contents.state.pointee.isBound {
            try contents.bindAll(to: self)
        }
    }

    /// The names of the columns that the program asks for.
    var columnNames: [String] { reading.hasRowID ? statement.columnNames.dropLast() : statement.columnNames }

    /// The values of a record, in the order of the parameters.
    private func values(of contents: ContainerStorage) -> [DatabaseValue] {
        let slots = (0..<contents.state.pointee.position).filter { parameters[$0] > 0 }.sorted { parameters[$0] < parameters[$1] }
        return slots.map { contents.state.pointee.slots[$0].value }
    }

    /// Gives the error of the statement the arguments, which the driver has not seen.
    @inline(never)
    private func describe(_ error: any Error, _ contents: ContainerStorage) -> any Error {
        guard let error = error as? DatabaseError, error.sql == statement.sql, error.arguments == nil else { return error }
        return DatabaseError(
            resultCode: error.extendedResultCode, message: error.message, sql: error.sql,
            arguments: StatementArguments(values(of: contents)),
            publicStatementArguments: statement.database.configuration.publicStatementArguments)
    }

    @usableFromInline
    func recordNotFound(_ table: String, _ container: PersistenceContainer) -> RecordError {
        .recordNotFound(
            databaseTableName: table, key: Dictionary(keySlots.map { container[$0] }, uniquingKeysWith: { $1 }))
    }
}

extension RecordPlan? {
    /// Whether there is a plan, and it serves a record that was encoded.
    ///
    /// Where a condition binds the plan as well, it is retained for the case that it does not fit.
    @inline(__always)
    func fits(_ contents: ContainerStorage, _ resolution: Database.ConflictResolution) -> Bool {
        self?.fits(contents, resolution) == true
    }
}

/// The content of the rows that a statement returns.
struct RowReading: Hashable {
    /// Whether the last column is the row ID, which the record asks for and the program does not.
    var hasRowID = false

    /// The columns of the primary key, when it is their values that the statement returns, and the row is selected by them
    /// afterwards.
    var key: [String] = []

    /// Whether the one column of this key is the row ID.
    var keyIsRowID = false
}
