import Foundation
import FullTextSearch

/// Splits strings at ASCII characters that are neither letters nor digits, and ignores case: as FTS5's own tokenizer `ascii` does.
final class BytesTokenizer: FTS5CustomTokenizer {
    static let name = "bytes"

    init(db: Database, arguments: [String]) throws {}

    func tokenize(
        context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?, nText: CInt,
        tokenCallback: @escaping FTS5TokenCallback
    ) -> CInt {
        let text = UnsafeRawBufferPointer(start: pText, count: Int(nText))
        var token: [CChar] = []
        var start = 0
        for index in 0...text.count {
            let byte = index < text.count ? text[index] : 0x20
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): token.append(CChar(byte + 32))
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...:
                token.append(CChar(bitPattern: byte))
            default:
                if !token.isEmpty {
                    let code = tokenCallback(context, 0, token, CInt(token.count), CInt(start), CInt(index))
                    if code != 0 { return code }
                }
                token.removeAll(keepingCapacity: true)
                start = index + 1
            }
        }
        return 0
    }
}

/// Makes a token of each two consecutive characters of a word, for scripts that write no spaces, such as Chinese.
final class BigramTokenizer: FTS5CustomTokenizer {
    static let name = "bigram"

    init(db: Database, arguments: [String]) throws {}

    func tokenize(
        context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?, nText: CInt,
        tokenCallback: @escaping FTS5TokenCallback
    ) -> CInt {
        let text = String(decoding: UnsafeRawBufferPointer(start: pText, count: Int(nText)), as: UTF8.self)
        // Repaired strings have other offsets than the bytes: the offsets must stay inside the original string.
        func offset(_ index: String.Index) -> CInt { min(CInt(text.utf8.distance(from: text.startIndex, to: index)), nText) }
        for word in text.split(whereSeparator: { !$0.isLetter && !$0.isNumber }) {
            var start = word.startIndex
            repeat {
                let end = word.index(start, offsetBy: 2, limitedBy: word.endIndex) ?? word.endIndex
                var token = word[start..<end].lowercased()
                let (first, last) = (offset(start), offset(end))
                let code = token.withUTF8 { bytes in
                    bytes.withMemoryRebound(to: CChar.self) { tokenCallback(context, 0, $0.baseAddress, CInt($0.count), first, last) }
                }
                if code != 0 { return code }
                start = word.index(after: start)
            } while word.distance(from: start, to: word.endIndex) > 1
        }
        return 0
    }
}

/// Adds synonyms to the tokens of patterns.
final class SynonymTokenizer: FTS5WrapperTokenizer {
    static let name = "synonyms"
    let wrappedTokenizer: any FTS5Tokenizer

    init(db: Database, arguments: [String]) throws {
        wrappedTokenizer = try db.makeTokenizer(.unicode61())
    }

    func accept(token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization, tokenCallback: FTS5WrapperTokenCallback) throws {
        try tokenCallback(token, flags)
        if tokenization.contains(.query), let synonym = ["first": "1st"][token] {
            try tokenCallback(synonym, .colocated)
        }
    }
}

/// Removes words, which are its arguments.
final class StopWordTokenizer: FTS5WrapperTokenizer {
    static let name = "stopwords"
    let wrappedTokenizer: any FTS5Tokenizer
    let words: Set<String>

    init(db: Database, arguments: [String]) throws {
        wrappedTokenizer = try db.makeTokenizer(.unicode61())
        words = Set(arguments)
    }

    func accept(token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization, tokenCallback: FTS5WrapperTokenCallback) throws {
        if !words.contains(token) { try tokenCallback(token, flags) }
    }
}

/// Folds case, diacritics and widths by Foundation, in all of Unicode.
final class FoldingTokenizer: FTS5WrapperTokenizer {
    static let name = "folding"
    let wrappedTokenizer: any FTS5Tokenizer

    init(db: Database, arguments: [String]) throws {
        wrappedTokenizer = try db.makeTokenizer(.unicode61(diacritics: .keep))
    }

    func accept(token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization, tokenCallback: FTS5WrapperTokenCallback) throws {
        try tokenCallback(
            token.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
                .replacing("ß", with: "ss"), flags)
    }
}

/// Fails for some words, and when its arguments say so.
final class FailingTokenizer: FTS5WrapperTokenizer {
    struct Failure: Error, Equatable, CustomStringConvertible {
        let description: String
    }

    static let name = "failing"
    let wrappedTokenizer: any FTS5Tokenizer

    init(db: Database, arguments: [String]) throws {
        if arguments == ["init"] { throw Failure(description: "no tokenizer today") }
        if arguments == ["code"] { throw DatabaseError(resultCode: .SQLITE_CONSTRAINT_CHECK, message: "not allowed") }
        wrappedTokenizer = try db.makeTokenizer(.unicode61())
    }

    func accept(token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization, tokenCallback: FTS5WrapperTokenCallback) throws {
        switch token {
        case "bad": throw Failure(description: "the word is bad")
        case "full": throw DatabaseError(resultCode: .SQLITE_FULL, message: "no room for this word")
        case "caught":
            for _ in 1...3 { try? tokenCallback(token, flags) }
        default: try tokenCallback(token, flags)
        }
    }
}

/// Passes strings to ``FailingTokenizer``.
final class OuterTokenizer: FTS5WrapperTokenizer {
    static let name = "outer"
    let wrappedTokenizer: any FTS5Tokenizer

    init(db: Database, arguments: [String]) throws {
        wrappedTokenizer = try db.makeTokenizer(FailingTokenizer.tokenizerDescriptor(arguments: arguments))
    }

    func accept(token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization, tokenCallback: FTS5WrapperTokenCallback) throws {
        try tokenCallback(token + "x", flags)
    }
}
