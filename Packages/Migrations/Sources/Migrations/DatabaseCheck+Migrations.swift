extension DatabaseCheck {
    /// Compares the database with the migrations of a program: whether all have run and no others, and whether the schema is the one that they
    /// create (see ``DatabaseMigrator/hasSchemaChanges(_:)``).
    ///
    /// ```swift
    /// let findings = try pool.verify([
    ///     .integrity, .foreignKeys, .migrations(migrator),
    /// ])
    /// ```
    ///
    /// - Parameter migrator: the migrations.
    public static func migrations(_ migrator: DatabaseMigrator) -> DatabaseCheck {
        DatabaseCheck("migrations") { db in
            let applied = try migrator.appliedIdentifiers(db)
            let missing = migrator.migrations.filter { !applied.contains($0) }.map { "\($0) has not run" }
            let unknown = migrator.unknownIdentifiers(applied).sorted().map { "\($0) has run, and is not registered" }
            guard missing.isEmpty, unknown.isEmpty, try migrator.hasSchemaChanges(db) else { return missing + unknown }
            return ["the schema is not the one that the migrations create"]
        }
    }
}
