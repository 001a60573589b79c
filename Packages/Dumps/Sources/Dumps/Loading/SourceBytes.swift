import Foundation

/// The bytes of a source, which is read in chunks.
struct SourceBytes {
    private var decoder: TextDecoder

    /// Bytes of the source. Those before ``position`` were used.
    private(set) var bytes: [UInt8] = []

    /// The index of the next byte.
    var position = 0

    /// The number of bytes of the source before ``bytes``.
    private var discardedCount = 0

    /// Whether the source has no bytes after ``bytes``.
    private(set) var isRead = false

    private var checksum: SourceChecksum?

    /// The number of bytes of ``bytes`` that are in the checksum.
    private var checkedCount = 0

    /// The number of bytes of the source that were used.
    var offset: Int { discardedCount + position }

    /// Opens a source, and skips its byte order mark.
    ///
    /// - Parameter isChecked: whether ``checksumOfUsedBytes()`` will be called.
    init(_ source: TextSource, isChecked: Bool = false) throws {
        decoder = try TextDecoder(source)
        checksum = isChecked ? SourceChecksum() : nil
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        repeat { try fill() } while !isRead && bytes.count < mark.count && mark.starts(with: bytes)
        if bytes.starts(with: mark) { position = mark.count }
    }

    /// Reads more bytes, and discards those that were used.
    ///
    /// A record that ends in none of the chunks is scanned again from its beginning. Doubling the bytes keeps the time linear.
    mutating func fill() throws {
        if isRead { return }
        updateChecksum()
        bytes.removeSubrange(..<position)
        discardedCount += position
        (position, checkedCount) = (0, 0)
        let needed = max(2 * bytes.count, 1)
        while bytes.count < needed {
            guard let chunk = try decoder.chunk(), !chunk.isEmpty else {
                isRead = true
                return
            }
            bytes.append(contentsOf: chunk)
        }
    }

    /// Whether the bytes are UTF-8 that was made of other bytes.
    var isDecoded: Bool { decoder.changesBytes }

    /// Whether all bytes of the source were used. It may read a chunk.
    mutating func isAtEnd() throws -> Bool {
        while position == bytes.count, !isRead { try fill() }
        return position == bytes.count
    }

    /// Returns the position of the end of the current line, or of the source. It may read chunks, which move the positions.
    mutating func endOfLine() throws -> Int {
        var end = position
        while true {
            while end < bytes.count, bytes[end] != UInt8(ascii: "\n"), bytes[end] != UInt8(ascii: "\r") { end += 1 }
            if end < bytes.count || isRead { return end }
            let count = end - position
            try fill()
            end = position + count
        }
    }

    /// Uses the bytes up to an offset.
    ///
    /// - Returns: false if the source ends before it, or if more bytes were used already.
    mutating func skip(to offset: Int) throws -> Bool {
        guard offset >= self.offset else { return false }
        while discardedCount + bytes.count < offset {
            if isRead { return false }
            position = bytes.count
            try fill()
        }
        position = offset - discardedCount
        return true
    }

    /// The checksum of the bytes that were used.
    mutating func checksumOfUsedBytes() -> Int64 {
        updateChecksum()
        return checksum?.value ?? 0
    }

    private mutating func updateChecksum() {
        checksum?.add(bytes, checkedCount..<position)
        checkedCount = position
    }
}

/// A checksum of bytes, which finds accidental changes.
///
/// Each step maps different sums to different ones: a change within one word is always found, and any other with a probability of
/// 1 - 2⁻⁶⁴. The sum is stored in databases, so this computation must not change.
struct SourceChecksum {
    private var sum: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// The bytes after the last full word, in the order of a little-endian number, and how many they are.
    private var word: UInt64 = 0
    private var byteCount = 0

    mutating func add(_ bytes: [UInt8], _ range: Range<Int>) {
        var index = range.lowerBound
        while index < range.upperBound {
            if byteCount == 0, range.upperBound - index >= 8 {
                var word: UInt64 = 0
                for offset in 0..<8 { word |= UInt64(bytes[index + offset]) << UInt64(8 * offset) }
                sum = Self.step(sum, word)
                index += 8
                continue
            }
            word |= UInt64(bytes[index]) << UInt64(8 * byteCount)
            byteCount += 1
            index += 1
            if byteCount == 8 {
                sum = Self.step(sum, word)
                (word, byteCount) = (0, 0)
            }
        }
    }

    var value: Int64 { Int64(bitPattern: Self.step(Self.step(sum, word), UInt64(byteCount))) }

    private static func step(_ sum: UInt64, _ word: UInt64) -> UInt64 {
        let product = (sum ^ word) &* 0xD6E8_FEB8_6659_FD93
        return product ^ product >> 32
    }
}

/// The bytes of a source, one by one, with the number of the line.
struct ByteReader {
    private(set) var source: SourceBytes

    /// The number of the line of the next byte, from 1. Lines end with LF, CR LF or CR.
    private(set) var line = 1

    /// Whether the last byte was a CR. A LF after it ends the same line.
    private var isAfterReturn = false

    init(_ source: TextSource, isChecked: Bool = false) throws {
        self.source = try SourceBytes(source, isChecked: isChecked)
    }

    /// Returns the next byte without consuming it; nil at the end.
    mutating func peek() throws -> UInt8? {
        if source.position == source.bytes.count, try source.isAtEnd() { return nil }
        return source.bytes[source.position]
    }

    /// Returns the next byte; nil at the end.
    mutating func read() throws -> UInt8? {
        guard let byte = try peek() else { return nil }
        source.position += 1
        let isReturn = byte == UInt8(ascii: "\r")
        if isReturn || byte == UInt8(ascii: "\n") && !isAfterReturn { line += 1 }
        isAfterReturn = isReturn
        return byte
    }

    /// Returns the bytes of the next line without its end; nil at the end.
    mutating func readLine() throws -> [UInt8]? {
        if try source.isAtEnd() { return nil }
        let end = try source.endOfLine()
        let text = Array(source.bytes[source.position..<end])
        source.position = end
        // The line before has ended with its LF.
        isAfterReturn = false
        if try read() == UInt8(ascii: "\r"), try peek() == UInt8(ascii: "\n") { _ = try read() }
        return text
    }

    /// Uses the bytes up to an offset, which begins in a line: see ``SourceBytes/skip(to:)``.
    mutating func skip(to offset: Int, line: Int) throws -> Bool {
        self.line = line
        return try source.skip(to: offset)
    }

    /// The checksum of the bytes that were read.
    mutating func checksumOfUsedBytes() -> Int64 { source.checksumOfUsedBytes() }
}
