/// The keyed containers of the standard library that a coder gives out again and again: making one allocates.
struct KeptContainers {
    /// Keeps the containers.
    private var objects: [KeptKeyedContainer] = []

    /// The one that was added last. What leads from one to the next is not retained on the way: there are several containers to each record.
    private var first: Unmanaged<KeptKeyedContainer>?

    /// The container of a type of keys, which is a ``KeptContainer``.
    @inline(__always)
    func object(keys: Any.Type) -> Unmanaged<KeptKeyedContainer>? {
        var kept = first
        while let object = kept {
            let (isFound, next) = object._withUnsafeGuaranteedRef { ($0.keys == ObjectIdentifier(keys), $0.next) }
            if isFound { return object }
            kept = next
        }
        return nil
    }

    /// - Parameter memory: what the container points to.
    mutating func add<Container>(_ container: Container, keys: Any.Type, memory: AnyObject? = nil) {
        let object = KeptContainer(container, keys: keys, memory: memory, next: first)
        objects.append(object)
        first = .passUnretained(object)
    }
}

/// A keyed container, in the list of those that a coder keeps.
class KeptKeyedContainer {
    /// The type of its keys.
    fileprivate let keys: ObjectIdentifier
    private let memory: AnyObject?
    fileprivate let next: Unmanaged<KeptKeyedContainer>?

    fileprivate init(keys: Any.Type, memory: AnyObject?, next: Unmanaged<KeptKeyedContainer>?) {
        self.keys = ObjectIdentifier(keys)
        self.memory = memory
        self.next = next
    }
}

/// A kept container, and its type.
final class KeptContainer<Container>: KeptKeyedContainer {
    private let container: Container

    fileprivate init(_ container: Container, keys: Any.Type, memory: AnyObject?, next: Unmanaged<KeptKeyedContainer>?) {
        self.container = container
        super.init(keys: keys, memory: memory, next: next)
    }

    /// The object knows the type of its container, where the caller would have to ask the runtime for the metadata of a generic type
    /// at each record, which takes longer than coding two properties.
    @inline(never)
    func get() -> Container { container }
}
