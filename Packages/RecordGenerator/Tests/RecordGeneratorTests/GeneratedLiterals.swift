import Testing
import SQLiteDriver

@testable import RecordGenerator

/// The string literals of several lines in generated code, as the Swift compiler reads them.
struct GeneratedLiterals {
    /// The bytes of each literal, between its interpolations.
    private(set) var literals: [[[UInt8]]] = []

    init(_ code: String) {
        var lines = Array(code.utf8).split(separator: 0x0A, omittingEmptySubsequences: false)[...]
        let mark = Array(#"""""#.utf8)
        while let line = lines.popFirst() {
            guard line.suffix(3).elementsEqual(mark), !line.starts(with: "//".utf8) else { continue }
            guard let end = lines.firstIndex(where: { $0.drop { $0 == 0x20 }.starts(with: mark) }) else { break }
            let indentation = lines[end].prefix { $0 == 0x20 }.count
            literals.append(Self.value(Array(lines[..<end].map { $0.dropFirst(indentation) }.joined(separator: [0x0A]))))
            lines = lines[(end + 1)...]
        }
    }

    private static func value(_ source: [UInt8]) -> [[UInt8]] {
        var parts: [[UInt8]] = [[]]
        var rest = source[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                parts[parts.count - 1].append(byte)
                continue
            }
            switch rest.popFirst().map({ Unicode.Scalar($0) }) {
            case "n": parts[parts.count - 1].append(0x0A)
            case "r": parts[parts.count - 1].append(0x0D)
            case "t": parts[parts.count - 1].append(0x09)
            case "u":
                let digits = String(decoding: rest.dropFirst().prefix { $0 != UInt8(ascii: "}") }, as: UTF8.self)
                rest = rest.dropFirst(digits.utf8.count + 2)
                parts[parts.count - 1] += Array(String(Unicode.Scalar(UInt32(digits, radix: 16)!)!).utf8)
            case "(":
                var depth = 1
                while depth > 0, let byte = rest.popFirst() {
                    if byte == UInt8(ascii: "(") { depth += 1 }
                    if byte == UInt8(ascii: ")") { depth -= 1 }
                }
                parts.append([])
            case let scalar?: parts[parts.count - 1] += Array(String(scalar).utf8)
            case nil: break
            }
        }
        return parts
    }

    /// The bytes of SQL as a literal must have them: only ends of lines outside of strings and names may differ.
    static func expected(_ sql: some StringProtocol) -> [UInt8] {
        let tokens = SQLTokens(sql)
        let keepsReturns = tokens.tokens.contains {
            [.string, .quotedName].contains($0.kind) && tokens.bytes[$0.range].contains(0x0D)
        }
        var bytes = tokens.bytes
        if !keepsReturns { bytes = bytes.indices.filter { !bytes[$0...].starts(with: [0x0D, 0x0A]) }.map { bytes[$0] } }
        while let last = bytes.last, [0x20, 0x09, 0x0A].contains(last) { bytes.removeLast() }
        return bytes
    }

    /// Compares the code of files with their SQL, byte for byte.
    static func check(
        _ set: QuerySet, _ files: [SourceText], schema: SourceText, migrations: MigrationFolder? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let scripts = (migrations?.files ?? []) + [schema]
        let found = Self(set.outputs[0].code).literals
        #expect(found == scripts.map { [expected($0.text)] }, "\(set.outputs[0].code)", sourceLocation: sourceLocation)
        for (file, output) in zip(files.sorted { $0.file < $1.file }, set.outputs.dropFirst()) {
            let statements = QueryFile(file).statements
            let literals = Self(output.code).literals
            #expect(literals.count == statements.count, "\(output.code)", sourceLocation: sourceLocation)
            for (literal, statement) in zip(literals, statements) {
                // Parameters without a name get one, and stars become lists of columns. The strings stay.
                let signs = SQLTokens(statement.sql).tokens.filter { $0.kind != .string }.map { statement.sql.utf8Text($0.range) }
                if signs.contains("*") || statement.sql.contains(/[?]|[$:@][0-9]/) {
                    let written = String(decoding: Array(literal.joined(separator: Array("()".utf8))), as: UTF8.self)
                    #expect(
                        written.strings == String(decoding: expected(statement.sql), as: UTF8.self).strings, sourceLocation: sourceLocation)
                    continue
                }
                var rest = expected(statement.sql)[...]
                var isSame = rest.starts(with: literal[0]) && rest.reversed().starts(with: literal.last!.reversed())
                for part in literal {
                    guard let start = rest.indices.first(where: { rest[$0...].starts(with: part) }) ?? (part.isEmpty ? rest.endIndex : nil)
                    else {
                        isSame = false
                        break
                    }
                    rest = rest[(start + part.count)...]
                }
                if literal.count == 1 { isSame = isSame && rest.isEmpty }
                #expect(isSame, "\(output.code)", sourceLocation: sourceLocation)
            }
        }
    }
}

extension String {
    /// The bytes of the strings in SQL.
    fileprivate var strings: [[UInt8]] {
        let tokens = SQLTokens(self)
        return tokens.tokens.filter { $0.kind == .string }.map { Array(tokens.bytes[$0.range]) }
    }

    fileprivate func utf8Text(_ range: Range<Int>) -> String { String(decoding: Array(utf8)[range], as: UTF8.self) }
}
