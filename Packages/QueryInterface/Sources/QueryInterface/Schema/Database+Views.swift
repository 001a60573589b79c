import RowDecoding

extension Database {
    /// Creates a view from a request.
    ///
    /// ```swift
    /// // CREATE VIEW "hero" AS SELECT * FROM "player" WHERE "score" > 1000
    /// try db.create(view: "hero", as: Player.filter(Column("score") > 1000))
    /// ```
    ///
    /// SQLite does not allow parameters in views: the request's values are written into the SQL.
    ///
    /// Source: <https://www.sqlite.org/lang_createview.html>
    ///
    /// - Parameters:
    ///   - name: the name of the view, which must be unique among views and tables. It may begin with the name of an attached database and
    ///     a dot.
    ///   - options: the options of the view.
    ///   - columns: the names of the view's columns; nil for the columns of the request.
    ///   - request: a request, or another query.
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored. A request created from SQL and arguments throws an error:
    ///   interpolate the values into its SQL instead.
    public func create(
        view name: String, options: ViewOptions = [], columns: [String]? = nil, as request: some SQLSubqueryable
    ) throws {
        try create(view: name, options: options, columns: columns) { try request.sqlSubquery.render(to: &$0) }
    }

    /// Creates a view from SQL.
    ///
    /// ```swift
    /// // CREATE VIEW "hero" ("name") AS SELECT name FROM player WHERE score > 1000
    /// try db.create(
    ///     view: "hero", columns: ["name"],
    ///     asLiteral: "SELECT name FROM player WHERE score > \(1000)")
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name of the view, which must be unique among views and tables. It may begin with the name of an attached database and
    ///     a dot.
    ///   - options: the options of the view.
    ///   - columns: the names of the view's columns; nil for the columns of the query.
    ///   - literal: a query. Its values are written into the SQL.
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    public func create(
        view name: String, options: ViewOptions = [], columns: [String]? = nil, asLiteral literal: SQL
    ) throws {
        try create(view: name, options: options, columns: columns) { try literal.render(to: &$0) }
    }

    private func create(
        view name: String, options: ViewOptions, columns: [String]?, query: (inout SQLRenderer) throws -> Void
    ) throws {
        let sql = try definitionSQL { renderer in
            renderer.append(options.contains(.temporary) ? "CREATE TEMPORARY VIEW " : "CREATE VIEW ")
            if options.contains(.ifNotExists) { renderer.append("IF NOT EXISTS ") }
            renderer.append(try TableReference(name, in: self).sql)
            if let columns {
                renderer.append(" ")
                renderer.append(parenthesizedNames: columns)
            }
            renderer.append(" AS ")
            try query(&renderer)
        }
        try run(definition: sql)
    }

    /// Removes a view.
    ///
    /// The SQL is `DROP VIEW "hero"`.
    ///
    /// - Parameter name: the name of a view.
    /// - Throws: ``DatabaseError``, for example when it does not exist.
    public func drop(view name: String) throws {
        try run(definition: "DROP VIEW \(TableReference(name, in: self).sql)")
    }
}
