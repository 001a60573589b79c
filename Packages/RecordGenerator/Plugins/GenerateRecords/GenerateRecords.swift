import Foundation
import PackagePlugin

/// Writes Swift records into the package:
///
///     swift package --allow-writing-to-package-directory generate-records
///     swift package --allow-writing-to-package-directory generate-records library.sqlite --output Sources/App/Records.swift
///
/// Without arguments, each target that has a `schema.sql` among its sources gets a `Records.swift` beside it, as the file `schema.records`
/// beside both says. Arguments are those of `strata swift`.
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
                try run(
                    tool, ["--sql", file.url.path, "--output", output.path] + (hasSettings ? ["--settings", settings] : []), in: folder)
                print("\(target.name): \(output.path)")
                count += 1
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
