import Foundation
import Strata
import Testing

@Suite(.page)
struct StrataComingFromSQLiteSwiftSamples {
    // sample: The same program 1

    @Test
    func `The program writes a note, finishes it, and deletes it`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("notes.sqlite")

        // sample: The same program 2
        #expect(printed == [])
        #expect(deletedCount == 1)
        try #expect(queue.read { try Note.fetchCount($0) } == 0)
        #expect(Date.fromDatabaseValue("2026-11-23T08:30:00.000".databaseValue) == Date(timeIntervalSince1970: 1_795_422_600))
    }
}
