import SQLiteDriver

/// The content of an expression: an immutable object.
///
/// Each layer has one final class for its kinds of content. A layer that examines an expression switches over its own kinds; kinds of other
/// layers and of programs are opaque to it.
package protocol SQLTree: AnyObject, Sendable {
    /// The precedence of the outermost operator.
    var precedence: SQLPrecedence { get }

    /// The constant value, or nil if the expression is not constant.
    var value: DatabaseValue? { get }

    /// Whether the expression is the constant NULL.
    var isNull: Bool { get }

    /// Whether the expression stands for a value that is NULL in some runs of a statement: a place of an optional.
    var isNullable: Bool { get }

    /// How deeply the expression is nested.
    var depth: SQLDepth { get }

    /// See ``SQLExpressionNode/levelCount``.
    var levelCount: Int { get }

    /// The expressions in this one that are evaluated for the same row, as far as they are known. Subqueries are evaluated for other rows.
    var operands: [SQLExpression] { get }

    /// Writes the SQL: ``SQLRenderer/append(_:)-(SQLExpression)`` calls it.
    func write(to renderer: inout SQLRenderer) throws

    /// Describes the SQL: ``SQLShape/append(_:)-(SQLExpression)`` calls it.
    func describe(to shape: inout SQLShape) throws

    /// Returns the expression with its Swift values encoded, or nil if there are none: see ``SQLExpressionNode/encodingValues(by:)``.
    func encoded(by encode: (any DatabaseValueConvertible & Sendable) throws -> EncodedValue?) throws -> SQLExpression?
}

extension SQLTree {
    package var precedence: SQLPrecedence { .primary }
    package var value: DatabaseValue? { nil }
    package var isNull: Bool { value?.isNull == true }
    package var isNullable: Bool { false }
    package var depth: SQLDepth { SQLDepth() }
    package var levelCount: Int { 0 }
    package var operands: [SQLExpression] { [] }

    package func encoded(by encode: (any DatabaseValueConvertible & Sendable) throws -> EncodedValue?) throws -> SQLExpression? { nil }
}

/// The content of an expression that is a value, which becomes an argument.
package protocol SQLValueTree: SQLTree {
    /// Returns the argument.
    ///
    /// - Parameter encoder: the column that stores the value in its own way, if there is one.
    /// - Throws: the error of a value that can't be stored.
    func argument(for encoder: (any ValueEncoder)?) throws -> DatabaseValue
}

/// The content of a selection that a layer above defines.
package protocol SQLSelectionTree: SQLSelectionNode {
    /// Describes the SQL: ``SQLShape/append(_:)-(SQLSelection)`` calls it.
    func describe(to shape: inout SQLShape) throws
}

/// The content of an ordering term that a layer above defines.
package protocol SQLOrderingTree: SQLOrderingNode {
    /// Describes the SQL: ``SQLShape/append(_:)-(SQLOrdering)`` calls it.
    func describe(to shape: inout SQLShape) throws
}

/// How deeply an expression is nested.
///
/// Expressions are written and freed by recursion. Its depth is limited, so that a stack of 512 KB, as dispatch queues have on some
/// platforms, is enough even for a program that is not optimized.
package struct SQLDepth: Sendable {
    /// The levels of recursion that write the expression.
    package var levels = 0

    /// The levels of recursion that free the expression. Writing a chain of operators is one level, freeing it is several.
    package var links = 0

    /// The greatest number of levels of an expression.
    package static let maximumLevels = 60

    private static let maximumLinks = 500

    package init() {}

    /// The greatest depth of some expressions.
    package init(of expressions: [SQLExpression]) {
        for expression in expressions { formMaximum(expression.tree.depth) }
    }

    /// The greatest depth of the expressions in a value's stored properties.
    init(reflecting value: Any) {
        visitExpressions(in: value) { depth, _ in formMaximum(depth) }
    }

    /// Replaces the depth by a greater one.
    package mutating func formMaximum(_ other: SQLDepth) {
        levels = max(levels, other.levels)
        links = max(links, other.links)
    }

    /// Returns the greater of two depths.
    package func maximum(_ other: SQLDepth) -> SQLDepth {
        changed(self) { $0.formMaximum(other) }
    }

    /// The depth of an expression with operands of this depth.
    package var next: SQLDepth {
        changed(nextLink) { $0.levels += 1 }
    }

    /// The depth of a chain of operators with an operand of this depth.
    package var nextLink: SQLDepth {
        changed(self) { $0.links += 1 }
    }

    var isExcessive: Bool { levels > Self.maximumLevels || links > Self.maximumLinks }

    /// What to do about an expression that is too deep.
    static let advice = "Split the expression, or join its operands with joined(operator:)."

    static var error: DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_TOOBIG,
            message: "an expression is nested more than \(maximumLevels) levels deep, or has more than 100,000 operands", advice: advice)
    }
}

/// Visits the expressions, selections and ordering terms in a value's stored properties.
///
/// - Parameter visit: gets the depth of each of them, and its expression, if it is one.
private func visitExpressions(in value: Any, levels: Int = 5, _ visit: (SQLDepth, SQLExpression?) -> Void) {
    // Not `SQLExpressible`: a structure may compute its expression from the very node that is being visited.
    switch value {
    case let expression as SQLExpression: visit(expression.tree.depth, expression)
    case let selection as SQLSelection: visit(selection.depth, selection.expression)
    case let ordering as SQLOrdering: visit(ordering.depth, ordering.expression)
    case is any StatementBinding: break
    default:
        guard levels > 0 else { return }
        for child in Mirror(reflecting: value).children { visitExpressions(in: child.value, levels: levels - 1, visit) }
    }
}

// MARK: - The kinds of content of this layer

/// A value that becomes an argument.
final class ValueTree: SQLValueTree {
    private let result: Result<DatabaseValue, any Error>

    init(_ result: Result<DatabaseValue, any Error>) {
        self.result = result
    }

    var value: DatabaseValue? { if case .success(let value) = result { value } else { nil } }

    var isNull: Bool { if case .success(let value) = result { value.isNull } else { false } }

    func write(to renderer: inout SQLRenderer) throws {
        if isNull { return renderer.append(argument: .null, from: .null) }
        try renderer.append(argumentOf: self, result.get)
    }

    func describe(to shape: inout SQLShape) {
        switch result {
        case .success(let value) where value.isNull: shape.appendNull()
        case .success: shape.append(value: self, isEncodable: false)
        case .failure: shape.refuse()
        }
    }

    func argument(for encoder: (any ValueEncoder)?) throws -> DatabaseValue { try result.get() }
}

/// A value that becomes an argument, after a column may have encoded it.
final class ColumnEncodableTree: SQLValueTree {
    private let swiftValue: any DatabaseValueConvertible & Sendable

    init(_ value: any DatabaseValueConvertible & Sendable) {
        swiftValue = value
    }

    var value: DatabaseValue? { try? swiftValue.bindingValue() }

    func write(to renderer: inout SQLRenderer) throws {
        try renderer.append(argumentOf: self, swiftValue.bindingValue)
    }

    func describe(to shape: inout SQLShape) {
        shape.append(value: self, isEncodable: true)
    }

    func argument(for encoder: (any ValueEncoder)?) throws -> DatabaseValue {
        try encoder?.databaseValue(of: swiftValue) ?? swiftValue.bindingValue()
    }

    func encoded(by encode: (any DatabaseValueConvertible & Sendable) throws -> EncodedValue?) throws -> SQLExpression? {
        try encode(swiftValue).map { SQLExpression(tree: EncodedTree(self, $0)) }
    }

    /// The value as a column stores it.
    private final class EncodedTree: SQLTree {
        private let source: ColumnEncodableTree
        private let encoded: EncodedValue

        init(_ source: ColumnEncodableTree, _ encoded: EncodedValue) {
            (self.source, self.encoded) = (source, encoded)
        }

        var value: DatabaseValue? { encoded.value ?? source.value }

        func write(to renderer: inout SQLRenderer) throws {
            try renderer.append(argumentOf: source, encoder: encoded.encoder) { try encoded.value ?? source.swiftValue.bindingValue() }
        }

        // Only the writer of a query makes such expressions.
        func describe(to shape: inout SQLShape) { shape.refuse() }
    }
}

/// The value of a place of a template: always an argument, so that one statement serves all values.
package final class PlaceTree: SQLValueTree {
    private let content: PlaceValue

    package init(_ value: PlaceValue) {
        content = value
    }

    package var value: DatabaseValue? { try? argument(for: nil) }

    package func write(to renderer: inout SQLRenderer) throws { try write(to: &renderer, encodedBy: nil) }

    /// Writes the argument.
    ///
    /// - Parameter encoder: the column that stores the value in its own way, if there is one.
    package func write(to renderer: inout SQLRenderer, encodedBy encoder: (any ValueEncoder)?) throws {
        try renderer.append(argumentOf: self, encoder: encoder) { try argument(for: encoder) }
    }

    package func describe(to shape: inout SQLShape) {
        shape.append(value: self, isEncodable: true)
    }

    package func argument(for encoder: (any ValueEncoder)?) throws -> DatabaseValue { try content.argument(for: encoder) }
}

/// A value for a place of a template.
@usableFromInline
package enum PlaceValue: Sendable {
    /// The argument.
    case stored(DatabaseValue)
    /// The error of a value that can't be stored.
    case refused(any Error)
    /// A value that a column may store in its own way. Few values are, and the others are copied faster without its memory.
    indirect case encodable(any DatabaseValueConvertible & Sendable)

    @inlinable
    package init(_ value: some DatabaseValueConvertible) {
        if let encodable = value.columnEncodableValue {
            self = .encodable(encodable)
        } else {
            do {
                self = .stored(try value.bindingValue())
            } catch {
                self = .refused(error)
            }
        }
    }

    /// Returns the argument: see ``SQLValueTree/argument(for:)``.
    package func argument(for encoder: (any ValueEncoder)?) throws -> DatabaseValue {
        switch self {
        case .stored(let value): value
        case .refused(let error): throw error
        case .encodable(let value): try encoder?.databaseValue(of: value) ?? value.bindingValue()
        }
    }
}

/// The values for the places of a template.
@usableFromInline
package struct PlaceArguments: Sendable {
    /// Most templates have one place, whose value needs no array.
    @usableFromInline let first: PlaceValue
    @usableFromInline let others: [PlaceValue]

    @inlinable
    package init(_ first: PlaceValue, _ others: PlaceValue...) { (self.first, self.others) = (first, others) }

    /// The value of a place, by its index.
    package subscript(index: Int) -> PlaceValue { index == 0 ? first : others[index - 1] }
}

/// The values of a template's places, for one query.
package struct PlaceValues: Sendable {
    private let template: TemplateIdentity
    private let trees: [PlaceTree]

    package init(of template: TemplateIdentity, _ arguments: PlaceArguments) {
        self.template = template
        trees = ([arguments.first] + arguments.others).map(PlaceTree.init)
    }

    /// Returns the value of a place, or nil if it is a place of another template.
    package func tree(of place: Int, in template: TemplateIdentity) -> PlaceTree? {
        template === self.template && place < trees.count ? trees[place] : nil
    }

    /// Returns the place of which an expression is the value; nil if it is another expression.
    package func place(of leaf: any SQLValueTree) -> Int? { trees.firstIndex { $0 === leaf } }
}

/// The template to which a place belongs.
package final class TemplateIdentity: Sendable {
    package init() {}
}

/// Stands for the value of a place that is to be encoded, before the value is known. Only the encoder of the result counts.
package struct PlaceStandIn: DatabaseValueConvertible, Sendable {
    package var databaseValue: DatabaseValue { .null }
    package init() {}
    package static func fromDatabaseValue(_ dbValue: DatabaseValue) -> PlaceStandIn? { nil }
}

/// A kind of expression of the layers above that can describe itself.
package protocol SQLDescribedNode: SQLExpressionNode {
    /// See ``SQLTree/describe(to:)``.
    func describe(to shape: inout SQLShape) throws
}

/// An expression that programs, or the layers above, define.
final class CustomTree: SQLTree {
    private let node: any SQLExpressionNode
    let depth: SQLDepth
    let precedence: SQLPrecedence
    let levelCount: Int
    private let isHandwritten: Bool

    init(_ node: some SQLExpressionNode, depth: SQLDepth, isHandwritten: Bool) {
        self.node = node
        self.depth = depth
        self.isHandwritten = isHandwritten
        precedence = node.precedence
        levelCount = node.levelCount
    }

    var value: DatabaseValue? { node.value }

    var operands: [SQLExpression] {
        var operands: [SQLExpression] = []
        visitExpressions(in: node) { if let expression = $1 { operands.append(expression) } }
        return operands
    }

    func write(to renderer: inout SQLRenderer) throws {
        guard isHandwritten else { return try node.render(to: &renderer) }
        try renderer.append(handwritten: node.render)
    }

    func describe(to shape: inout SQLShape) throws {
        // The SQL of other nodes may depend on anything.
        guard let node = node as? any SQLDescribedNode else { return shape.refuse() }
        shape.append(type(of: node))
        try node.describe(to: &shape)
    }

    func encoded(by encode: (any DatabaseValueConvertible & Sendable) throws -> EncodedValue?) throws -> SQLExpression? {
        try node.encodingValues { value in
            let encoded = try encode(value)
            if value is PlaceStandIn, encoded != nil { throw DatabaseError.placeInNode }
            return encoded?.value
        }
    }
}

extension DatabaseError {
    fileprivate static var placeInNode: DatabaseError {
        .misuse(
            "an expression of the program contains a place of a template, and is compared with a column that encodes its values",
            advice: "Compare the column with the place itself.")
    }
}

/// Takes the place of an expression that is nested too deeply.
final class RefusedTree: SQLTree {
    func write(to renderer: inout SQLRenderer) throws {
        throw SQLDepth.error
    }

    func describe(to shape: inout SQLShape) { shape.refuse() }
}
