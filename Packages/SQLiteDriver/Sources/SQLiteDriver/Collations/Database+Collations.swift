import CSQLiteShims

// Unsafe code: SQLite retains a `DatabaseCollation` for each connection that it was added to. SQLite calls the destructor, which
// releases it, when the collation is replaced or removed and when the connection is closed. Unlike for functions, SQLite does not
// call the destructor when the call fails (https://www.sqlite.org/c3ref/create_collation.html).

extension Database {
    /// Adds a collation to the connection, or replaces the one of the same name.
    ///
    /// ```swift
    /// db.add(collation: byLength)
    /// ```
    ///
    /// - Precondition: no statement is running when a collation is replaced.
    public func add(collation: DatabaseCollation) {
        checkAccess()
        guard let handle = sqliteConnection, collation.create(on: handle) == SQLITE_OK else { stop("add", collation) }
        removedCollations.remove(collation.id.name)
    }

    /// Removes a collation from the connection.
    ///
    /// Statements that use the collation no longer compile, and tables with an index that uses it can't be written to.
    ///
    /// The connection does not fall back to the collation of the same name in ``DatabaseRegistry``.
    ///
    /// - Precondition: no statement is running.
    public func remove(collation: DatabaseCollation) {
        checkAccess()
        guard let handle = sqliteConnection,
            sqlite3_create_collation_v2(handle, collation.name, SQLITE_UTF8, nil, nil, nil) == SQLITE_OK
        else { stop("remove", collation) }
        removedCollations.insert(collation.id.name)
    }

    private func stop(_ action: String, _ collation: DatabaseCollation) -> Never {
        fatalError("Could not \(action) the collation \(collation.name): \(lastErrorMessage ?? "")")
    }
}

extension DatabaseCollation {
    /// Adds the collation to a connection of the C API, and returns SQLite's result code.
    func create(on connection: SQLiteConnection) -> CInt {
        let retained = Unmanaged.passRetained(self)
        let code = sqlite3_create_collation_v2(
            connection, name, SQLITE_UTF8, retained.toOpaque(),
            { context, leftCount, left, rightCount, right in
                guard let context else { return 0 }
                let lhs = String(decoding: UnsafeRawBufferPointer(start: left, count: Int(leftCount)), as: UTF8.self)
                let rhs = String(decoding: UnsafeRawBufferPointer(start: right, count: Int(rightCount)), as: UTF8.self)
                let collation = Unmanaged<DatabaseCollation>.fromOpaque(context).takeUnretainedValue()
                return CInt(collation.function(lhs, rhs).rawValue)
            },
            { context in
                if let context { Unmanaged<DatabaseCollation>.fromOpaque(context).release() }
            })
        if code != SQLITE_OK { retained.release() }
        return code
    }
}
