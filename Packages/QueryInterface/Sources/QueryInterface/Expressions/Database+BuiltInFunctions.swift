import RowDecoding

// The functions and collations of this package that are written in Swift are added to a connection when a request first needs
// them, so that a connection that uses none pays for none, and a pool's readers all know them.

/// What a connection is known to have.
private final class KnownFunctions {
    var functions: Set<DatabaseFunction.ID> = []
    var collations: Set<DatabaseCollation.ID> = []
}

private enum KnownFunctionsKey: StorageKey {
    typealias Value = KnownFunctions
}

extension Database {
    private var known: KnownFunctions {
        storage.value(for: KnownFunctionsKey.self) { KnownFunctions() }
    }

    /// Adds a function, unless the connection has one of its name and argument count.
    ///
    /// SQLite refuses to replace a function while a statement runs, so it is asked first.
    ///
    /// - Throws: ``DatabaseError``.
    func addIfUnknown(_ function: DatabaseFunction) throws {
        if known.functions.contains(function.id) { return }
        let count = try Int.fetchOne(
            self, sql: "SELECT count(*) FROM pragma_function_list WHERE name = ? COLLATE NOCASE AND narg = ?",
            arguments: [function.name, function.argumentCount ?? -1])
        if count == 0 { add(function: function) }
        known.functions.insert(function.id)
    }

    /// Adds one of the collations of this package, unless the connection has one of its name. Other collations are left to those
    /// who made them.
    ///
    /// - Throws: ``DatabaseError``.
    func addIfBuiltInAndUnknown(_ collation: DatabaseCollation) throws {
        guard Self.builtInCollations.contains(where: { $0 === collation }) else { return }
        if known.collations.contains(collation.id) { return }
        let count = try Int.fetchOne(
            self, sql: "SELECT count(*) FROM pragma_collation_list WHERE name = ? COLLATE NOCASE", arguments: [collation.name])
        if count == 0 { add(collation: collation) }
        known.collations.insert(collation.id)
    }

    private static let builtInCollations: [DatabaseCollation] = [
        .unicodeCompare, .caseInsensitiveCompare, .localizedCaseInsensitiveCompare, .localizedCompare, .localizedStandardCompare,
    ]
}
