import SQLiteDriver
import Testing

@Suite struct RegistryTests {
    @Test("An unregistered collation is SQLite's error")
    func unknown() throws {
        try DatabaseQueue().write { db throws in
            for name in ["swiftCompare", "nonsense", "ü"] {
                let error = #expect(throws: DatabaseError.self) { try db.execute(sql: "SELECT 'a' ORDER BY 1 COLLATE \"\(name)\"") }
                #expect(error?.message == "no such collation sequence: \(name)")
            }
            let error = #expect(throws: DatabaseError.self) { try db.execute(sql: "SELECT swiftLowercaseString('a')") }
            #expect(error?.message == "no such function: swiftLowercaseString")
        }
    }

    @Test("A collation that is registered later is found by a statement that has failed before")
    func later() throws {
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

    @Test("A connection keeps what it uses of the registry while others are replaced and opened")
    func replacement() throws {
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
