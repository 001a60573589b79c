import Foundation
import Strata
import StrataTool
import Testing

@Suite(.page)
struct StrataToolSamples {
    @Test
    func `The module is the command without its process`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.sqlite")
        try DatabaseQueue(path: path).write { db in
            try db.execute(sql: "CREATE TABLE player (name TEXT); INSERT INTO player VALUES ('Arthur')")
        }

        // sample: In a program 1

        #expect(status == 0)
        #expect(console.capturedOutput == "name\nArthur\n")
    }
}
