/// A keyed container of the standard library that a coder gives out for one record after the other, as making one allocates.
///
/// Such a container is a struct of one reference to an object, but that is not known to this module, nor is the struct's size: to copy it, the
/// runtime is asked for the metadata of a generic type, which takes longer than encoding two properties. A function that returns a
/// generic result writes it to memory of its caller. So does one that returns an object, once it is kept as a function of a
/// generic type, and then it writes no more than the reference. It can be called as if it returned the container.
struct KeptContainer {
    private struct Maker<Container> {
        let make: () -> Container
    }

    /// The type of the container's coding keys.
    let keys: ObjectIdentifier

    private let maker: Maker<AnyObject>

    /// - Returns: nil for a container that is not what is said above.
    init?<Container>(_ container: Container, keys: Any.Type) {
        guard MemoryLayout<Container>.size == MemoryLayout<AnyObject>.size else { return nil }
        let object = unsafeBitCast(container, to: AnyObject.self)
        self.keys = ObjectIdentifier(keys)
        maker = Maker { object }
    }

    /// The container, of the type that it was kept as.
    @inline(__always)
    func container<Container>() -> Container {
        unsafeBitCast(maker, to: Maker<Container>.self).make()
    }
}
