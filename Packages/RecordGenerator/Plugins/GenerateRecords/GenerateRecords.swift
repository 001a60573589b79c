import Foundation
import PackagePlugin

/// Writes Swift records into the package:
///
///     swift package --allow-writing-to-package-directory generate-records
///     swift package --allow-writing-to-package-directory generate-records library.sqlite --output Sources/App/Records.swift
///
/// Without arguments, each target that has a `schema.sql` in its folder gets a `SchemaRecords.swift` beside it, as the file `schema.records`
/// beside both says. If a target has several, the name of the folder comes first: `BillingSchemaRecords.swift`, as the files of a target have
/// different names. Arguments are those of `strata swift`.
@main
struct GenerateRecords: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) async throws {
        let tool = try context.tool(named: "RecordGeneratorCommand").url
        let folder = context.package.directoryURL
        if !arguments.isEmpty { return try run(tool, arguments, in: folder) }
        var count = 0
        for case let target as any SourceModuleTarget in context.package.targets {
            // Not `sourceFiles`, which lack the files that the manifest excludes.
            let files = FileManager.default.enumerator(at: target.directoryURL, includingPropertiesForKeys: nil)
            let schemas = (files?.allObjects as? [URL] ?? []).filter { $0.lastPathComponent == "schema.sql" }.sorted { $0.path < $1.path }
            for schema in schemas {
                let prefix = schemas.count > 1 ? schema.deletingLastPathComponent().lastPathComponent : ""
                let output = schema.deletingLastPathComponent().appendingPathComponent("\(prefix)SchemaRecords.swift")
                let settings = schema.deletingPathExtension().appendingPathExtension("records").path
                let hasSettings = FileManager.default.fileExists(atPath: settings)
                try run(tool, ["--sql", schema.path, "--output", output.path] + (hasSettings ? ["--settings", settings] : []), in: folder)
                print("\(target.name): \(output.path)")
                count += 1
            }
            let inputs = target.sourceFiles.map(\.url).filter { ["schema.sql", "schema.records"].contains($0.lastPathComponent) }
            if !inputs.isEmpty {
                let paths = inputs.map { "\"\($0.path.dropFirst(target.directoryURL.path.count).drop { $0 == "/" })\"" }.sorted()
                print("SwiftPM warns of unhandled files, unless the target \(target.name) has exclude: [\(paths.joined(separator: ", "))]")
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
