import Foundation
import Persistence

// Encodes properties of other types than the standard library's basic types. In this order: types with a strategy, database values,
// types that encode a single value, and JSON.

extension StateHandle<RecordEncodingState.State> {
    func encode<T: Encodable>(_ value: T, column: String, key: some CodingKey) throws {
        if T.self == Date.self {
            return encode(date: value as! Date, column: column)
        }
        if T.self == UUID.self {
            return encode(uuid: value as! UUID, column: column)
        }
        if T.self == Data.self {
            return encode(data: value as! Data, column: column)
        }
        switch writer(for: T.self) {
        case .value:
            encodeAny(value as? any DatabaseValueConvertible, column: column)
        case .single:
            // Each value is tried again, because a type may encode one value as a single value and another as JSON.
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

    /// Returns how a type is written to a column. The result is cached, because checking a conformance is slow.
    private func writer(for type: (some Encodable).Type) -> ColumnWriter {
        for known in pointee.columnWriters where known.type == ObjectIdentifier(type) { return known.writer }
        // Optionals of types with strategies encode their wrapped value.
        let writer: ColumnWriter = type is any DatabaseValueConvertible.Type && !wrapsTypeWithStrategy(type) ? .value : .single
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
        let strategy = pointee.strategies.record.databaseDateEncodingStrategy(for: column)
        if case .deferredToDate = strategy {
            set(date, forColumn: column)
        } else {
            set(EncodedDate(date: date, strategy: strategy), forColumn: column)
        }
    }

    private func encode(uuid: UUID, column: String) {
        let strategy = pointee.strategies.record.databaseUUIDEncodingStrategy(for: column)
        if case .deferredToUUID = strategy {
            set(uuid, forColumn: column)
        } else {
            set(strategy.databaseValue(for: uuid), forColumn: column)
        }
    }

    private func encode(data: Data, column: String) {
        let strategy = pointee.strategies.record.databaseDataEncodingStrategy(for: column)
        if case .deferredToData = strategy {
            set(data, forColumn: column)
        } else {
            set(EncodedData(data: data, strategy: strategy, column: column), forColumn: column)
        }
    }

    // MARK: - JSON

    func encodeJSON<T: Encodable>(_ value: T, column: String, key: any CodingKey) throws {
        do {
            let data = try pointee.jsonEncoder(for: column).encode(value)
            set(String(decoding: data, as: UTF8.self), forColumn: column)
        } catch EncodingError.invalidValue(let value, let context) {
            // The error names only the path inside the JSON.
            throw EncodingError.invalid(
                value,
                EncodingError.Context(
                    codingPath: [key] + context.codingPath,
                    debugDescription: "\(context.debugDescription) - in the JSON of column \"\(column)\"",
                    underlyingError: context.underlyingError),
                showsValues: pointee.container?.showsValues ?? false)
        }
    }
}

/// A date that a strategy encodes on demand, because a deletion needs only the value of the primary key.
private struct EncodedDate: StatementBinding {
    let date: Date
    let strategy: DatabaseDateEncodingStrategy

    func bindingValue() throws -> DatabaseValue { try strategy.databaseValue(for: date) }

    func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        (try? bindingValue())?.bind(to: sqliteStatement, at: index) ?? ResultCode.SQLITE_MISMATCH.rawValue
    }
}

/// Binary data that a strategy encodes on demand.
private struct EncodedData: StatementBinding {
    let data: Data
    let strategy: DatabaseDataEncodingStrategy
    let column: String

    func bindingValue() throws -> DatabaseValue {
        do {
            return try strategy.databaseValue(for: data)
        } catch {
            guard case .text = strategy else { throw error }
            throw EncodingError.invalid(
                data,
                EncodingError.Context(
                    codingPath: [], debugDescription: "The data of column \"\(column)\" is not valid UTF-8.", underlyingError: error))
        }
    }

    func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        (try? bindingValue())?.bind(to: sqliteStatement, at: index) ?? ResultCode.SQLITE_MISMATCH.rawValue
    }
}
