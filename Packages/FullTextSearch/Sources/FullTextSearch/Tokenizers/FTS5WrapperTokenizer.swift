import CFullTextSearch
import QueryInterface

/// A function that a ``FTS5WrapperTokenizer`` calls for each token.
///
/// It throws when FTS5 needs no further tokens. Don't catch that error.
public typealias FTS5WrapperTokenCallback = (_ token: String, _ flags: FTS5TokenFlags) throws -> Void

/// A tokenizer that changes, removes or adds tokens of another tokenizer.
///
/// ```swift
/// final class SynonymTokenizer: FTS5WrapperTokenizer {
///     static let name = "synonyms"
///     let wrappedTokenizer: any FTS5Tokenizer
///
///     init(db: Database, arguments: [String]) throws {
///         wrappedTokenizer = try db.makeTokenizer(.unicode61())
///     }
///
///     func accept(
///         token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
///         tokenCallback: FTS5WrapperTokenCallback
///     ) throws {
///         try tokenCallback(token, flags)
///         if tokenization.contains(.query), let synonym = ["first": "1st"][token] {
///             try tokenCallback(synonym, .colocated)
///         }
///     }
/// }
/// ```
public protocol FTS5WrapperTokenizer: FTS5CustomTokenizer {
    /// The other tokenizer.
    var wrappedTokenizer: any FTS5Tokenizer { get }

    /// Calls a function for the tokens that replace a token of the other tokenizer: none, one, or several.
    ///
    /// - Parameters:
    ///   - token: a token.
    ///   - flags: its flags.
    ///   - tokenization: the reason why FTS5 wants the tokens.
    ///   - tokenCallback: the function.
    /// - Throws: the error of `tokenCallback`, or an error that fails the statement: see `DatabaseError.underlyingError`.
    func accept(
        token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization, tokenCallback: FTS5WrapperTokenCallback
    ) throws
}

extension FTS5WrapperTokenizer {
    /// Passes the tokens of the other tokenizer to ``accept(token:flags:for:tokenCallback:)``.
    public func tokenize(
        context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?, nText: CInt,
        tokenCallback: @escaping FTS5TokenCallback
    ) -> CInt {
        var run = WrapperRun(tokenizer: self, context: context, tokenization: tokenization, callback: tokenCallback)
        let code = withUnsafeMutablePointer(to: &run) { run in
            wrappedTokenizer.tokenize(context: run, tokenization: tokenization, pText: pText, nText: nText) {
                context, flags, pToken, nToken, iStart, iEnd in
                guard let run = context?.assumingMemoryBound(to: WrapperRun.self) else { return SQLITE_MISUSE }
                let bytes = UnsafeRawBufferPointer(start: pToken, count: Int(nToken))
                return run.pointee.accept(String(decoding: bytes, as: UTF8.self), FTS5TokenFlags(rawValue: flags), iStart, iEnd)
            }
        }
        return run.code == SQLITE_OK ? code : run.code
    }
}

/// A text that a wrapper passes through its tokenizer.
private struct WrapperRun {
    /// The error of FTS5, whose code is passed on.
    struct Stop: Error {}

    let tokenizer: any FTS5WrapperTokenizer
    let context: UnsafeMutableRawPointer?
    let tokenization: FTS5Tokenization
    let callback: FTS5TokenCallback
    var code = SQLITE_OK

    mutating func accept(_ token: String, _ flags: FTS5TokenFlags, _ start: CInt, _ end: CInt) -> CInt {
        var callbackCode = SQLITE_OK
        do {
            try tokenizer.accept(token: token, flags: flags, for: tokenization) { [context, callback] token, flags in
                // The wrapper may have caught the error of an earlier token.
                if callbackCode != SQLITE_OK { throw Stop() }
                var token = token
                callbackCode = token.withUTF8 { bytes in
                    bytes.withMemoryRebound(to: CChar.self) {
                        callback(context, flags.rawValue, $0.baseAddress, CInt(clamping: $0.count), start, end)
                    }
                }
                if callbackCode != SQLITE_OK { throw Stop() }
            }
            code = callbackCode
        } catch is Stop {
            code = callbackCode
        } catch {
            code = tokenizer.failure(error)
        }
        return code
    }
}
