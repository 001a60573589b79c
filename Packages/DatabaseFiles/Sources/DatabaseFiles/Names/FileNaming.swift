/// How the names of databases become names of files.
///
/// A lower-case ASCII letter, a digit, `-` and `_` stand for themselves. Each other byte of the UTF-8 is `%` and two hexadecimal digits in
/// lower case. So two names are one file on no file system, also not where those ignore case or compose characters, and no name has a
/// meaning of its own, such as `..`, an empty name, or the name of a log.
enum FileNaming {
    static let suffix = ".sqlite"
    /// File systems have names of up to 255 bytes. SQLite adds up to 8 bytes, for `-journal`.
    static let maximumLength = 255 - suffix.utf8.count - "-journal".utf8.count

    /// Returns the name of the file of a database.
    ///
    /// - Throws: ``DatabaseFileError`` if the name is empty, or too long.
    static func fileName(of name: String) throws -> String {
        let encoded = encoded(name)
        if encoded.isEmpty || encoded.utf8.count > maximumLength {
            throw DatabaseFileError(.invalidName, name: name, detail: encoded.isEmpty ? "it is empty" : "its file name would be too long")
        }
        return encoded + suffix
    }

    private static func encoded(_ name: String) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var bytes: [UInt8] = []
        for byte in name.utf8 {
            if isPlain(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }

    /// Returns the name of the database in a file; nil for other files.
    static func name(ofFile fileName: String) -> String? {
        guard fileName.hasSuffix(suffix) else { return nil }
        var bytes: [UInt8] = []
        var rest = fileName.utf8.dropLast(suffix.utf8.count)
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let decoded = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else { return nil }
            bytes.append(decoded)
            rest = rest.dropFirst(2)
        }
        let name = String(decoding: bytes, as: UTF8.self)
        // Other spellings, and bytes that are not UTF-8, are not names.
        guard let expected = try? self.fileName(of: name), Array(expected.utf8) == Array(fileName.utf8) else { return nil }
        return name
    }
}

/// A name as a key. It is compared by its bytes: to Swift, "é" in one scalar and in two is one string.
struct FileKey: Hashable, Comparable, Sendable {
    private let bytes: [UInt8]

    init(_ name: String) {
        bytes = Array(name.utf8)
    }

    static func < (left: FileKey, right: FileKey) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }
}
