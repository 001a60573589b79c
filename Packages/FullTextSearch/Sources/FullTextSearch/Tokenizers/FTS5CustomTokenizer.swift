import CFullTextSearch
import QueryInterface

/// A tokenizer of FTS5 written in Swift.
///
/// ```swift
/// final class CommaTokenizer: FTS5CustomTokenizer {
///     static let name = "comma"
///
///     init(db: Database, arguments: [String]) throws {}
///
///     func tokenize(
///         context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization,
///         pText: UnsafePointer<CChar>?, nText: CInt,
///         tokenCallback: @escaping FTS5TokenCallback
///     ) -> CInt {
///         var start = 0
///         let bytes = UnsafeBufferPointer(start: pText, count: Int(nText))
///         let comma = CChar(UInt8(ascii: ","))
///         for part in bytes.split(separator: comma, omittingEmptySubsequences: false) {
///             let token = UnsafeBufferPointer(rebasing: part)
///             let end = start + part.count
///             let code = tokenCallback(
///                 context, 0, token.baseAddress, CInt(token.count), CInt(start),
///                 CInt(end))
///             if code != ResultCode.SQLITE_OK.rawValue { return code }
///             start = end + 1
///         }
///         return ResultCode.SQLITE_OK.rawValue
///     }
/// }
///
/// var configuration = Configuration()
/// configuration.prepareDatabase { db in db.add(tokenizer: CommaTokenizer.self) }
///
/// try db.create(virtualTable: "document", using: FTS5()) { t in
///     t.tokenizer = CommaTokenizer.tokenizerDescriptor()
///     t.column("tags")
/// }
/// ```
///
/// Each connection that uses the table needs the tokenizer: add it in `Configuration.prepareDatabase`. For a tokenizer that changes the
/// tokens of another tokenizer, see ``FTS5WrapperTokenizer``.
public protocol FTS5CustomTokenizer: FTS5Tokenizer {
    /// The name of the tokenizer.
    static var name: String { get }

    /// Creates a tokenizer. FTS5 creates one for each table that a connection uses.
    ///
    /// - Parameters:
    ///   - db: the connection. Don't keep it.
    ///   - arguments: the arguments of the tokenizer in the definition of the table.
    /// - Throws: an error that fails the statement: see `DatabaseError.underlyingError`.
    init(db: Database, arguments: [String]) throws
}

extension FTS5CustomTokenizer {
    /// Returns a descriptor of the tokenizer, for the definition of a table.
    public static func tokenizerDescriptor(arguments: [String] = []) -> FTS5TokenizerDescriptor {
        FTS5TokenizerDescriptor(components: [name] + arguments)
    }
}

extension Database {
    /// Adds a tokenizer to the connection, or replaces the one with the same name.
    ///
    /// ```swift
    /// configuration.prepareDatabase { db in db.add(tokenizer: CommaTokenizer.self) }
    /// ```
    ///
    /// - Precondition: the connection is open, and its SQLite has FTS5.
    public func add<Tokenizer: FTS5CustomTokenizer>(tokenizer: Tokenizer.Type) {
        checkAccess()
        do {
            let api = try FTS5.loadAPI(self)
            let registration = Unmanaged.passRetained(TokenizerRegistration(self, tokenizer))
            var functions = TokenizerRegistration.functions
            // SQLite releases the registration when the tokenizer is replaced or the connection is closed, but not when this call fails.
            let code = api.pointee.xCreateTokenizer(api, Tokenizer.name, registration.toOpaque(), &functions) { context in
                if let context { Unmanaged<TokenizerRegistration>.fromOpaque(context).release() }
            }
            if code != SQLITE_OK {
                registration.release()
                throw DatabaseError(resultCode: ResultCode(rawValue: code))
            }
        } catch {
            fatalError("Could not add the tokenizer \(Tokenizer.name): \(error)")
        }
    }

    /// Returns a tokenizer of the connection: a tokenizer of SQLite, or one that was added.
    ///
    /// ```swift
    /// let tokenizer = try db.makeTokenizer(.porter(wrapping: .ascii()))
    /// ```
    ///
    /// - Throws: ``DatabaseError`` when the connection has no such tokenizer, or the error of the tokenizer's initializer.
    public func makeTokenizer(_ descriptor: FTS5TokenizerDescriptor) throws -> any FTS5Tokenizer {
        checkAccess()
        try descriptor.check()
        return try LoadedTokenizer(descriptor, api: FTS5.loadAPI(self))
    }
}

/// The type of a tokenizer, which SQLite keeps with its name.
private final class TokenizerRegistration {
    /// A connection owns its tokenizers. It is alive whenever SQLite calls one of them, in a statement of the connection.
    unowned let db: Database
    let type: any FTS5CustomTokenizer.Type

    init(_ db: Database, _ type: any FTS5CustomTokenizer.Type) {
        self.db = db
        self.type = type
    }

    /// A tokenizer that FTS5 uses.
    private final class Instance {
        let tokenizer: any FTS5CustomTokenizer
        unowned let db: Database

        init(_ tokenizer: any FTS5CustomTokenizer, _ db: Database) {
            self.tokenizer = tokenizer
            self.db = db
        }
    }

    static var functions: fts5_tokenizer {
        fts5_tokenizer(
            xCreate: { context, arguments, count, result in
                guard let context, let result else { return SQLITE_MISUSE }
                let registration = Unmanaged<TokenizerRegistration>.fromOpaque(context).takeUnretainedValue()
                let arguments = (0..<Int(count)).map { arguments?[$0].map { String(cString: $0) } ?? "" }
                do {
                    let tokenizer = try registration.type.init(db: registration.db, arguments: arguments)
                    result.pointee = OpaquePointer(Unmanaged.passRetained(Instance(tokenizer, registration.db)).toOpaque())
                    return SQLITE_OK
                } catch {
                    TokenizerFailure.set(error)
                    return registration.db.resultCodeOfTokenizerFailure(SQLITE_ERROR)
                }
            },
            xDelete: { tokenizer in
                if let tokenizer { Unmanaged<Instance>.fromOpaque(UnsafeRawPointer(tokenizer)).release() }
            },
            xTokenize: { tokenizer, context, flags, pText, nText, callback in
                guard let tokenizer, let callback else { return SQLITE_MISUSE }
                let instance = Unmanaged<Instance>.fromOpaque(UnsafeRawPointer(tokenizer)).takeUnretainedValue()
                if !TokenizerFailure.hasTaker { TokenizerFailure.set(nil) }
                let code = instance.tokenizer.tokenize(
                    context: context, tokenization: FTS5Tokenization(rawValue: flags), pText: pText, nText: nText, tokenCallback: callback)
                return code == SQLITE_OK ? code : instance.db.resultCodeOfTokenizerFailure(code)
            })
    }
}

extension Database {
    /// Makes the error of a tokenizer the reason why the statement fails, unless Swift code has called the tokenizer.
    ///
    /// - Parameter code: the result code if there is no error.
    /// - Returns: the result code for SQLite.
    fileprivate func resultCodeOfTokenizerFailure(_ code: CInt) -> CInt {
        if TokenizerFailure.hasTaker { return code }
        return TokenizerFailure.take().map { resultCode(failingWith: $0) } ?? code
    }
}

/// A tokenizer of SQLite's table of tokenizers.
private final class LoadedTokenizer: FTS5Tokenizer {
    private let functions: fts5_tokenizer
    private let handle: OpaquePointer

    init(_ descriptor: FTS5TokenizerDescriptor, api: UnsafeMutablePointer<fts5_api>) throws {
        var context: UnsafeMutableRawPointer?
        var functions = fts5_tokenizer()
        guard api.pointee.xFindTokenizer(api, descriptor.name, &context, &functions) == SQLITE_OK, let create = functions.xCreate else {
            throw DatabaseError(message: "no such tokenizer: \(descriptor.name)")
        }
        // The arguments, one after the other, with a NUL at the end of each.
        let text = descriptor.arguments.flatMap { $0.utf8CString }
        var offsets: [Int] = []
        for argument in descriptor.arguments { offsets.append((offsets.last ?? 0) + argument.utf8CString.count) }
        var handle: OpaquePointer?
        let (code, failure) = TokenizerFailure.taking {
            text.withUnsafeBufferPointer { text in
                var arguments = ([0] + offsets).dropLast().map { offset in text.baseAddress.map { $0 + offset } }
                return arguments.withUnsafeMutableBufferPointer { create(context, $0.baseAddress, CInt($0.count), &handle) }
            }
        }
        guard code == SQLITE_OK, let handle else {
            throw failure
                ?? DatabaseError(
                    resultCode: code == SQLITE_OK ? .SQLITE_ERROR : ResultCode(rawValue: code),
                    message: "invalid arguments for the tokenizer \(descriptor.components.joined(separator: " "))")
        }
        self.functions = functions
        self.handle = handle
    }

    deinit {
        functions.xDelete?(handle)
    }

    func tokenize(
        context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?, nText: CInt,
        tokenCallback: @escaping FTS5TokenCallback
    ) -> CInt {
        functions.xTokenize?(handle, context, tokenization.rawValue, pText, nText, tokenCallback) ?? SQLITE_MISUSE
    }
}
