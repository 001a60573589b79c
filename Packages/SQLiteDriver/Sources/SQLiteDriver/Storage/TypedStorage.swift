/// Names one thing that a layer keeps on a connection, a statement or a row, and its type.
///
/// ```swift
/// enum PlayerPlans: StorageKey {
///     typealias Value = PlanTable  // a class
/// }
///
/// let plans = db.storage.value(for: PlayerPlans.self) { PlanTable() }
/// ```
public protocol StorageKey {
    /// The class of what is kept.
    associatedtype Value: AnyObject
}

/// A table of objects, at most one for each ``StorageKey``, by which layers keep their state where it belongs.
///
/// Looking up the key that was last used costs one comparison; other keys, one lookup in a dictionary.
public final class TypedStorage {
    // Hot state is behind a pointer: a stored property of a class would be checked for exclusive access at each use.
    @usableFromInline let recent: UnsafeMutablePointer<Entry>
    private var objects: [ObjectIdentifier: AnyObject] = [:]

    @usableFromInline
    struct Entry {
        /// A number that stands for the key, 0 for none: comparing optional identifiers takes twice the code.
        @usableFromInline var key = 0
        /// There is one if there is a key.
        @usableFromInline var object: AnyObject?

        init() {}

        init(key: ObjectIdentifier, object: AnyObject?) {
            self.key = object == nil ? 0 : Int(bitPattern: key)
            self.object = object
        }

        @inlinable
        @inline(__always)
        func object(for key: ObjectIdentifier) -> AnyObject? {
            self.key == Int(bitPattern: key) ? object.unsafelyUnwrapped : nil
        }
    }

    /// Makes an empty table.
    public init() {
        recent = .allocate(capacity: 1)
        recent.initialize(to: Entry())
    }

    deinit {
        recent.deinitialize(count: 1)
        recent.deallocate()
    }

    /// What is kept for a key, made first if nothing is.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - make: makes the object.
    /// - Complexity: O(1).
    @inlinable
    public func value<Key: StorageKey>(for key: Key.Type, orMake make: () throws -> Key.Value) rethrows -> Key.Value {
        if let object = recent.pointee.object(for: ObjectIdentifier(key)) {
            return unsafeDowncast(object, to: Key.Value.self)
        }
        if let object = lookup(ObjectIdentifier(key)) {
            return unsafeDowncast(object, to: Key.Value.self)
        }
        let object = try make()
        set(object, for: ObjectIdentifier(key))
        return object
    }

    /// What is kept for a key, if that is the one that was used last.
    ///
    /// For code that runs so often that it matters whether the object is retained: with one way to find it, the compiler sees that it
    /// need not be.
    @inlinable
    public func recentValue<Key: StorageKey>(for key: Key.Type) -> Key.Value? {
        guard let object = recent.pointee.object(for: ObjectIdentifier(key)) else { return nil }
        return unsafeDowncast(object, to: Key.Value.self)
    }

    /// What is kept for a key, or nil.
    @inlinable
    public func value<Key: StorageKey>(for key: Key.Type) -> Key.Value? {
        if let object = recent.pointee.object(for: ObjectIdentifier(key)) {
            return unsafeDowncast(object, to: Key.Value.self)
        }
        return lookup(ObjectIdentifier(key)).map { unsafeDowncast($0, to: Key.Value.self) }
    }

    /// Keeps an object for a key, in place of the one that was kept; nil removes it.
    public func setValue<Key: StorageKey>(_ value: Key.Value?, for key: Key.Type) {
        set(value, for: ObjectIdentifier(key))
    }

    /// Forgets everything.
    func removeAll() {
        recent.pointee = Entry()
        objects.removeAll()
    }

    @usableFromInline
    func lookup(_ key: ObjectIdentifier) -> AnyObject? {
        guard let object = objects[key] else { return nil }
        recent.pointee = Entry(key: key, object: object)
        return object
    }

    @usableFromInline
    func set(_ object: AnyObject?, for key: ObjectIdentifier) {
        objects[key] = object
        recent.pointee = Entry(key: key, object: object)
    }
}
