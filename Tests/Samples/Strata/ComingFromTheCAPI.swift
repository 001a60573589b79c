import Foundation
import Strata
import Testing

@Suite(.page)
struct StrataComingFromTheCAPISamples {
    @Test
    func `The program inserts a note, and prints it`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("notes.sqlite")

        // sample: The same program 1
        #expect(printed == ["1 Buy milk"])
    }
}
