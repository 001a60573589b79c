/// A coding key that is only a name: of a column, of a scope, or in JSON.
struct NameKey: CodingKey {
    let stringValue: String

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    var intValue: Int? { nil }

    init?(intValue: Int) { nil }
}
