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
/// try JSONEncoder().encode(DatabaseValue(storage: .double(.infinity)))
/// // {"real":"Infinity"}
/// ```
///
/// JSON does not distinguish reals from integers, or blobs from strings: that is why these two have a name. It has no infinities: they are the
/// strings `Infinity` and `-Infinity`, unless the coder has strings of its own for them.
extension DatabaseValue: Codable {
    private enum CodingKeys: String, CodingKey {
        case real
        case blob
    }

    /// The names of the numbers that JSON can't represent.
    private static let namedReals = ["Infinity": Double.infinity, "-Infinity": -Double.infinity, "NaN": Double.nan]

    /// Encodes a value.
    ///
    /// - Throws: the encoder's error.
    public func encode(to encoder: any Encoder) throws {
        switch storage {
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .int64(let integer): try integer.encode(to: encoder)
        case .string(let text): try text.encode(to: encoder)
        case .double(let real):
            var container = encoder.container(keyedBy: CodingKeys.self)
            do {
                try container.encode(real, forKey: .real)
            } catch  where !real.isFinite {
                try container.encode(real.isNaN ? "NaN" : real < 0 ? "-Infinity" : "Infinity", forKey: .real)
            }
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
            if container.contains(.real) {
                self.init(storage: .double(try Self.real(in: container)))
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

    private static func real(in container: KeyedDecodingContainer<CodingKeys>) throws -> Double {
        do {
            return try container.decode(Double.self, forKey: .real)
        } catch {
            guard let real = (try? container.decode(String.self, forKey: .real)).flatMap({ namedReals[$0] }) else { throw error }
            return real
        }
    }
}
