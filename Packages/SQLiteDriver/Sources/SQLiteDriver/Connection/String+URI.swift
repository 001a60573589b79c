// Source: <https://www.sqlite.org/uri.html>

extension String {
    /// The string with each byte of its UTF-8, except ASCII letters, digits, `-` and `_`, replaced by `%` and its hexadecimal code.
    var percentEncodedForURI: String {
        let digits = Array("0123456789ABCDEF")
        return utf8.reduce(into: "") { text, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                text.append(Character(UnicodeScalar(byte)))
            default:
                text += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
            }
        }
    }
}
