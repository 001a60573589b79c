import CFullTextSearch
import QueryInterface

/// A function that a tokenizer calls for each token.
///
/// - Parameters:
///   - context: the context that the tokenizer got.
///   - flags: see ``FTS5TokenFlags``.
///   - pToken: the bytes of the token, which need no NUL at the end.
///   - nToken: the number of bytes of the token.
///   - iStart: the offset of the token's first byte in the text.
///   - iEnd: the offset of the byte after the token in the text.
/// - Returns: `SQLITE_OK`, or a code that the tokenizer must return immediately.
public typealias FTS5TokenCallback =
    @convention(c) (
        _ context: UnsafeMutableRawPointer?, _ flags: CInt, _ pToken: UnsafePointer<CChar>?, _ nToken: CInt, _ iStart: CInt, _ iEnd: CInt
    ) -> CInt

/// The reason why FTS5 wants the tokens of a text.
public struct FTS5Tokenization: OptionSet, Hashable, Sendable {
    /// The flags of FTS5.
    public let rawValue: CInt

    /// Creates a value from the flags of FTS5.
    public init(rawValue: CInt) {
        self.rawValue = rawValue
    }

    /// The text is part of a pattern.
    public static let query = FTS5Tokenization(rawValue: FTS5_TOKENIZE_QUERY)

    /// The text is part of a pattern, and its last token is a prefix. Comes together with ``query``.
    public static let prefix = FTS5Tokenization(rawValue: FTS5_TOKENIZE_PREFIX)

    /// The text is added to the index, or removed from it.
    public static let document = FTS5Tokenization(rawValue: FTS5_TOKENIZE_DOCUMENT)

    /// An auxiliary function, such as `highlight`, needs the tokens.
    public static let aux = FTS5Tokenization(rawValue: FTS5_TOKENIZE_AUX)
}

/// The properties of a token that a tokenizer reports.
public struct FTS5TokenFlags: OptionSet, Hashable, Sendable {
    /// The flags of FTS5.
    public let rawValue: CInt

    /// Creates a value from the flags of FTS5.
    public init(rawValue: CInt) {
        self.rawValue = rawValue
    }

    /// The token is at the same position as the previous token: it is a synonym.
    public static let colocated = FTS5TokenFlags(rawValue: FTS5_TOKEN_COLOCATED)
}

/// A tokenizer of FTS5: it splits text into tokens.
///
/// ```swift
/// let tokenizer = try db.makeTokenizer(.unicode61())
/// try tokenizer.tokenize(document: "Gustave Doré").map(\.token)  // ["gustave", "dore"]
/// ```
///
/// A tokenizer belongs to a connection, and is used only in its accesses. To write one, see ``FTS5CustomTokenizer``.
public protocol FTS5Tokenizer: AnyObject {
    /// Calls a function for each token of a text.
    ///
    /// The text need not be valid UTF-8, may contain NULs, and has none at its end.
    ///
    /// - Parameters:
    ///   - context: the first argument for `tokenCallback`.
    ///   - tokenization: the reason why FTS5 wants the tokens.
    ///   - pText: the bytes of the text. Nil if there are none.
    ///   - nText: the number of bytes of the text.
    ///   - tokenCallback: to be called for each token. When it returns a code other than `SQLITE_OK`, stop.
    /// - Returns: `SQLITE_OK`, the code that `tokenCallback` returned, or the result of ``failure(_:)``.
    func tokenize(
        context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?, nText: CInt,
        tokenCallback: @escaping FTS5TokenCallback
    ) -> CInt
}

/// A token, and the offset of the byte where it begins in a text.
struct TokenInText {
    let token: String
    let flags: FTS5TokenFlags
    let start: Int
}

extension FTS5Tokenizer {
    /// Returns the tokens of a text for the index.
    ///
    /// - Throws: the error of the tokenizer.
    public func tokenize(document: String) throws -> [(token: String, flags: FTS5TokenFlags)] {
        try tokens(of: document, for: .document).map { ($0.token, $0.flags) }
    }

    /// Returns the tokens of a text in a pattern.
    ///
    /// - Throws: the error of the tokenizer.
    public func tokenize(query: String) throws -> [(token: String, flags: FTS5TokenFlags)] {
        try tokens(of: query, for: .query).map { ($0.token, $0.flags) }
    }

    /// Makes an error the reason why a statement fails, and returns the code that the tokenizer must return.
    ///
    /// ```swift
    /// func tokenize(_ text: String) -> CInt {
    ///     guard let word = dictionary.next() else {
    ///         return failure(DictionaryError.unreadable)
    ///     }
    ///     …
    ///     return ResultCode.SQLITE_OK.rawValue
    /// }
    /// ```
    public func failure(_ error: any Error) -> CInt {
        TokenizerFailure.set(error)
        return (error as? DatabaseError).map { $0.extendedResultCode.rawValue }.flatMap { $0 > 0 && $0 < SQLITE_ROW ? $0 : nil }
            ?? SQLITE_ERROR
    }

    /// Returns the tokens of a text, and where each of them begins in it, in bytes of UTF-8.
    func tokens(of text: String, for tokenization: FTS5Tokenization) throws -> [TokenInText] {
        var text = text
        guard text.utf8.count <= CInt.max else { throw DatabaseError.misuse("the text is too long to tokenize") }
        var tokens: [TokenInText] = []
        let (code, failure) = TokenizerFailure.taking {
            text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { bytes in
                    withUnsafeMutablePointer(to: &tokens) { tokens in
                        tokenize(context: tokens, tokenization: tokenization, pText: bytes.baseAddress, nText: CInt(bytes.count)) {
                            context, flags, pToken, nToken, start, _ in
                            let tokens = context?.assumingMemoryBound(to: [TokenInText].self)
                            let token = UnsafeRawBufferPointer(start: pToken, count: Int(nToken))
                            tokens?.pointee.append(
                                TokenInText(
                                    token: String(decoding: token, as: UTF8.self), flags: FTS5TokenFlags(rawValue: flags), start: Int(start)
                                ))
                            return SQLITE_OK
                        }
                    }
                }
            }
        }
        if code == SQLITE_OK { return tokens }
        throw failure ?? DatabaseError(resultCode: ResultCode(rawValue: code))
    }
}

/// The error of a tokenizer on this thread, until the code that called it takes it: the C code between them passes on only codes.
enum TokenizerFailure {
    private final class Box {
        let error: any Error

        init(_ error: any Error) {
            self.error = error
        }
    }

    private static var slot: UnsafeMutablePointer<strata_tokenizer_failure> { strata_tokenizer_failure_slot() }

    /// Keeps an error, or removes it.
    static func set(_ error: (any Error)?) {
        let slot = slot
        if let old = slot.pointee.error { Unmanaged<Box>.fromOpaque(old).release() }
        slot.pointee.error = error.map { Unmanaged.passRetained(Box($0)).toOpaque() }
    }

    /// Returns the error, and removes it.
    static func take() -> (any Error)? {
        guard let pointer = slot.pointee.error else { return nil }
        slot.pointee.error = nil
        return Unmanaged<Box>.fromOpaque(pointer).takeRetainedValue().error
    }

    /// Whether Swift code, not SQLite, has called the tokenizer, and takes its error.
    static var hasTaker: Bool { slot.pointee.takers > 0 }

    /// Runs a closure that calls tokenizers, and returns its result, and the error of the tokenizers.
    static func taking<Result>(_ body: () -> Result) -> (result: Result, error: (any Error)?) {
        set(nil)
        slot.pointee.takers += 1
        let result = body()
        slot.pointee.takers -= 1
        return (result, take())
    }
}
