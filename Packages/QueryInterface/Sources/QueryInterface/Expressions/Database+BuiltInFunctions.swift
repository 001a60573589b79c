import RowDecoding

// The function of this layer that is written in Swift serves few requests. It is added to a connection when a request first needs it, so
// that no connection pays for it when it is opened.

/// What a connection is known to have.
private final class KnownFunctions {
    var functions: Set<DatabaseFunction.ID> = []
}

private enum KnownFunctionsKey: StorageKey {
    typealias Value = KnownFunctions
}

extension Database {
    /// Adds a function, unless the connection has one of its name and argument count.
    ///
    /// SQLite refuses to replace a function while a statement runs, so it is asked first.
    ///
    /// - Throws: ``DatabaseError``.
    func addIfUnknown(_ function: DatabaseFunction) throws {
        let known = storage.value(for: KnownFunctionsKey.self) { KnownFunctions() }
        if known.functions.contains(function.id) { return }
        let count = try Int.fetchOne(
            self, sql: "SELECT count(*) FROM pragma_function_list WHERE name = ? COLLATE NOCASE AND narg = ?",
            arguments: [function.name, function.argumentCount ?? -1])
        if count == 0 { add(function: function) }
        known.functions.insert(function.id)
    }
}
