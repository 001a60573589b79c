import SQLiteDriver

/// A file with named statements.
///
/// ```sql
/// -- name: bestPlayers :many
/// -- Players above a score, best first.
/// -- @param limit Int
/// SELECT * FROM player WHERE score > :score ORDER BY score DESC LIMIT :limit;
/// ```
struct QueryFile {
    let source: SourceText
    private(set) var statements: [NamedStatement] = []
    private(set) var diagnostics: [QueryDiagnostic] = []

    /// A statement with its name, and the lines of its comment.
    struct NamedStatement {
        var name: String
        /// The place of the name in the file.
        var nameRange: Range<Int>
        /// The SQL, without the semicolon, and its place in the file.
        var sql: String
        var range: Range<Int>
        var documentation: [String] = []
        /// The number of rows that the name line declares.
        var cardinality: Cardinality?
        var parameters: [Annotation] = []
        var columns: [Annotation] = []
        /// The name of the struct of the rows.
        var structName: Annotation?
        /// Whether the struct is `Identifiable`.
        var isIdentifiable = false
        /// The tables whose columns become rows of their own.
        var nests: [Annotation] = []
    }

    /// A line such as `-- @column total Int64?`.
    struct Annotation {
        var name: String
        /// The type, without the question mark; nil if only optionality is declared.
        var typeName: String?
        /// The form that a word before the type sets; nil if what the value meets determines it.
        var storage: StorageForm?
        /// Whether the value may be NULL; nil if the line leaves that to the statement.
        var isOptional: Bool?
        var range: Range<Int>
    }

    /// The number of rows of a query.
    enum Cardinality: String {
        case one
        case optional
        case many
    }

    /// Reads a file.
    init(_ source: SourceText) {
        self.source = source
        let tokens = SQLTokens(source.text)
        var first = 0
        var isNamed = false
        var unnamed: [Range<Int>] = []
        var comments = tokens.comments[...]
        while true {
            let end = (first..<tokens.count).first { tokens.text($0) == ";" } ?? tokens.count
            comments = comments.drop { $0.nextToken < first }
            let own = comments.prefix { $0.nextToken == first }
            let header = readHeader(own.drop { Self.followsOnLine($0, tokens) }, tokens)
            isNamed = isNamed || header != nil
            if first < end {
                let range = tokens[first].range.lowerBound..<tokens[end - 1].range.upperBound
                if var statement = header {
                    (statement.sql, statement.range) = (tokens.text(range), range)
                    if !statement.name.isEmpty { statements.append(statement) }
                } else {
                    unnamed.append(tokens[first].range)
                }
            } else if let header, !header.name.isEmpty {
                add("the name \(header.name) has no statement", at: header.nameRange)
            }
            if end >= tokens.count { break }
            first = end + 1
        }
        if isNamed {
            for range in unnamed {
                add("the statement has no name: write a line \"-- name: …\" above it", at: range)
            }
        } else if let range = unnamed.first {
            add(
                "no statement of this file has a name, so it gives no queries: write a line \"-- name: …\" above each", at: range,
                isWarning: true)
        }
    }

    private mutating func add(_ message: String, at range: Range<Int>, isWarning: Bool = false) {
        diagnostics.append(source.diagnostic(message, at: range, isWarning: isWarning))
    }

    /// Whether a comment is about the statement before it.
    private static func followsOnLine(_ comment: SQLTokens.Comment, _ tokens: SQLTokens) -> Bool {
        guard comment.nextToken > 0 else { return false }
        return !tokens.bytes[tokens[comment.nextToken - 1].range.upperBound..<comment.range.lowerBound].contains(0x0A)
    }

    // MARK: - Comments

    /// Reads the name and the lines below it; nil if no comment is a name.
    private mutating func readHeader(_ comments: ArraySlice<SQLTokens.Comment>, _ tokens: SQLTokens) -> NamedStatement? {
        var statement: NamedStatement?
        for (range, text) in comments.flatMap({ Self.lines(of: $0, tokens) }) {
            var line = AnnotationLine(text, offset: range.lowerBound)
            guard let word = line.word() else { continue }
            if word.text == "name:" || word.text.hasPrefix("name:") && word.text.count > 5 {
                if let statement {
                    add("\(statement.name) has no statement: another name follows", at: statement.nameRange)
                }
                statement = readName(word, &line, range)
            } else if statement != nil {
                readLine(word, &line, text, range, &statement!)
            }
        }
        return statement
    }

    /// The lines of a comment, without its marks.
    private static func lines(of comment: SQLTokens.Comment, _ tokens: SQLTokens) -> [(range: Range<Int>, text: String)] {
        var lines: [(Range<Int>, String)] = []
        for part in tokens.bytes[tokens.content(of: comment)].split(separator: 0x0A, omittingEmptySubsequences: false) {
            var part = part
            while let last = part.last, [0x20, 0x09, 0x0D].contains(last) { part.removeLast() }
            let isBlock = comment.kind == .blockComment
            while let first = part.first, [0x20, 0x09].contains(first) || isBlock && first == UInt8(ascii: "*") { part.removeFirst() }
            lines.append((part.startIndex..<part.endIndex, String(decoding: part, as: UTF8.self)))
        }
        return lines
    }

    private mutating func readName(_ word: AnnotationLine.Word, _ line: inout AnnotationLine, _ range: Range<Int>) -> NamedStatement {
        var statement = NamedStatement(name: "", nameRange: range, sql: "", range: range)
        var name = AnnotationLine.Word(text: String(word.text.dropFirst(5)), range: word.range.lowerBound + 5..<word.range.upperBound)
        if name.text.isEmpty, let next = line.word() { name = next }
        guard SwiftName.isIdentifier(name.text) else {
            add(
                name.text.isEmpty
                    ? "the name is missing: -- name: bestPlayers"
                    : "\(name.text) can't be the name of a function: use letters, digits and _",
                at: name.text.isEmpty ? range : name.range)
            return statement
        }
        (statement.name, statement.nameRange) = (name.text, name.range)
        if let next = line.word() {
            if next.text.hasPrefix(":"), let cardinality = Cardinality(rawValue: String(next.text.dropFirst())) {
                statement.cardinality = cardinality
                if let extra = line.word() { add("unexpected \(extra.text) after the name", at: extra.range) }
            } else {
                add("\(next.text) is not a number of rows: the numbers are :one, :optional and :many", at: next.range)
            }
        }
        return statement
    }

    private mutating func readLine(
        _ word: AnnotationLine.Word, _ line: inout AnnotationLine, _ text: String, _ range: Range<Int>,
        _ statement: inout NamedStatement
    ) {
        switch word.text {
        case "@param", "@column":
            guard let name = line.name() else {
                return add("\(word.text) needs a name and a type: \(word.text) score Int64", at: range)
            }
            guard let annotation = readType(name, &line, range) else { return }
            if word.text == "@param" { statement.parameters.append(annotation) } else { statement.columns.append(annotation) }
        case "@struct":
            guard let name = line.word(before: " \t:"), SwiftName.isIdentifier(name.text) else {
                return add("@struct needs the name of a type: @struct PlayerScore", at: range)
            }
            let rest = line.rest()
            guard rest.text.isEmpty || rest.text.first == ":" && rest.text.dropFirst().trimmed == "Identifiable" else {
                return add(
                    "only Identifiable can follow the name of the struct: @struct \(name.text): Identifiable. Other conformances belong into "
                        + "an extension", at: rest.range)
            }
            if let first = statement.structName {
                return add("line \(source.place(of: first.range.lowerBound).line) sets the struct already", at: range)
            }
            // Functions and types of the enum have different names.
            guard SwiftName.isTypeName(name.text), !SwiftName.reservedFunctions.contains(name.text) else {
                return add("\(name.text) can't be the name of a type", at: name.range)
            }
            statement.structName = Annotation(name: name.text, range: name.range)
            statement.isIdentifiable = !rest.text.isEmpty
        case "@nest":
            let names = line.names()
            if names.isEmpty { add("@nest needs names of tables: @nest player, team", at: range) }
            statement.nests += names.map { Annotation(name: $0.text, range: $0.range) }
        case _ where word.text.hasPrefix("@"):
            add("\(word.text) is not known: the words are @param, @column, @struct and @nest", at: word.range)
        default:
            statement.documentation.append(text)
        }
    }

    private mutating func readType(_ name: AnnotationLine.Word, _ line: inout AnnotationLine, _ range: Range<Int>) -> Annotation? {
        var annotation = Annotation(name: name.text, range: name.range)
        let rest = line.rest()
        var text = rest.text
        annotation.isOptional = text.last == "?"
        if text == "?" || text == "!" { return annotation }
        let word = String(text.prefix { $0 != " " })
        let form = word == text ? nil : StorageForm.words.first { $0.word == word }
        if let form {
            annotation.storage = form.form
            text = String(text.dropFirst(word.count)).trimmed
        }
        if let last = text.last, last == "?" || last == "!" { text.removeLast() }
        guard text.isSwiftTypeName else {
            add(text.isEmpty ? "the type of \(name.text) is missing" : "\(text) is not a type", at: text.isEmpty ? range : rest.range)
            return nil
        }
        if let type = form?.type, text != type {
            add("\(word) is for \(type)", at: rest.range)
            return nil
        }
        annotation.typeName = text
        return annotation
    }
}

/// A line of a comment, whose words are consumed from the front.
private struct AnnotationLine {
    struct Word: Equatable {
        var text: String
        var range: Range<Int>
    }

    private var bytes: ArraySlice<UInt8>
    private let offset: Int

    init(_ text: String, offset: Int) {
        bytes = Array(text.utf8)[...]
        self.offset = offset
    }

    private mutating func take(_ count: Int) -> Word {
        let part = bytes.prefix(count)
        bytes = bytes.dropFirst(count)
        return Word(text: String(decoding: part, as: UTF8.self), range: offset + part.startIndex..<offset + part.endIndex)
    }

    private mutating func skip(_ separators: String) { bytes = bytes.drop { separators.utf8.contains($0) } }

    /// The next word; nil at the end.
    mutating func word(before separators: String = " \t") -> Word? {
        skip(separators)
        let word = take(bytes.prefix { !separators.utf8.contains($0) }.count)
        return word.text.isEmpty ? nil : word
    }

    /// A name in double quotes; nil if something else comes next.
    private mutating func quotedName() -> Word? {
        var lexer = SQLLexer(String(decoding: bytes, as: UTF8.self))
        guard bytes.first == UInt8(ascii: "\""), let token = lexer.next(), token.kind == .quotedName else { return nil }
        var word = take(token.range.count)
        word.text = word.text.unquotedSQLName
        return word
    }

    /// A name, which may be in double quotes, and may begin with the sign of a parameter.
    mutating func name() -> Word? {
        skip(" \t")
        if bytes.first == UInt8(ascii: "\"") { return quotedName() }
        guard var word = word() else { return nil }
        if let first = word.text.first, ":@$".contains(first), word.text.count > 1 { word.text.removeFirst() }
        return word
    }

    /// The names of a list, with commas or spaces between them.
    mutating func names() -> [Word] {
        var names: [Word] = []
        skip(" \t,")
        while let name = quotedName() ?? word(before: " \t,") {
            names.append(name)
            skip(" \t,")
        }
        return names
    }

    mutating func rest() -> Word {
        skip(" \t")
        var word = take(bytes.count)
        word.text = word.text.trimmed
        return word
    }
}
