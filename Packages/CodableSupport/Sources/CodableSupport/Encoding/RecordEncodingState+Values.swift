import Foundation
import Persistence

// Properties whose types are not the standard library's basic ones. In order: types with a strategy, types that are database
// values, types that are coded as a single value, and JSON.

extension UnsafeMutablePointer<RecordEncodingState.State> {
    func encode<T: Encodable>(_ value: T, column: String, key: some CodingKey) throws {
        if T.self == Date.self {
            return encode(date: unsafeBitCast(value, to: Date.self), column: column)
        }
        if T.self == UUID.self {
            return encode(uuid: unsafeBitCast(value, to: UUID.self), column: column)
        }
        if T.self == Data.self {
            return try encode(data: unsafeBitCast(value, to: Data.self), column: column)
        }
        switch writer(for: T.self) {
        case .value:
            encodeAny(value as? any DatabaseValueConvertible, column: column)
        case .single:
            // Each value is tried anew: there are types that are a single value at one time, and need JSON at another.
            let encoder = ColumnEncoder(state: self, column: column, key: key)
            do {
                try value.encode(to: encoder)
            } catch is JSONRequired {
                encoder.result.isJSONRequired = true
            }
            if encoder.result.isJSONRequired {
                try encodeJSON(value, column: column, key: key)
            } else if !encoder.result.isEncoded {
                set(DatabaseValue?.none, forColumn: column)
            }
        }
    }

    /// How a type is written to a column; looked up once for each type, as asking for a conformance is slow.
    private func writer(for type: (some Encodable).Type) -> ColumnWriter {
        for known in pointee.columnWriters where known.type == ObjectIdentifier(type) { return known.writer }
        // Optionals of the types that have strategies encode what they wrap.
        let hasStrategy = type == Date?.self || type == Data?.self || type == UUID?.self
        let writer: ColumnWriter = type is any DatabaseValueConvertible.Type && !hasStrategy ? .value : .single
        pointee.columnWriters.append((ObjectIdentifier(type), writer))
        return writer
    }

    private func encodeValue<Value: DatabaseValueConvertible>(_ value: Value, column: String) {
        set(value, forColumn: column)
    }

    private func encodeAny(_ value: (any DatabaseValueConvertible)?, column: String) {
        if let value {
            encodeValue(value, column: column)
        } else {
            set(DatabaseValue?.none, forColumn: column)
        }
    }

    // MARK: - Strategies

    private func encode(date: Date, column: String) {
        switch pointee.strategies.record.databaseDateEncodingStrategy(for: column) {
        case .deferredToDate:
            set(date, forColumn: column)
        case .timeIntervalSinceReferenceDate:
            set(date.timeIntervalSinceReferenceDate, forColumn: column)
        case .timeIntervalSince1970:
            set(date.timeIntervalSince1970, forColumn: column)
        case .secondsSince1970:
            set(wholeNumber(date.timeIntervalSince1970.rounded(.down)), forColumn: column)
        case .millisecondsSince1970:
            set(wholeNumber((date.timeIntervalSince1970 * 1000).rounded(.down)), forColumn: column)
        case .iso8601:
            set(date.formatted(.iso8601), forColumn: column)
        case .formatted(let formatter):
            set(formatter.string(from: date), forColumn: column)
        case .custom(let value):
            encodeAny(value(date), column: column)
        }
    }

    /// A number as INTEGER, unless it is out of range.
    private func wholeNumber(_ number: Double) -> DatabaseValue {
        Int64(truncating: number)?.databaseValue ?? number.databaseValue
    }

    private func encode(uuid: UUID, column: String) {
        switch pointee.strategies.record.databaseUUIDEncodingStrategy(for: column) {
        case .deferredToUUID: set(uuid, forColumn: column)
        case .lowercaseString: set(uuid.uuidString.lowercased(), forColumn: column)
        case .uppercaseString: set(uuid.uuidString, forColumn: column)
        }
    }

    private func encode(data: Data, column: String) throws {
        switch pointee.strategies.record.databaseDataEncodingStrategy(for: column) {
        case .deferredToData:
            set(data, forColumn: column)
        case .text:
            guard let text = String(validUTF8: data) else {
                throw EncodingError.invalidValue(
                    data,
                    EncodingError.Context(
                        codingPath: [], debugDescription: "The data of column \"\(column)\" is not valid UTF-8."))
            }
            set(text, forColumn: column)
        case .custom(let value):
            encodeAny(value(data), column: column)
        }
    }

    // MARK: - JSON

    func encodeJSON<T: Encodable>(_ value: T, column: String, key: any CodingKey) throws {
        do {
            let data = try pointee.jsonEncoder(for: column).encode(value)
            set(String(decoding: data, as: UTF8.self), forColumn: column)
        } catch EncodingError.invalidValue(let value, let context) {
            // The error knows only of the JSON.
            throw EncodingError.invalidValue(
                value,
                EncodingError.Context(
                    codingPath: [key] + context.codingPath,
                    debugDescription: "\(context.debugDescription) - in the JSON of column \"\(column)\"",
                    underlyingError: context.underlyingError))
        }
    }
}
