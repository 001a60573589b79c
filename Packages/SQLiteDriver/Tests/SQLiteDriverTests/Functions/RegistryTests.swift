import SQLiteDriver
import Testing

/// The tests as a layer on the driver.
extension FunctionLayer: LayerRegistration {
    fileprivate static let registrations = Locked(0)

    package static func register() {
        registrations.increment()
        DatabaseRegistry.add(function: DatabaseFunction("driver_layer_test", argumentCount: 0) { _ in 1 })
        DatabaseRegistry.add(collation: DatabaseCollation("driver_layer_test") { _, _ in .same })
    }
}

@Suite struct RegistryTests {
    @Test
    func `A layer registers its functions once, also when connections are opened at the same time`() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    try await DatabaseQueue().write {
                        try $0.execute(sql: "SELECT driver_layer_test() ORDER BY 'a' COLLATE driver_layer_test")
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(FunctionLayer.registrations.value == 1)
    }

    @Test
    func `An unregistered collation is SQLite's error`() throws {
        try DatabaseQueue().write { db throws in
            for name in ["swiftCompare", "nonsense", "ü"] {
                let error = #expect(throws: DatabaseError.self) { try db.execute(sql: "SELECT 'a' ORDER BY 1 COLLATE \"\(name)\"") }
                #expect(error?.message == "no such collation sequence: \(name)")
            }
            let error = #expect(throws: DatabaseError.self) { try db.execute(sql: "SELECT swiftLowercaseString('a')") }
            #expect(error?.message == "no such function: swiftLowercaseString")
        }
    }

    @Test
    func `A collation that is registered later is found by a statement that has failed before`() throws {
        try DatabaseQueue().write { db throws in
            let sql = "SELECT 'a' ORDER BY 1 COLLATE driver_registry_test"
            #expect(throws: DatabaseError.self) { try db.execute(sql: sql) }
            DatabaseRegistry.add(collation: DatabaseCollation("driver_registry_test") { _, _ in .same })
            try db.execute(sql: sql)
            let names = try db.makeStatement(sql: "SELECT count(*) FROM pragma_collation_list WHERE name = 'driver_registry_test'")
            #expect(try names.step())
            #expect(names.int64(at: 0) == 1)
        }
    }

    @Test
    func `A connection keeps what it uses of the registry while others are replaced and opened`() throws {
        func add(_ result: Int) {
            DatabaseRegistry.add(function: DatabaseFunction("driver_registry_test", argumentCount: 0) { _ in result })
        }
        func result(_ queue: DatabaseQueue) throws -> Int64? {
            try queue.read { db in
                let statement = try db.makeStatement(sql: "SELECT driver_registry_test()")
                return try statement.step() ? statement.int64(at: 0) : nil
            }
        }
        add(1)
        let first = try DatabaseQueue()
        add(2)
        let second = try DatabaseQueue()
        #expect(try result(first) == 1)
        #expect(try result(second) == 2)
    }
}
