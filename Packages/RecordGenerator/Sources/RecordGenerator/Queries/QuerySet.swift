import Foundation
import SQLiteDriver

/// The queries of several files, for one schema.
package struct QuerySet {
    /// A file of generated code.
    package struct Output: Sendable, Equatable {
        /// The name of the file, such as `Queries.sql.swift`.
        package var name: String
        package var code: String
    }

    /// The code of each file, and of the enum that they extend.
    package private(set) var outputs: [Output] = []

    /// Warnings.
    package private(set) var warnings: [QueryDiagnostic] = []

    /// The names of all queries.
    package private(set) var count = 0

    /// Compiles files.
    ///
    /// - Parameters:
    ///   - files: the files with queries.
    ///   - schema: the script of the schema.
    ///   - migrations: the migrations that lead to the schema, if they are files, too.
    ///   - module: the module that the code imports.
    ///   - namespaceFile: the name of the file with the enum that the others extend.
    ///   - prefix: the beginning of the names of the other files.
    /// - Throws: ``QueryErrors``, with the errors of all files; ``RecordSettingsError``.
    package init(
        _ files: [SourceText], schema script: SourceText, settings: RecordSettings, migrations: MigrationFolder? = nil,
        module: String = "Strata", namespaceFile: String = "Queries+Schema.swift", prefix: String = ""
    ) throws {
        var migrationWarnings: [QueryDiagnostic] = []
        if let migrations {
            migrationWarnings = try QueryErrors.check(migrations.changes)
            migrationWarnings += try QueryErrors.check(migrations.differences(from: script, settings))
        }
        let queue = try SchemaScript(script).makeDatabase(settings)
        self = try queue.writeWithoutTransaction { db in try QuerySet(files, script, settings, migrations, module, db) }
        warnings = migrationWarnings + warnings
        outputs[0].name = namespaceFile
        for index in outputs.indices.dropFirst() { outputs[index].name = prefix + outputs[index].name }
    }

    /// The names of the files of code: `Queries.sql.swift` for `Queries.sql`. Where several files have one name, their folders come first, as
    /// the files of a module have different names: `BillingQueries.sql.swift`.
    private static func outputNames(_ files: [SourceText]) -> [String] {
        let components = files.map { URL(fileURLWithPath: $0.file).standardizedFileURL.pathComponents.filter { $0 != "/" } }
        var counts = files.map { _ in 1 }
        while true {
            let names = zip(components, counts).map { $0.suffix($1).joined() }
            let groups = Dictionary(grouping: names.indices) { names[$0].lowercased() }.values.filter { $0.count > 1 }
            let extensible = groups.map { $0.filter { counts[$0] < components[$0].count } }.filter { !$0.isEmpty }
            if extensible.isEmpty { return names.map { $0 + ".swift" } }
            for group in extensible {
                // The others may keep their names: "/x/a/q.sql" becomes "xaq.sql" beside "/x/aq.sql".
                let longest = group.map { counts[$0] }.max()
                for index in group where counts[index] == longest { counts[index] += 1 }
            }
        }
    }

    private init(
        _ files: [SourceText], _ script: SourceText, _ settings: RecordSettings, _ migrations: MigrationFolder?, _ module: String,
        _ db: Database
    ) throws {
        try settings.check(module: module)
        let model = try SchemaModel(
            db, source: "schema.sql", only: nil, readsValues: false, script: script.text, settings: settings, readView: { try $0(db) })
        let records = try RecordGenerator(model, module: module, settings: settings).records
        let namespace = settings.queryNamespace
        var typeNames = Set(records.map(\.typeName)).union(settings.mentionedTypes)
        if typeNames.contains(namespace) {
            let message = "a record is named \(namespace), like the enum of queries: add a line \"queries NAME\" to schema.records"
            throw QueryErrors(diagnostics: [script.diagnostic(message, at: 0..<1)])
        }
        typeNames.formUnion(SwiftName.reservedTypes)
        if migrations?.migrations.contains(where: \.isStep) == true, !typeNames.insert(QueryGenerator.stepNamespace).inserted {
            let message =
                "a record is named \(QueryGenerator.stepNamespace), like the enum of steps: add a line \"table NAME TYPE\" to schema.records"
            throw QueryErrors(diagnostics: [script.diagnostic(message, at: 0..<1)])
        }
        let schema = try QuerySchema(db, model, records, settings)
        let compiler = QueryCompiler(db: db, schema: schema, typeNames: typeNames, settings: settings)
        let sources = files.sorted { $0.file < $1.file }
        let (results, diagnostics) = try Self.compile(sources, compiler)
        count = results.reduce(0) { $0 + $1.count }
        outputs = [
            Output(name: "", code: QueryGenerator.namespaceCode(settings, module: module, schema: script, migrations: migrations))
        ]
        for (name, (source, queries)) in zip(Self.outputNames(sources), zip(sources, results)) {
            let generator = QueryGenerator(
                queries: queries, source: URL(fileURLWithPath: source.file).lastPathComponent, namespace: namespace, module: module,
                settings: settings)
            outputs.append(Output(name: name, code: generator.code))
        }
        warnings = try QueryErrors.check(diagnostics)
    }

    /// Compiles the queries of files, and names their structs.
    ///
    /// - Returns: the queries of each file, and the diagnostics in the order of files, and of places in them.
    private static func compile(
        _ sources: [SourceText], _ compiler: QueryCompiler
    ) throws -> (queries: [[CompiledQuery]], diagnostics: [QueryDiagnostic]) {
        var diagnostics: [QueryDiagnostic] = []
        var names = QueryNames(typeNames: compiler.typeNames)
        var results: [[CompiledQuery]] = []
        for source in sources {
            var result = try compiler.compile(QueryFile(source))
            diagnostics += result.diagnostics + names.declare(&result.queries, in: source)
            results.append(result.queries)
        }
        for (index, source) in sources.enumerated() { names.nameStructs(of: &results[index], in: source) }
        let order = diagnostics.enumerated().sorted {
            ($0.element.file, $0.element.line, $0.element.column, $0.offset) < (
                $1.element.file, $1.element.line, $1.element.column, $1.offset
            )
        }
        return (results, order.map(\.element))
    }
}
