import Foundation
import RowDecoding

/// The check of debug builds that a key has the storage class of the keys of its table.
///
/// A UUID is stored as 16 bytes, unless the record's strategy is another one: its text finds no row, and no error would say so. SQLite
/// converts numbers and strings into each other by the affinity of a column, but neither a string into a blob nor a blob into a string.
/// Where the class of the stored keys is not certain, a key passes.
struct KeyCheck {
    private enum StorageClass: String {
        case text = "a string"
        case blob = "a blob"

        init?(_ value: DatabaseValue) {
            switch value.storage {
            case .string: self = .text
            case .blob: self = .blob
            case .null, .int64, .double: return nil
            }
        }

        /// - Parameter type: the declared type of a column.
        init?(declared type: String) {
            switch ColumnAffinity(type, isStrict: false) {
            case .text: self = .text
            case .blob where !type.isEmpty: self = .blob
            default: return nil
            }
        }
    }

    /// The record type, if there is one.
    let recordType: Any.Type?
    /// The name of the table.
    let table: String

    /// Checks the value of a column of a key.
    ///
    /// - Throws: ``DatabaseError`` in debug builds, if no row can have the value.
    func check(_ value: DatabaseValue?, inColumn column: String, _ db: Database) throws {
        #if DEBUG
            guard let value, let passed = StorageClass(value), let stored = try stored(inColumn: column, not: passed, db)
            else { return }
            let example = stored == .blob ? "the Data or the UUID itself" : "the string that the column stores"
            throw DatabaseError(
                resultCode: .SQLITE_MISMATCH,
                message: "the column \(column) of \(table) stores \(stored.rawValue), and the key is \(passed.rawValue): no row has it",
                advice: "Pass \(example). Only debug builds throw this error: others find no row.")
        #endif
    }

    #if DEBUG
        /// Returns the storage class of a column, if it certainly is not the class of a value.
        private func stored(inColumn name: String, not passed: StorageClass, _ db: Database) throws -> StorageClass? {
            let reference = try TableReference(table, in: db)
            let columns = try db.columns(in: reference.name, in: reference.schema)
            guard let column = columns.first(where: { $0.name.isEqualIgnoringASCIICase(to: name) }) else { return nil }
            let declared = StorageClass(declared: column.type)
            if column.primaryKeyIndex == 1, let type = recordType as? any Identifiable.Type,
                let stored = try idClass(type, column.name), stored != passed,
                // The id of a record may be another one than its key.
                stored == declared || name.isEqualIgnoringASCIICase(to: "id") || column.type.isEqualIgnoringASCIICase(to: "UUID")
            {
                return stored
            }
            // A table that is not STRICT can store any value in such a column.
            guard let declared, declared != passed else { return nil }
            return try db.isStrictTable(reference.name, in: reference.schema ?? "main") ? declared : nil
        }

        /// Returns the storage class of the ids of a record type, as the type's strategy stores them; nil if it is not known.
        private func idClass<Record: Identifiable>(_ type: Record.Type, _ column: String) throws -> StorageClass? {
            guard let id = Self.sample(Record.ID.self) else { return nil }
            let encoding = recordType as? any ColumnValueEncoding.Type
            let encoded = try id.columnEncodableValue.flatMap { try encoding?.databaseValue(of: $0, inColumn: column) }
            return try StorageClass(encoded ?? id.bindingValue())
        }

        /// Returns a value of a type of ids; nil if none is known.
        private static func sample(_ type: Any.Type) -> (any DatabaseValueConvertible)? {
            switch type {
            case is UUID.Type: UUID()
            case is Data.Type: Data([0])
            case is String.Type: "id"
            case let type as any OptionalValue.Type: sample(type.wrappedType)
            case let type as any (DatabaseValueConvertible & RawRepresentable).Type: sample(ofRawType: type)
            default: nil
            }
        }

        private static func sample<ID: DatabaseValueConvertible & RawRepresentable>(ofRawType type: ID.Type) -> ID? {
            (sample(ID.RawValue.self) as? ID.RawValue).flatMap { ID(rawValue: $0) }
        }
    #endif
}
