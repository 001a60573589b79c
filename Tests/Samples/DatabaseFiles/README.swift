import DatabaseFiles
import Testing

@Suite(.page)
struct DatabaseFilesSamples {
    @Test
    func `The README's samples`() async throws {
        let temporary = try TemporaryFolder()
        let folder = temporary.path
        @Sendable func createSchema(_ writer: any DatabaseWriter) throws {
            try writer.write { try $0.execute(sql: "CREATE TABLE IF NOT EXISTS player (name TEXT)") }
        }
        @Sendable func playerCount(_ db: Database) throws -> Int64 { try db.integer("SELECT count(*) FROM player") ?? 0 }

        // sample: DatabaseFiles 1

        #expect(count == 1)
    }
}
