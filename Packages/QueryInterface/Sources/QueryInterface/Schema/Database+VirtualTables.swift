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
    ///   - options: how the table is created.
    ///   - module: the SQL of a module: its name, and its arguments in parentheses if there are any.
    /// - Throws: ``DatabaseError``, among others when SQLite knows no such module.
    public func create(
        virtualTable name: String, options: VirtualTableOptions = [], using module: String
    ) throws {
        try run(definition: virtualTableSQL(name, options: options, module: module))
    }

    /// Creates a virtual table: the same with a parameter for the option.
    ///
    /// - Parameters:
    ///   - name: the name of the table.
    ///   - ifNotExists: whether a table or a view of this name stays as it is.
    ///   - module: the SQL of a module: its name, and its arguments in parentheses if there are any.
    /// - Throws: ``DatabaseError``, among others when SQLite knows no such module.
    @_disfavoredOverload
    public func create(
        virtualTable name: String, ifNotExists: Bool = false, using module: String
    ) throws {
        try create(virtualTable: name, options: ifNotExists ? .ifNotExists : [], using: module)
    }

    /// Creates a virtual table by a definition, and does what its module does once it is there: all of it, or nothing.
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
    ///   - options: how the table is created.
    ///   - module: a module: see ``VirtualTableModule``.
    ///   - body: completes the definition that the module has made.
    /// - Throws: the error of `body`, before anything runs; the error of the module; ``DatabaseError``.
    public func create<Module: VirtualTableModule>(
        virtualTable name: String, options: VirtualTableOptions = [], using module: Module,
        _ body: ((Module.TableDefinition) throws -> Void)? = nil
    ) throws {
        let definition = module.makeTableDefinition(configuration: VirtualTableConfiguration(options: options))
        try body?(definition)

        try inSavepoint {
            let table = try TableReference(name, in: self)
            let schema = table.schema ?? (options.contains(.temporary) ? "temp" : "main")
            let exists = try tableExists(table.name, in: schema) || viewExists(table.name, in: schema)
            let arguments = try module.moduleArguments(for: definition, in: self)
            let list = arguments.isEmpty ? "" : "(\(arguments.joined(separator: ", ")))"
            try run(definition: virtualTableSQL(name, options: options, module: module.moduleName.unquotedWord + list))
            // With `IF NOT EXISTS` the statement has maybe done nothing.
            if !exists { try module.database(self, didCreate: name, using: definition) }
            return .commit
        }
    }

    /// Creates a virtual table by a definition: the same with a parameter for the option.
    ///
    /// - Parameters:
    ///   - name: the name of the table.
    ///   - ifNotExists: whether a table or a view of this name stays as it is.
    ///   - module: a module: see ``VirtualTableModule``.
    ///   - body: completes the definition that the module has made.
    /// - Throws: the error of `body`, before anything runs; the error of the module; ``DatabaseError``.
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
    /// The name of a module as it is where that is a word, as programs that look for `USING fts5` in a schema expect it, or quoted.
    fileprivate var unquotedWord: String {
        let isWord = utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "_"):
                true
            default: false
            }
        }
        return isWord ? self : quotedDatabaseIdentifier
    }
}
