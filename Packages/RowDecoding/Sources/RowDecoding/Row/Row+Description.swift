import ValueConversion

extension Row: CustomStringConvertible {
    /// The columns with their values: `[name:"Arthur" score:1000 photo:Data(5243 bytes)]`.
    public var description: String {
        guard values != nil || core.pointee.statement != nil else { return "[an invalidated row]" }
        return "[" + zip(columnNames, databaseValues).map { "\($0):\($1)" }.joined(separator: " ") + "]"
    }
}

extension Row: CustomDebugStringConvertible {
    /// The row with its unadapted columns, its scopes and its prefetched rows, one line for each scope and each association:
    ///
    ///     ▿ [id:1 title:"Moby-Dick"]
    ///       unadapted: [id:1 title:"Moby-Dick" id:2 name:"Melville"]
    ///       - author: [id:2 name:"Melville"]
    ///       + awards: 2 rows
    ///
    /// A row without adapter and scopes has no line of unadapted columns, and without prefetched rows, it is described in one line.
    public var debugDescription: String {
        guard values != nil || core.pointee.statement != nil else { return description }
        let lines = detailLines(of: prefetched, indentation: "  ")
        let unadapted = unadapted.description
        let isAdapted = unadapted != description || !scopes.isEmpty
        if lines.isEmpty, !isAdapted { return description }
        return (["▿ \(description)"] + (isAdapted ? ["  unadapted: \(unadapted)"] : []) + lines).joined(separator: "\n")
    }

    /// Returns one line for each scope and each association. Nested scopes are indented.
    private func detailLines(of prefetched: PrefetchedRowsStorage?, indentation: String) -> [String] {
        let scopes = scopes.sorted { $0.name < $1.name }.flatMap { name, row in
            ["\(indentation)- \(name): \(row.description)"]
                + row.detailLines(of: prefetched?.scope(named: name), indentation: indentation + "  ")
        }
        let associations = (prefetched?.associations ?? []).sorted { $0.key < $1.key }.map { key, rows in
            "\(indentation)+ \(key): \(rows.count.counted("row"))"
        }
        return scopes + associations
    }
}
