import SQLiteDriver

/// A description of a query that determines its SQL, and the values of the query's parameters.
///
/// Requests describe themselves to a shape, as they write themselves into a renderer. Queries whose shapes have equal ``words`` have the same
/// SQL, as long as the schema stays the same. They differ in their ``values`` only, so that a connection can keep the statement of a shape.
///
/// A description is unambiguous: lists and strings begin with their count, and each kind of expression has a tag.
@usableFromInline
package struct SQLShape {
    /// The description, followed by unused memory, which the next descriptions use.
    @usableFromInline var buffer: [UInt64] = []

    /// The number of words of the description.
    @usableFromInline package internal(set) var count = 0

    /// The expressions of the values of parameters, in the order in which the query contains them. A value that occurs twice is listed once.
    /// They are retained, so that no other object gets their addresses.
    package private(set) var leaves: [any SQLValueTree] = []

    /// Whether the description determines the SQL. If not, the rest of the query need not be described.
    @usableFromInline package private(set) var isComplete = true

    /// Whether a closure has made a part of the query. Another call of the closure would make an equal part from other objects.
    package private(set) var hasComputedParts = false

    /// The objects that stand for tables, numbered by their first appearance.
    private var tables: [AnyObject] = []

    /// The greatest number of words. Longer queries are written each time: compared with running them, this takes little time.
    private static let maximumCount = 2_000

    /// The greatest number of values of a list, or of operands of a chain.
    private static let maximumListCount = 100

    /// The number of values that are searched for a value that the query contains twice.
    private static let maximumSharedCount = 32

    /// The values of places in the query, and in the queries around it.
    package var places: [PlaceValues] = []

    /// The connection, for closures that make a part of the query.
    package private(set) unowned var database: Database?

    /// - Parameter database: the connection, which keeps the shape.
    package init(_ database: Database? = nil) {
        self.database = database
    }

    /// Removes the description, and keeps its memory for the next one.
    package mutating func end() {
        // There are few of them. Removing them together takes longer.
        for _ in leaves.indices { leaves.removeLast() }
        for _ in tables.indices { tables.removeLast() }
        (count, isComplete, hasComputedParts, places) = (0, true, false, [])
    }

    /// Records that the description can't determine the SQL.
    package mutating func refuse() {
        isComplete = false
    }

    /// Records that a closure has made a part of the query.
    package mutating func addComputedPart() {
        hasComputedParts = true
    }

    /// The description.
    package var words: [UInt64] { Array(buffer[..<count]) }

    /// A hash of the description.
    package var hash: UInt64 {
        var hash: UInt64 = 0
        for index in 0..<count {
            hash = (hash ^ buffer[index]) &* 0x9E37_79B9_7F4A_7C15
            hash ^= hash >> 29
        }
        return hash
    }

    /// Returns whether the description consists of some words.
    package func hasWords(_ words: [UInt64]) -> Bool {
        guard words.count == count else { return false }
        for index in 0..<count where words[index] != buffer[index] { return false }
        return true
    }

    // MARK: - Describing

    /// Adds a number.
    @inlinable
    package mutating func append(_ word: UInt64) {
        guard count < buffer.count || makeRoom() else { return }
        buffer[count] = word
        count += 1
    }

    /// Makes room for more words.
    ///
    /// - Returns: false if the description has the greatest number of words.
    @inline(never)
    @usableFromInline
    mutating func makeRoom() -> Bool {
        guard count < Self.maximumCount else {
            refuse()
            return false
        }
        buffer.append(contentsOf: repeatElement(0, count: min(max(count, 32), Self.maximumCount - count)))
        return true
    }

    /// Adds a number.
    @usableFromInline
    package mutating func append(_ number: Int) { append(UInt64(truncatingIfNeeded: number)) }

    /// Adds a boolean.
    package mutating func append(_ isTrue: Bool) { append(isTrue ? 1 : 0) }

    /// Adds the words of another description.
    package mutating func append(_ words: [UInt64]) {
        for word in words {
            append(word)
        }
    }

    /// Adds a name, or SQL: the bytes, after their number. A short name is one word.
    package mutating func append(_ text: String) {
        let bytes = text.utf8
        let length = UInt64(bytes.count)
        let isShort = length < 8
        if !isShort { append(1 << 63 | length) }
        var word: UInt64 = 0
        var count = 0
        for byte in bytes {
            word = word << 8 | UInt64(byte)
            count += 1
            if count == 8 {
                append(word)
                (word, count) = (0, 0)
            }
        }
        if isShort { append(length << 56 | word) } else if count > 0 { append(word) }
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
    /// - Parameters:
    ///   - table: the object.
    ///   - tag: a number that differs for each kind of content that begins with a table, in the same word.
    /// - Returns: whether the query did not contain it yet.
    package mutating func append(table: AnyObject, tag: UInt64) -> Bool {
        let index = tables.firstIndex { $0 === table }
        append(tag << 16 | UInt64(index ?? tables.count))
        if index == nil { tables.append(table) }
        return index == nil
    }

    /// Adds items, with one more than their number, or a zero for nil.
    @inlinable
    package mutating func append<Item>(_ items: [Item]?, _ describe: (inout SQLShape, Item) throws -> Void) rethrows {
        append(items.map { $0.count + 1 } ?? 0)
        for item in items ?? [] where isComplete { try describe(&self, item) }
    }

    /// Adds the value of a parameter.
    ///
    /// - Parameters:
    ///   - leaf: the expression of the value.
    ///   - isEncodable: whether a column may store the value in its own way.
    package mutating func append(value leaf: any SQLValueTree, isEncodable: Bool) {
        if !leaves.isEmpty, let index = leaves.prefix(Self.maximumSharedCount).firstIndex(where: { $0 === leaf }) {
            append(Tag.sharedValue.rawValue << 8 | UInt64(index))
            return
        }
        // Only an encodable value can be stored in a form that its column chooses.
        append(isEncodable ? Tag.encodableValue.rawValue : Tag.value.rawValue)
        leaves.append(leaf)
    }

    /// Adds NULL, which is a part of the description.
    mutating func appendNull() { append(Tag.null.rawValue) }

    /// The tags of this layer's kinds. The tags of the layers above are lower, or, if they include an operator, greater.
    private enum Tag: UInt64 {
        case value = 1_000
        case encodableValue
        case sharedValue
        case null
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
        case .expression(let expression): try append(expression)
        // Its tag is not that of an expression.
        case .tree(let tree, _): try tree.describe(to: &self)
        case .node: refuse()
        }
    }

    /// Adds an ordering term.
    package mutating func append(_ ordering: SQLOrdering) throws {
        switch ordering.content {
        case .expression(let expression, let direction, let nulls):
            let directionNumber: UInt64 = if case .descending = direction { 2 } else { direction == nil ? 0 : 1 }
            let nullsNumber: UInt64 = if case .last = nulls { 2 } else { nulls == nil ? 0 : 1 }
            append(Tag.ordering.rawValue << 8 | directionNumber << 2 | nullsNumber)
            try append(expression)
        case .tree(let tree, _):
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
    package let encoder: (any ValueEncoder)?

    package init(_ value: DatabaseValue?, encoder: (any ValueEncoder)?) {
        (self.value, self.encoder) = (value, encoder)
    }
}
