import Foundation
import Strata
import Testing

@Suite(.page)
struct ExpectationSamples {
    @Test
    func `Right statements of samples are not issues`() throws {
        try withDatabase { db in
            // sample: Right 1
            #expect(last == "b")
        }
    }

    @Test
    func `A wrong statement of a sample is an issue at its line`() throws {
        func expectIssue(line: Int, _ body: () throws -> Void) throws {
            try withKnownIssue {
                try body()
            } matching: { issue in
                issue.sourceLocation?.fileName == "Expectations.md" && issue.sourceLocation?.line == line
            }
        }
        try withDatabase { db in
            try expectIssue(line: 31) {
                // sample: Wrong 1
            }
            try expectIssue(line: 36) {
                // sample: Wrong 2
            }
            try expectIssue(line: 41) {
                // sample: Wrong 3
            }
            try expectIssue(line: 45) {
                // sample: Wrong 4
            }
            try expectIssue(line: 50) {
                // sample: Wrong 5
            }
        }
    }

    @Test
    func `SQL that did not run, did not run then, or ran in another order is unmet`() throws {
        try withDatabase { db in
            // sample: Wrong 6
            let unmet = takeUnmetSQL()
            #expect(unmet.map(\.sql) == ["CREATE TABLE a (b)", "CREATE TABLE c", "CREATE TABLE e (g)", "DELETE FROM a DELETE FROM c"])
            #expect(unmet.map(\.sourceLocation.line) == [55, 57, 58, 59])
        }
        #expect(StatedSQL("SELECT 'a…'", "Expectations.md", 1).ran(in: [RanStatement(sql: "SELECT ?", expanded: "SELECT 'ab'")]))
        #expect(!StatedSQL("SELECT 'a…'", "Expectations.md", 1).ran(in: [RanStatement(sql: "SELECT ?", expanded: "SELECT 'b'")]))
    }

    @Test
    func `A sample that no context contains is an error, and so is a name that no sample has`() async throws {
        let folder = try TemporaryFolder()
        try folder.write("# Title\n```swift\nlet a = 1\n```\n```swift\nlet b = 2\n```\n", to: "Page.md")
        func extract(_ context: String) async throws -> CommandResult {
            try folder.write(context, to: "Page.swift")
            let script = Repository.root.appendingPathComponent("Scripts/samples.awk").path
            return try await runCommand(
                ["awk", "-v", "page=Page.md", "-v", "context=Page.swift", "-f", script, "Page.md"], in: folder.url, limit: 10)
        }
        let both = try await extract("// sample: Title 1\n// sample: Title 2\n")
        #expect(both.isSuccess && both.lines.contains("let a = 1") && both.lines.contains("let b = 2"), "\(both)")
        let one = try await extract("// sample: Title 2\n")
        #expect(one.status == 1)
        #expect(one.error == "Page.md:2: error: Page.swift lacks the line “// sample: Title 1”\n")
        let more = try await extract("// sample: Title 1\n// sample: Title 2\n// sample: Title 3\n")
        #expect(more.lines.contains { $0.hasPrefix("#error") }, "\(more)")
    }

    @Test
    func `A page without context has the samples of other pages, word for word`() async throws {
        let folder = try TemporaryFolder()
        try folder.write("# Title\n```swift\nlet a = 1\n```\n", to: "Copy.md")
        let script = Repository.root.appendingPathComponent("Scripts/samples.awk").path
        for (original, status) in [("    let a  = 1\n", 0), ("let a = 10\n", 1)] as [(String, Int32)] {
            try folder.write("let b = 1\n", to: "Other.md")
            try folder.write(original, to: "Original.md")
            let result = try await runCommand(
                ["awk", "-v", "page=Copy.md", "-v", "originals=Copy.md Other.md Original.md", "-f", script, "Copy.md"], in: folder.url,
                limit: 10)
            #expect(result.status == status, "\(result)")
        }
    }
}
