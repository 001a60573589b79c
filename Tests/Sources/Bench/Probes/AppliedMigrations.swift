import Strata

/// What a program pays at its start when there is nothing to migrate.
let appliedMigrations = Probe(name: "applied-migrations", summary: "migrate, with 1,000 migrations that have run") { rounds in
    let folder = try TemporaryFolder()
    var migrator = DatabaseMigrator()
    for number in 1...1_000 { migrator.registerMigration("migration \(number)") { _ in } }
    let queue = try DatabaseQueue(path: folder.path("migrated.sqlite"))
    try migrator.migrate(queue)
    var times: [Double] = []
    for _ in 0..<rounds {
        // As at the start of a program: with a connection that has read nothing yet.
        let queue = try DatabaseQueue(path: folder.path("migrated.sqlite"))
        let clock = ContinuousClock()
        times.append(try clock.measure { try migrator.migrate(queue) }.milliseconds)
    }
    return [Figure(name: "migrate", value: times.median, unit: "ms", atMost: 2)]
}
