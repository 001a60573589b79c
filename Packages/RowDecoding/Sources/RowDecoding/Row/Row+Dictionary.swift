import ValueConversion

// Conversions between rows and dictionaries.

extension Row {
    /// Creates a row from names and values. The columns are in no particular order; a row created from a dictionary literal keeps the order
    /// of the literal.
    ///
    /// ```swift
    /// let columns: [String: (any DatabaseValueConvertible)?] = [
    ///     "name": "Arthur", "score": nil,
    /// ]
    /// let row = Row(columns)
    /// ```
    ///
    /// - Precondition: SQLite can hold the values: the program stops on a `UInt64` over `Int64.max`, for example.
    public convenience init(_ dictionary: [String: (any DatabaseValueConvertible)?]) {
        self.init(columns: dictionary.map { ($0.key, $0.value) })
    }

    /// Creates a row from names and values whose types are not known at compile time.
    ///
    /// - Parameter dictionary: names as keys, and values that conform to ``StatementBinding``, or are nil optionals of such a type.
    /// - Returns: nil when a key is not a string, or when a value can't be stored.
    public convenience init?(_ dictionary: [AnyHashable: Any]) {
        var names: [String] = []
        var values: [DatabaseValue] = []
        for (key, element) in dictionary {
            guard let name = key as? String, let value = DatabaseValue(value: element) else { return nil }
            names.append(name)
            values.append(value)
        }
        self.init(values: values, columns: RowColumns(layout: nil, baseNames: names))
    }

    private convenience init(columns: [(String, (any DatabaseValueConvertible)?)]) {
        let values = columns.map { name, value in
            do {
                return try value?.bindingValue() ?? .null
            } catch {
                fatalError("A row can't be created with the value of \"\(name)\": \(error)")
            }
        }
        self.init(values: values, columns: RowColumns(layout: nil, baseNames: columns.map(\.0)))
    }
}

extension Row: ExpressibleByDictionaryLiteral {
    /// Creates a row from names and values, in the order of the literal: `["name": "Arthur", "score": 1000]`. Several columns may share a
    /// name.
    ///
    /// - Precondition: SQLite can hold the values: the program stops on a `UInt64` over `Int64.max`, for example.
    public convenience init(dictionaryLiteral elements: (String, (any DatabaseValueConvertible)?)...) {
        self.init(columns: elements)
    }
}

extension Dictionary where Key == String, Value == DatabaseValue {
    /// Creates a dictionary from the names and values of a row's columns.
    ///
    /// ```swift
    /// let row = try Row.fetchOne(db, sql: "SELECT 1 AS a, 2 AS b")!
    /// let values = Dictionary(row)  // ["a": 1, "b": 2]
    /// ```
    ///
    /// When several columns share a name, the leftmost one wins. Unlike in rows, names that differ only in case are different keys.
    public init(_ row: Row) {
        self.init(zip(row.columnNames, row.databaseValues)) { left, _ in left }
    }
}
