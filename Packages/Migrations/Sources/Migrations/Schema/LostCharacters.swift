// An earlier version of RecordGenerator left combining characters out of the Swift literals with the SQL of files: `'café'`, decomposed,
// became `'cafe'`, and `'❤️'` became `'❤'`. Databases that such code has migrated keep the damaged definitions.

extension SchemaSnapshot {
    /// Returns the descriptions of the objects that another schema has only without the combining characters of their SQL, such as
    /// `table word`.
    func objectsThatLostCharacters(in other: SchemaSnapshot) -> [String] {
        let meanings = Set(other.meanings)
        return objects.filter { !meanings.contains($0.meaning) && meanings.contains($0.withoutLostCharacters.meaning) }
            .map { "\($0.type) \($0.name)" }
    }
}

extension SchemaSnapshot.Object {
    /// The object as the damaged SQL creates it.
    fileprivate var withoutLostCharacters: Self {
        Self(
            type: type, name: name.withoutLostCharacters, table: table.withoutLostCharacters, sql: sql.withoutLostCharacters)
    }
}

extension String {
    fileprivate var withoutLostCharacters: String { String(changed(unicodeScalars) { $0.removeAll(where: \.wasLost) }) }
}

extension Unicode.Scalar {
    /// Whether the scalar and a quote beside it are one `Character`, the quotes of which were removed. Most format characters were escaped.
    fileprivate var wasLost: Bool {
        !isASCII && (properties.generalCategory != .format || value == 0x200D) && "\"\(self)\"".count < 3
    }
}
