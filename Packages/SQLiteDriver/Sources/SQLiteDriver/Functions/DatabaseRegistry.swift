import CSQLiteShims

/// Functions and collations that all connections of the program can use.
///
/// ```swift
/// DatabaseRegistry.add(function: initials)
/// DatabaseRegistry.add(collation: byLength)
///
/// // Any connection that is opened from now on
/// try db.execute(
///     sql: "CREATE INDEX byInitials ON player (initials(name) COLLATE by_length)")
/// ```
///
/// Views, triggers, indexes and generated columns refer to functions and collations by name. A database file with such references
/// can only be used by connections that know these functions and collations. ValueConversion registers its own.
///
/// A connection gets the functions when it is opened, before `Configuration.prepareDatabase`. It gets a collation when a statement
/// first needs it. A collation that was added to the connection itself takes precedence, and a collation that was removed from the
/// connection stays removed.
///
/// Source: <https://www.sqlite.org/c3ref/collation_needed.html>
public enum DatabaseRegistry {
    /// Registers a function, or replaces the one with the same name and argument count, for the connections that are opened from
    /// now on.
    ///
    /// - Precondition: its name and argument count are in the ranges that ``DatabaseFunction`` documents.
    public static func add(function: DatabaseFunction) {
        Definitions.shared.load()
        Definitions.shared.add(function)
    }

    /// Registers a collation, or replaces the one with the same name, for all connections that have no collation of this name,
    /// including open ones.
    public static func add(collation: DatabaseCollation) {
        Definitions.shared.load()
        Definitions.shared.add(collation)
    }
}

/// A layer's own entries of ``DatabaseRegistry``, for every program that links the layer, even one that never calls it: a schema may name
/// the layer's functions and collations.
///
/// The driver finds the layer when it opens a connection, by asking whether the type below conforms to this protocol. The layer adds that
/// conformance. So no code runs before `main`, and no library refers to a symbol of a library that is built on it, which would not link
/// where each one is a framework.
package protocol LayerRegistration {
    /// Adds the layer's entries to ``DatabaseRegistry``. It is called once, on the thread that opens a connection.
    static func register()
}

/// Conforms to ``LayerRegistration`` in the layer that has functions and collations.
package enum FunctionLayer {}

/// The registered functions and collations.
private final class Definitions: Sendable {
    static let shared = Definitions()

    private struct Contents {
        var functions: [DatabaseFunction] = []
        var collations: [SchemaName: DatabaseCollation] = [:]
        /// The type that finds the layer; nil once it was found. The program may load the layer later.
        var awaited: Any.Type? = FunctionLayer.self

        /// Returns the layer if the program has linked or loaded it since the last call.
        mutating func takeLayer() -> (any LayerRegistration.Type)? {
            guard let layer = awaited as? any LayerRegistration.Type else { return nil }
            awaited = nil
            return layer
        }
    }

    private let contents = Guarded(Contents())

    /// Locked while the registration of the layer runs.
    private let loading = Lock()

    /// The thread that runs the registration; 0 for none.
    private let loadingThread = AtomicWord()

    /// Runs the registration of the layer, once it is linked or loaded. A second thread waits for the first one, so that each connection is
    /// opened with everything that the layer has registered.
    func load() {
        // The registration calls this method again.
        if loadingThread.value == strata_current_thread() { return }
        loading.withLock {
            loadingThread.value = strata_current_thread()
            contents.withLock { $0.takeLayer() }?.register()
            loadingThread.value = 0
        }
    }

    func add(_ function: DatabaseFunction) {
        contents.withLock { contents in
            contents.functions.removeAll { $0.id == function.id }
            contents.functions.append(function)
        }
    }

    func add(_ collation: DatabaseCollation) {
        contents.withLock { $0.collations[collation.id.name] = collation }
    }

    var allFunctions: [DatabaseFunction] { contents.withLock { $0.functions } }

    func collation(_ name: SchemaName) -> DatabaseCollation? {
        contents.withLock { $0.collations[name] }
    }
}

// MARK: - Connections

extension Database {
    /// Adds the registered functions to the connection, and its registered collations when SQLite asks for them.
    ///
    /// Unsafe code: SQLite does not retain the connection's object. SQLite asks for a collation only while it compiles a statement of the
    /// connection, which retains the object.
    func useRegistry() throws {
        let connection = try openHandle()
        Definitions.shared.load()
        for function in Definitions.shared.allFunctions {
            let code = create(function)
            if code != SQLITE_OK { throw makeError(code, sql: nil) }
        }
        let code = sqlite3_collation_needed(connection, Unmanaged.passUnretained(self).toOpaque()) { context, connection, _, name in
            guard let context, let connection, let text = name else { return }
            let name = SchemaName(String(cString: text))
            if Unmanaged<Database>.fromOpaque(context).takeUnretainedValue().removedCollations.contains(name) { return }
            // Without the collation, SQLite fails the statement with "no such collation sequence", also when it could not be
            // created here.
            if let collation = Definitions.shared.collation(name) { _ = collation.create(on: connection) }
        }
        if code != SQLITE_OK { throw makeError(code, sql: nil) }
    }
}
