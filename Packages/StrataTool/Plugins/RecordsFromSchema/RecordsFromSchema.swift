import Foundation
import PackagePlugin

/// Compiles records into a target at each build: those of each `schema.sql` among its sources.
@main
struct RecordsFromSchema: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] {
        guard let target = target as? any SourceModuleTarget else { return [] }
        let tool = try context.tool(named: "StrataCommand").url
        let scripts = target.sourceFiles.map(\.url).filter { $0.lastPathComponent == "schema.sql" }
        return scripts.enumerated().map { index, script in
            let name = index == 0 ? "Records.swift" : "Records\(index + 1).swift"
            let output = context.pluginWorkDirectoryURL.appendingPathComponent(name)
            return .buildCommand(
                displayName: "Records from \(script.lastPathComponent)", executable: tool,
                arguments: ["swift", "--sql", script.path, "--output", output.path], inputFiles: [script], outputFiles: [output])
        }
    }
}
