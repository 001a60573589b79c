#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A `DatabaseValue` can be a property of `Codable` types. In a record, it is the value of its column. Other coders, such as JSON coders,
/// get a form from which the same value can be decoded:
///
/// ```swift
/// try JSONEncoder().encode(DatabaseValue(storage: .int64(1)))       // 1
/// try JSONEncoder().encode(DatabaseValue(storage: .string("a")))    // "a"
/// try JSONEncoder().encode(DatabaseValue.null)                      // null
/// try JSONEncoder().encode(DatabaseValue(storage: .double(1)))      // {"real":1}
/// try JSONEncoder().encode(DatabaseValue(storage: .blob(data)))     // {"blob":"AQI="}
/// ```
///
/// JSON does not distinguish reals from integers, or blobs from strings: that is why these two have a name.
extension DatabaseValue: Codable {
    private enum CodingKeys: String, CodingKey {
        case real
        case blob
    }

    /// Encodes a value.
    ///
    /// - Throws: the encoder's error, such as the error of `JSONEncoder` for infinities.
    public func encode(to encoder: any Encoder) throws {
        switch storage {
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .int64(let integer):
            var container = encoder.singleValueContainer()
            try container.encode(integer)
        case .string(let text):
            var container = encoder.singleValueContainer()
            try container.encode(text)
        case .double(let real):
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(real, forKey: .real)
        case .blob(let data):
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(data, forKey: .blob)
        }
    }

    /// Decodes a value.
    ///
    /// - Throws: `DecodingError` for anything other than what ``encode(to:)`` writes. A number that is not an integer is a REAL.
    public init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: CodingKeys.self) {
            if let real = try container.decodeIfPresent(Double.self, forKey: .real) {
                self.init(storage: .double(real))
            } else {
                self.init(storage: .blob(try container.decode(Data.self, forKey: .blob)))
            }
            return
        }
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let integer = try? container.decode(Int64.self) {
            self.init(storage: .int64(integer))
        } else if let real = try? container.decode(Double.self) {
            self.init(storage: .double(real))
        } else {
            self.init(storage: .string(try container.decode(String.self)))
        }
    }
}
