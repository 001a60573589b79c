import QueryInterface

/// A prepared statement that writes records of one layout, and the mapping from their columns to its parameters.
@usableFromInline
final class RecordPlan {
    /// The layout of the records that the plan is for.
    @usableFromInline let layout: Int

    /// The prepared statement, which only this plan may run (see `ContainerStorage+Binding.swift`). It is therefore not one of the
    /// connection's cached statements.
    @usableFromInline let statement: Statement

    @usableFromInline let resolution: Database.ConflictResolution

    /// The generation of the schema that the plan was created for.
    @usableFromInline let generation: Int

    /// The statement's `repreparationCount` when the plan was created or last verified.
    var repreparationCount: Int

    /// The column that is an alias of the row ID, if any.
    let rowIDColumn: String?

    /// The name under which an inserted record finds its row ID.
    let rowIDName: RowIDName

    /// Whether the statement inserts into a view. SQLite does not count the changes that `INSTEAD OF` triggers make.
    ///
    /// The number of changes is checked after insertions into tables even without `OR IGNORE`, because constraints declared
    /// `ON CONFLICT IGNORE` and triggers can also skip rows.
    let isView: Bool

    /// Whether the rows of the table have row IDs.
    let hasRowID: Bool

    /// For each column of the record, the index of the parameter that takes its value, from 1; 0 if there is none; or ``leftOut``.
    let parameters: [CInt]

    /// A number that stands for the parameters. No other plan has it.
    @usableFromInline let number = LayoutNumbers.next()

    /// Marks a column whose value is not kept in the container.
    @inlinable
    static var leftOut: CInt { -1 }

    /// Whether the statement returns rows. The returned rows, not the number of changes, then show whether a row was written.
    let returnsRows: Bool

    /// Whether the number of changes shows whether a row was written.
    private let countsChanges: Bool

    /// The positions of the primary key's columns in the record.
    let keySlots: [Int]

    /// The content of the rows that the statement returns.
    let reading: RowReading

    /// The SQL of an insertion with values; nil for other statements.
    let insertion: InsertionSQL?

    /// The group for batches of records with this layout; nil until a batch has asked for it, and while a batch uses it.
    var group: RecordGroup?

    init(
        layout: Int, statement: Statement, resolution: Database.ConflictResolution, generation: Int, rowIDColumn: String? = nil,
        rowIDName: RowIDName = .none, isView: Bool = false, hasRowID: Bool = false, parameters: [CInt], keySlots: [Int] = [],
        reading: RowReading = RowReading(), insertion: InsertionSQL? = nil
    ) {
        self.layout = layout
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
        self.insertion = insertion
        returnsRows = statement.columnCount > 0
        countsChanges = !returnsRows && !isView
        self.parameters = parameters
        statement.didBindArguments()
    }

    /// Creates the plan of a record in a group, whose statement has the parameters of each record in turn.
    ///
    /// - Parameter index: the index of the record in the group.
    convenience init(_ index: Int, of statement: Statement, like plan: RecordPlan, columnCount: Int) {
        self.init(
            layout: plan.layout, statement: statement, resolution: plan.resolution, generation: plan.generation,
            rowIDColumn: plan.rowIDColumn, rowIDName: plan.rowIDName, hasRowID: plan.hasRowID,
            parameters: plan.parameters.map { $0 > 0 ? $0 + CInt(index * columnCount) : $0 })
    }

    /// Returns the row that an insertion has written.
    @inline(__always)
    func row(_ id: Int64) -> WrittenRow { WrittenRow(id: hasRowID ? id : 0, idColumn: rowIDColumn, idName: rowIDName) }

    /// The row of an insertion that SQLite skipped, for `aroundInsert`. It has no row ID, because SQLite's last row ID belongs to another
    /// row.
    var skippedRow: WrittenRow { WrittenRow(idColumn: rowIDColumn, isSkipped: true) }

    /// Returns whether the plan can write an encoded record.
    func fits(_ contents: ContainerStorage, _ resolution: Database.ConflictResolution) -> Bool {
        layout == contents.state.pointee.layout && self.resolution == resolution
    }

    /// Runs the statement with the values of a record.
    ///
    /// SQLite's code for one row nearly fills the processor's instruction cache. Beyond that, the time per record depends more on the size
    /// of the code than on the number of instructions. Rare cases therefore have separate functions, here and in the callers, and the
    /// common path makes few calls.
    ///
    /// - Returns: whether a row was written.
    @inline(__always)
    func run(_ contents: ContainerStorage, in db: Database) throws -> Bool {
        guard contents.state.pointee.isBound, countsChanges else { return try run(contents, StatementArguments(), in: db) }
        try runBound(contents, StatementArguments())
        return db.changesCount > 0
    }

    /// Runs the statement with the values of a record, and the arguments that follow them.
    ///
    /// - Returns: whether a row was written.
    @inline(never)
    func run(_ contents: ContainerStorage, _ arguments: StatementArguments, in db: Database) throws -> Bool {
        if returnsRows { return try runReadingRowID(contents, arguments).isWritten }
        try bind(contents, arguments)
        try runBound(contents, arguments)
        return isView || db.changesCount > 0
    }

    @inline(__always)
    private func runBound(_ contents: ContainerStorage, _ arguments: @autoclosure () -> StatementArguments) throws {
        do {
            try statement.run()
        } catch {
            throw describe(error, contents, arguments())
        }
    }

    /// Binds the primary key of a record, for a statement that has no other parameters.
    func bindKey(of contents: ContainerStorage) throws {
        for slot in keySlots {
            try statement.bind(contents.state.pointee.slots[slot].value, at: Int(parameters[slot]))
        }
    }

    /// Runs the statement to its end, and reads the row ID that it returns.
    ///
    /// - Parameter arguments: the arguments that follow the record's values.
    /// - Returns: the first column, and whether a row was written. The caller knows whether the column is the row ID.
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
            throw describe(error, contents, arguments)
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
            // Runs to the end, as above.
            return try Row.fetchAll(statement, adapter: adapter).first
        } catch {
            throw describe(error, contents, arguments)
        }
    }

    private func bind(_ contents: ContainerStorage, _ arguments: StatementArguments) throws {
        if !arguments.isEmpty {
            try statement.setArguments(StatementArguments(values(of: contents)) &+ arguments)
        } else if !contents.state.pointee.isBound {
            try contents.bindAll(to: self)
        }
    }

    /// The names of the columns that the program requested.
    var columnNames: [String] { reading.hasRowID ? statement.columnNames.dropLast() : statement.columnNames }

    /// Returns the values of a record, in the order of the parameters.
    private func values(of contents: ContainerStorage) -> [DatabaseValue] {
        let slots = (0..<contents.state.pointee.position).filter { parameters[$0] > 0 }.sorted { parameters[$0] < parameters[$1] }
        return slots.map { contents.state.pointee.slots[$0].value }
    }

    /// Adds the arguments to an error of the statement. The driver does not know them.
    @inline(never)
    private func describe(_ error: any Error, _ contents: ContainerStorage, _ arguments: StatementArguments) -> any Error {
        guard let error = error as? DatabaseError, error.sql == statement.sql, error.arguments == nil else { return error }
        return error.adding(
            arguments: StatementArguments(values(of: contents)) &+ arguments,
            publicStatementArguments: statement.database.configuration.publicStatementArguments)
    }

    /// The columns of the primary key, with the values of a record.
    func keyValues(of container: PersistenceContainer) -> [String: DatabaseValue] {
        Dictionary(keySlots.map { container[$0] }, uniquingKeysWith: { $1 })
    }
}

extension RecordPlan? {
    /// Returns whether a plan exists that can write an encoded record.
    ///
    /// A condition that also binds the plan would retain it for the case in which it does not fit.
    @inline(__always)
    func fits(_ contents: ContainerStorage, _ resolution: Database.ConflictResolution) -> Bool {
        self?.fits(contents, resolution) == true
    }
}

/// The content of the rows that a statement returns.
struct RowReading: Hashable {
    /// Whether the last column is the row ID, which was requested for the record and is hidden from the program.
    var hasRowID = false

    /// The key columns, if the statement returns only their values, by which the row is selected afterwards; otherwise empty.
    var key: [String] = []

    /// Whether the key is a single column, the row ID.
    var keyIsRowID = false
}

/// The SQL of an insertion with values.
struct InsertionSQL {
    /// The beginning: `INSERT` or `INSERT OR REPLACE`.
    let verb: String

    /// The SQL between the beginning and the values.
    let target: String

    /// The number of values of a row.
    let columnCount: Int

    /// The ON CONFLICT clause.
    let conflictClause: String

    /// Returns the SQL for a number of rows.
    ///
    /// - Parameter verb: nil for the usual beginning.
    func sql(rowCount: Int, verb: String? = nil) -> String {
        let row = "(\(Array(repeating: "?", count: columnCount).joined(separator: ", ")))"
        return "\(verb ?? self.verb)\(target)\(Array(repeating: row, count: rowCount).joined(separator: ", "))\(conflictClause)"
    }

    /// Returns how many rows a statement may have, by the limits of the connection.
    func maximumRowCount(_ db: Database, argumentCount: Int) -> Int {
        // Groups need queries about the schema, too.
        if db.limit(.sqlLength) < 1000 { return 0 }
        let ofParameters = (db.limit(.parameterCount) - argumentCount) / columnCount
        // Each value takes three bytes: `?, `. Each row takes another two, and the longest beginning is `INSERT OR REPLACE`.
        let ofBytes = (db.limit(.sqlLength) - 20 - target.utf8.count - conflictClause.utf8.count) / (3 * columnCount + 2)
        return min(ofParameters, ofBytes)
    }
}
