import RowDecoding

// MARK: - Patterns

extension SQLOperand {
    /// Returns whether the string matches a pattern, ignoring the case of ASCII letters: `"name" LIKE 'A%'`.
    ///
    /// ```swift
    /// // SELECT * FROM "product" WHERE "name" LIKE '%50\%%' ESCAPE '\'
    /// Product.filter(Column("name").like("%50\\%%", escape: "\\"))
    /// ```
    ///
    /// - Parameters:
    ///   - pattern: a string, in which `%` matches any number of characters, and `_` one character.
    ///   - escape: a character that makes a following `%`, `_`, or itself match literally.
    public func like(_ pattern: any SQLExpressible, escape: (any SQLExpressible)? = nil) -> SQLExpression {
        SQLExpression(
            .pattern(
                SQLNode.Pattern(operand: sqlExpression, operation: .like, pattern: pattern.sqlExpression, escape: escape?.sqlExpression)))
    }

    /// Returns whether the string matches a file name pattern, case-sensitively: `"name" GLOB 'A*'`.
    ///
    /// - Parameter pattern: a string, in which `*` matches any number of characters, `?` one character, and `[a-z]` one of a set.
    public func glob(_ pattern: any SQLExpressible) -> SQLExpression {
        SQLExpression(
            .pattern(
                SQLNode.Pattern(operand: sqlExpression, operation: .glob, pattern: pattern.sqlExpression, escape: nil)))
    }

    // MARK: - Case

    /// The string with the first letter of each word in uppercase: `swiftCapitalizedString("name")`. NULL for values that are not strings.
    public var capitalized: SQLExpression { transformed(by: .capitalize) }

    /// The string in lowercase, in any script: `swiftLowercaseString("name")`. NULL for values that are not strings.
    public var lowercased: SQLExpression { transformed(by: .lowercase) }

    /// The string in uppercase, in any script: `swiftUppercaseString("name")`. NULL for values that are not strings.
    public var uppercased: SQLExpression { transformed(by: .uppercase) }

    /// The string with the first letter of each word in uppercase, by the rules of the current locale:
    /// `swiftLocalizedCapitalizedString("name")`. NULL for values that are not strings.
    public var localizedCapitalized: SQLExpression { transformed(by: .localizedCapitalize) }

    /// The string in lowercase, by the rules of the current locale: `swiftLocalizedLowercaseString("name")`. NULL for values that are not
    /// strings.
    public var localizedLowercased: SQLExpression { transformed(by: .localizedLowercase) }

    /// The string in uppercase, by the rules of the current locale: `swiftLocalizedUppercaseString("name")`. NULL for values that are not
    /// strings.
    public var localizedUppercased: SQLExpression { transformed(by: .localizedUppercase) }

    /// - Parameter function: a function that all connections have.
    private func transformed(by function: DatabaseFunction) -> SQLExpression {
        call(function.name, self)
    }

    /// The string with ASCII letters in lowercase, by SQLite's function: `lower("name")`.
    public var asciiLowercased: SQLExpression { call("lower", self) }

    /// The string with ASCII letters in uppercase, by SQLite's function: `upper("name")`.
    public var asciiUppercased: SQLExpression { call("upper", self) }

    // MARK: - Parts of strings

    /// The string without leading and trailing spaces: `trim("name")`.
    public var trimmed: SQLExpression { call("trim", self) }

    /// Removes leading and trailing characters of a set: `trim("name", '-_')`.
    ///
    /// - Parameter characters: a string of all characters to remove.
    public func trimming(_ characters: any SQLExpressible) -> SQLExpression {
        call("trim", self, characters)
    }

    /// Replaces all occurrences of a string: `replace("name", 'a', 'b')`.
    public func replacing(_ text: any SQLExpressible, with replacement: any SQLExpressible) -> SQLExpression {
        call("replace", self, text, replacement)
    }

    /// Returns a part of the string, or of a blob: `substr("name", 2, 3)`.
    ///
    /// - Parameters:
    ///   - position: the position of the first character. 1 is the beginning, and -1 the last character.
    ///   - length: the greatest number of characters, or nil for the rest of the string.
    public func substring(from position: any SQLExpressible, length: (any SQLExpressible)? = nil) -> SQLExpression {
        if let length { return call("substr", self, position, length) }
        return call("substr", self, position)
    }

    /// Returns the position of the first occurrence of a string: `instr("name", 'a')`. 1 is the beginning; 0 means that there is none.
    public func position(of text: any SQLExpressible) -> SQLExpression {
        call("instr", self, text)
    }
}
