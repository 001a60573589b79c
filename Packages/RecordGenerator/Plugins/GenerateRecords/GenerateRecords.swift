import Foundation
import PackagePlugin

/// Writes Swift records and queries into the package:
///
///     swift package --allow-writing-to-package-directory generate-records
///     swift package --allow-writing-to-package-directory generate-records library.sqlite --output Sources/App/Records.swift
///
/// Without arguments, each target that has a `schema.sql` among its sources gets a `Records.swift` beside it, as the file `schema.records`
/// beside both says, and a file for each other file with SQL beside it. Arguments are those of `strata swift`.
@main
struct GenerateRecords: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) async throws {
        let tool = try context.tool(named: "RecordGeneratorCommand").url
        let folder = context.package.directoryURL
        if !arguments.isEmpty { return try run(tool, arguments, in: folder) }
        var count = 0
        for case let target as any SourceModuleTarget in context.package.targets {
            for file in target.sourceFiles where file.url.lastPathComponent == "schema.sql" {
                let output = file.url.deletingLastPathComponent().appendingPathComponent("Records.swift")
                let settings = file.url.deletingPathExtension().appendingPathExtension("records").path
                let hasSettings = FileManager.default.fileExists(atPath: settings)
                let options = hasSettings ? ["--settings", settings] : []
                try run(tool, ["--sql", file.url.path, "--output", output.path] + options, in: folder)
                print("\(target.name): \(output.path)")
                count += 1
                let sources = file.url.deletingLastPathComponent()
                let queries = target.sourceFiles.map(\.url).filter {
                    $0.pathExtension == "sql" && $0 != file.url && $0.deletingLastPathComponent().path == sources.path
                }
                if queries.isEmpty { continue }
                try run(
                    tool, ["queries", "--schema", file.url.path, "--output", sources.path] + options + queries.map(\.path), in: folder)
                for query in queries { print("\(target.name): \(query.path).swift") }
            }
        }
        if count == 0 {
            throw Failure(
                description:
                    "no target has a schema.sql: give a database, as in generate-records library.sqlite --output Sources/App/Records.swift")
        }
    }

    private func run(_ tool: URL, _ arguments: [String], in folder: URL) throws {
        let process = Process()
        process.executableURL = tool
        process.arguments = arguments
        process.currentDirectoryURL = folder
        try process.run()
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw Failure(description: "generate-records \(arguments.joined(separator: " ")) failed")
        }
    }
}

struct Failure: Error, CustomStringConvertible {
    let description: String
}
