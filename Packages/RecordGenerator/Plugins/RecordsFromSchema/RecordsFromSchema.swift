import Foundation
import PackagePlugin

/// Compiles records and queries into a target at each build: the records of each `schema.sql` among its sources, as the file
/// `schema.records` beside it says, and the queries of the other files with SQL beside it, with the migrations of the folder `Migrations`.
@main
struct RecordsFromSchema: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] {
        guard let target = target as? any SourceModuleTarget else { return [] }
        let tool = try context.tool(named: "RecordGeneratorCommand").url
        let files = target.sourceFiles.map(\.url)
        // The files of a module have different names, also those of several folders.
        var taken: Set<String> = []
        return files.filter { $0.lastPathComponent == "schema.sql" }.enumerated().flatMap { index, script -> [Command] in
            // A program may have a Records.swift of its own.
            let name = "SchemaRecords\(index == 0 ? "" : "\(index + 1)").swift"
            let output = context.pluginWorkDirectoryURL.appendingPathComponent(name)
            let settings = files.filter { $0.path == script.deletingPathExtension().appendingPathExtension("records").path }
            let options = settings.flatMap { ["--settings", $0.path] }
            let records = Command.buildCommand(
                displayName: "Records from \(script.lastPathComponent)", executable: tool,
                arguments: ["--sql", script.path, "--output", output.path] + options, inputFiles: [script] + settings, outputFiles: [output]
            )

            let folder = script.deletingLastPathComponent()
            let queries = files.filter {
                $0.pathExtension == "sql" && $0 != script && $0.deletingLastPathComponent().path == folder.path
            }.sorted { $0.path < $1.path }
            let migrations = files.filter { $0.deletingLastPathComponent().path == folder.appendingPathComponent("Migrations").path }
            if queries.isEmpty, migrations.isEmpty { return [records] }
            let outputs = context.pluginWorkDirectoryURL.appendingPathComponent("Queries\(index + 1)")
            // One command for all files, as names must differ. It leaves files alone that stay the same.
            let namespace = index == 0 ? "Queries+Schema.swift" : "Queries\(index + 1)+Schema.swift"
            let names = queries.map { "\($0.lastPathComponent).swift" }
            let prefix = (1...).lazy.map { $0 == 1 ? "" : "\($0)" }.first { prefix in
                names.allSatisfy { !taken.contains((prefix + $0).lowercased()) }
            }!
            taken.formUnion(names.map { (prefix + $0).lowercased() })
            let command = Command.buildCommand(
                displayName: "Queries beside \(script.lastPathComponent)", executable: tool,
                arguments: ["queries", "--schema", script.path, "--output", outputs.path, "--name", namespace]
                    + (prefix.isEmpty ? [] : ["--prefix", prefix]) + options + queries.map(\.path),
                inputFiles: queries + [script] + settings + migrations,
                outputFiles: (names.map { prefix + $0 } + [namespace]).map { outputs.appendingPathComponent($0) })
            return [records, command]
        }
    }
}
