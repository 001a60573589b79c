import Foundation
import SQLiteDriver
import Testing

/// Closed snapshots. AccessMatrixTests, of ClusterTests, closes databases of every kind.
@Suite struct ClosingTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
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
