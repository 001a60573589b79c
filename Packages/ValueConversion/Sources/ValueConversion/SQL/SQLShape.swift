import SQLiteDriver

/// A description of a query that determines its SQL, and the values of the query's parameters.
///
/// Requests describe themselves to a shape, as they write themselves into a renderer. Queries whose shapes have equal ``words`` have the same
/// SQL, as long as the schema stays the same. They differ in their ``values`` only, so that a connection can keep the statement of a shape.
///
/// A description is unambiguous: lists and strings begin with their count, and each kind of expression has a tag.
@usableFromInline
package struct SQLShape {
    /// The description.
    package private(set) var words: [UInt64] = []

    /// A hash of the description.
    package private(set) var hash: UInt64 = 0

    /// The values of parameters, in the order in which the query contains them. A value that occurs twice is listed once.
    package private(set) var values: [Value] = []

    /// The expressions of the values. They are retained, so that no other object gets their addresses.
    package private(set) var leaves: [AnyObject] = []

    /// Whether the description determines the SQL. If not, the rest of the query need not be described.
    @usableFromInline package private(set) var isComplete = true

    /// Whether a closure has made a part of the query. Another call of the closure would make an equal part from other objects.
    package private(set) var hasComputedParts = false

    /// The objects that stand for tables, numbered by their first appearance.
    private var tables: [AnyObject] = []

    /// The value of a parameter.
    package enum Value {
        case database(DatabaseValue)
        /// A value that a column may store in its own way.
        case encodable(any DatabaseValueConvertible & Sendable)
    }

    /// The greatest number of words. Longer queries are written each time: compared with running them, this takes little time.
    private static let maximumCount = 2_000

    /// The greatest number of values of a list, or of operands of a chain.
    private static let maximumListCount = 100

    /// The number of values that are searched for a value that the query contains twice.
    private static let maximumSharedCount = 32

    /// The connection, for closures that make a part of the query. It is nil between two descriptions.
    package private(set) var database: Database?

    package init() {}

    /// Begins a description, after the previous one has ended.
    package mutating func begin(_ database: Database) {
        self.database = database
    }

    /// Removes the description, and keeps its memory for the next one.
    package mutating func end() {
        words.removeAll(keepingCapacity: true)
        if !values.isEmpty { values.removeAll(keepingCapacity: true) }
        if !leaves.isEmpty { leaves.removeAll(keepingCapacity: true) }
        if !tables.isEmpty { tables.removeAll(keepingCapacity: true) }
        (hash, isComplete, hasComputedParts, database) = (0, true, false, nil)
    }

    /// Records that the description can't determine the SQL.
    package mutating func refuse() {
        isComplete = false
    }

    /// Records that a closure has made a part of the query.
    package mutating func addComputedPart() {
        hasComputedParts = true
    }

    // MARK: - Describing

    /// Adds a number.
    package mutating func append(_ word: UInt64) {
        if words.count == Self.maximumCount { refuse() }
        guard isComplete else { return }
        words.append(word)
        hash = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
        hash ^= hash >> 29
    }

    /// Adds a number.
    @usableFromInline
    package mutating func append(_ number: Int) { append(UInt64(truncatingIfNeeded: number)) }

    /// Adds a number, or a mark for nil.
    package mutating func append(_ number: Int?) {
        append(number == nil)
        if let number { append(number) }
    }

    /// Adds a boolean.
    package mutating func append(_ isTrue: Bool) { append(isTrue ? 1 : 0) }

    /// Adds a name, or SQL.
    package mutating func append(_ text: String) {
        append(text.utf8.count)
        var word: UInt64 = 0
        var count = 0
        for byte in text.utf8 {
            word = word << 8 | UInt64(byte)
            count += 1
            if count == 8 {
                append(word)
                (word, count) = (0, 0)
            }
        }
        if count > 0 { append(word) }
    }

    /// Adds a name, or a mark for nil.
    package mutating func append(_ text: String?) {
        append(text == nil)
        if let text { append(text) }
    }

    /// Adds a type, or a mark for nil.
    package mutating func append(_ type: Any.Type?) {
        append(type.map { Int(bitPattern: ObjectIdentifier($0)) } ?? 0)
    }

    /// Adds an object that stands for a table, as its number among the tables of the query.
    ///
    /// - Returns: whether the query did not contain it yet.
    package mutating func append(table: AnyObject) -> Bool {
        if let index = tables.firstIndex(where: { $0 === table }) {
            append(index)
            return false
        }
        append(tables.count)
        tables.append(table)
        return true
    }

    /// Adds items, with their number.
    @inlinable
    package mutating func append<Item>(_ items: [Item], _ describe: (inout SQLShape, Item) throws -> Void) rethrows {
        append(items.count)
        for item in items where isComplete { try describe(&self, item) }
    }

    /// Adds the value of a parameter.
    ///
    /// - Parameters:
    ///   - value: the value.
    ///   - leaf: the expression of the value.
    package mutating func append(_ value: Value, of leaf: AnyObject) {
        if !leaves.isEmpty, let index = leaves.prefix(Self.maximumSharedCount).firstIndex(where: { $0 === leaf }) {
            append(Tag.sharedValue.rawValue)
            return append(index)
        }
        // Only an encodable value can be stored in a form that its column chooses.
        if case .encodable = value { append(Tag.encodableValue.rawValue) } else { append(Tag.value.rawValue) }
        values.append(value)
        leaves.append(leaf)
    }

    /// Adds NULL, which is a part of the description.
    mutating func appendNull() { append(Tag.null.rawValue) }

    /// The tags of this layer's kinds of expressions. The tags of the layers above are lower, or, if they include an operator, greater.
    private enum Tag: UInt64 {
        case value = 1_000
        case encodableValue
        case sharedValue
        case null
        case expression
        case selection
        case ordering
    }

    /// Adds an expression.
    package mutating func append(_ expression: SQLExpression) throws {
        try expression.tree.describe(to: &self)
    }

    /// Adds an expression, or a mark for nil.
    package mutating func append(_ expression: SQLExpression?) throws {
        append(expression == nil)
        if let expression { try append(expression) }
    }

    /// Adds expressions, with their number.
    package mutating func append(_ expressions: [SQLExpression]) throws {
        // Lists of this length rarely occur again.
        if expressions.count > Self.maximumListCount { return refuse() }
        append(expressions.count)
        for expression in expressions where isComplete { try append(expression) }
    }

    /// Adds a selection.
    package mutating func append(_ selection: SQLSelection) throws {
        switch selection.content {
        case .expression(let expression):
            append(Tag.expression.rawValue)
            try append(expression)
        case .tree(let tree, _):
            append(Tag.selection.rawValue)
            try tree.describe(to: &self)
        case .node: refuse()
        }
    }

    /// Adds an ordering term.
    package mutating func append(_ ordering: SQLOrdering) throws {
        switch ordering.content {
        case .expression(let expression, let direction, let nulls):
            append(Tag.expression.rawValue)
            append(direction?.rawValue)
            append(nulls?.rawValue)
            try append(expression)
        case .tree(let tree, _):
            append(Tag.ordering.rawValue)
            append(type(of: tree))
            try tree.describe(to: &self)
        case .node: refuse()
        }
    }
}

/// Where the value of a parameter comes from.
package enum ArgumentOrigin {
    /// The expression NULL, which is a part of the query's shape.
    case null
    /// The expression of a value, and the column that stores the value in its own way, if there is one.
    case value(ObjectIdentifier, (any ValueEncoder)?)
    /// The value comes from elsewhere.
    case unknown
}

/// A column that may store values in its own way.
package protocol ValueEncoder: Sendable {
    /// Returns what the column stores for a value, or nil for the value's own database value.
    func databaseValue(of value: any DatabaseValueConvertible & Sendable) throws -> DatabaseValue?
}

/// The form in which a column stores a value.
package struct EncodedValue {
    /// The stored value, or nil for the value's own database value.
    let value: DatabaseValue?

    /// The column, or nil if a program's closure has encoded the value.
    let encoder: (any ValueEncoder)?

    package init(_ value: DatabaseValue?, encoder: (any ValueEncoder)?) {
        (self.value, self.encoder) = (value, encoder)
    }
}

extension SQLShape.Value {
    /// Returns the value of a parameter.
    ///
    /// - Throws: the error of a value that can't be stored.
    package func databaseValue(for encoder: (any ValueEncoder)?) throws -> DatabaseValue {
        switch self {
        case .database(let value): value
        case .encodable(let value): try encoder?.databaseValue(of: value) ?? value.bindingValue()
        }
    }
}
