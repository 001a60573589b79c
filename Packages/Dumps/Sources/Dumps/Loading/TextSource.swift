import Foundation

/// The source that ``Database/load(csv:into:format:columns:onConflict:progress:)`` and
/// ``Database/load(json:into:blobs:onConflict:progress:)`` read: a file, a string, or bytes that arrive in chunks.
///
/// ```swift
/// try db.load(csv: .file(URL(fileURLWithPath: "players.csv")), into: "player")
/// try db.load(csv: "id,name\n1,Arthur\n", into: "player")
/// ```
public struct TextSource: ExpressibleByStringInterpolation {
    /// The size of the chunks in which files are read.
    private static let chunkSize = 256 * 1024

    /// Opens the source, and returns the function that reads the next chunk of it.
    let open: () throws -> () throws -> Data?

    /// A string.
    public init(stringLiteral value: String) {
        self = .text(value)
    }

    /// A string.
    public static func text(_ text: String) -> TextSource { .data(Data(text.utf8)) }

    /// UTF-8 in memory.
    public static func data(_ data: Data) -> TextSource {
        TextSource {
            var rest: Data? = data
            return {
                defer { rest = nil }
                return rest
            }
        }
    }

    /// A file, which is read in chunks.
    ///
    /// A file that belongs to a database is an error, as closing it would drop the locks of the process on that database.
    public static func file(_ url: URL) -> TextSource {
        TextSource {
            let path = url.resolvingSymlinksInPath().path
            if DatabaseFileFormat(path: path) == .empty { return { nil } }
            guard !DatabaseFileFormat.isOfDatabase(path: path) else {
                throw LoadError(line: 1, column: nil, message: "\(url.path) belongs to a database, and is not a text file")
            }
            let handle = try FileHandle(forReadingFrom: url)
            return { try handle.read(upToCount: chunkSize) }
        }
    }

    /// A file that is open for reading, such as the standard input.
    public static func fileHandle(_ handle: FileHandle) -> TextSource {
        TextSource { { try handle.read(upToCount: chunkSize) } }
    }

    /// UTF-8 in chunks, which may end anywhere.
    ///
    /// - Parameter next: returns the next chunk; nil or an empty one at the end.
    public static func chunks(_ next: @escaping () throws -> Data?) -> TextSource {
        TextSource { next }
    }

    private init(_ open: @escaping () throws -> () throws -> Data?) {
        self.open = open
    }
}

/// The bytes of a source, one by one, with the number of the line.
struct ByteReader {
    private let next: () throws -> Data?
    private var chunk: [UInt8] = []
    private var position = 0

    /// The number of bytes that were read.
    private(set) var byteCount = 0

    /// The number of the line of the next byte, from 1. Lines end with LF, CR LF or CR.
    private(set) var line = 1

    /// Whether the last byte was a CR. A LF after it ends the same line.
    private var isAfterReturn = false

    init(_ source: TextSource) throws {
        next = try source.open()
        // A byte order mark is not part of the text.
        if try peek() == 0xEF {
            let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
            while chunk.count < 3, let more = try next(), !more.isEmpty { chunk += more }
            if chunk.starts(with: mark) {
                position = 3
                byteCount = 3
            }
        }
    }

    /// Returns the next byte without consuming it; nil at the end.
    mutating func peek() throws -> UInt8? {
        if position == chunk.count {
            chunk = try next().map(Array.init) ?? []
            position = 0
            if chunk.isEmpty { return nil }
        }
        return chunk[position]
    }

    /// Returns the next byte; nil at the end.
    mutating func read() throws -> UInt8? {
        guard let byte = try peek() else { return nil }
        position += 1
        byteCount += 1
        let isReturn = byte == UInt8(ascii: "\r")
        if isReturn || byte == UInt8(ascii: "\n") && !isAfterReturn { line += 1 }
        isAfterReturn = isReturn
        return byte
    }
}
