import CSQLite
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

    @Test
    func `A statement has values that were bound by C`() throws {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT); INSERT INTO note VALUES (1, 'Buy milk')")
        }

        // sample: Calling C all the same 1
        #expect(names == ["Buy milk"])
    }
}
