import Migrations

/// The run of a folder's migrations in databases in memory, by the migrator with which programs run them.
///
/// What a project can't change is not an error: a released migration that runs only without the checks of this version, or with another
/// configuration than `schema.records` describes, gives warnings.
struct MigrationRehearsal {
    private let parts: [SchemaScript.Part]
    private let released: Set<String>
    private let settings: RecordSettings

    init(_ folder: MigrationFolder, _ settings: RecordSettings) {
        parts = zip(SchemaScript(folder.files).parts, folder.migrations).map { part, file in changed(part) { $0.actions = file.actions } }
        released = folder.released
        self.settings = settings
    }

    /// Runs the migrations.
    ///
    /// - Returns: a database with their schema, and the warnings about released migrations.
    /// - Throws: ``QueryErrors``, with the errors of the first migration that fails.
    func run() throws -> (queue: DatabaseQueue, warnings: [QueryDiagnostic]) {
        var queue = try makeQueue()
        var diagnostics = parts.flatMap { $0.pragmasWithoutEffect(areWarnings: isReleased($0)) }
        let drops = Guarded<[QueryDiagnostic]>([])
        let migrator = migrator(parts, addingDropsTo: drops)
        while true {
            do {
                try migrator.migrate(queue)
                return (queue, try QueryErrors.check(diagnostics + drops.withLock { $0 }))
            } catch let error as MigrationError {
                guard let part = parts.first(where: { MigrationFile.identifier($0.source) == error.identifier }) else { throw error }
                // The migrations before it have run.
                let isDecidedByProgram = try error.isAboutRowsWithoutParents && callsFunctionsOfProgram(part, queue)
                let problems = isDecidedByProgram ? [] : try problems(of: part, error, queue)
                guard isDecidedByProgram || isReleased(part), let next = try lenientRun(part, queue) else {
                    throw QueryErrors(diagnostics: diagnostics + drops.withLock { $0 } + problems)
                }
                diagnostics += problems.map { problem in changed(problem) { $0.isWarning = true } }
                queue = next
            }
        }
    }

    private func isReleased(_ part: SchemaScript.Part) -> Bool { released.contains(MigrationFile.identifier(part.source)) }

    /// Returns a database, with the content of another one.
    private func makeQueue(copying other: DatabaseQueue? = nil, isLenient: Bool = false) throws -> DatabaseQueue {
        let queue = try settings.makeQueue(
            acceptsDoubleQuotedStrings: isLenient || settings.acceptsDoubleQuotedStrings,
            enforcesForeignKeys: !isLenient && settings.enforcesForeignKeys)
        try other?.backup(to: queue)
        return queue
    }

    /// - Parameter drops: where warnings are added about what new files drop without naming it.
    private func migrator(
        _ parts: [SchemaScript.Part], isLenient: Bool = false, addingDropsTo drops: Guarded<[QueryDiagnostic]>? = nil
    ) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.checksSchema = !isLenient
        for part in parts {
            let triesRows = !isLenient && !isReleased(part)
            migrator.registerMigration(MigrationFile.identifier(part.source)) { [settings] db in
                if triesRows { try part.checkWithRows(db, settings) }
                var dropped = try triesRows && drops != nil && part.mayDropParts ? DroppedParts(db) : nil
                var problems: [QueryDiagnostic] = []
                for number in 0...part.statements.count {
                    if let problem = try part.run(number, db) { problems.append(problem) }
                    if !db.isInsideTransaction { break }
                    if number < part.statements.count { dropped?.note(part.tokens, part.statements[number], number: number) }
                }
                if !problems.isEmpty { throw QueryErrors(diagnostics: problems) }
                if let warnings = try dropped.map({ try part.warnings(about: $0, db) }) { drops?.withLock { $0 += warnings } }
            }
        }
        return migrator
    }

    /// Runs a migration as a program with another configuration can: one that accepts strings in double quotes, does not enforce foreign
    /// keys, and does not check the schema.
    ///
    /// - Returns: a database after the migration; nil if it fails there, too.
    private func lenientRun(_ part: SchemaScript.Part, _ queue: DatabaseQueue) throws -> DatabaseQueue? {
        let copy = try makeQueue(copying: queue, isLenient: true)
        do { try migrator([part], isLenient: true).migrate(copy) } catch is MigrationError { return nil }
        return try makeQueue(copying: copy)
    }

    // MARK: - Failures

    private func problems(of part: SchemaScript.Part, _ error: MigrationError, _ queue: DatabaseQueue) throws -> [QueryDiagnostic] {
        if let errors = error.underlyingError as? QueryErrors { return errors.diagnostics }
        var message = (error.underlyingError as? DatabaseError)?.message ?? "\(error)"
        if error.isAboutRowsWithoutParents {
            message += ". If the program does not enforce foreign keys, add a line \"foreign keys off\" to schema.records"
        }
        return [part.source.diagnostic(message, at: try cause(of: part, error, queue).map(part.place) ?? 0..<1)]
    }

    /// The statement of a migration after which it can't be committed.
    private func cause(of part: SchemaScript.Part, _ error: MigrationError, _ queue: DatabaseQueue) throws -> Range<Int>? {
        // A row without a parent is searched by itself, as another one may get its parent later.
        let isAboutRows = error.isAboutRowsWithoutParents
        func findings(after count: Int) throws -> Set<String> {
            let copy = try makeQueue(copying: queue, isLenient: isAboutRows)
            do {
                try migrator([part.prefix(count)], isLenient: isAboutRows).migrate(copy)
            } catch let error as MigrationError { return ["\(error)"] }
            return isAboutRows ? try copy.writeWithoutTransaction { try Set($0.rowsWithoutParents()) } : []
        }
        var (working, failing) = (0, part.statements.count)
        let news = try findings(after: failing).subtracting(findings(after: 0))
        guard let finding = news.min() else { return nil }
        while failing - working > 1 {
            let middle = (failing + working) / 2
            if try findings(after: middle).contains(finding) { failing = middle } else { working = middle }
        }
        return part.statements[failing - 1]
    }

    /// Returns whether a migration calls functions of the program, whose stand-ins return NULL.
    private func callsFunctionsOfProgram(_ part: SchemaScript.Part, _ queue: DatabaseQueue) throws -> Bool {
        if settings.functions.isEmpty { return false }
        let copy = try makeQueue(copying: queue)
        try copy.writeWithoutTransaction { settings.addFunctions(to: $0, refusingCalls: true) }
        do {
            try migrator([part]).migrate(copy)
        } catch let error as MigrationError {
            return (error.underlyingError as? QueryErrors)?.diagnostics.contains { $0.message == StandInCall().description } ?? false
        }
        return false
    }
}

extension MigrationError {
    fileprivate var isAboutRowsWithoutParents: Bool {
        (underlyingError as? DatabaseError)?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY
    }
}

extension Database {
    /// The rows that refer to missing rows.
    fileprivate func rowsWithoutParents() throws -> [String] {
        try values("SELECT json_array(\"table\", rowid, parent, fkid) FROM pragma_foreign_key_check") { $0.string(at: 0) }
    }
}
