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
        let recordTool = try RecordTool(
            executable: context.tool(named: "RecordGeneratorCommand").url, folder: context.package.directoryURL,
            workFolder: context.pluginWorkDirectoryURL)
        let writesOnlySchemas = arguments == ["--migrations"]
        if !arguments.isEmpty, !writesOnlySchemas { return try recordTool.run(arguments) }
        var count = 0
        for case let target as any SourceModuleTarget in context.package.targets {
            let sources = Sources(of: target)
            try recordTool.writeSchemas(of: sources)
            count += sources.migrated.count
            if writesOnlySchemas { continue }
            try recordTool.writeCode(of: sources)
            count += sources.schemas.count
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
}

/// The files with SQL in the folder of a target.
private struct Sources {
    let target: String
    let files: [URL]

    /// The folders with a folder `Migrations`. It leads to a `schema.sql`, which need not exist yet.
    let migrated: [URL]

    let schemas: [URL]

    init(of target: any SourceModuleTarget) {
        self.target = target.name
        // Not `sourceFiles`, which lack the files that the manifest excludes.
        let all = FileManager.default.enumerator(at: target.directoryURL, includingPropertiesForKeys: nil)?.allObjects as? [URL] ?? []
        files = all.map { URL(fileURLWithPath: $0.path) }.filter { $0.pathExtension == "sql" }.sorted { $0.path < $1.path }
        func sorted(_ paths: [String]) -> [URL] { Set(paths).sorted().map { URL(fileURLWithPath: $0) } }
        let migrations = files.map { $0.deletingLastPathComponent() }.filter { $0.lastPathComponent == "Migrations" }
        migrated = sorted(migrations.map { $0.deletingLastPathComponent().path })
        schemas = sorted(
            files.filter { $0.lastPathComponent == "schema.sql" }.map(\.path)
                + migrated.map { $0.appendingPathComponent("schema.sql").path })
    }

    /// The files with queries beside a schema.
    func queries(beside schema: URL) -> [URL] {
        let folder = schema.deletingLastPathComponent().path
        return files.filter { $0 != schema && $0.deletingLastPathComponent().path == folder }
    }

    /// Whether a schema has queries, or migrations, and so an enum for them.
    func hasQueries(_ schema: URL) -> Bool {
        !queries(beside: schema).isEmpty || migrated.contains { $0.path == schema.deletingLastPathComponent().path }
    }

    /// Returns how the names of the files for a schema begin, so that they are different in the whole target.
    ///
    /// - Parameter taken: the names of files for other schemas, in lowercase. Those for this one are added.
    func prefix(for schema: URL, _ taken: inout Set<String>) -> String {
        let names = ["SchemaRecords.swift", "Queries+Schema.swift"] + queries(beside: schema).map { "\($0.lastPathComponent).swift" }
        let folder = schemas.count > 1 ? schema.deletingLastPathComponent().lastPathComponent : ""
        let prefix = (1...).lazy.map { $0 == 1 ? folder : "\(folder)\($0)" }.first { prefix in
            names.allSatisfy { !taken.contains((prefix + $0).lowercased()) }
        }!
        taken.formUnion(names.map { (prefix + $0).lowercased() })
        return prefix
    }
}

/// The tool that writes the files.
private struct RecordTool {
    let executable: URL
    let folder: URL

    /// A folder for code that nobody reads.
    let workFolder: URL

    /// Writes the schemas that migrations lead to.
    func writeSchemas(of sources: Sources) throws {
        for folder in sources.migrated {
            let schema = folder.appendingPathComponent("schema.sql").path
            try run(["queries", "--write-schema", "--schema", schema, "--output", workFolder.path])
            print("\(sources.target): \(schema)")
        }
    }

    /// Writes the records of each schema, and the functions of the queries beside it.
    func writeCode(of sources: Sources) throws {
        let isAlone = sources.schemas.filter(sources.hasQueries).count < 2
        var taken: Set<String> = []
        for schema in sources.schemas {
            let prefix = sources.prefix(for: schema, &taken)
            let output = schema.deletingLastPathComponent().appendingPathComponent("\(prefix)SchemaRecords.swift")
            let settings = schema.deletingPathExtension().appendingPathExtension("records").path
            let options = FileManager.default.fileExists(atPath: settings) ? ["--settings", settings] : []
            try run(["--sql", schema.path, "--output", output.path] + options)
            print("\(sources.target): \(output.path)")
            if !sources.hasQueries(schema) { continue }
            let (queries, folder) = (sources.queries(beside: schema), schema.deletingLastPathComponent().path)
            let naming = isAlone || prefix.isEmpty ? [] : ["--prefix", prefix, "--name", "\(prefix)Queries+Schema.swift"]
            try run(["queries", "--schema", schema.path, "--output", folder] + naming + options + queries.map(\.path))
            for query in queries {
                print("\(sources.target): \(folder)/\(naming.isEmpty ? "" : prefix)\(query.lastPathComponent).swift")
            }
        }
    }

    func run(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.currentDirectoryURL = folder
        try process.run()
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw Failure(description: "generate-records \(arguments.joined(separator: " ")) failed")
        }
    }
}

private struct Failure: Error, CustomStringConvertible {
    let description: String
}
