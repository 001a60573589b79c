/// The content of a virtual table, and how a script restores it.
///
/// Modules keep the content in shadow tables: <https://www.sqlite.org/vtab.html#xshadowname>. A connection in defensive mode, the default on
/// Apple platforms, does not write to them. A script therefore inserts rows into the virtual table itself, if this restores the content.
struct VirtualTableContent {
    /// How the content is restored.
    enum Form {
        /// By rows of the virtual table.
        ///
        /// - Parameter condition: SQL that is true for the rows with content; nil for all of them.
        case rows(where: String?)

        /// By the module, which reads the text in another table, and builds its index from all of them.
        case index

        /// By rows of the shadow tables.
        case shadowTables
    }

    let table: SchemaObject

    /// The tables in which the module keeps the content; if the connection does not know the module, the tables that may belong to it.
    let shadowTables: [SchemaObject]

    let form: Form

    /// Whether the rows have an ID that no column contains.
    var hasHiddenRowIDs: Bool { !["rtree", "rtree_i32"].contains(definition?.module) }

    /// The hidden columns that rows need: the language of FTS4.
    var hiddenColumns: [String] {
        definition?.module == "fts4" ? definition?.value(ofOption: "languageid").map { [$0] } ?? [] : []
    }

    private let definition: VirtualTableDefinition?

    /// Finds out how the content of a virtual table is restored.
    init(of table: SchemaObject, shadowTables: [SchemaObject], in db: Database) throws {
        self.table = table
        self.shadowTables = shadowTables
        let definition = VirtualTableDefinition(table.sql)
        self.definition = definition
        do {
            form = try Self.form(definition, table.name, shadowTables, db)
        } catch let error as DatabaseError where [.SQLITE_ERROR, .SQLITE_CORRUPT].contains(error.resultCode) {
            // The table can't be read: for example, its module, a tokenizer, a function or the table of the text is missing.
            form = .shadowTables
        }
    }

    private static func form(
        _ definition: VirtualTableDefinition?, _ name: String, _ shadowTables: [SchemaObject], _ db: Database
    ) throws -> Form {
        guard let definition else { return .shadowTables }
        let table = name.quotedDatabaseIdentifier
        func option(_ option: String) -> String? { definition.value(ofOption: option) }
        switch definition.module {
        case "rtree", "rtree_i32", "geopoly", "fts3": break
        // The values of compressed tables need functions that a connection may lack.
        case "fts4" where option("compress") == nil && option("uncompress") == nil: break
        // Rows have no locales.
        case "fts5" where option("locale") ?? "0" == "0": break
        default: return .shadowTables
        }
        // An error here would occur for each row.
        _ = try db.makeStatement(sql: "SELECT * FROM main.\(table)").step()
        guard let texts = option("content"), ["fts4", "fts5"].contains(definition.module) else { return .rows(where: nil) }
        // The index of a contentless table can't be read, and without the columns' sizes, it is not known which rows are indexed.
        guard !texts.isEmpty, shadowTables.contains(where: { $0.name.isEqualIgnoringASCIICase(to: "\(name)_docsize") }) else {
            return .shadowTables
        }
        let indexed = "main.\("\(name)_docsize".quotedDatabaseIdentifier)"
        let (key, rowID) = definition.module == "fts5" ? ("id", "rowid") : ("docid", "docid")
        let isComplete = """
            SELECT (SELECT count(*) FROM \(indexed)) = (SELECT count(*) FROM main.\(table)) \
            AND NOT EXISTS (SELECT 1 FROM \(indexed) WHERE \(key) NOT IN (SELECT \(rowID) FROM main.\(table)))
            """
        return try db.values(isComplete) { $0.int64(at: 0) } == [1] ? .index : .rows(where: "\(rowID) IN (SELECT \(key) FROM \(indexed))")
    }
}

extension VirtualTableContent {
    /// The SQL of a shadow table's name.
    private func shadowTable(_ suffix: String) -> String? {
        let name = "\(table.name)_\(suffix)"
        return shadowTables.first { $0.name.isEqualIgnoringASCIICase(to: name) }.map { "main.\($0.name.quotedDatabaseIdentifier)" }
    }

    /// The table that has a row for each row of the content.
    var countedTable: String {
        let isIndex = definition?.value(ofOption: "content") != nil
        return (isIndex ? shadowTable("docsize") : nil) ?? "main.\(table.name.quotedDatabaseIdentifier)"
    }

    /// Returns the settings of a full-text table that are not in its definition: SQL that selects the values of the commands that set them,
    /// and the rows of a shadow table that contain the settings.
    ///
    /// Sources: <https://www.sqlite.org/fts5.html#configuration_options_config_table_>,
    /// <https://www.sqlite.org/fts3.html#the_automerge_command>
    var settings: (selection: String, rows: String)? {
        let name = table.name.quotedDatabaseIdentifier
        switch definition?.module {
        case "fts5":
            guard let config = shadowTable("config") else { return nil }
            let rows = "\(config) WHERE k <> 'version'"
            return ("SELECT k AS \(name), v AS rank FROM \(rows)", rows)
        case "fts3", "fts4":
            guard let statistics = shadowTable("stat") else { return nil }
            // The number of the row is FTS_STAT_AUTOINCRMERGE in SQLite's fts3_write.c.
            let rows = "\(statistics) WHERE id = 2"
            return ("SELECT 'automerge=' || value AS \(name) FROM \(rows)", rows)
        default: return nil
        }
    }
}

extension Database {
    /// Returns the contents of the virtual tables that keep content in other tables.
    ///
    /// - Parameter objects: all objects of the schema.
    func virtualTableContents(_ objects: [SchemaObject]) throws -> [VirtualTableContent] {
        let modules = Set(try values("PRAGMA module_list") { $0.string(at: 0)?.foldingASCIICase })

        // The name of a shadow table begins with the name of its virtual table. The name of another virtual table may do so, too.
        let owners = objects.filter(\.isVirtual).sorted { $0.name.utf8.count > $1.name.utf8.count }
        let tables = Dictionary(grouping: objects.filter { $0.type == "table" && !$0.isVirtual }) { table in
            owners.first { table.name.hasPrefixIgnoringASCIICase("\($0.name)_") }?.name
        }
        return try owners.compactMap { owner in
            let isKnown = VirtualTableDefinition(owner.sql).map { modules.contains($0.module) } ?? false
            let shadowTables = (tables[owner.name] ?? []).filter { !isKnown || $0.isShadow }
            return shadowTables.isEmpty ? nil : try VirtualTableContent(of: owner, shadowTables: shadowTables, in: self)
        }
    }
}
