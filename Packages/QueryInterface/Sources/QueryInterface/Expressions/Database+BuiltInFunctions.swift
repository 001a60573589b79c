import RowDecoding

// Few requests need the Swift function of this layer. A connection gets it when a request first needs it, so that opening connections
// stays cheap.

/// The functions that a connection is known to have.
private final class KnownFunctions: AttachmentKey {
    var functions: Set<DatabaseFunction.ID> = []
}

extension Database {
    /// Adds a function, unless the connection already has one with the same name and number of arguments.
    ///
    /// The check also matters because SQLite refuses to replace a function while a statement runs.
    ///
    /// - Throws: ``DatabaseError``.
    func addIfUnknown(_ function: DatabaseFunction) throws {
        let known = attachments.value(for: KnownFunctions.self) { KnownFunctions() }
        if known.functions.contains(function.id) { return }
        let count = try withInternalStatements {
            try Int.fetchOne(
                self, sql: "SELECT count(*) FROM pragma_function_list WHERE name = ? COLLATE NOCASE AND narg = ?",
                arguments: [function.name, function.argumentCount ?? -1])
        }
        if count == 0 { add(function: function) }
        known.functions.insert(function.id)
    }
}
