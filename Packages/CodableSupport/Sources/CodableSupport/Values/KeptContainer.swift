// The keyed containers of the standard library that a coder gives out again and again: making one allocates.
//
// A program can keep a container after its record. So a container is given out for another record only if nobody has it any more;
// one that somebody has is put aside, and another one takes its place. A container has a cell with the generation of the record
// that it was given out for, and compares it with that of its state at each call.

/// The containers that a coder keeps.
struct KeptContainers {
    /// Keeps the containers.
    private var objects: [KeptKeyedContainer] = []

    /// The one that was added last. What leads from one to the next is not retained on the way: there are several containers to each record.
    private var first: Unmanaged<KeptKeyedContainer>?

    /// The containers that programs have kept. Their cells stay as long as they do.
    private var strays: [KeptBox] = []

    /// How many strays there are when those that have gone are looked for.
    private var strayLimit = 16

    /// Whether containers are kept. Tests of the path that makes a new container each time set it to false.
    @TaskLocal static var areKept = true

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

    /// Keeps a container, if it can be told later whether the program keeps it as well.
    ///
    /// - Parameters:
    ///   - container: a container that was made just now.
    ///   - generation: its cell, which is freed with it.
    ///   - memory: what else the container points to.
    /// - Returns: whether it is kept.
    mutating func add<Container>(
        _ container: consuming Container, generation: UnsafeMutablePointer<Int>, keys: Any.Type, memory: AnyObject? = nil
    ) -> Bool {
        guard Self.areKept else { return false }
        guard let box = KeptBox(consume container, generation: generation) else { return false }
        // Consumed, as in builds without optimization the constant would count as another reference.
        let object = KeptContainer<Container>(consume box, keys: keys, memory: memory, next: first)
        guard object.tellsCopies else {
            return false
        }
        objects.append(object)
        first = .passUnretained(object)
        return true
    }

    /// Puts a container aside that the program has kept, and another one in its place.
    mutating func replace<Container>(
        _ object: KeptKeyedContainer, by container: consuming Container, generation: UnsafeMutablePointer<Int>
    ) {
        if strays.count >= strayLimit { removeFreeStrays() }
        guard let box = KeptBox(consume container, generation: generation) else { return }
        strays.append(object.box)
        object.box = consume box
    }

    /// Forgets all containers, but for the cells of those that the program keeps.
    mutating func removeAll() {
        strays += objects.map(\.box)
        first = nil
        objects = []
        removeFreeStrays()
    }

    private mutating func removeFreeStrays() {
        for index in strays.indices.reversed() where strays[index].isFree {
            strays[index].generation.deallocate()
            strays.swapAt(index, strays.count - 1)
            strays.removeLast()
        }
        // They are looked through each time their number has doubled.
        strayLimit = max(16, 2 * strays.count)
    }
}

/// A keyed container of the standard library, as the reference that it is.
///
/// `KeyedDecodingContainer` and `KeyedEncodingContainer` are structs of one word that hold a value of any size: that word refers to
/// an object, which copies of the struct share. Whether there are copies is a question about this object.
struct KeptBox {
    // Never nil. Of an `AnyObject` that is not optional, builds without optimization say that it is shared.
    fileprivate var object: AnyObject?

    /// The generation of the record that the container was given out for, which the container points to.
    let generation: UnsafeMutablePointer<Int>

    /// - Returns: nil for a container that is no word.
    init?<Container>(_ container: consuming Container, generation: UnsafeMutablePointer<Int>) {
        guard MemoryLayout<Container>.size == MemoryLayout<AnyObject>.size else { return nil }
        object = unsafeBitCast(container, to: AnyObject.self)
        self.generation = generation
    }

    /// Whether nobody else has the container.
    var isFree: Bool {
        mutating get { isKnownUniquelyReferenced(&object) }
    }

    func container<Container>(as type: Container.Type) -> Container { unsafeBitCast(object.unsafelyUnwrapped, to: type) }
}

/// A keyed container, in the list of those that a coder keeps.
class KeptKeyedContainer {
    /// The type of its keys.
    fileprivate let keys: ObjectIdentifier
    let memory: AnyObject?
    fileprivate let next: Unmanaged<KeptKeyedContainer>?

    @exclusivity(unchecked)
    fileprivate var box: KeptBox

    fileprivate init(_ box: KeptBox, keys: Any.Type, memory: AnyObject?, next: Unmanaged<KeptKeyedContainer>?) {
        self.box = box
        self.keys = ObjectIdentifier(keys)
        self.memory = memory
        self.next = next
    }

    /// Whether the container serves a record: the one that it serves already, or another one, if nobody has it from before.
    @inline(__always)
    final func serves(_ generation: Int) -> Bool {
        if box.generation.pointee == generation { return true }
        guard box.isFree else { return false }
        box.generation.pointee = generation
        return true
    }
}

/// A kept container, and its type.
final class KeptContainer<Container>: KeptKeyedContainer {
    /// The object knows the type of its container, where the caller would have to ask the runtime for the metadata of a generic type
    /// at each record, which takes longer than coding two properties.
    @inline(never)
    func get() -> Container { unsafeBitCast(box.object.unsafelyUnwrapped, to: Container.self) }

    /// Whether it can be told that somebody has a copy, and that nobody has.
    fileprivate var tellsCopies: Bool {
        guard box.isFree else { return false }
        let isFree = withExtendedLifetime(get()) { box.isFree }
        return !isFree && box.isFree
    }
}
