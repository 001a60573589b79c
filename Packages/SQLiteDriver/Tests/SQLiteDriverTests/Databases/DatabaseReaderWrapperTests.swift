import SQLiteDriver
import Testing

private func answer(_ db: Database) throws -> Int64? {
    let statement = try db.makeStatement(sql: "SELECT answer FROM t")
    _ = try statement.step()
    return statement.int64(at: 0)
}

/// Wrappers of readers and writers forward accesses.
@Suite struct DatabaseReaderWrapperTests {
    /// A wrapper that counts reads.
    private final class CountingReader: DatabaseReaderWrapper, @unchecked Sendable {
        let base: any DatabaseReader
        private(set) var count = 0

        init(_ base: any DatabaseReader) {
            self.base = base
        }

        func read<T>(_ value: (Database) throws -> T) throws -> T {
            count += 1
            return try base.read(value)
        }
    }

    @Test
    func `A wrapper replaces one method and inherits the others`() throws {
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: "CREATE TABLE t (answer); INSERT INTO t VALUES (42)") }
        let reader = CountingReader(AnyDatabaseReader(AnyDatabaseWriter(queue)))
        #expect(try reader.read { try answer($0) } == 42)
        #expect(try reader.unsafeRead { try answer($0) } == 42)
        #expect(try reader.unsafeReentrantRead { try answer($0) } == 42)
        #expect(reader.count == 1)
        #expect(reader.path == queue.path)
        #expect(reader.configuration.maximumReaderCount == queue.configuration.maximumReaderCount)
        // A backup opens the database inside all wrappers, whichever way they are nested.
        let copy = try DatabaseQueue()
        try reader.backup(to: AnyDatabaseWriter(AnyDatabaseWriter(copy)))
        #expect(try copy.read { try answer($0) } == 42)
        try reader.close()
        #expect(throws: DatabaseError.self) { try queue.read { _ in } }
    }

    @Test
    func `A type erased writer writes to its base`() throws {
        let queue = try DatabaseQueue()
        let writer = AnyDatabaseWriter(queue)
        try writer.write { try $0.execute(sql: "CREATE TABLE t (answer)") }
        try writer.writeWithoutTransaction { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        try writer.barrierWriteWithoutTransaction { try $0.execute(sql: "UPDATE t SET answer = answer + 1") }
        try writer.unsafeReentrantWrite { try $0.execute(sql: "UPDATE t SET answer = answer * 21") }
        #expect(try queue.read { try answer($0) } == 42)
        #expect(writer.base === queue)
    }

    @Test
    func `Asynchronous accesses reach the base`() async throws {
        let queue = try DatabaseQueue()
        let writer = AnyDatabaseWriter(queue)
        try await writer.write { try $0.execute(sql: "CREATE TABLE t (answer); INSERT INTO t VALUES (42)") }
        let reader = CountingReader(AnyDatabaseReader(writer))
        #expect(try await reader.read { try answer($0) } == 42)
        #expect(try await reader.unsafeRead { try answer($0) } == 42)
        #expect(reader.count == 0)
    }
}
