/// A load, in steps that follow each other: ``begin(_:)``, ``open()``, and then ``read(_:size:)`` and ``insert(_:)`` until
/// ``isComplete``.
///
/// Only ``begin(_:)``, ``insert(_:)`` and ``rehearse(_:)`` need the database: other writers don't wait while the file is read.
final class Loader {
    private let reader: any RecordReader
    private let table: String
    private let options: LoadOptions

    /// The name of a load that can be resumed.
    private let name: String?

    /// The file, if it can be opened again.
    private let source: TextSource?

    /// The path of the file, if it has one.
    private let sourcePath: String?
    private let totalByteCount: Int?

    /// The position in the database.
    private var position: LoadPosition?
    private var rejects: RejectsFile?

    private var needsTable = false
    private var areTypesFound = false

    /// SQL that creates the table; nil once the table exists.
    private var definition: String?

    /// The number of the line where the records that were read last begin.
    private var firstLine = 1
    private var isPrepared = false
    private var isView = false
    private var mayHaveMore = true

    private var recordCount = 0
    private var rowCount = 0
    private var rejectedCount = 0

    /// What an attempt to insert records has done, to be added to the counts once it is committed.
    private struct Attempt {
        var rowCount = 0
        var rejected: [Int: LoadError] = [:]
        var position: LoadPosition?

        /// Whether the file of rejected records must be announced before it is written.
        var needsAnnouncement = false
        var isComplete = false
    }

    init(_ reader: any RecordReader, source: TextSource, table: String, options: LoadOptions, name: String?) {
        self.reader = reader
        self.table = table
        self.options = options
        self.name = name
        totalByteCount = source.size()
        sourcePath = source.path
        self.source = totalByteCount == nil ? nil : source
    }

    /// The rows that were committed, or are in the savepoint.
    var progress: LoadProgress {
        LoadProgress(
            rowCount: rowCount, byteCount: reader.byteCount, totalByteCount: reader.isDecoded ? nil : totalByteCount,
            recordCount: recordCount,
            rejectedCount: rejectedCount, isLast: isComplete)
    }

    /// Whether all records were inserted.
    private(set) var isComplete = false

    /// Whether the load ends with the records that were read last.
    var hasReadLast: Bool { !mayHaveMore }

    /// Looks up where the load continues, and whether the table exists.
    func begin(_ db: Database) throws {
        position = try name.flatMap { try db.loadPosition(named: $0, into: table) }
        if options.newTable != nil { needsTable = try !db.tableExists(table) && !db.viewExists(table) }
    }

    /// Moves to the position, and opens the file of rejected records.
    func open() throws {
        if let position, position.hasRecords {
            guard try reader.skip(to: position.byteCount, line: position.line), reader.checksum == position.checksum else {
                throw LoadError(
                    line: 1, column: nil,
                    message: "the file has changed since its first \(position.recordCount.counted("record")) were loaded",
                    advice: "Load the same file, or call forgetLoad(named:into:) to load another one from its beginning.")
            }
            (recordCount, rowCount, rejectedCount) = (position.recordCount, position.rowCount, position.rejectedCount)
            areTypesFound = position.areTypesFound
        }
        if case .file(let url)? = options.rejects?.destination {
            rejects = try RejectsFile(url, header: reader.rejectsHeader, position, like: sourcePath)
        }
    }

    /// Reads records.
    func read(_ maximum: Int, size: Int) throws {
        firstLine = reader.line
        mayHaveMore = try reader.read(maximum, size: size)
        if needsTable, let table = options.newTable {
            definition = try reader.definition(of: table, named: self.table, again: source)
            areTypesFound = true
            needsTable = false
        }
    }

    /// Inserts the records that were read, in a savepoint; outside of a transaction, in a transaction.
    func insert(_ db: Database) throws {
        add(try attempt(db, isRehearsal: false))
        isComplete = !mayHaveMore
    }

    /// Inserts the records that were read, and rolls back.
    ///
    /// - Returns: the progress that ``insert(_:)`` is going to make.
    func rehearse(_ db: Database) throws -> LoadProgress {
        let attempt = try attempt(db, isRehearsal: true)
        return LoadProgress(
            rowCount: rowCount + attempt.rowCount, byteCount: reader.byteCount, totalByteCount: reader.isDecoded ? nil : totalByteCount,
            recordCount: recordCount + reader.recordCount + reader.skippedCount,
            rejectedCount: rejectedCount + attempt.rejected.count, isLast: !mayHaveMore)
    }

    private func attempt(_ db: Database, isRehearsal: Bool) throws -> Attempt {
        var attempt = Attempt()
        let rejectsSize = rejects?.size ?? 0
        do {
            while !attempt.isComplete {
                let isInTransaction = db.isInsideTransaction
                try db.inSavepoint {
                    try insert(&attempt, db, isInTransaction: isInTransaction, isRehearsal: isRehearsal)
                    return attempt.isComplete && !isRehearsal ? .commit : .rollback
                }
                if attempt.needsAnnouncement { try announceRejects(db) }
                attempt.needsAnnouncement = false
            }
        } catch {
            finish()
            try? rejects?.truncate(to: rejectsSize)
            guard attempt.isComplete, let error = error as? DatabaseError, error.resultCode == .SQLITE_CONSTRAINT else { throw error }
            // Only a commit fails after all records were inserted.
            throw LoadError(
                line: firstLine, column: nil,
                message: "the rows of the lines from \(firstLine) to \(reader.line - 1) can't be committed: \(error.message ?? "")",
                advice: "A deferred foreign key may refer to a row that comes later: load the file in one transaction, or sort it.",
                underlyingError: error)
        }
        return attempt
    }

    private func add(_ attempt: Attempt) {
        definition = nil
        position = attempt.position
        recordCount += reader.recordCount + reader.skippedCount
        rowCount += attempt.rowCount
        rejectedCount += attempt.rejected.count
    }

    /// Ends the use of the connection, which may change before the next records are inserted.
    func finish() {
        reader.finish()
        isPrepared = false
    }

    /// Removes the rejected records from their file, after all portions were rolled back.
    func removeRejects() { try? rejects?.truncate(to: 0) }

    // MARK: Inside

    private func insert(_ attempt: inout Attempt, _ db: Database, isInTransaction: Bool, isRehearsal: Bool) throws {
        if let name, try db.loadPosition(named: name, into: table) != position {
            throw LoadError(
                line: firstLine, column: nil, message: "the load \(name.debugDescription) into \(table) was continued elsewhere",
                advice: "Only one process at a time can run a load of one name.")
        }
        if let definition { try db.execute(sql: definition) }
        if !isPrepared {
            try reader.prepare(db, areTypesFound: areTypesFound)
            isView = try db.viewExists(table)
        }
        isPrepared = true
        attempt.rowCount = 0
        var index = 0
        while index < reader.recordCount {
            let count = try reader.groupSize(from: index)
            let end = index + count
            if count > 1, let rowCount = try insertGroup(from: index, count: count, db) {
                attempt.rowCount += rowCount
                index = end
                continue
            }
            while index < end {
                guard try insert(index, &attempt, db, isInTransaction: isInTransaction) else { return finish() }
                index += 1
            }
        }
        if !isRehearsal {
            if name != nil, let rejects, !attempt.rejected.isEmpty, position?.rejectsPath != rejects.path {
                attempt.needsAnnouncement = true
                return finish()
            }
            try deliver(attempt.rejected)
            if let name { attempt.position = try storePosition(attempt, named: name, db) }
        }
        attempt.isComplete = true
    }

    /// Stores the path of the file of rejected records before it is created: if the process is killed before the portion is committed, the
    /// next load knows whose file it is.
    private func announceRejects(_ db: Database) throws {
        guard let name, let rejects else { return }
        var announced = position ?? .beginning
        (announced.rejectsSize, announced.rejectsPath) = (rejects.size, rejects.path)
        try db.inSavepoint {
            try db.storeLoadPosition(announced, named: name, into: table)
            return .commit
        }
        position = announced
    }

    /// Inserts records by one statement.
    ///
    /// - Returns: the number of inserted rows; nil if one of the records can't be loaded, and the statement was undone.
    private func insertGroup(from first: Int, count: Int, _ db: Database) throws -> Int? {
        var rowCount: Int?
        do {
            try db.inSavepoint {
                rowCount = try reader.insertGroup(from: first, count: count, db)
                return .commit
            }
        } catch let error as LoadError {
            guard db.isInsideTransaction else { throw error }
            return nil
        }
        return rowCount
    }

    /// Inserts a record that was not rejected.
    ///
    /// A statement that fails undoes its changes, and the others stay: no savepoint is needed for each record. There are two exceptions, after
    /// which the portion is inserted again without the record: RAISE(ROLLBACK) and ROLLBACK conflicts have ended the transaction, and
    /// RAISE(FAIL) and FAIL conflicts may have left changes.
    ///
    /// - Returns: false if the portion must be inserted again.
    private func insert(_ index: Int, _ attempt: inout Attempt, _ db: Database, isInTransaction: Bool) throws -> Bool {
        if attempt.rejected[index] != nil { return true }
        let changes = db.totalChangesCount
        do {
            try reader.insert(index, db)
            // SQLite counts no changes of a view, but those that its triggers make.
            if isView ? db.totalChangesCount != changes : db.changesCount > 0 { attempt.rowCount += 1 }
        } catch let error as LoadError where options.rejects != nil {
            try reject(error, at: index, &attempt)
            if !db.isInsideTransaction {
                if isInTransaction { throw error }
                return false
            }
            if db.totalChangesCount != changes { return false }
        }
        return true
    }

    private func reject(_ error: LoadError, at index: Int, _ attempt: inout Attempt) throws {
        attempt.rejected[index] = error
        guard let limit = options.rejects?.limit, rejectedCount + attempt.rejected.count > limit else { return }
        throw LoadError(
            line: error.line, column: error.column, message: "\(error.message). No more than \(limit.counted("record")) may be rejected",
            advice: error.advice, underlyingError: error.underlyingError)
    }

    /// Passes on the rejected records, before their portion is committed.
    private func deliver(_ rejected: [Int: LoadError]) throws {
        let errors = rejected.sorted { $0.key < $1.key }
        if let rejects, !errors.isEmpty {
            try rejects.append(errors.map { reader.rejectedLine($0.key, $0.value) + "\n" }.joined())
        }
        guard case .handler(let receive)? = options.rejects?.destination else { return }
        for (index, error) in errors { try receive(RejectedRecord(error: error, text: reader.text(index))) }
    }

    private func storePosition(_ attempt: Attempt, named name: String, _ db: Database) throws -> LoadPosition? {
        guard mayHaveMore else {
            if position != nil { try db.forgetLoad(named: name, into: table) }
            return nil
        }
        let next = LoadPosition(
            byteCount: reader.byteCount, line: reader.line, checksum: reader.checksum,
            recordCount: recordCount + reader.recordCount + reader.skippedCount, rowCount: rowCount + attempt.rowCount,
            rejectedCount: rejectedCount + attempt.rejected.count, rejectsSize: rejects?.size ?? position?.rejectsSize,
            rejectsPath: rejects?.path ?? position?.rejectsPath,
            areTypesFound: areTypesFound)
        try db.storeLoadPosition(next, named: name, into: table)
        return next
    }
}
