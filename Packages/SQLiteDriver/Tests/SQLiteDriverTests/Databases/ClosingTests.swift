import Foundation
import SQLiteDriver
import Testing

@Suite struct ClosingTests {
    enum Kind: CaseIterable {
        case queue
        case pool
    }

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func makeWriter(_ kind: Kind) throws -> any DatabaseWriter {
        switch kind {
        case .queue: try DatabaseQueue(path: folder.path("a.sqlite"))
        case .pool: try DatabasePool(path: folder.path("a.sqlite"))
        }
    }

    @Test(arguments: Kind.allCases)
    func `Every callback of a closed database is called with an error`(_ kind: Kind) async throws {
        let writer = try makeWriter(kind)
        try writer.close()
        let codes = Box<[ResultCode?]>([])
        let isCalled = await comesToItsEnd {
            let done = DispatchSemaphore(value: 0)
            let note: @Sendable (Result<Database, any Error>) -> Void = { result in
                if case .failure(let error) = result { codes.value.append((error as? DatabaseError)?.resultCode) }
                done.signal()
            }
            writer.asyncRead(note)
            done.wait()
            writer.asyncUnsafeRead(note)
            done.wait()
            writer.asyncBarrierWriteWithoutTransaction(note)
            done.wait()
            writer.spawnConcurrentRead(note)
            done.wait()
            writer.asyncWrite({ try $0.execute(sql: "SELECT 1") }) { db, result in note(result.map { db }) }
            done.wait()
            writer.asyncWriteWithoutTransaction { db in note(Result { try db.execute(sql: "SELECT 1") }.map { db }) }
            done.wait()
        }
        #expect(isCalled)
        #expect(codes.value == Array(repeating: .SQLITE_MISUSE, count: 6))
    }

    @Test(arguments: Kind.allCases)
    func `Closing inside an access is refused and closes nothing`(_ kind: Kind) async throws {
        let writer = try makeWriter(kind)
        let isOver = await comesToItsEnd {
            for access in [{ try writer.read($0) }, { try writer.write($0) }] as [((Database) throws -> Void) throws -> Void] {
                let error = expectError(.SQLITE_MISUSE) { try access { _ in try writer.close() } }
                #expect(error?.message?.contains("not reentrant") == true)
            }
        }
        #expect(isOver)
        #expect(try await writer.read { try $0.integers("SELECT 1") } == [1])
        #expect(try await writer.write { try $0.integers("SELECT 1") } == [1])
    }

    @Test
    func `A pool that could not be closed is still open`() throws {
        let pool = try DatabasePool(path: folder.path("a.sqlite"))
        let statement = Box<Statement?>(nil)
        let accesses: [(String, ((Database) throws -> Void) throws -> Void)] = [
            ("read", { try pool.read($0) }), ("write", { try pool.write($0) }),
        ]
        for (name, access) in accesses {
            try access { statement.value = try $0.makeStatement(sql: "SELECT 1") }
            expectError(.SQLITE_BUSY) { try pool.close() }
            statement.value = nil
            #expect(try pool.read { try $0.integers("SELECT 1") } == [1], "after a statement of a \(name)")
            #expect(try pool.write { try $0.integers("SELECT 1") } == [1], "after a statement of a \(name)")
        }
        try pool.close()
        expectError(.SQLITE_MISUSE) { try pool.read { try $0.integers("SELECT 1") } }
    }

    @Test
    func `Callbacks of a closed snapshot get an error`() async throws {
        let pool = try DatabasePool(path: folder.path("a.sqlite"))
        let snapshot = try pool.makeSnapshot()
        try await snapshot.read { try $0.rollback() }
        func code() async -> ResultCode? {
            await withCheckedContinuation { continuation in
                snapshot.asyncRead { result in
                    let error = if case .failure(let error) = result { error } else { nil as (any Error)? }
                    continuation.resume(returning: (error as? DatabaseError)?.extendedResultCode)
                }
            }
        }
        #expect(await code() == .SQLITE_ABORT_ROLLBACK)
        try snapshot.close()
        #expect(await code() == .SQLITE_MISUSE)
    }
}
