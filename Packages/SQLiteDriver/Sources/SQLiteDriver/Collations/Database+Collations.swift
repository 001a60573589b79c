import CSQLiteShims

// Unsafe code: SQLite retains a `DatabaseCollation` for each connection that it was added to, and calls the destructor, which
// releases it, when the collation is replaced or removed and when the connection is closed. Unlike for functions, it does not
// when the call fails (https://www.sqlite.org/c3ref/create_collation.html).

extension Database {
    /// Adds a collation to the connection, or replaces the one of the same name.
    ///
    /// ```swift
    /// db.add(collation: byLength)
    /// ```
    ///
    /// - Parameter collation: a collation, which may be added to many connections.
    /// - Precondition: no statement is running when a collation is replaced.
    public func add(collation: DatabaseCollation) {
        let retained = Unmanaged.passRetained(collation)
        let code = create(
            collation, context: retained.toOpaque(),
            compare: { context, leftCount, left, rightCount, right in
                guard let context else { return 0 }
                let lhs = String(decoding: UnsafeRawBufferPointer(start: left, count: Int(leftCount)), as: UTF8.self)
                let rhs = String(decoding: UnsafeRawBufferPointer(start: right, count: Int(rightCount)), as: UTF8.self)
                let collation = Unmanaged<DatabaseCollation>.fromOpaque(context).takeUnretainedValue()
                return CInt(collation.function(lhs, rhs).rawValue)
            },
            destroy: { context in
                if let context { Unmanaged<DatabaseCollation>.fromOpaque(context).release() }
            })
        if code != SQLITE_OK {
            retained.release()
            stop("add", collation)
        }
    }

    /// Removes a collation from the connection.
    ///
    /// Statements that use it can't be compiled any more, nor can rows be written to tables that have it in an index.
    ///
    /// - Parameter collation: any collation of that name.
    /// - Precondition: no statement is running.
    public func remove(collation: DatabaseCollation) {
        if create(collation, context: nil, compare: nil, destroy: nil) != SQLITE_OK { stop("remove", collation) }
    }

    private func create(
        _ collation: DatabaseCollation, context: UnsafeMutableRawPointer?,
        compare: (
            @convention(c) (UnsafeMutableRawPointer?, CInt, UnsafeRawPointer?, CInt, UnsafeRawPointer?) -> CInt
        )?,
        destroy: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?
    ) -> CInt {
        checkAccess()
        guard let handle = sqliteConnection else { return SQLITE_MISUSE }
        return sqlite3_create_collation_v2(handle, collation.name, SQLITE_UTF8, context, compare, destroy)
    }

    private func stop(_ action: String, _ collation: DatabaseCollation) -> Never {
        fatalError("Could not \(action) the collation \(collation.name): \(lastErrorMessage ?? "")")
    }
}
