import Foundation

/// The type of a new column, from the fields that were seen.
struct FoundType {
    private enum Kind: Hashable {
        case integer
        /// A number with a fraction.
        case fraction
        /// An integer with a point, such as 1.0, which a column of NUMERIC affinity would turn into 1.
        case integralReal
        case blob
        case text
        /// `true` or `false` of JSON.
        case truth
    }

    private var kinds: Set<Kind> = []
    private var hasText = false

    /// Looks at a field that is not NULL.
    ///
    /// - Parameter marksBlobs: whether a field without quotes may be a blob: `X'00FF'`.
    mutating func add(_ bytes: [UInt8], _ field: CSVRecords.Field, marksBlobs: Bool) {
        // After a text, only a blob changes the type.
        let mayBeBlob = marksBlobs && bytes.mayBeBlob(field)
        if hasText, !mayBeBlob { return }
        kinds.insert(field.isQuoted ? .text : kind(bytes, field, mayBeBlob: mayBeBlob))
        hasText = kinds.contains(.text)
    }

    private func kind(_ bytes: [UInt8], _ field: CSVRecords.Field, mayBeBlob: Bool) -> Kind {
        if bytes.canonicalInteger(field.range) != nil { return .integer }
        if let real = bytes.canonicalReal(field.range) { return real == real.rounded() ? .integralReal : .fraction }
        let text = String(decoding: bytes[field.range], as: UTF8.self)
        if mayBeBlob, Data(blobLiteral: text) != nil { return .blob }
        switch DatabaseValue(number: text)?.storage {
        case .int64: return .integer
        case .double(let real): return real == real.rounded() ? .integralReal : .fraction
        default: return .text
        }
    }

    /// Looks at a value of JSON.
    ///
    /// Its numbers are values, not strings: 1.0 and 1 differ only in their notation.
    mutating func add(_ value: JSONValue) {
        switch value {
        case .number(let number):
            switch (try? number.value(for: .blob))?.storage {
            case .int64: kinds.insert(.integer)
            case .double: kinds.insert(.fraction)
            default: kinds.insert(.text)
            }
        case .truth: kinds.insert(.truth)
        case .other(let value):
            switch value.storage {
            case .null: break
            case .int64: kinds.insert(.integer)
            case .double: kinds.insert(.fraction)
            case .string: kinds.insert(.text)
            case .blob: kinds.insert(.blob)
            }
        }
    }

    func type(isStrict: Bool) -> Database.ColumnType {
        if kinds == [.blob] { return .blob }
        if kinds == [.truth] { return isStrict ? .integer : .boolean }
        let kinds = Set(kinds.map { $0 == .truth ? .integer : $0 })
        if kinds.contains(.blob) { return isStrict ? .any : .blob }
        switch kinds {
        case [.integer]: return .integer
        case [.fraction], [.integralReal], [.fraction, .integralReal]: return .real
        case [.integer, .fraction]: return isStrict ? .any : .numeric
        default: return .text
        }
    }
}
