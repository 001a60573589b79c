import Foundation
import Strata
import StrataTool
import Testing

/// The samples of the README.
@Suite struct ReadmeTests {
    @Test("The module is the command without its process")
    func inAProgram() throws {
        let folder = try TemporaryFolder()
        let path = try Maker.library.makeDatabase(
            named: "a.sqlite", in: folder, sql: "CREATE TABLE player (name TEXT); INSERT INTO player VALUES ('Arthur')"
        ).path

        let console = Console()
        let status = CommandLineTool.run(
            ["sql", path, "SELECT name FROM player", "--format", "list"], console: console)
        print(console.capturedOutput)

        #expect(status == 0)
        #expect(console.capturedOutput == "name\nArthur\n")
    }
}
