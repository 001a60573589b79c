import Foundation
import Strata
import Testing

@Suite(.page)
struct StrataComingFromCoreDataSamples {
    // sample: The same program 1

    @Test
    func `The program writes a note, finishes it, and deletes it`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("notes.sqlite")

        // sample: The same program 2
        #expect(note.id == 1)
        #expect(printed == [])
        #expect(deletedCount == 1)
        try #expect(queue.read { try Note.fetchCount($0) } == 0)
    }
}
