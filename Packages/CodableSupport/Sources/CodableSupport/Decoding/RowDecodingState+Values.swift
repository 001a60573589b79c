import Foundation
import Persistence

// Decodes properties of other types than the standard library's basic types. In this order: types with a strategy, database values,
// records in scopes, types that decode a single value, and JSON.

extension StateHandle<RowDecodingState.State> {
    func decode<T: Decodable>(_ type: T.Type, column: String, key: some CodingKey) throws -> T {
        if pointee.hasScopes, let scope = scope(key.stringValue, insteadOf: column, for: type) {
            return try decode(type, fromNested: scope)
        }
        if type == Date.self {
            return try date(column: column, Date.self) as! T
        }
        if type == UUID.self {
            return try currentRow.decode(UUID.self, forKey: column) as! T
        }
        if type == Data.self {
            return try data(column: column, Data.self) as! T
        }
        switch reader(for: type) {
        case .value(let valueType):
            return try decodeValue(valueType, column: column, as: type)
        case .optionalDate:
            return try date(column: column, Date?.self) as! T
        case .optionalData:
            return try data(column: column, Data?.self) as! T
        case .nested:
            return try decodeNested(type, column: column, key: key)
        case .json:
            do {
                return try decodeJSON(type, column: column, key: key, onlyNested: true)
            } catch {
                return try decodeSingle(type, column: column, key: key)
            }
        case .single:
            return try decodeSingle(type, column: column, key: key)
        }
    }

    // Neither this method nor `decodeMissing` is inlined: they use optionals of a generic type, and their caller would look up the
    // metadata of these optionals for each value of any kind.
    @inline(never)
    private func decodeNested<T: Decodable>(_ type: T.Type, column: String, key: some CodingKey) throws -> T {
        if !currentRow.hasColumn(column), let value = try decodeWithoutColumn(type, key: key, isPart: true) { return value }
        return try decodeSingle(type, column: column, key: key)
    }

    private func decodeSingle<T: Decodable>(_ type: T.Type, column: String, key: some CodingKey) throws -> T {
        // Each value is tried again, because a type may decode one value as a single value and another as JSON.
        do {
            return try T(from: ColumnDecoder(state: self, column: column, key: key))
        } catch is JSONRequired {
            let value = try decodeJSON(type, column: column, key: key)
            setReader(currentRow.hasColumn(column) ? .json : .nested, for: type)
            return value
        } catch let error as DecodingError {
            throw completed(error, column: column, type: type)
        }
    }

    /// Decodes the leftmost column of the row as a value.
    @_semantics("optimize.sil.specialize.generic.never")
    func decodeFirstColumn<T: Decodable>(_ type: T.Type) throws -> T {
        guard let column = firstColumn else { throw RowDecodingError(missingColumn: "", type: type, row: currentRow) }
        return try decode(type, column: column.stringValue, key: column)
    }

    /// Returns whether a type is always read from a column, and has no keys or elements.
    func isValue<T: Decodable>(_ type: T.Type) -> Bool {
        if type == Date.self || type == UUID.self || type == Data.self { return true }
        switch reader(for: type) {
        case .value, .optionalDate, .optionalData: return true
        case .single, .nested, .json: return false
        }
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, column: String, key: some CodingKey) throws -> T? {
        if pointee.hasScopes, let scope = scope(key.stringValue, insteadOf: column, for: type) {
            return try decodeIfPresent(type, fromScope: scope)
        }
        if type == Date.self {
            return try date(column: column, Date?.self).map { $0 as! T }
        }
        if type == UUID.self {
            return try currentRow.decode(UUID?.self, forKey: column).map { $0 as! T }
        }
        if type == Data.self {
            return try data(column: column, Data?.self).map { $0 as! T }
        }
        guard let index = currentRow.index(ofColumn: column) else {
            guard !isValue(type), hasNestedValue(key.stringValue) else { return nil }
            return try decode(type, column: column, key: key)
        }
        if currentRow.hasNull(atIndex: index) {
            // Some types convert NULL to a value.
            guard case .value(let valueType) = reader(for: type) else { return nil }
            // The cast is a second step: a nil that is cast to an optional type would become a value.
            guard let value = try decodeValueIfPresent(valueType, column: column) else { return nil }
            return value as? T
        }
        return try decode(type, column: column, key: key)
    }

    // Kept out of line because it uses an optional of a generic type.
    @inline(never)
    private func decodeIfPresent<T: Decodable>(_ type: T.Type, fromScope scope: Row) throws -> T? {
        // Some types convert NULL to a value.
        if isValue(type), pointee.strategies.recordType(type) == nil { return try decode(T?.self, fromNested: scope) }
        return scope.containsNonNullValue ? try decode(type, fromNested: scope) : nil
    }

    /// Returns how a type is read from a column. The result is cached, because checking a conformance is slow.
    private func reader(for type: (some Decodable).Type) -> ColumnReader {
        // Records have properties of few types, so a linear search is faster than hashing.
        for known in pointee.columnReaders where known.type == ObjectIdentifier(type) { return known.reader }
        let reader: ColumnReader
        if type == Date?.self {
            reader = .optionalDate
        } else if type == Data?.self {
            reader = .optionalData
        } else if let valueType = type as? any DatabaseValueConvertible.Type, type == UUID?.self || !wrapsTypeWithStrategy(type) {
            reader = .value(valueType)
        } else {
            reader = .single
        }
        pointee.columnReaders.append((ObjectIdentifier(type), reader))
        return reader
    }

    private func setReader(_ reader: ColumnReader, for type: Any.Type) {
        guard let index = pointee.columnReaders.firstIndex(where: { $0.type == ObjectIdentifier(type) }) else { return }
        pointee.columnReaders[index].reader = reader
    }

    private func decodeValue<Value: DatabaseValueConvertible, T>(_ type: Value.Type, column: String, as wanted: T.Type) throws -> T {
        try currentRow.decode(type, forKey: column) as! T
    }

    private func decodeValueIfPresent<Value: DatabaseValueConvertible>(_ type: Value.Type, column: String) throws -> Value? {
        try currentRow.decode(Value?.self, forKey: column)
    }

    // MARK: - Strategies

    private func date<Result: DatabaseValueConvertible & StatementColumnConvertible>(
        column: String, _ type: Result.Type
    ) throws -> Result {
        let strategy = pointee.strategies.record.databaseDateDecodingStrategy(for: column)
        if case .deferredToDate = strategy {
            return try currentRow.decode(type, forKey: column)
        }
        return try convert(column: column, type) { strategy.date(from: $0) }
    }

    private func data<Result: DatabaseValueConvertible & StatementColumnConvertible>(
        column: String, _ type: Result.Type
    ) throws -> Result {
        guard case .custom(let data) = pointee.strategies.record.databaseDataDecodingStrategy(for: column) else {
            return try currentRow.decode(type, forKey: column)
        }
        return try convert(column: column, type) { data($0) }
    }

    /// Reads a column with a function that converts values other than NULL.
    private func convert<Result: DatabaseValueConvertible>(
        column: String, _ type: Result.Type, _ convert: (DatabaseValue) -> Any?
    ) throws -> Result {
        let dbValue = try currentRow.decode(DatabaseValue?.self, forKey: column) ?? .null
        if dbValue.isNull { return try currentRow.decode(type, forKey: column) }
        // The cast is a second step, as above.
        guard let converted = convert(dbValue), let value = converted as? Result else {
            throw RowDecodingError(dbValue, column: column, index: currentRow.index(ofColumn: column), type: type, row: currentRow)
        }
        return value
    }

    // MARK: - JSON

    @inline(never)
    private func decodeMissing<T: Decodable>(
        _ type: T.Type, column: String, key: any CodingKey, reportedType: Any.Type
    ) throws -> T {
        if let value = try decodeWithoutColumn(type, key: key) { return value }
        throw RowDecodingError(missingColumn: column, type: reportedType, row: currentRow)
    }

    /// Decodes the JSON of a column.
    ///
    /// - Parameters:
    ///   - reportedType: the type that errors name, if it differs from the decoded type.
    ///   - onlyNested: whether JSON that is neither an object nor an array is an error.
    func decodeJSON<T: Decodable>(
        _ type: T.Type, column: String, key: any CodingKey, reportedType: Any.Type = T.self, onlyNested: Bool = false
    ) throws -> T {
        let row = currentRow
        guard row.hasColumn(column) else {
            return try decodeMissing(type, column: column, key: key, reportedType: reportedType)
        }
        func rowError() throws -> RowDecodingError {
            RowDecodingError(
                try row.decode(DatabaseValue?.self, forKey: column) ?? .null, column: column, index: row.index(ofColumn: column),
                type: reportedType, row: row, hasReason: true)
        }
        // A flag, because a result or an optional of a generic type would look up its metadata for each value.
        var isJSON = false
        do {
            return try row.withUnsafeData(named: column) { data in
                guard let data, !onlyNested || data.first == UInt8(ascii: "{") || data.first == UInt8(ascii: "[") else {
                    throw JSONRequired()
                }
                isJSON = true
                return try pointee.jsonDecoder(for: column).decode(type, from: data)
            }
        } catch let error as DecodingError where isJSON {
            throw error.inside(codingPath + [key]).completed(try rowError(), showsValues: row.showsValues)
        } catch  where !isJSON {
            // NULL and numbers are not the JSON of a type that has keys or elements.
            throw try rowError()
        }
    }

    /// Whether the first column is the JSON of an object, by its first character.
    var firstColumnIsJSONObject: Bool {
        // A number is not an object, and has no bytes.
        let isObject = try? currentRow.withUnsafeData(atIndex: 0) { data in
            data?.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "{")
        }
        return isObject ?? false
    }

    /// Returns a decoder of the JSON of a column.
    ///
    /// - Parameter type: the type that errors name.
    func decoderOfJSON(_ type: Any.Type, column: String, key: any CodingKey) throws -> any Decoder {
        let base = try decodeJSON(DecoderReference.self, column: column, key: key, reportedType: type).decoder
        return ColumnJSONDecoder(base: base, path: codingPath + [key])
    }

    /// Adds the column and the row to an error that a type throws for a single value.
    private func completed(_ error: DecodingError, column: String, type: Any.Type) -> DecodingError {
        let row = currentRow
        guard let index = row.index(ofColumn: column), let dbValue = try? row.decode(DatabaseValue.self, atIndex: index) else {
            return error
        }
        let rowError = RowDecodingError(dbValue, column: column, index: index, type: type, row: row, hasReason: true)
        return error.completed(rowError, showsValues: row.showsValues)
    }
}

extension RowDecodingState {
    /// Returns the error of a record, without the values that Swift puts into messages, unless the row's values are public.
    @inline(never)
    @usableFromInline
    static func hidingValues(in error: any Error, of row: Row) -> any Error {
        guard let error = error as? DecodingError, !row.showsValues else { return error }
        return error.changed { $0.withoutValues }
    }
}

extension DecodingError {
    /// Adds the path of a column to an error that was thrown inside the column's JSON.
    func inside(_ path: [any CodingKey]) -> DecodingError {
        changed { Context(codingPath: path + $0.codingPath, debugDescription: $0.debugDescription, underlyingError: $0.underlyingError) }
    }

    /// Adds a key to the path of an error, after the path of the row in which it was thrown.
    func inserting(_ key: any CodingKey, behind path: [any CodingKey]) -> DecodingError {
        changed { context in
            Context(
                codingPath: path + [key] + context.codingPath.dropFirst(path.count), debugDescription: context.debugDescription,
                underlyingError: context.underlyingError)
        }
    }

    /// Adds the error of the row to the message.
    fileprivate func completed(_ rowError: RowDecodingError, showsValues: Bool) -> DecodingError {
        changed { context in
            // If a type wraps another type, the wrapped type's error names the row already.
            if context.debugDescription.contains(rowError.rowText) { return context }
            let context = showsValues ? context : context.withoutValues
            return Context(
                codingPath: context.codingPath, debugDescription: "\(context.debugDescription) - \(rowError)",
                underlyingError: context.underlyingError)
        }
    }

    func changed(_ change: (Context) -> Context) -> DecodingError {
        switch self {
        case .typeMismatch(let type, let context): return .typeMismatch(type, change(context))
        case .valueNotFound(let type, let context): return .valueNotFound(type, change(context))
        case .keyNotFound(let key, let context): return .keyNotFound(key, change(context))
        case .dataCorrupted(let context): return .dataCorrupted(change(context))
        @unknown default: return self
        }
    }
}

extension DecodingError.Context {
    /// The context without the values that the standard library and `JSONDecoder` put into it: "Cannot initialize State from invalid String
    /// value x", "Cannot initialize Range<Int> with a lowerBound (2) greater than upperBound (1)", "Parsed JSON number <300> does not fit
    /// in Int8.", and the parser's error, which quotes the JSON. All other messages are the program's.
    var withoutValues: Self {
        var (message, underlyingError) = (debugDescription, underlyingError)
        if message.hasPrefix("Cannot initialize ") {
            message = "The value is not one that the type accepts"
        } else if message.hasPrefix("Parsed JSON number ") {
            message = "A number of the JSON is out of the type's range"
        } else if message.hasPrefix("The given data was not valid JSON") {
            underlyingError = nil
        }
        return Self(codingPath: codingPath, debugDescription: message, underlyingError: underlyingError)
    }
}

extension DatabaseDateDecodingStrategy {
    func date(from dbValue: DatabaseValue) -> Date? {
        switch self {
        case .deferredToDate:
            return Date.fromDatabaseValue(dbValue)
        case .timeIntervalSinceReferenceDate:
            return dbValue.finiteDouble.map { Date(timeIntervalSinceReferenceDate: $0) }
        case .timeIntervalSince1970:
            return dbValue.finiteDouble.map { Date(timeIntervalSince1970: $0) }
        case .millisecondsSince1970:
            return dbValue.finiteDouble.map { Date(timeIntervalSince1970: $0 / 1000) }
        case .iso8601:
            guard let text = dbValue.string else { return nil }
            return (try? Date(text, strategy: .iso8601))
                ?? (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
        case .formatted(let formatter):
            return dbValue.string.flatMap { formatter.date(from: $0) }
        case .custom(let date):
            return date(dbValue)
        }
    }
}

extension DatabaseValue {
    /// The number, or nil if it is infinite: no date is infinite.
    fileprivate var finiteDouble: Double? { double.flatMap { $0.isFinite ? $0 : nil } }
}

/// Returns whether a type is an optional, or an optional of an optional, of a type with strategies.
func wrapsTypeWithStrategy(_ type: Any.Type) -> Bool {
    guard let wrapped = (type as? any OptionalValue.Type)?.wrappedType else { return false }
    return wrapped == Date.self || wrapped == Data.self || wrapped == UUID.self || wrapsTypeWithStrategy(wrapped)
}

/// Gives access to the decoder of a nested value.
struct DecoderReference: Decodable {
    let decoder: any Decoder

    init(from decoder: any Decoder) throws {
        self.decoder = decoder
    }
}
