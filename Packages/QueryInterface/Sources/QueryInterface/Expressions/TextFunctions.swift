import RowDecoding

// MARK: - Patterns

extension SQLSpecificExpressible {
    /// Whether the text matches a pattern, whatever the case of ASCII letters: `"name" LIKE 'A%'`.
    ///
    /// ```swift
    /// // SELECT * FROM "product" WHERE "name" LIKE '%50\%%' ESCAPE '\'
    /// Product.filter(Column("name").like("%50\\%%", escape: "\\"))
    /// ```
    ///
    /// - Parameters:
    ///   - pattern: a text in which `%` stands for any characters, and `_` for any one.
    ///   - escape: one character that takes the meaning from the `%`, `_` or itself that follows it.
    public func like(_ pattern: some SQLExpressible, escape: (any SQLExpressible)? = nil) -> SQLExpression {
        SQLExpression(
            PatternNode(
                operand: sqlExpression, operation: "LIKE", pattern: pattern.sqlExpression, escape: escape?.sqlExpression,
                isNegated: false))
    }

    /// Whether the text matches a pattern of file names, letters in their case: `"name" GLOB 'A*'`.
    ///
    /// - Parameter pattern: a text in which `*` stands for any characters, `?` for any one, and `[a-z]` for one of some.
    public func glob(_ pattern: some SQLExpressible) -> SQLExpression {
        SQLExpression(
            PatternNode(
                operand: sqlExpression, operation: "GLOB", pattern: pattern.sqlExpression, escape: nil, isNegated: false))
    }
}

/// `LIKE`, `GLOB`, and their negations.
private struct PatternNode: CompositeNode, NegatableNode {
    let operand: SQLExpression
    let operation: String
    let pattern: SQLExpression
    let escape: SQLExpression?
    let isNegated: Bool

    var precedence: SQLPrecedence { .equality }
    var operands: [SQLExpression] { [operand, pattern] + (escape.map { [$0] } ?? []) }

    func render(to renderer: inout SQLRenderer) throws {
        try renderer.append(operand, atLeast: .comparison)
        renderer.append(isNegated ? " NOT \(operation) " : " \(operation) ")
        // ESCAPE binds tighter than comparisons.
        try renderer.append(pattern, atLeast: .bitwise)
        if let escape {
            renderer.append(" ESCAPE ")
            try renderer.append(escape, atLeast: .bitwise)
        }
    }

    var negation: SQLExpression? {
        SQLExpression(
            PatternNode(operand: operand, operation: operation, pattern: pattern, escape: escape, isNegated: !isNegated))
    }
}

// MARK: - Collations

extension SQLSpecificExpressible {
    /// The expression, compared and ordered by a collation: `"name" COLLATE NOCASE`.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "name" COLLATE NOCASE = 'arthur'
    /// Player.filter(Column("name").collating(.nocase) == "arthur")
    /// ```
    public func collating(_ collation: Database.CollationName) -> SQLExpression {
        SQLExpression(CollatedNode(operand: sqlExpression, name: collation.rawValue))
    }

    /// The expression, compared and ordered by a collation in Swift: `"name" COLLATE "swiftLocalizedCompare"`.
    ///
    /// ```swift
    /// // SELECT * FROM "player" ORDER BY "name" COLLATE "swiftLocalizedCompare"
    /// Player.order(Column("name").collating(.localizedCompare))
    /// ```
    ///
    /// One of your own must have been added to the connection that runs the request, see `Database.add(collation:)`, or to
    /// `DatabaseRegistry`. All connections know those that come with the package, such as `.localizedCompare`.
    public func collating(_ collation: DatabaseCollation) -> SQLExpression {
        SQLExpression(CollatedNode(operand: sqlExpression, name: collation.name))
    }
}

/// `COLLATE`.
struct CollatedNode: CompositeNode {
    let operand: SQLExpression
    let name: String

    private static let builtInNames: Set = ["BINARY", "NOCASE", "RTRIM"]

    var precedence: SQLPrecedence { .collation }
    var operands: [SQLExpression] { [operand] }

    func render(to renderer: inout SQLRenderer) throws {
        try renderer.append(operand, atLeast: .collation)
        renderer.append(" COLLATE ")
        if Self.builtInNames.contains(name) {
            renderer.append(name)
        } else {
            renderer.append(identifier: name)
        }
    }
}

// MARK: - Case

extension SQLSpecificExpressible {
    /// The text with the first letter of each word in uppercase: `swiftCapitalizedString("name")`, NULL for what is no text.
    public var capitalized: SQLExpression { transformed(by: .capitalize) }

    /// The text in lowercase, in any script: `swiftLowercaseString("name")`, NULL for what is no text.
    public var lowercased: SQLExpression { transformed(by: .lowercase) }

    /// The text in uppercase, in any script: `swiftUppercaseString("name")`, NULL for what is no text.
    public var uppercased: SQLExpression { transformed(by: .uppercase) }

    /// The text with the first letter of each word in uppercase, by the rules of the current locale:
    /// `swiftLocalizedCapitalizedString("name")`, NULL for what is no text.
    public var localizedCapitalized: SQLExpression { transformed(by: .localizedCapitalize) }

    /// The text in lowercase, by the rules of the current locale: `swiftLocalizedLowercaseString("name")`, NULL for what is no text.
    public var localizedLowercased: SQLExpression { transformed(by: .localizedLowercase) }

    /// The text in uppercase, by the rules of the current locale: `swiftLocalizedUppercaseString("name")`, NULL for what is no text.
    public var localizedUppercased: SQLExpression { transformed(by: .localizedUppercase) }

    /// - Parameter function: one of those that all connections know.
    private func transformed(by function: DatabaseFunction) -> SQLExpression {
        call(function.name, self)
    }

    /// The text with its ASCII letters in lowercase, by SQLite's own function: `lower("name")`.
    public var asciiLowercased: SQLExpression { call("lower", self) }

    /// The text with its ASCII letters in uppercase, by SQLite's own function: `upper("name")`.
    public var asciiUppercased: SQLExpression { call("upper", self) }
}

// MARK: - Parts of texts

extension SQLSpecificExpressible {
    /// The text without spaces at its ends: `trim("name")`.
    public var trimmed: SQLExpression { call("trim", self) }

    /// The text without some characters at its ends: `trim("name", '-_')`.
    ///
    /// - Parameter characters: a text that has the characters.
    public func trimming(_ characters: some SQLExpressible) -> SQLExpression {
        call("trim", self, characters)
    }

    /// The text with each occurrence of another one replaced: `replace("name", 'a', 'b')`.
    public func replacing(_ text: some SQLExpressible, with replacement: some SQLExpressible) -> SQLExpression {
        call("replace", self, text, replacement)
    }

    /// A part of the text, or of a blob: `substr("name", 2, 3)`.
    ///
    /// - Parameters:
    ///   - position: where the part begins. The first character is 1, and the last one -1.
    ///   - length: how many characters at most; nil for all that follow.
    public func substring(from position: some SQLExpressible, length: (any SQLExpressible)? = nil) -> SQLExpression {
        if let length { return call("substr", self, position, length) }
        return call("substr", self, position)
    }

    /// Where a text first occurs in this one: `instr("name", 'a')`, which is 1 for the first character, and 0 if it does not occur.
    public func position(of text: some SQLExpressible) -> SQLExpression {
        call("instr", self, text)
    }
}
