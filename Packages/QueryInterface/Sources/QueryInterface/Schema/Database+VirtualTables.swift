import RowDecoding

extension Database {
    /// Creates a virtual table.
    ///
    /// ```swift
    /// // CREATE VIRTUAL TABLE "document" USING fts5(title, body)
    /// try db.create(virtualTable: "document", using: "fts5(title, body)")
    /// ```
    ///
    /// Source: <https://www.sqlite.org/lang_createvtab.html>
    ///
    /// - Parameters:
    ///   - name: the name of the table.
    ///   - options: the options of the table.
    ///   - module: the SQL of a module: its name, and its arguments in parentheses, if any.
    /// - Throws: ``DatabaseError``, for example when SQLite has no such module.
    public func create(
        virtualTable name: String, options: VirtualTableOptions = [], using module: String
    ) throws {
        try run(definition: virtualTableSQL(name, options: options, module: module))
    }

    /// Creates a virtual table. Same as ``create(virtualTable:options:using:)``, with a parameter for the option.
    ///
    /// - Parameters:
    ///   - name: the name of the table.
    ///   - ifNotExists: whether to do nothing if a table or a view with this name exists.
    ///   - module: the SQL of a module: its name, and its arguments in parentheses, if any.
    /// - Throws: ``DatabaseError``, for example when SQLite has no such module.
    @_disfavoredOverload
    public func create(
        virtualTable name: String, ifNotExists: Bool = false, using module: String
    ) throws {
        try create(virtualTable: name, options: ifNotExists ? .ifNotExists : [], using: module)
    }

    /// Creates a virtual table from a definition, and lets its module complete it. If that fails, nothing is created.
    ///
    /// ```swift
    /// // CREATE VIRTUAL TABLE "document" USING fts5("title", "body")
    /// try db.create(virtualTable: "document", using: FullText()) { t in
    ///     t.column("title")
    ///     t.column("body")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name of the table.
    ///   - options: the options of the table.
    ///   - module: a module, see ``VirtualTableModule``.
    ///   - body: completes the definition that the module created.
    /// - Throws: the error of `body`, before any statement runs; the error of the module; ``DatabaseError``.
    public func create<Module: VirtualTableModule>(
        virtualTable name: String, options: VirtualTableOptions = [], using module: Module,
        _ body: ((Module.TableDefinition) throws -> Void)? = nil
    ) throws {
        let definition = module.makeTableDefinition(
            configuration: VirtualTableConfiguration(options: options, tableName: name))
        try body?(definition)

        try inSavepoint {
            let table = try TableReference(name, in: self)
            let schema = table.schema ?? (options.contains(.temporary) ? "temp" : "main")
            let exists = try tableExists(table.name, in: schema) || viewExists(table.name, in: schema)
            let arguments = try module.moduleArguments(for: definition, in: self)
            let list = arguments.isEmpty ? "" : "(\(arguments.joined(separator: ", ")))"
            try run(definition: virtualTableSQL(name, options: options, module: module.moduleName.unquotedWord + list))
            // With `IF NOT EXISTS`, the statement has no effect on an existing table.
            if !exists { try module.database(self, didCreate: name, using: definition) }
            return .commit
        }
    }

    /// Creates a virtual table from a definition, with a parameter for the option.
    ///
    /// - Parameters:
    ///   - name: the name of the table.
    ///   - ifNotExists: whether to do nothing if a table or a view with this name exists.
    ///   - module: a module, see ``VirtualTableModule``.
    ///   - body: completes the definition that the module created.
    /// - Throws: the error of `body`, before any statement runs; the error of the module; ``DatabaseError``.
    @_disfavoredOverload
    public func create<Module: VirtualTableModule>(
        virtualTable name: String, ifNotExists: Bool = false, using module: Module,
        _ body: ((Module.TableDefinition) throws -> Void)? = nil
    ) throws {
        try create(virtualTable: name, options: ifNotExists ? .ifNotExists : [], using: module, body)
    }

    private func virtualTableSQL(_ name: String, options: VirtualTableOptions, module: String) throws -> String {
        let table = try TableReference(name, in: self)
        var sql = "CREATE VIRTUAL TABLE "
        if options.contains(.ifNotExists) { sql += "IF NOT EXISTS " }
        if options.contains(.temporary), table.schema == nil { sql += "\"temp\"." }
        return sql + "\(table.sql) USING \(module)"
    }
}

extension String {
    /// The name of a module, quoted only if necessary: programs that look for `USING fts5` in a schema expect it without quotes.
    fileprivate var unquotedWord: String {
        utf8.allSatisfy { $0.isPartOfSQLWord && $0 != UInt8(ascii: "$") && $0 < 0x80 } ? self : quotedDatabaseIdentifier
    }
}
