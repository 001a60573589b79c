import Foundation

/// The chunks of a source, in UTF-8.
struct TextDecoder {
    private enum Form {
        /// UTF-8, or UTF-16 with a byte order mark: the first bytes tell.
        case unknown
        case utf8
        case latin1
        case utf16(isBigEndian: Bool)
    }

    private let next: () throws -> Data?
    private var form: Form

    /// Bytes that were read: the beginning of the source, or of a character.
    private var rest: [UInt8] = []
    private var isAtEnd = false

    init(_ source: TextSource) throws {
        next = try source.open()
        form = source.encoding == .latin1 ? .latin1 : .unknown
    }

    /// Whether the bytes of the chunks are not those of the source.
    var changesBytes: Bool {
        switch form {
        case .unknown, .utf8: false
        case .latin1, .utf16: true
        }
    }

    /// Returns the next chunk; nil or an empty one at the end.
    mutating func chunk() throws -> Data? {
        if case .utf8 = form { return try next() }
        var text: [UInt8] = []
        while text.isEmpty, !isAtEnd {
            let chunk = try next()
            isAtEnd = chunk?.isEmpty != false
            rest += chunk ?? Data()
            switch form {
            case .unknown where rest.count < 2 && !isAtEnd: continue
            case .unknown:
                let isBigEndian = rest.starts(with: [0xFE, 0xFF])
                if isBigEndian || rest.starts(with: [0xFF, 0xFE]) {
                    form = .utf16(isBigEndian: isBigEndian)
                    rest.removeFirst(2)
                    text = readUTF16(isBigEndian: isBigEndian)
                } else {
                    form = .utf8
                    return Data(takeRest())
                }
            case .utf8: return Data(takeRest())
            case .latin1: for byte in takeRest() { text.append(latin1: byte) }
            case .utf16(let isBigEndian): text = readUTF16(isBigEndian: isBigEndian)
            }
        }
        return Data(text)
    }

    private mutating func takeRest() -> [UInt8] {
        defer { rest = [] }
        return rest
    }

    /// Reads the complete characters. What is not valid becomes a byte that is not valid UTF-8: its record has an error.
    private mutating func readUTF16(isBigEndian: Bool) -> [UInt8] {
        var text: [UInt8] = []
        var index = 0
        func unit(_ index: Int) -> UInt16 {
            UInt16(rest[index + (isBigEndian ? 0 : 1)]) << 8 | UInt16(rest[index + (isBigEndian ? 1 : 0)])
        }
        while index + 2 <= rest.count {
            var units = [unit(index)]
            if UTF16.isLeadSurrogate(units[0]) {
                if index + 4 <= rest.count { units.append(unit(index + 2)) } else if !isAtEnd { break }
            }
            if let scalar = Unicode.Scalar(units[0]) {
                text += Array(String(scalar).utf8)
                index += 2
            } else if units.count == 2, UTF16.isTrailSurrogate(units[1]) {
                text += Array(String(decoding: units, as: UTF16.self).utf8)
                index += 4
            } else {
                text.append(0xFF)
                index += 2
            }
        }
        rest.removeFirst(index)
        if isAtEnd, !rest.isEmpty {
            text.append(0xFF)
            rest = []
        }
        return text
    }
}

extension [UInt8] {
    /// The characters of Windows-1252 from 0x80 to 0x9F. Five bytes have none, and stand for control characters.
    private static let windowsCharacters: [UInt32] = [
        0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D, 0x017D, 0x8F,
        0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D, 0x017E, 0x0178,
    ]

    /// Appends the UTF-8 of a character.
    fileprivate mutating func append(latin1 byte: UInt8) {
        if byte < 0x80 { return append(byte) }
        let value = byte < 0xA0 ? Self.windowsCharacters[Int(byte) - 0x80] : UInt32(byte)
        if let scalar = Unicode.Scalar(value) { append(contentsOf: String(scalar).utf8) }
    }
}
