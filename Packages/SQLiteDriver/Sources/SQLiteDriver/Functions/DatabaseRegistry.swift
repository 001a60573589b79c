import CSQLiteShims

/// The functions and collations that all connections of the program know by their names.
///
/// ```swift
/// DatabaseRegistry.add(function: initials)
/// DatabaseRegistry.add(collation: byLength)
///
/// // Any connection that is opened from now on
/// try db.execute(sql: "CREATE INDEX byInitials ON player (initials(name) COLLATE by_length)")
/// ```
///
/// Views, triggers, indexes and generated columns name functions and collations: a database file that has such ones can be used by
/// connections that know them. The layer ValueConversion registers those that come with it.
///
/// A connection gets the functions when it is opened, before `Configuration.prepareDatabase`. It gets a collation when a statement first
/// needs it, and has none of that name: one that was added to the connection itself comes first, and one that was removed from it stays so.
///
/// A layer, or a library, that wants to have its functions registered without being called puts a C function with
/// `__attribute__((constructor))` into the program, which calls `strata_register`: see `CSQLiteShims.h`.
///
/// Source: <https://www.sqlite.org/c3ref/collation_needed.html>
public enum DatabaseRegistry {
    /// Registers a function, in place of one of its name and argument count.
    ///
    /// - Parameter function: a function for the connections that are opened from now on.
    /// - Precondition: its name and argument count are in the ranges that ``DatabaseFunction`` documents.
    public static func add(function: DatabaseFunction) {
        Definitions.shared.load()
        Definitions.shared.add(function)
    }

    /// Registers a collation, in place of one of its name.
    ///
    /// - Parameter collation: a collation for all connections that have none of this name, those that are open included.
    public static func add(collation: DatabaseCollation) {
        Definitions.shared.load()
        Definitions.shared.add(collation)
    }
}

/// What is registered.
///
/// `@unchecked Sendable`: the locks guard what changes, but for the thread's number, which is read and written atomically.
private final class Definitions: @unchecked Sendable {
    static let shared = Definitions()

    private let lock = Lock()
    private var functions: [DatabaseFunction] = []
    private var collations: [SchemaName: DatabaseCollation] = [:]

    /// Held while the registrations of layers run.
    private let loadingLock = Lock()

    /// The thread that runs them, 0 for none.
    private let loadingThread: UnsafeMutablePointer<UInt>

    private init() {
        // Never freed: there is one.
        loadingThread = .allocate(capacity: 1)
        loadingThread.initialize(to: 0)
    }

    /// Runs the registrations that programs and libraries have brought since the last time. Who comes second waits for who comes
    /// first: no connection is opened without what the layers of the program have registered.
    func load() {
        // The registrations come back here.
        if strata_atomic_load(loadingThread) == strata_current_thread() { return }
        loadingLock.withLock {
            strata_atomic_store(loadingThread, strata_current_thread())
            while let registration = strata_take_registration() { registration() }
            strata_atomic_store(loadingThread, 0)
        }
    }

    func add(_ function: DatabaseFunction) {
        lock.withLock {
            functions.removeAll { $0.id == function.id }
            functions.append(function)
        }
    }

    func add(_ collation: DatabaseCollation) {
        lock.withLock { collations[collation.id.name] = collation }
    }

    var allFunctions: [DatabaseFunction] { lock.withLock { functions } }

    func collation(_ name: SchemaName) -> DatabaseCollation? {
        lock.withLock { collations[name] }
    }
}

// MARK: - Connections

/// What a connection must not take from the registry.
final class RegistryExceptions {
    fileprivate var collations: Set<SchemaName> = []

    /// Notes that a collation was added to the connection, or removed from it.
    func note(_ collation: DatabaseCollation, isRemoved: Bool) {
        if isRemoved {
            collations.insert(collation.id.name)
        } else if !collations.isEmpty {
            collations.remove(collation.id.name)
        }
    }
}

extension Database {
    /// Gives the connection what is registered: the functions now, and the collations when SQLite asks for them.
    ///
    /// Unsafe code: SQLite is given the connection's exceptions, which it does not retain. They live as long as the connection, and SQLite
    /// asks only while it compiles a statement of the connection, which retains it.
    func useRegistry() throws {
        let connection = try openHandle()
        Definitions.shared.load()
        for function in Definitions.shared.allFunctions { add(function: function) }
        let exceptions = Unmanaged.passUnretained(registryExceptions).toOpaque()
        let code = sqlite3_collation_needed(connection, exceptions) { context, connection, _, name in
            guard let context, let connection, let text = name else { return }
            let exceptions = Unmanaged<RegistryExceptions>.fromOpaque(context).takeUnretainedValue()
            let name = SchemaName(String(cString: text))
            if exceptions.collations.contains(name) { return }
            // Without one SQLite says that there is no such collation, and so it does when the collation can't be created.
            if let collation = Definitions.shared.collation(name) { _ = collation.create(on: connection) }
        }
        if code != SQLITE_OK { throw makeError(code, sql: nil) }
    }
}
