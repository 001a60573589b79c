import Foundation
import Testing

/// The generated sources of the tutorial 16-SQLFiles.
@Suite struct TutorialQueriesTests {
    @Test
    func `The sources of the tutorial on SQL in files are what the command writes`() throws {
        let root = (0..<6).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let sources = root.appendingPathComponent("Examples/Sources/16-SQLFiles")
        // Packages/ may stand alone, without the tutorials.
        guard FileManager.default.fileExists(atPath: sources.path) else { return }
        let folder = try TemporaryFolder()
        let schema = sources.appendingPathComponent("schema.sql").path
        #expect(strata(["swift", "--sql", schema, "--output", folder.path("SchemaRecords.swift")]).status == 0)
        #expect(strata(["queries", "--output", folder.url.path, sources.path]).status == 0)
        for name in ["SchemaRecords.swift", "Queries.sql.swift", "Queries+Schema.swift"] {
            let written = try String(contentsOf: folder.url.appendingPathComponent(name), encoding: .utf8)
            #expect(try String(contentsOf: sources.appendingPathComponent(name), encoding: .utf8) == written, "\(name)")
        }
    }
}
