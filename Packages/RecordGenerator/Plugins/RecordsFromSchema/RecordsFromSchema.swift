import Foundation
import PackagePlugin

/// Compiles records into a target at each build: those of each `schema.sql` among its sources, as the file `schema.records` beside it says.
@main
struct RecordsFromSchema: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] {
        guard let target = target as? any SourceModuleTarget else { return [] }
        let tool = try context.tool(named: "RecordGeneratorCommand").url
        let files = target.sourceFiles.map(\.url)
        return files.filter { $0.lastPathComponent == "schema.sql" }.enumerated().map { index, script in
            // The files of a target have different names, and a program may have a Records.swift of its own.
            let name = "SchemaRecords\(index == 0 ? "" : "\(index + 1)").swift"
            let output = context.pluginWorkDirectoryURL.appendingPathComponent(name)
            let settings = files.filter { $0.path == script.deletingPathExtension().appendingPathExtension("records").path }
            return .buildCommand(
                displayName: "Records from \(script.lastPathComponent)", executable: tool,
                arguments: ["--sql", script.path, "--output", output.path] + settings.flatMap { ["--settings", $0.path] },
                inputFiles: [script] + settings, outputFiles: [output])
        }
    }
}
