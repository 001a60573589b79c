// A coder reuses the keyed containers of the standard library, because creating one allocates memory.
//
// A program can keep a container after its record. A coder therefore reuses a container only if it has the sole reference to it.
// Otherwise, it sets the container aside, and creates another. A container has a cell with the generation of its record, and compares it
// with the generation of its state at each call.

/// The containers that a coder reuses.
struct KeptContainers {
    /// Retains the containers.
    private var objects: [KeptKeyedContainer] = []

    /// The container that was added last, the head of a linked list. Its links are unmanaged, so that a search retains nothing: each
    /// record searches for several containers.
    private var first: Unmanaged<KeptKeyedContainer>?

    /// The containers that the program has kept. Their cells are freed when the program has released them.
    private var heldBoxes: [KeptBox] = []

    /// When this many boxes are held, the released ones are removed.
    private var heldBoxLimit = 16

    /// A container in the list, which is not retained.
    struct Reference {
        fileprivate let object: Unmanaged<KeptKeyedContainer>

        /// The object whose memory the container points to.
        var memory: AnyObject? { object._withUnsafeGuaranteedRef { $0.memory } }

        /// Returns whether the container can be used for a record: see ``KeptKeyedContainer/serves(_:)``.
        @inline(__always)
        func serves(_ generation: Int) -> Bool { object._withUnsafeGuaranteedRef { $0.serves(generation) } }

        /// Returns the container, which the caller has looked up by the type of its keys.
        @inline(__always)
        func container<Container>(as type: Container.Type) -> Container {
            object._withUnsafeGuaranteedRef { unsafeDowncast($0, to: KeptContainer<Container>.self).get() }
        }
    }

    /// Returns the container for a type of keys.
    @inline(__always)
    func reference(keys: Any.Type) -> Reference? {
        var kept = first
        while let object = kept {
            let (isFound, next) = object._withUnsafeGuaranteedRef { ($0.keys == ObjectIdentifier(keys), $0.next) }
            if isFound { return Reference(object: object) }
            kept = next
        }
        return nil
    }

    /// Keeps a container, if later calls can detect whether the program holds a copy of it.
    ///
    /// - Parameters:
    ///   - container: a new container.
    ///   - cell: its cell, which is freed with it.
    ///   - memory: an object whose memory the container points to.
    /// - Returns: whether it is kept.
    mutating func add<Container>(
        _ container: consuming Container, cell: GenerationCell, keys: Any.Type, memory: AnyObject? = nil
    ) -> Bool {
        guard let box = KeptBox(consume container, cell: cell) else { return false }
        // Consumed, because in builds without optimization the constant would count as another reference.
        let object = KeptContainer<Container>(consume box, keys: keys, memory: memory, next: first)
        guard object.tellsCopies else {
            return false
        }
        objects.append(object)
        first = .passUnretained(object)
        return true
    }

    /// Sets aside a container that the program has kept, and replaces it with another container.
    mutating func replace<Container>(
        _ kept: Reference, by container: consuming Container, cell: GenerationCell
    ) {
        if heldBoxes.count >= heldBoxLimit { removeFreeHeldBoxes() }
        guard let box = KeptBox(consume container, cell: cell) else { return }
        let object = kept.object.takeUnretainedValue()
        heldBoxes.append(object.box)
        object.box = consume box
    }

    /// Removes all containers. Sets aside those that the program has kept, because they use their cells.
    mutating func removeAll() {
        heldBoxes += objects.map(\.box)
        first = nil
        objects = []
        removeFreeHeldBoxes()
    }

    private mutating func removeFreeHeldBoxes() {
        for index in heldBoxes.indices.reversed() where heldBoxes[index].isFree {
            heldBoxes[index].cell.free()
            heldBoxes.swapAt(index, heldBoxes.count - 1)
            heldBoxes.removeLast()
        }
        // The next search runs when the number of held boxes has doubled.
        heldBoxLimit = max(16, 2 * heldBoxes.count)
    }
}

/// A keyed container of the standard library, stored as an object reference.
///
/// `KeyedDecodingContainer` and `KeyedEncodingContainer` are structs of one word, a reference to an object that copies of the struct share.
/// The reference count of this object shows whether there are copies.
struct KeptBox {
    // Never nil. Optional, because builds without optimization report a non-optional `AnyObject` as shared.
    fileprivate var object: AnyObject?

    /// The cell that the container points to, with the generation of the container's record.
    let cell: GenerationCell

    /// - Returns: nil if the container's size is not one word.
    init?<Container>(_ container: consuming Container, cell: GenerationCell) {
        guard MemoryLayout<Container>.size == MemoryLayout<AnyObject>.size else { return nil }
        object = unsafeBitCast(container, to: AnyObject.self)
        self.cell = cell
    }

    /// Whether this is the only reference to the container.
    var isFree: Bool {
        mutating get { isKnownUniquelyReferenced(&object) }
    }

    func container<Container>(as type: Container.Type) -> Container { unsafeBitCast(object.unsafelyUnwrapped, to: type) }
}

/// A keyed container in the list of reused containers.
class KeptKeyedContainer {
    /// The type of its keys.
    fileprivate let keys: ObjectIdentifier
    let memory: AnyObject?
    fileprivate let next: Unmanaged<KeptKeyedContainer>?

    fileprivate var box: KeptBox

    fileprivate init(_ box: KeptBox, keys: Any.Type, memory: AnyObject?, next: Unmanaged<KeptKeyedContainer>?) {
        self.box = box
        self.keys = ObjectIdentifier(keys)
        self.memory = memory
        self.next = next
    }

    /// Returns whether the container can be used for a record. It can if it is in use for that record already, or if the program holds no
    /// copy of it; in the second case it is used for that record from now on.
    @inline(__always)
    final func serves(_ generation: Int) -> Bool {
        if box.cell.generation == generation { return true }
        guard box.isFree else { return false }
        box.cell.generation = generation
        return true
    }
}

/// A kept container, and its type.
final class KeptContainer<Container>: KeptKeyedContainer {
    /// Returns the container. The object knows its type. The caller would have to look up the metadata of a generic type for each record,
    /// which takes longer than coding two properties.
    @inline(never)
    func get() -> Container { unsafeBitCast(box.object.unsafelyUnwrapped, to: Container.self) }

    /// Whether `isFree` detects a copy of the container, and the absence of one.
    fileprivate var tellsCopies: Bool {
        guard box.isFree else { return false }
        let isFree = withExtendedLifetime(get()) { box.isFree }
        return !isFree && box.isFree
    }
}
