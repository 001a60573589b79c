import QueryInterface

// A database is not a connection. The compiler says what to write instead.

extension MutablePersistableRecord {
    /// Write in an access: `try pool.write { db in try player.insert(db) }`.
    @available(*, unavailable, message: "write in an access: try pool.write { db in try player.insert(db) }")
    public func insert(_ writer: some DatabaseWriter) throws { fatalError("unavailable") }

    /// Write in an access: `try pool.write { db in try player.update(db) }`.
    @available(*, unavailable, message: "write in an access: try pool.write { db in try player.update(db) }")
    public func update(_ writer: some DatabaseWriter) throws { fatalError("unavailable") }

    /// Write in an access: `try pool.write { db in try player.save(db) }`.
    @available(*, unavailable, message: "write in an access: try pool.write { db in try player.save(db) }")
    public func save(_ writer: some DatabaseWriter) throws { fatalError("unavailable") }

    /// Write in an access: `try pool.write { db in try player.delete(db) }`.
    @available(*, unavailable, message: "write in an access: try pool.write { db in try player.delete(db) }")
    public func delete(_ writer: some DatabaseWriter) throws -> Bool { fatalError("unavailable") }
}
