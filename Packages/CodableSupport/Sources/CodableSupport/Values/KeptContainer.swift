/// A keyed container of the standard library that a coder gives out again and again, in the list of those that it has made so far:
/// making one allocates.
class KeptKeyedContainer {
    /// The type of its keys.
    private let keys: ObjectIdentifier
    private let next: KeptKeyedContainer?

    fileprivate init(keys: Any.Type, next: KeptKeyedContainer?) {
        self.keys = ObjectIdentifier(keys)
        self.next = next
    }

    /// The container of a type of keys, among this one and those before it.
    @inline(__always)
    final func first(keys: Any.Type) -> KeptKeyedContainer? {
        var kept: KeptKeyedContainer? = self
        while let container = kept, container.keys != ObjectIdentifier(keys) { kept = container.next }
        return kept
    }
}

/// A kept container, and its type.
final class KeptContainer<Container>: KeptKeyedContainer {
    private let container: Container

    init(_ container: Container, keys: Any.Type, next: KeptKeyedContainer?) {
        self.container = container
        super.init(keys: keys, next: next)
    }

    /// The object knows the type of its container, where the caller would have to ask the runtime for the metadata of a generic type
    /// at each record, which takes longer than coding two properties.
    @inline(never)
    func get() -> Container { container }
}
