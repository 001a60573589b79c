import Foundation

extension Data {
    /// The standard form of a UUID if the bytes are most likely one, for text that people read: 16 bytes with a version and the variant of
    /// RFC 9562. Of 16 random bytes, one in eight looks like a UUID.
    ///
    /// Source: <https://www.rfc-editor.org/rfc/rfc9562>
    package var likelyUUID: String? {
        guard count == 16, case let bytes = Array(self), (1...8).contains(bytes[6] >> 4), bytes[8] >> 6 == 0b10 else { return nil }
        let digits = Array("0123456789ABCDEF".utf8)
        var text: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
            text += [digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
        }
        return String(decoding: text, as: UTF8.self)
    }
}
