import Foundation
import Strata
import Testing

@Suite(.page)
struct StrataComingFromTheCAPISamples {
    // sample: The same program 2

    @Test
    func `The program inserts a note, and prints it`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("notes.sqlite")

        // sample: The same program 1
        #expect(printed == ["1 Buy milk"])
        // sample: The same program 3
        #expect(notes.map(\.text) == ["Buy milk"])
        #expect(notes.map(\.id) == [1])
    }
}
