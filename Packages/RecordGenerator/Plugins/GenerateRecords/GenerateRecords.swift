import Foundation
import PackagePlugin

/// Writes Swift records and queries into the package:
///
///     swift package --allow-writing-to-package-directory generate-records
///     swift package --allow-writing-to-package-directory generate-records library.sqlite --output Sources/App/Records.swift
///
///     swift package --allow-writing-to-package-directory generate-records --migrations
///
/// Without arguments, each target that has a `schema.sql` in its folder gets a `SchemaRecords.swift` beside it, as the file `schema.records`
/// beside both says, and a file for each other file with SQL beside it. If a target has several, the name of the folder comes first, as the
/// files of a target have different names: `BillingSchemaRecords.swift`, and `BillingQueries.sql.swift` if several folders have queries.
/// Other arguments are those of `strata swift`.
///
/// Where a folder `Migrations` is beside `schema.sql`, that file and the checksums of the migrations are written first; with `--migrations`,
/// nothing else is written.
@main
struct GenerateRecords: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) async throws {
        let tool = try context.tool(named: "RecordGeneratorCommand").url
        let folder = context.package.directoryURL
        let writesOnlySchemas = arguments == ["--migrations"]
        if !arguments.isEmpty, !writesOnlySchemas { return try run(tool, arguments, in: folder) }
        var count = 0
        for case let target as any SourceModuleTarget in context.package.targets {
            // Not `sourceFiles`, which lack the files that the manifest excludes.
            let all = FileManager.default.enumerator(at: target.directoryURL, includingPropertiesForKeys: nil)?.allObjects as? [URL] ?? []
            let files = all.map { URL(fileURLWithPath: $0.path) }.sorted { $0.path < $1.path }
            // A schema that migrations lead to is written, too.
            let folders = Set(
                files.filter { $0.pathExtension == "sql" }.map { $0.deletingLastPathComponent() }
                    .filter { $0.lastPathComponent == "Migrations" }.map { $0.deletingLastPathComponent().path })
            for folder in folders.sorted() {
                let schema = URL(fileURLWithPath: folder).appendingPathComponent("schema.sql").path
                try run(
                    tool, ["queries", "--write-schema", "--schema", schema, "--output", context.pluginWorkDirectoryURL.path],
                    in: context.package.directoryURL)
                print("\(target.name): \(schema)")
                count += 1
            }
            if writesOnlySchemas { continue }
            let schemas = Set(files.filter { $0.lastPathComponent == "schema.sql" }.map(\.path) + folders.map { "\($0)/schema.sql" })
                .sorted().map { URL(fileURLWithPath: $0) }
            func queries(_ schema: URL) -> [URL] {
                let sources = schema.deletingLastPathComponent().path
                return files.filter { $0.pathExtension == "sql" && $0 != schema && $0.deletingLastPathComponent().path == sources }
            }
            func hasQueries(_ schema: URL) -> Bool {
                !queries(schema).isEmpty || folders.contains(schema.deletingLastPathComponent().path)
            }
            let isAlone = schemas.filter(hasQueries).count < 2
            var taken: Set<String> = []
            for file in schemas {
                let queries = queries(file)
                let names = ["SchemaRecords.swift", "Queries+Schema.swift"] + queries.map { "\($0.lastPathComponent).swift" }
                let folderName = schemas.count > 1 ? file.deletingLastPathComponent().lastPathComponent : ""
                let prefix = (1...).lazy.map { $0 == 1 ? folderName : "\(folderName)\($0)" }.first { prefix in
                    names.allSatisfy { !taken.contains((prefix + $0).lowercased()) }
                }!
                taken.formUnion(names.map { (prefix + $0).lowercased() })
                let output = file.deletingLastPathComponent().appendingPathComponent("\(prefix)SchemaRecords.swift")
                let settings = file.deletingPathExtension().appendingPathExtension("records").path
                let hasSettings = FileManager.default.fileExists(atPath: settings)
                let options = hasSettings ? ["--settings", settings] : []
                try run(tool, ["--sql", file.path, "--output", output.path] + options, in: folder)
                print("\(target.name): \(output.path)")
                count += 1
                let sources = file.deletingLastPathComponent()
                if !hasQueries(file) { continue }
                let naming = isAlone || prefix.isEmpty ? [] : ["--prefix", prefix, "--name", "\(prefix)Queries+Schema.swift"]
                try run(
                    tool, ["queries", "--schema", file.path, "--output", sources.path] + naming + options + queries.map(\.path), in: folder)
                for query in queries {
                    print("\(target.name): \(sources.path)/\(naming.isEmpty ? "" : prefix)\(query.lastPathComponent).swift")
                }
            }
            let inputs = target.sourceFiles.map(\.url).filter { ["sql", "records", "lock"].contains($0.pathExtension) }
            if !inputs.isEmpty {
                let paths = inputs.map { "\"\($0.path.dropFirst(target.directoryURL.path.count).drop { $0 == "/" })\"" }.sorted()
                print("SwiftPM warns of unhandled files, unless the target \(target.name) has exclude: [\(paths.joined(separator: ", "))]")
            }
        }
        if count == 0 {
            throw Failure(
                description: writesOnlySchemas
                    ? "no target has a folder Migrations among its sources"
                    : "no target has a schema.sql: give a database, as in generate-records library.sqlite --output Sources/App/Records.swift"
            )
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
