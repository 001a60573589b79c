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

    /// What is suspicious, and no error.
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
    /// - Throws: ``QueryErrors``, with the errors of all files; ``RecordSettingsError``.
    package init(
        _ files: [SourceText], schema script: SourceText, settings: RecordSettings, migrations: MigrationFolder? = nil,
        module: String = "Strata", namespaceFile: String = "Queries+Schema.swift"
    ) throws {
        if let migrations {
            let changes = migrations.changes
            if !changes.isEmpty { throw QueryErrors(diagnostics: changes) }
            let differences = try migrations.differences(from: script, settings)
            if !differences.isEmpty { throw QueryErrors(diagnostics: differences) }
        }
        let queue = try SchemaScript(script).makeDatabase(settings)
        self = try queue.writeWithoutTransaction { db in try QuerySet(files, script, settings, migrations, module, db) }
        outputs[0].name = namespaceFile
    }

    private init(
        _ files: [SourceText], _ script: SourceText, _ settings: RecordSettings, _ migrations: MigrationFolder?, _ module: String,
        _ db: Database
    ) throws {
        let model = try SchemaModel(db, source: "schema.sql", readsValues: false, script: script.text)
        let records = try RecordGenerator(model, module: module, settings: settings).records
        let namespace = settings.queryNamespace
        var typeNames = Set(records.map(\.typeName)).union(settings.mentionedTypes)
        if typeNames.contains(namespace) {
            let message = "a record is named \(namespace), like the enum of queries: add a line \"queries NAME\" to schema.records"
            throw QueryErrors(diagnostics: [script.diagnostic(message, at: 0..<1)])
        }
        typeNames.formUnion(SwiftName.reservedTypes)
        let schema = try QuerySchema(db, model, records, settings)
        let compiler = QueryCompiler(db: db, schema: schema, typeNames: typeNames)
        var diagnostics: [QueryDiagnostic] = []
        var names: [String: QueryDiagnostic] = [:]
        var structs: [String: QueryDiagnostic] = [:]
        outputs = [
            Output(
                name: "",
                code: QueryGenerator.namespaceCode(settings, module: module, schema: script, migrations: migrations))
        ]
        for source in files.sorted(by: { $0.file < $1.file }) {
            let result = try compiler.compile(QueryFile(source))
            diagnostics += result.diagnostics
            for query in result.queries {
                func note(_ name: String, _ range: Range<Int>, _ what: String, in list: inout [String: QueryDiagnostic]) {
                    if let other = list[name] {
                        let place = other.file == source.file ? "line \(other.line)" : "\(other.file):\(other.line)"
                        diagnostics.append(source.diagnostic("\(name) is already the name of \(what) in \(place)", at: range))
                    } else {
                        list[name] = source.diagnostic("", at: range)
                    }
                }
                note(query.name, query.statement.nameRange, "the query", in: &names)
                guard let annotation = query.statement.structName else { continue }
                note(annotation.name, annotation.range, "the struct", in: &structs)
                if typeNames.contains(annotation.name) {
                    diagnostics.append(source.diagnostic("another type is named \(annotation.name)", at: annotation.range))
                }
            }
            count += result.queries.count
            let generator = QueryGenerator(
                queries: result.queries, source: URL(fileURLWithPath: source.file).lastPathComponent, namespace: namespace, module: module,
                settings: settings, typeNames: typeNames)
            outputs.append(Output(name: URL(fileURLWithPath: source.file).lastPathComponent + ".swift", code: generator.code))
        }
        // The order of files, and of places in them.
        let order = diagnostics.enumerated().sorted {
            ($0.element.file, $0.element.line, $0.element.column, $0.offset) < (
                $1.element.file, $1.element.line, $1.element.column, $1.offset
            )
        }
        let sorted = order.map(\.element)
        if sorted.contains(where: { !$0.isWarning }) { throw QueryErrors(diagnostics: sorted) }
        warnings = sorted
    }
}
