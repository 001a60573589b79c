import Foundation

/// The source of a ``LoadedFile`` and of ``CSVReader``: a file, a string, or bytes that arrive in chunks.
///
/// ```swift
/// try db.load(.csv(.file(URL(fileURLWithPath: "players.csv"))), into: "player")
/// try db.load(.csv("id,name\n1,Arthur\n"), into: "player")
/// ```
public struct TextSource: ExpressibleByStringInterpolation {
    /// The size of the chunks in which files are read.
    private static let chunkSize = 256 * 1024

    /// Opens the source, and returns the function that reads the next chunk of it.
    let open: () throws -> () throws -> Data?

    /// Returns the number of bytes of a source that can be opened again; nil for other sources.
    let size: () -> Int?

    /// The path of a file; nil for other sources.
    let path: String?

    /// The encoding, unless the source begins with the byte order mark of UTF-16.
    private(set) var encoding = TextEncoding.utf8

    /// A string.
    public init(stringLiteral value: String) {
        self = .text(value)
    }

    /// A string.
    public static func text(_ text: String) -> TextSource { .data(Data(text.utf8)) }

    /// UTF-8 in memory.
    public static func data(_ data: Data) -> TextSource {
        let open = {
            var rest: Data? = data
            return { () throws -> Data? in
                return rest.take()
            }
        }
        return TextSource(open: open, size: { data.count })
    }

    /// A file, which is read in chunks.
    ///
    /// A file that belongs to a database is an error, as closing it would drop the locks of the process on that database.
    public static func file(_ url: URL) -> TextSource {
        let open = { () throws -> () throws -> Data? in
            let path = url.resolvingSymlinksInPath().path
            if DatabaseFileFormat(path: path) == .empty { return { nil } }
            guard !DatabaseFileFormat.isOfDatabase(path: path) else {
                throw LoadError(line: 1, column: nil, message: "\(url.path) belongs to a database, and is not a text file")
            }
            let handle = try FileHandle(forReadingFrom: url)
            return { try handle.read(upToCount: chunkSize) }
        }
        return TextSource(open: open, size: { regularFileSize(url) }, path: url.path)
    }

    /// Returns the source with another encoding than UTF-8.
    ///
    /// ```swift
    /// try db.load(.csv(.file(url).decoding(.latin1)), into: "player")
    /// ```
    ///
    /// UTF-16 needs no encoding: its byte order mark is recognized.
    public func decoding(_ encoding: TextEncoding) -> TextSource {
        changed(self) { $0.encoding = encoding }
    }

    /// A file that is open for reading, such as the standard input.
    public static func fileHandle(_ handle: FileHandle) -> TextSource {
        TextSource(open: { { try handle.read(upToCount: chunkSize) } }, size: { nil })
    }

    /// UTF-8 in chunks, which may end anywhere.
    ///
    /// - Parameter next: returns the next chunk; nil or an empty one at the end.
    public static func chunks(_ next: @escaping () throws -> Data?) -> TextSource {
        TextSource(open: { next }, size: { nil })
    }

    private init(open: @escaping () throws -> () throws -> Data?, size: @escaping () -> Int?, path: String? = nil) {
        self.open = open
        self.size = size
        self.path = path
    }
}

/// The encoding of a ``TextSource``.
public enum TextEncoding: Sendable {
    /// UTF-8, or UTF-16 with a byte order mark.
    case utf8

    /// ISO 8859-1, with the characters of Windows-1252 in place of control characters, as browsers read it: each byte is a character.
    ///
    /// Source: <https://encoding.spec.whatwg.org/#names-and-labels>
    case latin1
}

/// Returns the size of a file, which is not opened; nil for a pipe, for example.
func regularFileSize(_ url: URL) -> Int? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: url.resolvingSymlinksInPath().path)
    guard attributes?[.type] as? FileAttributeType == .typeRegular else { return nil }
    return (attributes?[.size] as? NSNumber)?.intValue
}
